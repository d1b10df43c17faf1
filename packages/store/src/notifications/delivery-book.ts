/**
 * Owns the rows of `deliveries` after they were written: who has one in hand, and what became of it. Having one in hand is having begun its attempt: the
 * number of the attempt is the fence, and the time of the next one is the end of the lease. Who was asleep for longer writes nothing: the number has grown.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { bodyPlace, hot, type StoreDatabase } from '../database/index.ts'
import type { Notification } from './notification.ts'

export interface DeliveryRow {
  readonly tenant_id: string
  readonly delivery_id: string
  readonly kind: string
  readonly target: string
  readonly body: Uint8Array
  readonly state: string
  readonly attempt: number
  readonly next_at: number | null
  readonly last_error: string | null
  readonly created_at: number
  readonly session_id: string | null
}

/** In hand: nobody else begins it before the lease is over. */
export interface ClaimedDelivery {
  readonly row: DeliveryRow
  /** Which attempt this is, from 1. */
  readonly attempt: number
}

export type DeliveryEnd =
  | { readonly type: 'delivered' }
  /** Tried again at this time. */
  | { readonly type: 'again'; readonly at: number; readonly why: string }
  /** Nobody tries again: it stays for somebody to look at. */
  | { readonly type: 'dead'; readonly why: string }

const DUE = hot<{ target: string }>("SELECT DISTINCT target FROM deliveries WHERE state = 'pending' AND next_at <= ?")
const CLAIM = hot(`UPDATE deliveries SET attempt = attempt + 1, next_at = ? WHERE tenant_id = ? AND delivery_id = ? AND state = 'pending'
  AND attempt = ? AND next_at <= ?`)
const END = hot(`UPDATE deliveries SET state = ?, next_at = ?, last_error = ? WHERE tenant_id = ? AND delivery_id = ? AND state = 'pending'
  AND attempt = ?`)

export class DeliveryBook {
  readonly #db: StoreDatabase

  constructor(db: StoreDatabase) {
    this.#db = db
  }

  /** Targets for which something is due, over all tenants. Holds up nobody. */
  async due(): Promise<readonly string[]> {
    const rows = await this.#db.system((tx) => tx.all(DUE, [this.#db.clock.now()]), { readOnly: true })
    return rows.map(({ target }) => target)
  }

  /** Takes what is due for a target, of all tenants, the longest due first. */
  async claim(target: string, most: number, leaseMs: number): Promise<readonly ClaimedDelivery[]> {
    const now = this.#db.clock.now()
    return await this.#db.system(
      async (tx) => {
        let query = tx.db
          .selectFrom('deliveries')
          .selectAll()
          .where('state', '=', 'pending')
          .where('next_at', '<=', now)
          .where('target', '=', target)
          .orderBy('next_at')
          .limit(most)
        if (tx.kind === 'postgres') query = query.forUpdate().skipLocked()
        const claimed: ClaimedDelivery[] = []
        for (const row of await query.execute()) {
          const taken = await tx.run(CLAIM, [now + leaseMs, row.tenant_id, row.delivery_id, row.attempt, now])
          if (taken === 1) claimed.push({ row, attempt: row.attempt + 1 })
        }
        return claimed
      },
      { durable: false },
    )
  }

  /** @returns false when it is not in this hand any more: then nothing was written */
  async end({ row, attempt }: ClaimedDelivery, end: DeliveryEnd): Promise<boolean> {
    const state = end.type === 'delivered' ? 'delivered' : end.type === 'dead' ? 'failed' : 'pending'
    const values = [state, end.type === 'again' ? end.at : null, end.type === 'delivered' ? row.last_error : end.why] as const
    const changed = await this.#db.system((tx) => tx.run(END, [...values, row.tenant_id, row.delivery_id, attempt]), { durable: false })
    return changed === 1
  }

  /** What was meant for targets that nobody here knows, and that nobody else has delivered since. @returns how many were given up */
  async giveUp(known: readonly string[], before: number): Promise<number> {
    const gone = await this.#db.system(({ db }) =>
      db
        .updateTable('deliveries')
        .set({ state: 'failed', next_at: null, last_error: 'its target is in no configuration any more' })
        .where('state', '=', 'pending')
        .where('next_at', '<=', before)
        .where('target', 'not in', known.length === 0 ? [''] : [...known])
        .executeTakeFirst(),
    )
    return Number(gone.numUpdatedRows)
  }

  /** @throws AdjutantError STORE_FAILED, CONFIG_INVALID when it cannot be read */
  read({ tenant_id: tenantId, delivery_id: id, body }: DeliveryRow): Notification {
    const value: unknown = JSON.parse(this.#db.seal.openText(body, bodyPlace('deliveries', 'body', tenantId, id)))
    if (isNotification(value)) return value
    throw new AdjutantError('STORE_FAILED', `the delivery ${id} is none that this version knows`, { grade: 'final' })
  }
}

function isNotification(value: unknown): value is Notification {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['id', 'type', 'timestamp', 'tenantId'].every((member) => typeof Reflect.get(value, member) === 'string') &&
    typeof Reflect.get(value, 'data') === 'object'
  )
}
