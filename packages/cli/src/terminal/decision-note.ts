/** The line that stays on the screen after a question was answered, or was taken away unanswered. */
import type { ApprovalDecision, ApprovalRequest } from '@adjutant/core'

export function decisionNote({ call, identical = [], matching = [] }: ApprovalRequest, decision: ApprovalDecision): string {
  const tool = call.tool.name
  switch (decision.type) {
    case 'approve':
      return `${tool}: ${allowed(decision, identical.length, matching.length)}`
    case 'edit':
      return `${tool}: allowed with changed arguments`
    case 'deny':
      return `${tool}: denied${also(identical.length)}${decision.reason === undefined || decision.reason === '' ? '' : ` (${decision.reason})`}`
    default:
      return decision satisfies never
  }
}

/** Of a question that ended without an answer. `reason`: what its signal was aborted with. */
export function endedNote({ call }: ApprovalRequest, reason: unknown): string {
  const late = reason instanceof Error && reason.name === 'TimeoutError'
  return `${call.tool.name}: ${late ? 'nobody answered in time, it is not run' : 'stopped before it was answered'}`
}

function allowed(decision: Extract<ApprovalDecision, { type: 'approve' }>, identical: number, matching: number): string {
  switch (decision.scope) {
    case 'once':
      return `allowed once${also(identical)}`
    case 'matching':
      return `this and ${matching} more allowed once each`
    case 'call':
      return 'this exact call is allowed for the rest of the session'
    case 'tool':
      return 'allowed for the rest of the session'
    case 'always': {
      const where = decision.tier === 'project' ? 'in this project' : 'for you, everywhere'
      return decision.of === 'call' ? `this exact call is always allowed ${where}` : `always allowed ${where}`
    }
    default:
      return decision satisfies never
  }
}

function also(identical: number): string {
  return identical === 0 ? '' : `, and ${identical} identical call${identical === 1 ? '' : 's'}`
}
