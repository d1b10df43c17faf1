/** Owns which columns hold bodies, and to which place each is sealed: its table, its column and the primary key of its row. */
import type { BodyPlace } from './body-seal.ts'
import { PRIMARY_KEYS } from './tables.ts'

export const SEALED_COLUMNS = {
  events: ['body'],
  checkpoints: ['body'],
  approvals: ['request', 'decision'],
  result_pieces: ['body'],
  session_secrets: ['body'],
  facts: ['value'],
  cache: ['value'],
  cache_changes: ['body'],
  jobs: ['payload', 'result'],
  schedules: ['payload'],
  deliveries: ['body'],
} as const

export type SealedTable = keyof typeof SEALED_COLUMNS

/**
 * The place of a body, for `db.seal`. Whoever writes a body uses this, so that exports and checks can open it.
 *
 * @param key the row's primary key, in its order, the tenant first
 *
 * @example
 * ```ts
 * const kept = db.seal.seal(json, bodyPlace('events', 'body', tenantId, sessionId, seq))
 * ```
 */
export function bodyPlace<T extends SealedTable>(
  table: T,
  column: (typeof SEALED_COLUMNS)[T][number],
  ...key: (string | number)[]
): BodyPlace {
  return [`${table}.${column}`, ...key]
}

/** Of a row that was read. Nothing where the table has no bodies. */
export function sealedColumnsOf(table: string): readonly string[] {
  return isSealed(table) ? SEALED_COLUMNS[table] : []
}

/** The place of a body of a row that was read whole. */
export function placeOfRow(table: keyof typeof PRIMARY_KEYS, column: string, row: Readonly<Record<string, unknown>>): BodyPlace {
  return [`${table}.${column}`, ...PRIMARY_KEYS[table].map((name) => keyPart(row[name]))]
}

function isSealed(table: string): table is SealedTable {
  return Object.hasOwn(SEALED_COLUMNS, table)
}

function keyPart(value: unknown): string | number {
  return typeof value === 'number' ? value : String(value)
}
