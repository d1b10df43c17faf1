/**
 * Owns what calls used, in a database. Records of several tenants that are handed in together are kept together. What was handed in again because nobody
 * could say whether it was kept is not counted twice.
 */
import type { MeteringRecord, MeteringSink } from '@adjutant/core/contract'
import type { Insertable } from 'kysely'
import { fromColumn, toColumn } from '../column-text.ts'
import { hot, type StoreDatabase, type StoreTransaction, type Tables } from '../database/index.ts'

const ROWS = 200

interface MeteringRow {
  readonly id: string
  readonly at: number
  readonly session_id: string
  readonly user_id: string
  readonly tool: string
  readonly units: number
  readonly unit: string
  readonly micro_price: number
  readonly call_id: string
  readonly trace_id: string
}

/** A record as it is kept. After an erasure session, user, call and trace are empty. */
export interface StoredMetering {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly sessionId: string
  readonly userId: string
  readonly callId: string
  readonly traceId: string
  readonly tool: string
  readonly units: number
  readonly unit: string
  /** Millionths of the currency that the host counts in. */
  readonly microPrice: number
}

const SOME = hot<MeteringRow>(`SELECT id, at, session_id, user_id, tool, units, unit, micro_price, call_id, trace_id FROM metering
  WHERE tenant_id = ? AND at >= ? AND at < ? AND (at > ? OR (at = ? AND id > ?)) ORDER BY at, id LIMIT ?`)

export class SqlMeteringSink implements MeteringSink {
  readonly #db: StoreDatabase
  /** A record that is handed in again is the same one. */
  readonly #ids = new WeakMap<MeteringRecord, string>()

  constructor(db: StoreDatabase) {
    this.#db = db
  }

  async append(records: readonly MeteringRecord[]): Promise<void> {
    const [first] = records
    if (first === undefined) return
    const rows = records.map((record) => this.#row(record))
    const write = (tx: StoreTransaction): Promise<void> => addRows(tx, rows)
    if (records.every(({ tenant }) => tenant === first.tenant)) await this.#db.transaction(first.tenant, write)
    else await this.#db.system(write)
  }

  /** What a tenant used between two moments, the oldest first. @param to the first moment that does not belong to it */
  async *read(
    tenantId: string,
    { from = 0, to = Number.MAX_SAFE_INTEGER }: { readonly from?: number; readonly to?: number } = {},
  ): AsyncGenerator<StoredMetering, void, void> {
    for (let at = -1, id = ''; ; ) {
      const rows = await this.#db.read(tenantId, (tx) => tx.all(SOME, [tenantId, from, to, at, at, id, ROWS]))
      for (const row of rows) yield metering(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < ROWS) return
      at = last.at
      id = last.id
    }
  }

  #row(record: MeteringRecord): Insertable<Tables['metering']> {
    let id = this.#ids.get(record)
    if (id === undefined) {
      id = this.#db.ids.next('metering')
      this.#ids.set(record, id)
    }
    return {
      tenant_id: record.tenant,
      id,
      at: Date.parse(record.at),
      session_id: record.sessionId,
      user_id: toColumn(record.user),
      tool: toColumn(record.tool),
      units: record.units,
      unit: toColumn(record.unit),
      micro_price: Math.round(record.microPrice),
      call_id: toColumn(record.callId),
      trace_id: record.traceId,
    }
  }
}

async function addRows(tx: StoreTransaction, rows: readonly Insertable<Tables['metering']>[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS) {
    await tx.db
      .insertInto('metering')
      .values(rows.slice(from, from + ROWS))
      .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doNothing())
      .execute()
  }
}

function metering(row: MeteringRow): StoredMetering {
  return {
    at: row.at,
    sessionId: row.session_id,
    userId: fromColumn(row.user_id),
    callId: fromColumn(row.call_id),
    traceId: row.trace_id,
    tool: fromColumn(row.tool),
    units: row.units,
    unit: fromColumn(row.unit),
    microPrice: row.micro_price,
  }
}
