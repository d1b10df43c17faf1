/**
 * Owns the queue of jobs over a book of them: what is put in is checked, what runs is run by workers of this process, who waits is told. Which job is next
 * and what became of each is the book's. The same over every book, so that queues differ only in where they write.
 */
import { hostname } from 'node:os'
import { AdjutantError } from '../../../contract/errors.ts'
import type {
  Job,
  JobFilter,
  JobHandler,
  JobQueue,
  JobWorker,
  NewJob,
  Schedule,
  StoredSchedule,
  WorkOptions,
} from '../../../contract/job.ts'
import type { IdSource } from '../../../contract/ports.ts'
import { checkJob, checkSchedule, checkWork } from './check-job.ts'
import type { JobBook } from './job-book.ts'
import { noJob } from './job-errors.ts'
import { BookedWorker } from './job-worker.ts'

export interface BookedJobQueueOptions {
  readonly book: JobBook
  readonly ids: IdSource
  /** Told what went wrong beside the work. Default: nobody. */
  readonly warn?: (message: string) => void
}

export class BookedJobQueue implements JobQueue {
  readonly #book: JobBook
  readonly #ids: IdSource
  readonly #warn: (message: string) => void
  readonly #workers = new Set<BookedWorker>()
  readonly #closing = new AbortController()

  constructor(options: BookedJobQueueOptions) {
    this.#book = options.book
    this.#ids = options.ids
    this.#warn = options.warn ?? (() => {})
  }

  async enqueue(job: NewJob): Promise<Job> {
    return await this.#book.add(checkJob(job, this.#book.clock.now()))
  }

  async get(tenantId: string, id: string): Promise<Job | undefined> {
    return await this.#book.get(tenantId, id)
  }

  async list(tenantId: string, filter: JobFilter = {}): Promise<{ readonly items: readonly Job[]; readonly next?: string }> {
    return await this.#book.list(tenantId, filter)
  }

  async cancel(tenantId: string, id: string): Promise<Job> {
    const job = await this.#book.cancel(tenantId, id)
    for (const worker of this.#workers) worker.cancelled(job)
    return job
  }

  async settled(tenantId: string, id: string, { signal }: { readonly signal: AbortSignal }): Promise<Job> {
    const either = AbortSignal.any([signal, this.#closing.signal])
    for (;;) {
      either.throwIfAborted()
      const over = new AbortController()
      // Begun before looking, so that a change between the two is heard.
      const heard = this.#book.heard(tenantId, id, { signal: AbortSignal.any([either, over.signal]), maxMs: this.#book.pollMs })
      try {
        const job = await this.#find(tenantId, id)
        if (job !== undefined && job.endedAt !== undefined) return job
        await heard
      } finally {
        over.abort()
      }
    }
  }

  work(handlers: Readonly<Record<string, JobHandler>>, options: WorkOptions = {}): JobWorker {
    const kinds = Object.keys(handlers)
    const work = checkWork(kinds, options)
    const worker = new BookedWorker({
      book: this.#book,
      handlers: new Map(Object.entries(handlers)),
      work,
      name: `${work.node ?? `${hostname()}:${process.pid}`} ${this.#ids.next('worker')}`,
      warn: this.#warn,
    })
    this.#workers.add(worker)
    void worker.ended.then(() => this.#workers.delete(worker))
    return worker
  }

  async schedule(schedule: Schedule): Promise<StoredSchedule> {
    return await this.#book.putSchedule(checkSchedule(schedule, this.#book.clock.now()))
  }

  async unschedule(tenantId: string, id: string): Promise<void> {
    await this.#book.removeSchedule(tenantId, id)
  }

  async schedules(tenantId: string): Promise<readonly StoredSchedule[]> {
    return await this.#book.schedules(tenantId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.stop()))
    this.#closing.abort(new AdjutantError('STORE_FAILED', 'the queue was closed', { grade: 'final', outcome: 'not-run' }))
    await this.#book[Symbol.asyncDispose]()
  }

  /** Undefined also when the book cannot be reached just now. @throws AdjutantError NOT_FOUND */
  async #find(tenantId: string, id: string): Promise<Job | undefined> {
    try {
      const job = await this.#book.get(tenantId, id)
      if (job === undefined) throw noJob(id)
      return job
    } catch (error) {
      if (AdjutantError.isInstance(error) && error.code === 'STORE_FAILED' && error.grade === 'retry') return undefined
      throw error
    }
  }
}
