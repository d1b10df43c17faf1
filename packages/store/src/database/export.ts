/**
 * Owns what is handed to a person who asks for what is kept of them, or to whoever takes a session elsewhere: every row as a JSON line, sealed bodies
 * opened, between a first line that says what it is and a last one that says how many rows it has. Read on one unchanging view.
 */
import { AdjutantError } from '@adjutant/core/contract'
import type { SessionSubject, UserSubject } from './erase.ts'
import { hot } from './hot.ts'
import { rowToLine, type TableName } from './rows-as-lines.ts'
import { rowsInOrder } from './rows-in-order.ts'
import { placeOfRow, sealedColumnsOf } from './sealed-columns.ts'
import type { StoreDatabase, StoreTransaction } from './store-database.ts'

/** Takes one line, without its end. What it gives is waited for. */
export type LineSink = (line: string) => void | Promise<void>

export interface ExportReport {
  readonly rows: number
}

const EXPORT_VERSION = 1
const OF_A_SESSION: readonly TableName[] = [
  'sessions',
  'events',
  'checkpoints',
  'calls',
  'approvals',
  'results',
  'result_pieces',
  'audit',
  'metering',
  'jobs',
  'deliveries',
]

const SESSIONS_OF = hot<{ session_id: string }>('SELECT session_id FROM sessions WHERE tenant_id = ? AND user_id = ? ORDER BY session_id')

/** @throws AdjutantError NOT_FOUND; CONFIG_INVALID when a body's key is not known */
export async function exportSession(db: StoreDatabase, subject: SessionSubject, write: LineSink): Promise<ExportReport> {
  const { tenantId, sessionId } = subject
  return await db.read(tenantId, async (tx) => {
    const writer = new LineWriter(db, tx, write)
    await writer.head('session', tenantId, sessionId)
    for (const table of OF_A_SESSION) await writer.rows(table, [['session_id', sessionId]])
    if (writer.count === 0) throw new AdjutantError('NOT_FOUND', `there is no session ${sessionId.slice(0, 80)} to export`)
    return await writer.end()
  })
}

/** All sessions of a person, their facts and what was metered for them. A person of whom nothing is kept gives no rows. */
export async function exportUser(db: StoreDatabase, subject: UserSubject, write: LineSink): Promise<ExportReport> {
  const { tenantId, userId } = subject
  return await db.read(tenantId, async (tx) => {
    const writer = new LineWriter(db, tx, write)
    await writer.head('user', tenantId, userId)
    for (const { session_id: sessionId } of await tx.all(SESSIONS_OF, [tenantId, userId])) {
      for (const table of OF_A_SESSION) {
        if (table !== 'metering') await writer.rows(table, [['session_id', sessionId]])
      }
    }
    await writer.rows('facts', [['user_id', userId]])
    await writer.rows('metering', [['user_id', userId]])
    return await writer.end()
  })
}

class LineWriter {
  readonly #db: StoreDatabase
  readonly #tx: StoreTransaction
  readonly #write: LineSink
  count = 0

  constructor(db: StoreDatabase, tx: StoreTransaction, write: LineSink) {
    this.#db = db
    this.#tx = tx
    this.#write = write
  }

  async head(subject: 'session' | 'user', tenant: string, id: string): Promise<void> {
    await this.#write(JSON.stringify({ format: 'adjutant-export', version: EXPORT_VERSION, subject, tenant, id, at: this.#db.clock.now() }))
  }

  async end(): Promise<ExportReport> {
    await this.#write(JSON.stringify({ end: true, rows: this.count }))
    return { rows: this.count }
  }

  /** The rows of the tenant with these values, in the order of their key. */
  async rows(table: TableName, where: readonly (readonly [column: string, value: string])[]): Promise<void> {
    const conditions = [['tenant_id', this.#tx.tenantId ?? ''] as const, ...where]
    for await (const row of rowsInOrder(this.#tx, table, conditions)) await this.#row(table, row)
  }

  async #row(table: TableName, row: Record<string, unknown>): Promise<void> {
    const opened: Record<string, unknown> = { ...row }
    for (const column of sealedColumnsOf(table)) {
      const kept = row[column]
      if (kept instanceof Uint8Array) opened[column] = textOrBytes(this.#db.seal.open(kept, placeOfRow(table, column, row)))
    }
    this.count += 1
    await this.#write(rowToLine(table, opened))
  }
}

/** Text where the bytes are text, so that a person can read it. */
function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes
  }
}
