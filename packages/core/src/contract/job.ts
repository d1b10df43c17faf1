import type { CallId, SessionId } from './ids.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { Progress } from './tool.ts'

/**
 * The words of work that goes on behind a session: what is to be done, who does it, what became of it. A job is started at least once; its end is
 * recorded exactly once. What may not be done twice says `maxAttempts: 1`: when its worker dies it is `lost`, not done again.
 */

/** `lost`: its worker died and it may not be tried again: nobody can say what it did. `dead`: every attempt failed. */
export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'lost' | 'dead'

export interface NewJob {
  readonly tenantId: string
  /** What a worker must know to do, e.g. `tool`, `session.resume`, `notify`. */
  readonly kind: string
  readonly payload: JsonObject
  /** The same key of the same tenant gives the same job, also after it has ended. Default: a new job each time. */
  readonly key?: string
  /** Higher first. Default 0. */
  readonly priority?: number
  /** Jobs of one group take turns with those of others, so that nobody is starved. Default: the tenant. */
  readonly group?: string
  /** Milliseconds since 1970; not before. Default: now. */
  readonly runAt?: number
  /** Attempts in all, 1 … 20. Default 1. */
  readonly maxAttempts?: number
  /** Milliseconds before the second attempt; doubled for each further one. Default 1 000. */
  readonly retryDelayMs?: number
  /** Milliseconds for one attempt. Default 3 600 000. */
  readonly timeoutMs?: number
  readonly sessionId?: SessionId
  readonly callId?: CallId
}

export interface Job extends Omit<NewJob, 'runAt' | 'priority' | 'maxAttempts'> {
  readonly id: string
  readonly state: JobState
  readonly priority: number
  readonly maxAttempts: number
  /** Attempts begun. */
  readonly attempt: number
  readonly runAt: number
  readonly createdAt: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly progress?: Progress
  readonly result?: JsonValue
  /** Why the last attempt failed. */
  readonly error?: { readonly code: string; readonly message: string }
  /** Somebody asked for its end. */
  readonly cancelling?: boolean
}

export interface JobContext {
  readonly job: Job
  /** Aborts on cancel, on time-out, when the lease is lost and when the worker stops. */
  readonly signal: AbortSignal
  /** Shown by whoever looks at the job. Kept now and then, not each time. */
  progress(progress: Progress): void
}

/**
 * Does one job. What it gives is kept as the job's result; what it throws fails the attempt. An AdjutantError of grade `final` fails the job whatever
 * attempts are left.
 */
export type JobHandler = (context: JobContext) => Promise<JsonValue | undefined>

export interface WorkOptions {
  /** Jobs at once in this worker. Default 4. */
  readonly concurrency?: number
  /** Of one group at once, over all workers. Default: no limit but taking turns. */
  readonly perGroup?: number
  /** For people: which process this is. */
  readonly node?: string
  /** After how many milliseconds without a sign of life a job is taken from its worker. Default 30 000; a backend may need more, never less than asked. */
  readonly leaseMs?: number
}

export interface JobWorker extends AsyncDisposable {
  /** Takes nothing more and waits for what runs, at most `graceMs`; then aborts it. Default 10 000. Of several calls the one with the least patience counts. */
  stop(options?: { readonly graceMs?: number }): Promise<void>
}

export interface JobFilter {
  readonly state?: JobState
  readonly kind?: string
  readonly sessionId?: SessionId
  readonly after?: string
  /** 1 … 1 000. Default 100. */
  readonly limit?: number
}

/** A job that is made again and again. */
export interface Schedule {
  readonly tenantId: string
  readonly id: string
  /** Five or six fields; see docs/reference/jobs.md. */
  readonly cron: string
  /** IANA name of the time zone in which `cron` is meant. Default `UTC`. */
  readonly zone?: string
  readonly kind: string
  readonly payload: JsonObject
  readonly paused?: boolean
}

export interface StoredSchedule extends Schedule {
  readonly nextAt?: number
  readonly lastAt?: number
}

export interface JobQueue extends AsyncDisposable {
  /** @throws AdjutantError USAGE for limits out of range; STORE_FAILED */
  enqueue(job: NewJob): Promise<Job>
  get(tenantId: string, id: string): Promise<Job | undefined>
  /** The newest first. */
  list(tenantId: string, filter?: JobFilter): Promise<{ readonly items: readonly Job[]; readonly next?: string }>
  /** A queued job never starts; a running one is told. @throws AdjutantError NOT_FOUND; CONFLICT when it has ended */
  cancel(tenantId: string, id: string): Promise<Job>
  /** Resolves when it has ended. Rejects only when `signal` aborts. */
  settled(tenantId: string, id: string, options: { readonly signal: AbortSignal }): Promise<Job>
  /** Begins to do jobs of these kinds, of all tenants. */
  work(handlers: Readonly<Record<string, JobHandler>>, options?: WorkOptions): JobWorker
  /** Makes or changes one. @throws AdjutantError USAGE when `cron` or `zone` is none */
  schedule(schedule: Schedule): Promise<StoredSchedule>
  unschedule(tenantId: string, id: string): Promise<void>
  schedules(tenantId: string): Promise<readonly StoredSchedule[]>
}
