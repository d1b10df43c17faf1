/**
 * Owns the words between the transactions of the store and the two drivers: a connection runs one statement after the other, inside whatever
 * transaction it is in. Nobody outside of this folder gets one.
 */
import { AdjutantError } from '@adjutant/core/contract'
import type { DatabaseConnection } from 'kysely'
import type { HotStatement } from './hot.ts'

/** What can be a parameter. */
export type SqlValue = string | number | bigint | null | Uint8Array

export type DatabaseKind = 'sqlite' | 'postgres'

/** What a transaction may see: one tenant's rows, or all. */
export type Scope = { readonly tenantId: string } | 'system'

export interface StoreConnection extends DatabaseConnection {
  all<Row>(statement: HotStatement<Row>, parameters: readonly SqlValue[]): Promise<Row[]>
  /** @returns how many rows were changed */
  run(statement: HotStatement<unknown>, parameters: readonly SqlValue[]): Promise<number>
  /** Statements without parameters or rows. */
  script(sql: string): Promise<void>
}

export interface WriteOptions {
  readonly durable: boolean
}

/** One database behind a driver. */
export interface Engine {
  readonly kind: DatabaseKind
  /** For messages; without a password. */
  readonly shown: string
  /** `work` inside a transaction that writes. Retried where nothing of it was kept: `work` may run more than once. */
  write<T>(scope: Scope, options: WriteOptions, work: (connection: StoreConnection) => Promise<T>): Promise<T>
  /** `work` on one unchanging view. */
  read<T>(scope: Scope, work: (connection: StoreConnection) => Promise<T>): Promise<T>
  /** `work` outside of a transaction, alone on its connection. */
  alone<T>(work: (connection: StoreConnection) => Promise<T>): Promise<T>
  /** Changes whenever another process has committed; undefined once it is closed. Absent where that is heard otherwise, or where there is no other. */
  readonly dataVersion?: () => number | undefined
  /** Makes what was deleted unreadable in the files, as far as it can. */
  forget(): Promise<void>
  /** Told after the tables were changed. */
  migrated(): Promise<void>
  close(): Promise<void>
}

/**
 * The one place that trusts a statement to give the rows that its writer says it gives: a database cannot be asked.
 */
export function trustRows<Row>(rows: readonly unknown[]): asserts rows is Row[] {
  if (!Array.isArray(rows)) throw new AdjutantError('INTERNAL', 'a driver gave rows that are no list')
}

/** What both drivers take, from what a query may hold. @throws AdjutantError INTERNAL for anything else */
export function toSqlValue(value: unknown): SqlValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value
    case 'boolean':
      return value ? 1 : 0
    case 'object':
      if (value === null || value instanceof Uint8Array) return value
      break
    default:
      break
  }
  const shape = typeof value === 'object' ? Object.prototype.toString.call(value) : typeof value
  throw new AdjutantError('INTERNAL', `a statement was given ${shape} as a parameter`, {
    hint: 'Give text, a number, bytes or null.',
    outcome: 'not-run',
  })
}
