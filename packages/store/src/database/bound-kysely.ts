/**
 * Owns the query builder of one transaction: it writes to the connection that the transaction has and to no other, and is of no use once that is over.
 * What was begun elsewhere cannot be begun or ended through it.
 */
import { AdjutantError } from '@adjutant/core/contract'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { DatabaseKind, StoreConnection } from './connection.ts'
import type { Tables } from './tables.ts'

/** Whether the transaction still lasts. */
export interface Lasting {
  over: boolean
}

/** @param own the migrator begins and ends its own transactions; nobody else does */
export function boundKysely(
  kind: DatabaseKind,
  connection: StoreConnection,
  lasting: Lasting,
  own: 'own' | 'none' = 'none',
): Kysely<Tables> {
  const dialect: Dialect = {
    createAdapter: () => (kind === 'sqlite' ? new LockedSqliteAdapter() : new PostgresAdapter()),
    createDriver: () => new BoundDriver(connection, lasting, own),
    createIntrospector: (db) => (kind === 'sqlite' ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
    createQueryCompiler: () => (kind === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
  }
  return new Kysely<Tables>({ dialect })
}

/** Definitions of tables are part of a transaction in SQLite; begun as a writer, it is the lock between two processes that migrate. */
class LockedSqliteAdapter extends SqliteAdapter implements DialectAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class BoundDriver implements Driver {
  readonly #connection: StoreConnection
  readonly #guarded: GuardedConnection
  readonly #own: 'own' | 'none'

  constructor(connection: StoreConnection, lasting: Lasting, own: 'own' | 'none') {
    this.#connection = connection
    this.#guarded = new GuardedConnection(connection, lasting)
    this.#own = own
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#guarded
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    this.#refuse()
    await this.#connection.script('BEGIN')
  }
  async commitTransaction(): Promise<void> {
    this.#refuse()
    await this.#connection.script('COMMIT')
  }
  async rollbackTransaction(): Promise<void> {
    this.#refuse()
    await this.#connection.script('ROLLBACK')
  }

  #refuse(): void {
    if (this.#own === 'none') {
      throw new AdjutantError('INTERNAL', 'a transaction was begun inside a transaction', { hint: 'Use the one that was given.' })
    }
  }
}

class GuardedConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  readonly #lasting: Lasting

  constructor(connection: DatabaseConnection, lasting: Lasting) {
    this.#connection = connection
    this.#lasting = lasting
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    refuseWhenOver(this.#lasting)
    return await this.#connection.executeQuery<R>(query)
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    refuseWhenOver(this.#lasting)
    for await (const rows of this.#connection.streamQuery<R>(query, chunkSize)) {
      yield rows
      refuseWhenOver(this.#lasting)
    }
  }
}

/** @throws AdjutantError INTERNAL */
export function refuseWhenOver(lasting: Lasting): void {
  if (lasting.over) {
    throw new AdjutantError('INTERNAL', 'a transaction was used after its end', {
      hint: 'Await every statement before the work of the transaction ends.',
      outcome: 'not-run',
    })
  }
}
