import { createHash } from 'node:crypto'
import { AdjutantError } from '../../contract/errors.ts'
import { type SessionId, sessionId } from '../../contract/ids.ts'
import type { Job, NewJob } from '../../contract/job.ts'
import type { JsonObject } from '../../contract/json.ts'
import { isToolJob } from './tool-job.ts'

/** The kind of jobs that carry a session on. */
export const SESSION_RESUME_JOB = 'session.resume'

/** A session that is in other hands is looked at again: after one second, two, four, … */
const ATTEMPTS = 20
const AGAIN_MS = 1_000

/** One job for each cause, e.g. the id of an approval or of a job: whoever makes it, however often. */
export function sessionResumeKey(id: SessionId, cause: string): string {
  return `resume/${createHash('sha256')
    .update(JSON.stringify([id, cause]))
    .digest('hex')}`
}

/** The job that carries a session on because of `cause`. Does nothing where there is nothing to carry on. */
export function sessionResumeJob(tenantId: string, id: SessionId, cause: string): NewJob {
  return {
    tenantId,
    kind: SESSION_RESUME_JOB,
    key: sessionResumeKey(id, cause),
    payload: { sessionId: id },
    sessionId: id,
    maxAttempts: ATTEMPTS,
    retryDelayMs: AGAIN_MS,
  }
}

/** What follows from the end of a job, to be made together with it: the session that a call was left by hears of what came of it. */
export function followUp({ kind, endedAt, tenantId, sessionId: id, id: jobId }: Job): NewJob | undefined {
  return isToolJob(kind) && endedAt !== undefined && id !== undefined ? sessionResumeJob(tenantId, id, jobId) : undefined
}

/** @throws AdjutantError CONFLICT of grade `final` when it names no session */
export function readSessionResume(payload: JsonObject): SessionId {
  if (typeof payload.sessionId === 'string') return sessionId(payload.sessionId)
  throw new AdjutantError('CONFLICT', 'this job names no session that is known here', { grade: 'final', outcome: 'not-run' })
}
