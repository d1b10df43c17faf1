/**
 * Owns the way of the tables to the version of this program: forward only, in one transaction, one process at a time. A database of a newer program is left
 * as it is.
 *
 * Crash rule: what a migration did is kept together with the note that it was done, or neither is.
 */
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { Migrator } from 'kysely/migration'
import { MIGRATIONS } from '../migrations/index.ts'
import type { MigrationTarget, StoreMigration } from '../migrations/migration.ts'
import { boundKysely } from './bound-kysely.ts'
import type { Engine, StoreConnection } from './connection.ts'
import { hot } from './hot.ts'
import type { StoreDatabase } from './store-database.ts'

export interface MigrationOutcome {
  /** Of the tables before; 0: there were none. */
  readonly from: number
  readonly to: number
  /** Names of what was done, in order. */
  readonly applied: readonly string[]
}

export interface MigrateOptions {
  readonly clock: Clock
  /** For the record: which program did it. */
  readonly program: string
  /** Default: all. Only for tests of older versions. */
  readonly migrations?: readonly StoreMigration[]
}

const MIGRATION_TABLE = 'store_migrations'
const LOCK_TABLE = 'store_migration_lock'

const READ_NAMES = hot<{ name: string }>(`SELECT name FROM ${MIGRATION_TABLE} ORDER BY name`)
const WRITE_VERSION = hot('INSERT INTO store_versions (version, name, program, applied_at) VALUES (?, ?, ?, ?)')

/** Names of the migrations that were done; none for a database without tables. */
export async function doneMigrations(engine: Engine, schema: string): Promise<readonly string[]> {
  return await engine.alone((connection) => readDone(connection, { kind: engine.kind, schema }))
}

async function readDone(connection: StoreConnection, target: MigrationTarget): Promise<readonly string[]> {
  const there =
    target.kind === 'sqlite'
      ? hot<{ n: number }>(`SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table' AND name = '${MIGRATION_TABLE}'`)
      : hot<{ n: number }>(
          `SELECT count(*) AS n FROM pg_catalog.pg_tables WHERE schemaname = '${target.schema}' AND tablename = '${MIGRATION_TABLE}'`,
        )
  const [found] = await connection.all(there, [])
  if (found === undefined || found.n === 0) return []
  return (await connection.all(READ_NAMES, [])).map(({ name }) => name)
}

/** @throws AdjutantError CONFIG_INVALID when the database is newer than this program */
export function refuseNewer(done: readonly string[], migrations: readonly StoreMigration[], shown: string): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = done.find((name) => !known.has(name))
  if (unknown === undefined) return
  throw new AdjutantError(
    'CONFIG_INVALID',
    `the store ${shown} was made by a newer program: it has "${unknown}", and this one goes up to "${migrations.at(-1)?.name ?? 'nothing'}"`,
    { hint: 'Use the newer program with it, or name another database. Nothing was changed.' },
  )
}

/**
 * Brings the tables of a store to the newest version. Of several processes at once one does it and the others wait. A store that was opened with
 * `migrate: 'leave'` can be asked first what `from` will be: by `check`.
 *
 * @throws AdjutantError CONFIG_INVALID when the database is newer or the user may not change tables; STORE_FAILED
 */
export async function migrate(db: StoreDatabase, options: { readonly program?: string } = {}): Promise<MigrationOutcome> {
  return await bringUp(db.engine, db.schema, { clock: db.clock, program: options.program ?? 'adjutant' })
}

/** `migrate`, below the store: @throws AdjutantError as it does */
export async function bringUp(engine: Engine, schema: string, options: MigrateOptions): Promise<MigrationOutcome> {
  const migrations = options.migrations ?? MIGRATIONS
  const target: MigrationTarget = { kind: engine.kind, schema }
  const outcome = await engine.alone(async (connection): Promise<MigrationOutcome> => {
    const before = await readDone(connection, target)
    refuseNewer(before, migrations, engine.shown)
    const lasting = { over: false }
    const db = boundKysely(engine.kind, connection, lasting, 'own')
    const migrator = new Migrator({
      db,
      migrationTableName: MIGRATION_TABLE,
      migrationLockTableName: LOCK_TABLE,
      ...(engine.kind === 'postgres' ? { migrationTableSchema: schema } : {}),
      provider: {
        getMigrations: async () =>
          Object.fromEntries(
            migrations.map((migration) => [
              migration.name,
              {
                up: async () => {
                  await migration.up(connection, target)
                  await connection.run(WRITE_VERSION, [migration.version, migration.name, options.program, options.clock.now()])
                },
              },
            ]),
          ),
      },
    })
    const { error, results } = await migrator.migrateToLatest()
    lasting.over = true
    if (error !== undefined) {
      // Another process, of a newer program, may have been faster.
      refuseNewer(await readDone(connection, target), migrations, engine.shown)
      throw AdjutantError.from(error, 'STORE_FAILED', `the store ${engine.shown} could not be migrated`)
    }
    const applied = (results ?? []).filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName)
    // Counted afterwards: another process may have done it while this one waited.
    const to = (await readDone(connection, target)).length
    return { from: to - applied.length, to, applied }
  })
  await engine.migrated()
  return outcome
}
