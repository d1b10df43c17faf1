/**
 * Owns a pool of connections to one PostgreSQL schema. Each transaction says whose it is before its first statement, and takes the role that may see no
 * more than that: the second wall, should a statement forget its tenant. What of a transaction was chosen to give way, or lost with its connection before it was committed,
 * is run again; what was lost while it was being committed is reported as unknown.
 *
 * Settings are made for each transaction, not for the connection, so that a pooler between here and the server changes nothing.
 */
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import type { CustomTypesConfig, Pool, PoolClient } from 'pg'
import { retrying } from './back-off.ts'
import type { Engine, Scope, StoreConnection, WriteOptions } from './connection.ts'
import { DriverFault, type Fault, postgresFault } from './driver-fault.ts'
import { PostgresConnection } from './postgres-connection.ts'

export interface PostgresEngineOptions {
  readonly connectionString: string
  readonly schema: string
  readonly shown: string
  readonly clock: Clock
  readonly retryLimitMs: number
  readonly poolSize: number
  readonly statementTimeoutMs: number
  /** Told what a connection died of while nobody used it. */
  readonly warn: (message: string) => void
}

const TRANSIENT: ReadonlySet<Fault> = new Set<Fault>(['serialisation', 'connection', 'starting'])
const STARTING: ReadonlySet<Fault> = new Set<Fault>(['starting'])
/** A process that was stopped in the middle of a transaction must not hold its locks for ever. */
const IDLE_MS = 60_000
const CONNECT_MS = 10_000

export class PostgresEngine implements Engine {
  readonly kind = 'postgres'
  readonly shown: string
  readonly pool: Pool
  readonly schema: string
  readonly #options: PostgresEngineOptions
  readonly #types: CustomTypesConfig
  /** `SET LOCAL` of a transaction that is the same for all. */
  #settings: string
  readonly #drained: (() => void)[] = []
  /** Whoever has a connection or waits for one. */
  #inUse = 0
  #closed = false

  private constructor(options: PostgresEngineOptions, pool: Pool, types: CustomTypesConfig) {
    this.#options = options
    this.shown = options.shown
    this.schema = options.schema
    this.pool = pool
    this.#types = types
    this.#settings = settings(options, undefined)
  }

  /** @throws AdjutantError CONFIG_INVALID, STORE_FAILED when the server cannot be reached or does not let us in */
  static async open(options: PostgresEngineOptions): Promise<PostgresEngine> {
    const { Pool, types } = await import('pg')
    const pool = new Pool({
      connectionString: options.connectionString,
      max: options.poolSize,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      application_name: 'adjutant',
      // An idle pool does not keep a command from ending.
      allowExitOnIdle: true,
    })
    // Without a listener of its own a connection that dies in use ends the process; the one of the pool hears only idle ones.
    pool.on('connect', (client) => client.on('error', () => {}))
    pool.on('error', (error) => options.warn(postgresFault(error, options.shown).message))
    const engine = new PostgresEngine(options, pool, {
      getTypeParser: (oid, format) => {
        if (format !== 'binary' && (oid === types.builtins.INT8 || oid === types.builtins.NUMERIC)) return exactNumber
        return types.getTypeParser(oid, format)
      },
    })
    try {
      await retrying({ clock: options.clock, limitMs: options.retryLimitMs, faults: STARTING }, () => engine.#takeRole())
      return engine
    } catch (error) {
      await pool.end()
      throw error
    }
  }

  /** The server overwrites what was deleted when it comes to it. */
  async forget(): Promise<void> {}

  /** A migration may have made the role that is taken in each transaction. */
  async migrated(): Promise<void> {
    await this.#takeRole()
  }

  /** Looks whether there is the role that sees one tenant only and whether we may be it. */
  async #takeRole(): Promise<void> {
    await this.alone(async (connection) => {
      const role = `${this.schema}_app`
      const sql = 'SELECT 1 AS n FROM pg_catalog.pg_roles WHERE rolname = $1 AND pg_catalog.pg_has_role(current_user, oid, $2)'
      const found = await connection.all<{ n: number }>({ sql, numbered: sql, name: '' }, [role, 'MEMBER'])
      this.#settings = settings(this.#options, found.length > 0 ? role : undefined)
    })
  }

  async write<T>(scope: Scope, options: WriteOptions, work: (connection: StoreConnection) => Promise<T>): Promise<T> {
    const begin = `BEGIN; ${this.#settings}${options.durable ? '' : 'SET LOCAL synchronous_commit = off; '}${scoped(scope)}`
    return await this.#retrying(() => this.#transaction(begin, work))
  }

  async read<T>(scope: Scope, work: (connection: StoreConnection) => Promise<T>): Promise<T> {
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${this.#settings}${scoped(scope)}`
    return await this.#retrying(() => this.#transaction(begin, work))
  }

  async alone<T>(work: (connection: StoreConnection) => Promise<T>): Promise<T> {
    return await this.#with(async (connection) => {
      await connection.script(`SET search_path = "${this.schema}", pg_catalog`)
      try {
        return await work(connection)
      } finally {
        if (!connection.broken) await connection.script('RESET search_path')
      }
    })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#inUse > 0) await new Promise<void>((resolve) => this.#drained.push(resolve))
    await this.pool.end()
  }

  async #retrying<T>(attempt: () => Promise<T>): Promise<T> {
    return await retrying({ clock: this.#options.clock, limitMs: this.#options.retryLimitMs, faults: TRANSIENT }, attempt)
  }

  async #transaction<T>(begin: string, work: (connection: StoreConnection) => Promise<T>): Promise<T> {
    return await this.#with(async (connection) => {
      await connection.script(begin)
      let result: T
      try {
        result = await work(connection)
      } catch (error) {
        if (!connection.broken) await connection.script('ROLLBACK').catch(() => {})
        throw error
      }
      await commit(connection, this.shown)
      return result
    })
  }

  async #with<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    if (this.#closed) throw new AdjutantError('STORE_FAILED', `the store ${this.shown} is closed`, { outcome: 'not-run', grade: 'final' })
    this.#inUse += 1
    try {
      const client = await this.#connect()
      const connection = new PostgresConnection(client, this.#types, this.shown)
      try {
        return await work(connection)
      } finally {
        client.release(connection.broken)
      }
    } finally {
      this.#inUse -= 1
      if (this.#inUse === 0) for (const resolve of this.#drained.splice(0)) resolve()
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.pool.connect()
    } catch (error) {
      throw postgresFault(error, this.shown)
    }
  }
}

async function commit(connection: PostgresConnection, shown: string): Promise<void> {
  let said: string
  try {
    said = await connection.command('COMMIT')
  } catch (error) {
    if (!(error instanceof DriverFault) || error.fault !== 'connection') throw error
    throw new AdjutantError('STORE_FAILED', `the store ${shown} was lost while a transaction was being committed: ${error.message}`, {
      cause: error,
      outcome: 'unknown',
      hint: 'Read what was to be written before writing it again.',
    })
  }
  // The server answers so when a statement before had failed and its error was swallowed.
  if (said === 'ROLLBACK') {
    throw new AdjutantError('STORE_FAILED', `the store ${shown} kept nothing of a transaction: one of its statements had failed`, {
      outcome: 'not-run',
      grade: 'final',
      hint: 'Do not go on in a transaction after one of its statements has failed.',
    })
  }
}

function settings(options: PostgresEngineOptions, role: string | undefined): string {
  return [
    `SET LOCAL search_path = "${options.schema}", pg_catalog; `,
    `SET LOCAL statement_timeout = ${Math.trunc(options.statementTimeoutMs)}; `,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}; `,
    role === undefined ? '' : `SET LOCAL ROLE "${role}"; `,
  ].join('')
}

function scoped(scope: Scope): string {
  if (scope === 'system') return "SET LOCAL adjutant.tenant = ''; SET LOCAL adjutant.scope = 'system'"
  return `SET LOCAL adjutant.tenant = ${literal(scope.tenantId)}; SET LOCAL adjutant.scope = 'tenant'`
}

/** SET takes no parameters. */
function literal(text: string): string {
  const quoted = text.replaceAll("'", "''")
  return quoted.includes('\\') ? `E'${quoted.replaceAll('\\', '\\\\')}'` : `'${quoted}'`
}

/** Numbers where they are exact, bigints where not. */
function exactNumber(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(text) ? number : BigInt(text)
}
