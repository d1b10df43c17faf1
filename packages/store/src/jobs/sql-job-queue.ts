import { BookedJobQueue, checkJob } from '@adjutant/core'
import type { Clock, Job, NewJob } from '@adjutant/core/contract'
import { AdjutantError } from '@adjutant/core/contract'
import type { ChangeBell } from '../changes/change-bell.ts'
import type { StoreDatabase, StoreTransaction } from '../database/index.ts'
import type { JobCarrier } from './job-carrier.ts'
import { BossCarrier } from './postgres/boss-carrier.ts'
import { type InJobEnd, SqlJobBook } from './sql-job-book.ts'
import { LocalCarrier } from './sqlite/local-carrier.ts'

export interface SqlJobQueueOptions {
  readonly db: StoreDatabase
  /** Rung when a job has changed. */
  readonly bell: ChangeBell
  /** By which jobs are due, leases end and schedules tick. Default: the database's. */
  readonly clock?: Clock
  /** Told what went wrong beside the work. Default: nobody. */
  readonly warn?: (message: string) => void
  /** What is kept together with the end of a job. */
  readonly inEnd?: readonly InJobEnd[]
}

/** A queue whose jobs outlive the process and are done by any number of them. */
export class SqlJobQueue extends BookedJobQueue {
  readonly #book: SqlJobBook
  readonly #carrier: JobCarrier

  constructor({ db, bell, clock = db.clock, warn = () => {}, inEnd = [] }: SqlJobQueueOptions) {
    const carrier = db.postgres === undefined ? new LocalCarrier() : new BossCarrier(db.postgres, warn)
    const book = new SqlJobBook({ db, bell, carrier, clock, warn, inEnd })
    super({ book, ids: db.ids, warn })
    this.#book = book
    this.#carrier = carrier
  }

  /** Makes what carries jobs of this kind ready: before a transaction in which one is made, which would hold its locks meanwhile. */
  async ready(kind: string): Promise<void> {
    await this.#carrier.ready(kind)
  }

  /**
   * Makes a job in a transaction of the store: both are kept, or neither. Workers hear of it when it is committed.
   *
   * @throws AdjutantError USAGE for limits out of range and for another tenant's transaction; STORE_FAILED
   */
  async enqueueIn(tx: StoreTransaction, job: NewJob): Promise<Job> {
    const checked = checkJob(job, this.#book.clock.now())
    if (tx.tenantId !== undefined && tx.tenantId !== checked.tenantId) {
      throw new AdjutantError('USAGE', 'a job was made in the transaction of another tenant', {
        hint: 'Give the tenant of the transaction.',
      })
    }
    await this.#carrier.ready(checked.kind)
    return await this.#book.addIn(tx, checked)
  }
}
