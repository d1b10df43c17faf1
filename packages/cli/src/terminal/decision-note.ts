/** The line that stays on the screen after a question was answered. */
import type { ApprovalDecision } from '@adjutant/core'

export function decisionNote(tool: string, decision: ApprovalDecision): string {
  switch (decision.type) {
    case 'approve':
      return decision.scope === 'once'
        ? `${tool}: allowed once`
        : decision.scope === 'tool'
          ? `${tool}: allowed for the rest of the session`
          : `${tool}: this exact call is allowed for the rest of the session`
    case 'edit':
      return `${tool}: allowed with changed arguments`
    case 'deny':
      return `${tool}: denied${decision.reason === undefined ? '' : ` (${decision.reason})`}`
    default:
      return decision satisfies never
  }
}
