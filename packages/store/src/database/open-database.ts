/** Owns how a store is opened: the address is read, the driver connected, the tables brought to this program's version. */
import { AdjutantError, type Clock, type IdSource } from '@adjutant/core/contract'
import { MIGRATIONS } from '../migrations/index.ts'
import { BodySeal } from './body-seal.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { doneMigrations, migrate, refuseNewer } from './migrate.ts'
import { PostgresEngine } from './postgres-engine.ts'
import { SqliteEngine } from './sqlite-engine.ts'
import { StoreDatabase } from './store-database.ts'

export interface OpenDatabaseOptions {
  readonly clock: Clock
  readonly ids: IdSource
  /** Keys for bodies: each `id:` and 32 bytes in base64. All open, the first one seals. Default: bodies are kept as they are. */
  readonly encryptionKey?: string | readonly string[]
  /** Connections: on PostgreSQL in all, on SQLite for reading. Default 10 and 4. */
  readonly poolSize?: number
  /** How long another writer, a restarting server or two transactions in each other's way are put up with, in milliseconds. Default 10 000. */
  readonly retryLimitMs?: number
  /** For one statement on PostgreSQL, in milliseconds. Default 30 000. */
  readonly statementTimeoutMs?: number
  /**
   * `auto` (default): older or missing tables are brought to this program's version. `require`: they must be of this version already.
   * `leave`: they are left as they are, for `migrate` and `check` alone.
   */
  readonly migrate?: 'auto' | 'require' | 'leave'
  /** For the record of migrations: which program this is. Default `adjutant`. */
  readonly program?: string
  /** Told what went wrong beside the work, e.g. an idle connection that died. Default: nobody. */
  readonly warn?: (message: string) => void
}

/**
 * Opens a store, and makes it where there is none.
 *
 * @param url `sqlite:/path/file.db`, `sqlite::memory:`, a path that ends in .db or .sqlite, or `postgres://user@host/database?schema=adjutant`
 * @throws AdjutantError CONFIG_INVALID for a wrong address, password or key, a file that is something else, tables of a newer program; STORE_FAILED when it cannot
 * be reached or written
 *
 * @example
 * ```ts
 * await using db = await openDatabase('sqlite:/var/lib/adjutant/store.db', { clock: systemClock, ids: randomIds })
 * await db.transaction('acme', (tx) => tx.db.insertInto('skills').values({ tenant_id: 'acme', key: 'a', text: Buffer.from('…') }).execute())
 * ```
 */
export async function openDatabase(url: string, options: OpenDatabaseOptions): Promise<StoreDatabase> {
  const address = parseDatabaseUrl(url)
  const keys = options.encryptionKey ?? []
  const seal = new BodySeal(typeof keys === 'string' ? [keys] : keys)
  const { clock, ids } = options
  const common = { shown: address.shown, clock, retryLimitMs: options.retryLimitMs ?? 10_000 }
  if (address.kind === 'sqlite') {
    const engine = await SqliteEngine.open({ ...common, file: address.file, memory: address.memory, poolSize: count(options.poolSize, 4) })
    return await ready(new StoreDatabase({ engine, clock, ids, seal, schema: 'main' }), options)
  }
  const { connectionString, schema } = address
  const engine = await PostgresEngine.open({
    ...common,
    connectionString,
    schema,
    poolSize: count(options.poolSize, 10),
    statementTimeoutMs: options.statementTimeoutMs ?? 30_000,
    warn: options.warn ?? (() => {}),
  })
  const postgres = { pool: engine.pool, schema, connectionString }
  const db = await ready(new StoreDatabase({ engine, clock, ids, seal, schema, postgres }), options)
  return db
}

function count(asked: number | undefined, otherwise: number): number {
  const size = asked ?? otherwise
  if (Number.isInteger(size) && size >= 1 && size <= 1_000) return size
  throw new AdjutantError('CONFIG_INVALID', `the pool size of the store is no number of connections: ${size}`, { hint: 'Give 1 to 1 000.' })
}

async function ready(db: StoreDatabase, options: OpenDatabaseOptions): Promise<StoreDatabase> {
  try {
    const done = await doneMigrations(db.engine, db.schema)
    refuseNewer(done, MIGRATIONS, db.shown)
    if (done.length === MIGRATIONS.length || options.migrate === 'leave') return db
    if (options.migrate === 'require') {
      throw new AdjutantError(
        'CONFIG_INVALID',
        `the store ${db.shown} is older than this program: ${done.length} of ${MIGRATIONS.length} versions`,
        {
          hint: 'Bring it up with: adjutant store migrate',
        },
      )
    }
    await migrate(db, { program: options.program ?? 'adjutant' })
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}
