/**
 * Owns a person's answers that were recorded together with a model's. Taken in order; an answer is never given to another tool's
 * call than it was recorded for: where the two do not fit, the call is denied and nothing is used up.
 */
import type { ApprovalDecision, Approver } from '../contract/ports.ts'

export interface RecordedAnswer {
  /** The tool whose call was held. */
  readonly tool: string
  readonly decision: ApprovalDecision
}

/**
 * An approver that answers from a recording. Out of answers, or asked about another tool than the next answer is for, it denies
 * (`by: 'policy'`, with the reason).
 *
 * @example
 * ```ts
 * const approver = recordedApprover([{ tool: 'write_file', decision: { type: 'deny', reason: 'not that file' } }])
 * ```
 */
export function recordedApprover(answers: readonly RecordedAnswer[]): Approver {
  let used = 0
  return {
    async decide(request) {
      const next = answers[used]
      const tool = request.call.tool.name
      if (next === undefined) return denied(`no recorded answer is left for ${tool} (${answers.length} were recorded)`)
      if (next.tool !== tool) return denied(`the next recorded answer is for ${next.tool}, not for ${tool}`)
      used += 1
      return next.decision
    },
  }
}

function denied(reason: string): ApprovalDecision {
  return { type: 'deny', by: 'policy', reason }
}
