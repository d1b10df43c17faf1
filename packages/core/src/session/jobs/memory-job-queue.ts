import type { JobQueue } from '../../contract/job.ts'
import type { Clock, IdSource } from '../../contract/ports.ts'
import { randomIds } from '../../util/random-ids.ts'
import { systemClock } from '../../util/system-clock.ts'
import { BookedJobQueue } from './queue/booked-job-queue.ts'
import { MemoryJobBook } from './queue/memory-job-book.ts'

export interface MemoryJobQueueOptions {
  readonly clock?: Clock
  readonly ids?: IdSource
  /** Told what went wrong beside the work. Default: nobody. */
  readonly warn?: (message: string) => void
}

/**
 * A queue in this process, for tests and for work that may end with it.
 *
 * @example
 * ```ts
 * await using queue = memoryJobQueue()
 * queue.work({ greet: async ({ job }) => `hello ${job.payload.name}` })
 * const { id } = await queue.enqueue({ tenantId: 'local', kind: 'greet', payload: { name: 'Ada' } })
 * const job = await queue.settled('local', id, { signal: AbortSignal.timeout(1_000) })
 * ```
 */
export function memoryJobQueue(options: MemoryJobQueueOptions = {}): JobQueue {
  const { clock = systemClock, ids = randomIds, warn } = options
  return new BookedJobQueue({ book: new MemoryJobBook(clock, ids), ids, ...(warn === undefined ? {} : { warn }) })
}
