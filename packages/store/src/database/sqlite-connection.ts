/**
 * Owns one connection to a SQLite file: its prepared statements, and how values go in and come out. Everything happens at once, on this thread: a
 * statement is over before the next one begins, so that nothing interleaves on a connection.
 */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { type SqlValue, type StoreConnection, toSqlValue, trustRows } from './connection.ts'
import { sqliteFault } from './driver-fault.ts'
import type { HotStatement } from './hot.ts'

/** Statements kept prepared; queries that were built differ by their conditions, not by their values. */
const PREPARED = 256

type Row = Record<string, SQLOutputValue>

interface Prepared {
  readonly statement: StatementSync
  readonly givesRows: boolean
  /** Changes something and gives rows: it cannot be read a second time. */
  readonly once: boolean
}

export class SqliteConnection implements StoreConnection {
  readonly database: DatabaseSync
  readonly #shown: string
  readonly #prepared = new Map<string, Prepared>()

  constructor(database: DatabaseSync, shown: string) {
    this.database = database
    this.#shown = shown
  }

  get inTransaction(): boolean {
    return this.database.isTransaction
  }

  /** @throws AdjutantError as `sqliteFault` makes it */
  exec(sql: string): void {
    try {
      this.database.exec(sql)
    } catch (error) {
      throw sqliteFault(error, this.#shown)
    }
  }

  /** One statement without parameters or rows, prepared once. @throws AdjutantError as `sqliteFault` makes it */
  step(sql: string): void {
    try {
      this.#prepare(sql).statement.run()
    } catch (error) {
      throw sqliteFault(error, this.#shown)
    }
  }

  /** Changes whenever another connection has committed. */
  dataVersion(): number | undefined {
    const version = this.#prepare('PRAGMA data_version').statement.get()?.data_version
    return typeof version === 'number' ? version : undefined
  }

  async script(sql: string): Promise<void> {
    // A transaction of the migrator is one that writes from its begin, so that two processes wait for each other.
    this.exec(sql === 'BEGIN' ? 'BEGIN IMMEDIATE' : sql)
  }

  async all<R>(statement: HotStatement<R>, parameters: readonly SqlValue[]): Promise<R[]> {
    const rows = this.#rows(this.#prepare(statement.sql), parameters)
    trustRows<R>(rows)
    return rows
  }

  async run(statement: HotStatement<unknown>, parameters: readonly SqlValue[]): Promise<number> {
    try {
      return Number(this.#prepare(statement.sql).statement.run(...parameters).changes)
    } catch (error) {
      throw sqliteFault(error, this.#shown)
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const prepared = this.#prepare(query.sql)
    const parameters = query.parameters.map(toSqlValue)
    if (prepared.givesRows) {
      const rows = this.#rows(prepared, parameters)
      trustRows<R>(rows)
      return { rows, ...(prepared.once ? { numAffectedRows: BigInt(rows.length) } : {}) }
    }
    try {
      const { changes, lastInsertRowid } = prepared.statement.run(...parameters)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      throw sqliteFault(error, this.#shown)
    }
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    // Its own statement: the kept one would be begun anew by whoever else uses it in between.
    try {
      const statement = this.database.prepare(query.sql)
      statement.setReadBigInts(true)
      let chunk: Row[] = []
      for (const row of statement.iterate(...query.parameters.map(toSqlValue))) {
        chunk.push(narrowed(row))
        if (chunk.length < Math.max(1, chunkSize)) continue
        trustRows<R>(chunk)
        yield { rows: chunk }
        chunk = []
      }
      if (chunk.length > 0) {
        trustRows<R>(chunk)
        yield { rows: chunk }
      }
    } catch (error) {
      throw sqliteFault(error, this.#shown)
    }
  }

  close(): void {
    this.#prepared.clear()
    if (this.database.isOpen) this.database.close()
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    try {
      const statement = this.database.prepare(sql)
      const givesRows = statement.columns().length > 0
      const once = givesRows && !/^\s*(select|with|pragma|explain)\b/i.test(sql)
      if (once) statement.setReadBigInts(true)
      const prepared = { statement, givesRows, once }
      const oldest = this.#prepared.size >= PREPARED ? this.#prepared.keys().next().value : undefined
      if (oldest !== undefined) this.#prepared.delete(oldest)
      this.#prepared.set(sql, prepared)
      return prepared
    } catch (error) {
      throw sqliteFault(error, this.#shown)
    }
  }

  #rows(prepared: Prepared, parameters: readonly SqlValue[]): Row[] {
    try {
      const rows = prepared.statement.all(...parameters)
      return prepared.once ? rows.map(narrowed) : rows
    } catch (error) {
      if (prepared.once || !isOutOfRange(error)) throw sqliteFault(error, this.#shown)
    }
    try {
      // A number of one of the rows does not fit into a double: the whole is read once more, exactly.
      prepared.statement.setReadBigInts(true)
      return prepared.statement.all(...parameters).map(narrowed)
    } catch (error) {
      throw sqliteFault(error, this.#shown)
    } finally {
      prepared.statement.setReadBigInts(false)
    }
  }
}

function isOutOfRange(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
}

/** Numbers where they are exact, bigints where not. */
function narrowed(row: Row): Row {
  for (const name in row) {
    const value = row[name]
    if (typeof value === 'bigint' && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) row[name] = Number(value)
  }
  return row
}
