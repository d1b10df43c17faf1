/** Owns what the rest of the program sees of notifications: what is told whom, what came of it, and who delivers. */
import { AdjutantError, type Page, type SessionId, sessionId } from '@adjutant/core/contract'
import { type HotStatement, hot, type StoreDatabase } from '../database/index.ts'
import { pageLimit, readCursor, writeCursor } from '../page-cursor.ts'
import { type Courier, type DeliverOptions, startCourier } from './courier.ts'
import { DeliveryBook, type DeliveryRow } from './delivery-book.ts'
import type { Notification } from './notification.ts'
import type { NotifyTarget, TargetKind } from './notify-target.ts'

/** `failed`: a dead letter; nobody tries again unless it is asked for. */
export type DeliveryState = 'pending' | 'delivered' | 'failed'

export interface StoredDelivery {
  /** The notification's. */
  readonly id: string
  readonly tenantId: string
  readonly kind: TargetKind
  readonly target: string
  readonly state: DeliveryState
  /** Attempts begun. */
  readonly attempt: number
  /** When the next attempt is due, or when one that is in hand counts as lost. Milliseconds since 1970. */
  readonly nextAt?: number
  /** Why the last attempt that failed did. */
  readonly lastError?: string
  readonly createdAt: number
  readonly sessionId?: SessionId
  readonly notification: Notification
}

export interface DeliveryFilter {
  readonly state?: DeliveryState
  readonly target?: string
  /** What a page before gave. */
  readonly after?: string
  /** 1 … 1 000. Default 100. */
  readonly limit?: number
}

export interface NotificationsParts {
  readonly db: StoreDatabase
  readonly targets: readonly NotifyTarget[]
  readonly expire: () => Promise<number>
  readonly warn: (message: string) => void
}

const GET: HotStatement<DeliveryRow> = hot<DeliveryRow>(
  `SELECT tenant_id, delivery_id, kind, target, body, state, attempt, next_at, last_error, created_at, session_id FROM deliveries
  WHERE tenant_id = ? AND delivery_id = ?`,
)
const AGAIN = hot(
  "UPDATE deliveries SET state = 'pending', attempt = 0, next_at = ? WHERE tenant_id = ? AND delivery_id = ? AND state = 'failed'",
)
const STATES: readonly DeliveryState[] = ['pending', 'delivered', 'failed']
const KINDS: readonly TargetKind[] = ['webhook', 'email', 'event']

export class Notifications {
  /** Who is told, by this process's settings. */
  readonly targets: readonly NotifyTarget[]
  readonly #parts: NotificationsParts
  readonly #book: DeliveryBook
  readonly #couriers = new Set<Courier>()

  constructor(parts: NotificationsParts) {
    this.#parts = parts
    this.targets = parts.targets
    this.#book = new DeliveryBook(parts.db)
  }

  /**
   * Begins to deliver, of all tenants, until it is stopped.
   *
   * @throws AdjutantError USAGE for limits out of range
   * @example
   * ```ts
   * await using courier = store.notifications.deliver({ concurrency: 8 })
   * ```
   */
  deliver(options: DeliverOptions = {}): Courier {
    const { db, targets, expire, warn } = this.#parts
    const courier = startCourier({ clock: db.clock, book: this.#book, targets, expire, warn }, options)
    this.#couriers.add(courier)
    return courier
  }

  /** What was to be told, the newest first. */
  async list(tenantId: string, { state, target, after, limit }: DeliveryFilter = {}): Promise<Page<StoredDelivery>> {
    const size = pageLimit(limit)
    const from = after === undefined ? undefined : readCursor(after)
    const rows: readonly DeliveryRow[] = await this.#parts.db.read(tenantId, async ({ db }) => {
      let query = db.selectFrom('deliveries').selectAll().where('tenant_id', '=', tenantId)
      if (state !== undefined) query = query.where('state', '=', state)
      if (target !== undefined) query = query.where('target', '=', target)
      if (from !== undefined) {
        const [time, id] = from
        query = query.where((each) =>
          each.or([each('created_at', '<', time), each.and([each('created_at', '=', time), each('delivery_id', '<', id)])]),
        )
      }
      return query
        .orderBy('created_at', 'desc')
        .orderBy('delivery_id', 'desc')
        .limit(size + 1)
        .execute()
    })
    const items = rows.slice(0, size).map((row) => this.#stored(row))
    const last = rows[size - 1]
    return rows.length > size && last !== undefined ? { items, next: writeCursor(last.created_at, last.delivery_id) } : { items }
  }

  /** Has a dead letter tried again, from its first attempt on. @throws AdjutantError NOT_FOUND; CONFLICT when it is none */
  async retry(tenantId: string, id: string): Promise<StoredDelivery> {
    const { db } = this.#parts
    const { row, changed } = await db.transaction(tenantId, async (tx) => ({
      changed: await tx.run(AGAIN, [db.clock.now(), tenantId, id]),
      row: await tx.get(GET, [tenantId, id]),
    }))
    if (row === undefined)
      throw new AdjutantError('NOT_FOUND', `there is no delivery ${id}`, { outcome: 'not-run', hint: 'List the ones there are.' })
    if (changed === 0) {
      throw new AdjutantError('CONFLICT', `the delivery ${id} is ${row.state}`, {
        outcome: 'not-run',
        hint: 'Only what has failed is tried again.',
      })
    }
    return this.#stored(row)
  }

  /** Stops every courier of this process. */
  async close(): Promise<void> {
    await Promise.all([...this.#couriers].map((courier) => courier.stop()))
  }

  #stored(row: DeliveryRow): StoredDelivery {
    const state = STATES.find((each) => each === row.state)
    const kind = KINDS.find((each) => each === row.kind)
    const notification = this.#book.read(row)
    if (state === undefined || kind === undefined) throw new AdjutantError('STORE_FAILED', `the delivery ${row.delivery_id} is damaged`)
    return {
      id: row.delivery_id,
      tenantId: row.tenant_id,
      kind,
      target: row.target,
      state,
      attempt: row.attempt,
      createdAt: row.created_at,
      notification,
      ...(row.next_at === null ? {} : { nextAt: row.next_at }),
      ...(row.last_error === null ? {} : { lastError: row.last_error }),
      ...(row.session_id === null ? {} : { sessionId: sessionId(row.session_id) }),
    }
  }
}
