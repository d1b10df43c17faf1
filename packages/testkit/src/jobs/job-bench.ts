import assert from 'node:assert/strict'
import type { Clock, IdSource, Job, JobContext, JobHandler, JobQueue, JsonValue, NewJob } from '@adjutant/core/contract'
import { countingIds } from '../counting-ids.ts'
import { ManualClock } from '../manual-clock.ts'

export interface JobQueuePorts {
  readonly clock: Clock
  readonly ids: IdSource
}

/** One set of jobs and whoever works on it. */
export interface JobQueueNodes {
  /** A queue on these jobs, as another process would open it. Where there can be only one, the same. */
  open(): Promise<JobQueue>
  /** Takes the jobs away, after every queue was disposed of. */
  close(): Promise<void>
}

export type OpenJobQueue = (ports: JobQueuePorts) => Promise<JobQueueNodes>

/** Milliseconds of the clock between two looks. */
const STEP_MS = 20
/** Of a backend that has yet to make its tables on a busy machine. */
const MOST_STEPS = 20_000

/** What the tests of a queue share: time that passes when they say so, and no faster than the queue can follow. */
export class JobBench implements AsyncDisposable {
  readonly clock: ManualClock
  readonly queue: JobQueue
  readonly #nodes: JobQueueNodes
  readonly #opened: JobQueue[]

  private constructor(clock: ManualClock, nodes: JobQueueNodes, queue: JobQueue) {
    this.clock = clock
    this.queue = queue
    this.#nodes = nodes
    this.#opened = [queue]
  }

  static async open(make: OpenJobQueue, start?: number): Promise<JobBench> {
    const clock = start === undefined ? new ManualClock() : new ManualClock(start)
    const nodes = await make({ clock, ids: countingIds() })
    return new JobBench(clock, nodes, await nodes.open())
  }

  async another(): Promise<JobQueue> {
    const queue = await this.#nodes.open()
    this.#opened.push(queue)
    return queue
  }

  /** Lets time pass in small steps, each no faster than the queue answers, until it is so. */
  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (await isSo()) return
      await this.step()
    }
    assert.fail(`never: ${what}`)
  }

  /** Lets at least `ms` pass. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms
    while (this.clock.now() < end) await this.step(Math.min(end - this.clock.now(), Math.max(STEP_MS, ms / 100)))
  }

  async step(ms = STEP_MS): Promise<void> {
    await this.clock.advance(ms)
    await this.queue.get('a', 'none')
  }

  /** Of tenant `a` and kind `work` unless said otherwise; no two at one moment. */
  async add(job: Partial<NewJob> = {}): Promise<Job> {
    await this.clock.advance(1)
    return await this.queue.enqueue({ tenantId: 'a', kind: 'work', payload: {}, ...job })
  }

  async ended(job: Job): Promise<Job> {
    const over = new AbortController()
    let ended: Job | undefined
    const waiting = this.queue.settled(job.tenantId, job.id, { signal: over.signal }).then((came) => {
      ended = came
    })
    try {
      await this.until(`${job.id} has ended`, () => ended !== undefined)
    } finally {
      over.abort(new Error('the test is over'))
      await waiting.catch(() => {})
    }
    assert.ok(ended !== undefined)
    return ended
  }

  /** Disposing may need time of the clock: for what is told to end and does not. */
  async [Symbol.asyncDispose](): Promise<void> {
    let closed = false
    const closing = (async () => {
      for (const queue of this.#opened) await queue[Symbol.asyncDispose]()
      await this.#nodes.close()
    })().finally(() => {
      closed = true
    })
    while (!closed) {
      await this.clock.advance(500)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await closing
  }
}

/** Attempts that begin and wait until the test says how they end. */
export class HeldAttempts {
  readonly begun: JobContext[] = []
  readonly #ends: PromiseWithResolvers<JsonValue | undefined>[] = []

  readonly handler: JobHandler = async (context) => {
    const end = Promise.withResolvers<JsonValue | undefined>()
    this.begun.push(context)
    this.#ends.push(end)
    return await end.promise
  }

  end(index: number, result?: JsonValue): void {
    this.#ends[index]?.resolve(result)
  }

  fail(index: number, error: Error): void {
    this.#ends[index]?.reject(error)
  }
}

/** Ends when it is told to, as a handler should. */
export const OBEDIENT: JobHandler = ({ signal }) =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
