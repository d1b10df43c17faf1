/** Owns reading many rows of a table in the order of their key, a portion at a time: each portion begins behind the last row of the one before. */
import { type SqlValue, toSqlValue } from './connection.ts'
import { hot } from './hot.ts'
import type { StoreTransaction } from './store-database.ts'
import { PRIMARY_KEYS, type Tables } from './tables.ts'

/** Rows read at once. */
const PORTION = 200

/** @param where columns and the values that they must have */
export async function* rowsInOrder(
  tx: StoreTransaction,
  table: keyof Tables,
  where: readonly (readonly [column: string, value: SqlValue])[] = [],
): AsyncGenerator<Record<string, unknown>> {
  const values = where.map(([, value]) => value)
  const same = where.map(([column]) => `${column} = ?`)
  // Columns with one value are no part of the comparison: with them SQLite would not enter its index behind the last row, but begin anew each time.
  const fixed = new Set(where.map(([column]) => column))
  const key: readonly string[] = PRIMARY_KEYS[table].filter((column) => !fixed.has(column))
  if (key.length === 0) {
    yield* await tx.all(hot<Record<string, unknown>>(`SELECT * FROM ${table} WHERE ${same.join(' AND ')}`), values)
    return
  }
  const select = (conditions: readonly string[]) =>
    hot<Record<string, unknown>>(
      `SELECT * FROM ${table}${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`} ORDER BY ${key.join(', ')} LIMIT ${PORTION}`,
    )
  const rest = select([...same, `(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`])
  let rows = await tx.all(select(same), values)
  for (;;) {
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PORTION) return
    rows = await tx.all(rest, [...values, ...key.map((column) => toSqlValue(last[column]))])
  }
}
