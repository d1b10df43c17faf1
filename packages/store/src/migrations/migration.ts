/** Owns what a migration is, and how one text of table definitions serves both databases. */
import type { DatabaseKind, StoreConnection } from '../database/connection.ts'

export interface StoreMigration {
  /** Sorts after all before it, e.g. `0002-leases`. Never changed once it was released. */
  readonly name: string
  /** Its number, from 1. */
  readonly version: number
  up(connection: StoreConnection, target: MigrationTarget): Promise<void>
}

export interface MigrationTarget {
  readonly kind: DatabaseKind
  /** PostgreSQL's; on SQLite there is one. */
  readonly schema: string
}

/** Words of column types that differ. Text of keys is ordered by its bytes, as SQLite does, so that pages come in one order on both. */
const TYPES: Readonly<Record<DatabaseKind, Readonly<Record<string, string>>>> = {
  sqlite: { ID: 'TEXT', TEXT: 'TEXT', INT: 'INTEGER', FLAG: 'INTEGER', REAL: 'REAL', BYTES: 'BLOB' },
  postgres: { ID: 'text COLLATE "C"', TEXT: 'text', INT: 'bigint', FLAG: 'smallint', REAL: 'double precision', BYTES: 'bytea' },
}

/** One table: `columns` with types such as `{ID}`; constraints may follow. */
export function createTable(kind: DatabaseKind, name: string, columns: string): string {
  const body = columns.replace(/\{([A-Z]+)\}/g, (whole, type: string) => TYPES[kind][type] ?? whole)
  return `CREATE TABLE ${name} (${body})${kind === 'sqlite' ? ' STRICT' : ''}`
}
