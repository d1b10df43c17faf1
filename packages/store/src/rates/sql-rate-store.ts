/**
 * Owns the counts of rates that all processes on a database share: one row for each window, taken by one statement that either takes a place or does not, so
 * that of any number of processes exactly as many get one as there are. A row says for whom it is only as a digest; what is over is swept away.
 *
 * Time is the database's own on PostgreSQL, so that machines whose clocks differ count the same window; on SQLite it is the machine's.
 * Crash rule: counts are not durable by themselves; a database that crashes may forget the last ones.
 */
import { createHash } from 'node:crypto'
import type { RateStore, RateTaken } from '@adjutant/core'
import { hot, type StoreDatabase } from '../database/index.ts'

export interface SqlRateStoreOptions {
  /** Whose time. Default `database` on PostgreSQL, where it is one for all machines; on SQLite it is always the machine's. */
  readonly time?: 'database' | 'clock'
}

const NOW = 'CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)'

/**
 * `excluded.ends_at` is now and the length of the window. A window that ends more than twice its length from now was begun under a clock that was wrong: it is
 * over as well, and nobody waits a day for it.
 */
const take = (end: string): string => {
  const over = 'rates.ends_at <= excluded.ends_at - ? OR rates.ends_at > excluded.ends_at + ?'
  return `INSERT INTO rates (tenant_id, key, taken, ends_at) VALUES (?, ?, 1, ${end}) ON CONFLICT (tenant_id, key) DO UPDATE SET
    taken = CASE WHEN ${over} THEN 1 ELSE rates.taken + 1 END,
    ends_at = CASE WHEN ${over} THEN excluded.ends_at ELSE rates.ends_at END
    WHERE ${over} OR rates.taken < ? RETURNING taken`
}

const TAKE = hot<{ taken: number }>(take('?'))
const TAKE_BY_DATABASE = hot<{ taken: number }>(take(`${NOW} + ?`))
const END = hot<{ ends_at: number }>('SELECT ends_at FROM rates WHERE tenant_id = ? AND key = ?')
const LEFT_BY_DATABASE = hot<{ left_ms: number }>(`SELECT ends_at - ${NOW} AS left_ms FROM rates WHERE tenant_id = ? AND key = ?`)
const GIVE_BACK = 'UPDATE rates SET taken = taken - 1 WHERE tenant_id = ? AND key = ? AND taken > 0 AND ends_at >'
const GIVE_BACK_BY_CLOCK = hot(`${GIVE_BACK} ?`)
const GIVE_BACK_BY_DATABASE = hot(`${GIVE_BACK} ${NOW}`)

export class SqlRateStore implements RateStore {
  readonly #db: StoreDatabase
  readonly #byDatabase: boolean

  constructor(db: StoreDatabase, { time = 'database' }: SqlRateStoreOptions = {}) {
    this.#db = db
    this.#byDatabase = time === 'database' && db.kind === 'postgres'
  }

  async take(key: string, calls: number, perMs: number, tenantId: string): Promise<RateTaken> {
    const row = [tenantId, digest(key)]
    const span = Math.max(1, Math.ceil(perMs))
    const windows = [span, span, span, span, span, span, calls]
    return await this.#db.transaction(
      tenantId,
      async (tx): Promise<RateTaken> => {
        const now = this.#db.clock.now()
        const taken = this.#byDatabase
          ? await tx.get(TAKE_BY_DATABASE, [...row, span, ...windows])
          : await tx.get(TAKE, [...row, now + span, ...windows])
        if (taken !== undefined) return { taken: true, waitMs: 0 }
        const left = this.#byDatabase
          ? (await tx.get(LEFT_BY_DATABASE, row))?.left_ms
          : ((await tx.get(END, row))?.ends_at ?? now) - this.#db.clock.now()
        return { taken: false, waitMs: Math.max(1, left ?? 1) }
      },
      { durable: false },
    )
  }

  async giveBack(key: string, _calls: number, _perMs: number, tenantId: string): Promise<void> {
    const row = [tenantId, digest(key)]
    await this.#db.transaction(
      tenantId,
      (tx) => (this.#byDatabase ? tx.run(GIVE_BACK_BY_DATABASE, row) : tx.run(GIVE_BACK_BY_CLOCK, [...row, this.#db.clock.now()])),
      { durable: false },
    )
  }
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
