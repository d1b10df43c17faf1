import type { Job, JobState } from '../../../contract/job.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { AttemptEnd, JobError } from './job-book.ts'

/** What a job becomes. */
export interface JobChange {
  readonly state: Exclude<JobState, 'running'>
  /** When it is tried again; absent when it has ended. */
  readonly runAt?: number
  readonly result?: JsonValue
  readonly error?: JobError
  /** Somebody has to look at it: it stays until then. */
  readonly deadLetter: boolean
}

/** No longer than this between two attempts. */
const LONGEST_DELAY_MS = 86_400_000

/**
 * What becomes of a running job when an attempt of it ends. Pure, and the only place that decides it.
 *
 * @param job as it is now, with the attempt that ended counted
 */
export function afterAttempt(job: Job, end: AttemptEnd, now: number): JobChange {
  const again = job.attempt < job.maxAttempts
  switch (end.type) {
    case 'done':
      return { state: 'succeeded', deadLetter: false, ...(end.result === undefined ? {} : { result: end.result }) }
    case 'cancelled':
      return { state: 'cancelled', deadLetter: false }
    case 'failed':
      if (end.final) return { state: 'failed', error: end.error, deadLetter: false }
      if (job.cancelling === true) return { state: 'cancelled', error: end.error, deadLetter: false }
      if (again) return { state: 'queued', runAt: now + delayBefore(job), error: end.error, deadLetter: false }
      return { state: 'dead', error: end.error, deadLetter: true }
    case 'left': {
      const error = { code: 'OUTCOME_UNKNOWN', message: end.why }
      if (!again) return { state: 'lost', error, deadLetter: true }
      if (job.cancelling === true) return { state: 'cancelled', error, deadLetter: false }
      return { state: 'queued', runAt: now, error, deadLetter: false }
    }
    default:
      return end satisfies never
  }
}

/** Of the next attempt: doubled with each one. */
function delayBefore({ retryDelayMs = 1_000, attempt }: Job): number {
  return Math.min(LONGEST_DELAY_MS, retryDelayMs * 2 ** (attempt - 1))
}
