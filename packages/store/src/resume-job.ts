import { SESSION_RESUME_JOB, sessionResumeJob } from '@adjutant/core'
import type { NewJob, StoredApproval } from '@adjutant/core/contract'

/** The kind of jobs that carry a session on. */
export const RESUME_JOB = SESSION_RESUME_JOB

/** Has the session of an approval carried on by whoever works on the store. One for each approval: when its session has taken it already, there is nothing to do. */
export function resumeJob({ tenantId, sessionId, id }: StoredApproval): NewJob {
  const job = sessionResumeJob(tenantId, sessionId, id)
  return { ...job, payload: { ...job.payload, approvalId: id } }
}
