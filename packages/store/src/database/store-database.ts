/**
 * Owns the way to the tables: every statement runs in a transaction that says whose it is. Nothing is read or written outside of one.
 *
 * Concurrency: on SQLite one transaction of a process writes at a time, others wait in order; reading is never held up. On PostgreSQL as many as the pool
 * has connections. A transaction inside the work of another is refused, as it would wait for itself.
 *
 * Crash rule: a transaction is kept whole or not at all. When `transaction` has resolved, it outlives the machine (`durable`, the default) or the process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { AdjutantError, type Clock, type IdSource } from '@adjutant/core/contract'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'
import type { BodySeal } from './body-seal.ts'
import { boundKysely, type Lasting, refuseWhenOver } from './bound-kysely.ts'
import type { DatabaseKind, Engine, Scope, SqlValue, StoreConnection } from './connection.ts'
import type { HotStatement } from './hot.ts'
import type { Tables } from './tables.ts'

export interface TransactionOptions {
  /** Default true: kept also when the machine loses its power. False: kept when the process ends, and safe with the next durable one. */
  readonly durable?: boolean
}

export interface SystemOptions extends TransactionOptions {
  /** Default false. True: on one unchanging view, and nobody is held up. */
  readonly readOnly?: boolean
}

/** The statements of one transaction. Of no use after its end. */
export interface StoreTransaction {
  readonly kind: DatabaseKind
  /** Whose rows; `undefined` in `system`. On SQLite every condition must name it, on PostgreSQL it is enforced as well. */
  readonly tenantId: string | undefined
  /** The query builder. */
  readonly db: Kysely<Tables>
  all<Row>(statement: HotStatement<Row>, parameters?: readonly SqlValue[]): Promise<Row[]>
  /** The first row. */
  get<Row>(statement: HotStatement<Row>, parameters?: readonly SqlValue[]): Promise<Row | undefined>
  /** @returns how many rows were changed: 0 is what a lost compare-and-swap gives */
  run(statement: HotStatement<unknown>, parameters?: readonly SqlValue[]): Promise<number>
}

export interface StoreDatabaseParts {
  readonly engine: Engine
  readonly clock: Clock
  readonly ids: IdSource
  readonly seal: BodySeal
  readonly schema: string
  /** Of PostgreSQL, for what needs connections of its own. */
  readonly postgres?: { readonly pool: Pool; readonly schema: string; readonly connectionString: string }
}

const TENANT = /^[^\p{Cc}\p{Cs}]{1,200}$/u

export class StoreDatabase implements AsyncDisposable {
  readonly kind: DatabaseKind
  /** For people; without a password. */
  readonly shown: string
  readonly clock: Clock
  readonly ids: IdSource
  /** Seals and opens bodies. */
  readonly seal: BodySeal
  readonly schema: string
  readonly postgres: StoreDatabaseParts['postgres']
  readonly #engine: Engine
  readonly #inside = new AsyncLocalStorage<Lasting>()

  constructor(parts: StoreDatabaseParts) {
    this.#engine = parts.engine
    this.kind = parts.engine.kind
    this.shown = parts.engine.shown
    this.clock = parts.clock
    this.ids = parts.ids
    this.seal = parts.seal
    this.schema = parts.schema
    this.postgres = parts.postgres
  }

  /**
   * Runs `work` in a transaction that writes rows of one tenant. It may run more than once (a connection was lost, two waited for each other), so it
   * must have no other effects. What it throws undoes it.
   *
   * @throws AdjutantError STORE_FAILED with what happened to the database and outcome `not-run`, or `unknown` when the connection was lost while committing;
   * CONFLICT when a row with this key is there already; whatever `work` throws
   */
  async transaction<T>(tenantId: string, work: (tx: StoreTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const scope = tenant(tenantId)
    return await this.#write(scope, tenantId, work, options)
  }

  /** Runs `work` on one unchanging view of one tenant's rows. @throws AdjutantError as `transaction` does; STORE_FAILED when it writes */
  async read<T>(tenantId: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    const scope = tenant(tenantId)
    return await this.#read(scope, tenantId, work)
  }

  /** Runs `work` over the rows of all tenants: for sweeps, queues and migrations, never on behalf of somebody. */
  async system<T>(work: (tx: StoreTransaction) => Promise<T>, options: SystemOptions = {}): Promise<T> {
    if (options.readOnly === true) return await this.#read('system', undefined, work)
    return await this.#write('system', undefined, work, options)
  }

  /** Waits for the transaction in hand; further ones are refused. Safe to call twice. */
  async close(): Promise<void> {
    await this.#engine.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** For this folder: what works below transactions. */
  get engine(): Engine {
    return this.#engine
  }

  async #write<T>(
    scope: Scope,
    tenantId: string | undefined,
    work: (tx: StoreTransaction) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T> {
    this.#refuseInside()
    return await this.#engine.write(scope, { durable: options.durable ?? true }, (connection) => this.#within(tenantId, connection, work))
  }

  async #read<T>(scope: Scope, tenantId: string | undefined, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    this.#refuseInside()
    return await this.#engine.read(scope, (connection) => this.#within(tenantId, connection, work))
  }

  async #within<T>(tenantId: string | undefined, connection: StoreConnection, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    const lasting: Lasting = { over: false }
    try {
      return await this.#inside.run(lasting, work, new BoundTransaction(this.kind, tenantId, connection, lasting))
    } finally {
      lasting.over = true
    }
  }

  #refuseInside(): void {
    if (this.#inside.getStore()?.over !== false) return
    throw new AdjutantError('INTERNAL', 'a transaction of the store was begun inside the work of another', {
      hint: 'Use the transaction that was given.',
      outcome: 'not-run',
    })
  }
}

class BoundTransaction implements StoreTransaction {
  readonly kind: DatabaseKind
  readonly tenantId: string | undefined
  readonly #connection: StoreConnection
  readonly #lasting: Lasting
  #db: Kysely<Tables> | undefined

  constructor(kind: DatabaseKind, tenantId: string | undefined, connection: StoreConnection, lasting: Lasting) {
    this.kind = kind
    this.tenantId = tenantId
    this.#connection = connection
    this.#lasting = lasting
  }

  get db(): Kysely<Tables> {
    this.#db ??= boundKysely(this.kind, this.#connection, this.#lasting)
    return this.#db
  }

  async all<Row>(statement: HotStatement<Row>, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    refuseWhenOver(this.#lasting)
    return await this.#connection.all(statement, parameters)
  }

  async get<Row>(statement: HotStatement<Row>, parameters: readonly SqlValue[] = []): Promise<Row | undefined> {
    refuseWhenOver(this.#lasting)
    return (await this.#connection.all(statement, parameters))[0]
  }

  async run(statement: HotStatement<unknown>, parameters: readonly SqlValue[] = []): Promise<number> {
    refuseWhenOver(this.#lasting)
    return await this.#connection.run(statement, parameters)
  }
}

function tenant(tenantId: string): Scope {
  if (!TENANT.test(tenantId)) {
    throw new AdjutantError('USAGE', `not a tenant: ${JSON.stringify(tenantId.slice(0, 80))}`, {
      hint: 'A tenant is 1 to 200 signs of text.',
    })
  }
  return { tenantId }
}
