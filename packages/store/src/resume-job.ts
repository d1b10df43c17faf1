import { digestOf } from '@adjutant/core'
import { AdjutantError, type ApprovalId, approvalId, type JsonObject, type NewJob, type StoredApproval } from '@adjutant/core/contract'

/** The kind of jobs that carry a session on. */
export const RESUME_JOB = 'session.resume'

/** While another process has the session: over about an hour and a half, which is longer than any lease. */
const ATTEMPTS = 10
const RETRY_MS = 10_000

/** Has the session of an approval carried on by whoever works on the store. One for each approval: when its session has taken it already, there is nothing to do. */
export function resumeJob({ tenantId, sessionId, id }: StoredApproval): NewJob {
  return {
    tenantId,
    kind: RESUME_JOB,
    // Any text may be an id, but not a key.
    key: `${RESUME_JOB}/${digestOf(id)}`,
    payload: { sessionId, approvalId: id },
    sessionId,
    maxAttempts: ATTEMPTS,
    retryDelayMs: RETRY_MS,
  }
}

/** @throws AdjutantError CONFLICT when it is no job of this kind */
export function resumedApproval(payload: JsonObject): ApprovalId {
  if (typeof payload.approvalId === 'string') return approvalId(payload.approvalId)
  throw new AdjutantError('CONFLICT', 'this job names no approval', { grade: 'final', outcome: 'not-run' })
}
