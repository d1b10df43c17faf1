/**
 * Owns the doing of jobs in one process: takes as many as it has room for, gives signs of life for those that run, tells them when they have to end, and
 * records what came of each. What it holds no longer is not recorded.
 *
 * Crash rule: everything that counts is in the book. A worker that dies leaves claims that run out; the next one that looks ends them.
 */
import { AdjutantError } from '../../../contract/errors.ts'
import type { Job, JobHandler, JobWorker } from '../../../contract/job.ts'
import type { CheckedWork } from './check-job.ts'
import type { Claim, JobBook } from './job-book.ts'
import { RunningJob } from './running-job.ts'
import { Turns } from './turns.ts'

export interface BookedWorkerOptions {
  readonly book: JobBook
  readonly handlers: ReadonlyMap<string, JobHandler>
  readonly work: CheckedWork
  /** Of this worker alone. */
  readonly name: string
  /** Told when the book could not be reached; it is tried again. */
  readonly warn: (message: string) => void
}

/** Between two signs of life, at which a worker also hears what was cancelled by another process. */
const LONGEST_BEAT_MS = 3_000

export class BookedWorker implements JobWorker {
  readonly #cx: BookedWorkerOptions
  readonly #kinds: readonly string[]
  readonly #turns = new Turns()
  readonly #running = new Map<Claim, RunningJob>()
  readonly #ears: AsyncDisposable
  #looking: Promise<void> | undefined
  #again = false
  #impatient = false
  #disarm: () => void = () => {}
  #disarmBeat: () => void = () => {}
  #stopped: Promise<void> | undefined
  readonly #ended = Promise.withResolvers<void>()

  constructor(options: BookedWorkerOptions) {
    this.#cx = options
    this.#kinds = [...options.handlers.keys()]
    this.#ears = options.book.listen(this.#kinds, () => this.look())
    this.#beat()
    void this.look()
  }

  /** Resolves when it was stopped and nothing of it runs any more. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Looks whether something is due, and begins it while there is room. One look at a time; one that is asked for meanwhile follows. */
  async look(): Promise<void> {
    if (this.#stopped !== undefined) return
    this.#again = true
    this.#looking ??= this.#lookUntilQuiet().finally(() => {
      this.#looking = undefined
    })
    await this.#looking
  }

  async stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#stop()
    // Of several who stop it the least patient one is heard.
    const disarm = this.#cx.book.clock.after(graceMs, () => {
      this.#impatient = true
      this.#endAll()
    })
    try {
      await this.#stopped
    } finally {
      disarm()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #stop(): Promise<void> {
    this.#disarm()
    await this.#ears[Symbol.asyncDispose]()
    await this.#looking
    // What a last look has begun meanwhile.
    if (this.#impatient) this.#endAll()
    await Promise.all([...this.#running.values()].map((job) => job.recorded))
    this.#disarmBeat()
    this.#ended.resolve()
  }

  #endAll(): void {
    for (const job of this.#running.values()) job.end('stopped')
  }

  async #lookUntilQuiet(): Promise<void> {
    const { book, warn } = this.#cx
    this.#disarm()
    let next = book.pollMs
    while (this.#again && this.#stopped === undefined) {
      this.#again = false
      try {
        next = await this.#lookOnce()
      } catch (error) {
        warn(`jobs cannot be looked for: ${error instanceof Error ? error.message : String(error)}`)
        next = book.pollMs
      }
    }
    if (this.#stopped === undefined) this.#disarm = book.clock.after(next, () => void this.look())
  }

  /** @returns after how many milliseconds to look again */
  async #lookOnce(): Promise<number> {
    const { book, work, name } = this.#cx
    const { lease, schedule, queued } = await book.due(this.#kinds)
    const now = book.clock.now()
    if (lease !== undefined && lease <= now) await book.reap()
    if (schedule !== undefined && schedule <= now) await book.tick()
    const overdue = (lease !== undefined && lease <= now) || (schedule !== undefined && schedule <= now)
    const limit = work.concurrency - this.#running.size
    if (limit > 0 && (overdue || (queued !== undefined && queued <= now))) {
      const { leaseMs, perGroup } = work
      const claims = await book.claim({ kinds: this.#kinds, worker: name, leaseMs, limit, perGroup, turns: this.#turns })
      for (const claim of claims) this.#start(claim)
    }
    const ahead = [queued, lease, schedule].filter((time) => time !== undefined && time > now)
    return Math.max(1, Math.min(book.pollMs, ...ahead.map((time) => (time ?? 0) - now)))
  }

  #start(claim: Claim): void {
    const { book, handlers, warn } = this.#cx
    const handler = handlers.get(claim.job.kind)
    if (handler === undefined) throw new AdjutantError('INTERNAL', `a job of kind ${claim.job.kind} was claimed without a handler`)
    const running = new RunningJob({ claim, handler, book, warn })
    this.#running.set(claim, running)
    void running.recorded.then(() => {
      this.#running.delete(claim)
      void this.look()
    })
  }

  #beat(): void {
    const { book, work } = this.#cx
    const pause = Math.min(LONGEST_BEAT_MS, Math.max(1, Math.trunc(work.leaseMs / 3)))
    this.#disarmBeat = book.clock.after(pause, () => void this.#renew().finally(() => this.#beatAgain()))
  }

  #beatAgain(): void {
    if (this.#stopped === undefined || this.#running.size > 0) this.#beat()
  }

  async #renew(): Promise<void> {
    const { book, work, warn } = this.#cx
    if (this.#running.size === 0) return
    const until = book.clock.now() + work.leaseMs
    try {
      for (const { claim, held, cancelling } of await book.renew([...this.#running.keys()], until)) {
        const job = this.#running.get(claim)
        if (!held) job?.end('lost')
        else job?.renewed(until)
        if (held && cancelling) job?.end('cancelled')
      }
    } catch (error) {
      warn(`jobs cannot be held: ${error instanceof Error ? error.message : String(error)}`)
    }
    for (const job of this.#running.values()) if (job.until <= book.clock.now()) job.end('lost')
  }

  /** Somebody wants this job to end: looked at now, not at the next sign of life. */
  cancelled(job: Job): void {
    const found = [...this.#running].find(([claim]) => claim.job.id === job.id && claim.job.tenantId === job.tenantId)
    found?.[1].end('cancelled')
  }
}
