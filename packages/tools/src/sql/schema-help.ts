/** Owns help for a wrong table or column name: what there is instead. Reads the schema of the database that refused the statement. */
import type { DatabaseSync } from 'node:sqlite'
import type { QueryFailure } from './query-protocol.ts'

const MAX_NAMES = 200

/** @param words the words of the statement: tables among them are looked into for a wrong column */
export function knownNames(database: DatabaseSync, message: string, words: readonly string[]): QueryFailure['known'] {
  const kind = /no such table/i.test(message) ? 'tables' : /no such column|has no column/i.test(message) ? 'columns' : undefined
  if (kind === undefined) return undefined
  try {
    const tables = namesOf(
      database,
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    if (kind === 'tables') return { kind, names: tables.slice(0, MAX_NAMES) }
    const wanted = new Set(words.map((word) => word.toLowerCase()))
    const used = tables.filter((table) => wanted.has(table.toLowerCase()))
    const names = used.flatMap((table) =>
      namesOf(database, 'SELECT name FROM pragma_table_xinfo(?)', table).map((column) => `${table}.${column}`),
    )
    return { kind, names: names.slice(0, MAX_NAMES) }
  } catch {
    return undefined
  }
}

function namesOf(database: DatabaseSync, sql: string, ...values: readonly string[]): readonly string[] {
  return database
    .prepare(sql)
    .all(...values)
    .map((row) => row.name)
    .filter((name) => typeof name === 'string')
}
