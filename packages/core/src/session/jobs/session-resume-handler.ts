import { AdjutantError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { JobHandler } from '../../contract/job.ts'
import { SessionPaused } from '../durable/session-paused.ts'
import type { Session } from '../session.ts'
import { readSessionResume } from './session-resume.ts'

export interface ResumableSession {
  readonly session: Session
  /** Goes on until the task has its answer or a person must decide; e.g. `runAgent({ session, model, signal })`. */
  run(options: { readonly signal: AbortSignal }): Promise<unknown>
}

export interface SessionResumeOptions {
  /** Takes the session: see openDurableSession, with `create: false` and `defers: true`. @throws AdjutantError SESSION_BUSY: it is tried again later */
  readonly open: (tenantId: string, id: SessionId) => Promise<ResumableSession>
}

/**
 * Carries sessions on, in whichever process. Does nothing where nothing is left to do: another process was quicker, or the session is gone. One that is in
 * other hands is tried again later. When the worker stops, the session is left as it is for the next attempt; when the job is cancelled, the task is.
 *
 * @example
 * ```ts
 * const open = async (tenantId: string, id: SessionId) => {
 *   const session = await openDurableSession({ ...options, store, id, principal, create: false, defers: true })
 *   return { session, run: ({ signal }) => runAgent({ session, model, signal }) }
 * }
 * const worker = queue.work({ 'session.resume': sessionResumeHandler({ open }) })
 * ```
 */
export function sessionResumeHandler({ open }: SessionResumeOptions): JobHandler {
  return async ({ job, signal }) => {
    const id = readSessionResume(job.payload)
    let resumable: ResumableSession
    try {
      resumable = await open(job.tenantId, id)
    } catch (error) {
      if (AdjutantError.isInstance(error) && error.code === 'NOT_FOUND') return { carriedOn: false, why: 'the session is gone' }
      throw error
    }
    const { session, run } = resumable
    const cancelling = new AbortController()
    const told = (): void => {
      session.leave()
      if (isCancelled(signal.reason)) cancelling.abort(signal.reason)
    }
    signal.addEventListener('abort', told, { once: true })
    if (signal.aborted) told()
    try {
      if (!(await hasWork(session))) return { carriedOn: false, why: 'there is nothing to carry on' }
      await run({ signal: cancelling.signal })
      return { carriedOn: true }
    } catch (error) {
      if (error instanceof SessionPaused) return { carriedOn: true, waiting: [...error.waiting] }
      throw error
    } finally {
      signal.removeEventListener('abort', told)
      await session.close()
    }
  }
}

/** A task or batch that is open, or a job behind it that has ended: which begins a task. */
async function hasWork(session: Session): Promise<boolean> {
  const busy = (): boolean => session.state?.busy === true || session.state?.open !== undefined
  if (busy()) return true
  await session.endedJobs()
  return busy()
}

/** Somebody wants the work to end, or it took too long; a worker that stops or has lost the job leaves it. */
function isCancelled(reason: unknown): boolean {
  return AdjutantError.isInstance(reason) && (reason.code === 'TIMEOUT' || (reason.code === 'CANCELLED' && reason.grade === 'final'))
}
