import type { Job, JobFilter, NewJob, Schedule, StoredSchedule } from '../../../contract/job.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { Clock } from '../../../contract/ports.ts'
import type { Progress } from '../../../contract/tool.ts'
import type { Turns } from './turns.ts'

/**
 * Where jobs are written down: the truth of what each is and what became of it. {@link BookedJobQueue} makes a queue of it. Each method is atomic:
 * several workers, in several processes, may call any of them at once.
 */
export interface JobBook extends AsyncDisposable {
  readonly clock: Clock
  /** How often somebody who waits looks again although nothing was heard, in milliseconds. */
  readonly pollMs: number
  /** @returns the job that has this key already, whatever has become of it, or the new one */
  add(job: CheckedJob): Promise<Job>
  get(tenantId: string, id: string): Promise<Job | undefined>
  list(tenantId: string, filter: JobFilter): Promise<{ readonly items: readonly Job[]; readonly next?: string }>
  /** Of a queued job the end, of a running one the wish. @throws AdjutantError NOT_FOUND; CONFLICT when it has ended */
  cancel(tenantId: string, id: string): Promise<Job>
  /** Begins attempts of due jobs, in turns. */
  claim(request: ClaimRequest): Promise<readonly Claim[]>
  /** A sign of life of what runs. What is not ours any more is not renewed. */
  renew(claims: readonly Claim[], until: number): Promise<readonly Renewal[]>
  /** Of a claim that is not ours any more: nothing. */
  progress(claim: Claim, progress: Progress): Promise<void>
  /** Records how an attempt ended, by {@link afterAttempt}. @returns what the job is now; undefined, and nothing recorded, when the claim is not ours any more */
  settle(claim: Claim, end: AttemptEnd): Promise<Job | undefined>
  /** Ends the attempts of workers that gave no sign of life. */
  reap(): Promise<readonly Job[]>
  /** When something of this may be due; a moment that has passed means now. */
  due(kinds: readonly string[]): Promise<Due>
  putSchedule(schedule: CheckedSchedule): Promise<StoredSchedule>
  removeSchedule(tenantId: string, id: string): Promise<void>
  schedules(tenantId: string): Promise<readonly StoredSchedule[]>
  /** Makes the jobs of schedules that are due: of each one, also where several nodes try, and also where several ticks were missed. */
  tick(): Promise<void>
  /** Calls `look` when there may be work of these kinds. May miss: looking now and then is the queue's. */
  listen(kinds: readonly string[], look: () => Promise<void>): AsyncDisposable
  /** Resolves when the job may have changed, after `maxMs` at the latest, and when `signal` aborts. */
  heard(tenantId: string, id: string, options: { readonly signal: AbortSignal; readonly maxMs: number }): Promise<void>
}

/** A job whose limits were looked at and whose defaults are filled in. */
export type CheckedJob = Required<Omit<NewJob, 'key' | 'sessionId' | 'callId'>> & Pick<NewJob, 'key' | 'sessionId' | 'callId'>

export interface CheckedSchedule extends Required<Schedule> {
  /** The first tick after now; undefined when there is none or it is paused. */
  readonly nextAt: number | undefined
}

export interface ClaimRequest {
  readonly kinds: readonly string[]
  readonly worker: string
  readonly leaseMs: number
  readonly limit: number
  readonly perGroup: number | undefined
  readonly turns: Turns
}

/** The right to record what becomes of one attempt. */
export interface Claim {
  /** As it was when the attempt began. */
  readonly job: Job
  /** Grows with each claim of the job. */
  readonly fence: number
  readonly until: number
}

export interface Renewal {
  readonly claim: Claim
  readonly held: boolean
  readonly cancelling: boolean
}

export interface Due {
  /** Of a queued job. */
  readonly queued?: number
  /** The end of a lease. */
  readonly lease?: number
  readonly schedule?: number
}

/** `left`: nobody can say what it did: its worker died, was stopped, or could not stop it. */
export type AttemptEnd =
  | { readonly type: 'done'; readonly result: JsonValue | undefined }
  | { readonly type: 'failed'; readonly error: JobError; readonly final: boolean }
  | { readonly type: 'cancelled' }
  | { readonly type: 'left'; readonly why: string }

export type JobError = NonNullable<Job['error']>
