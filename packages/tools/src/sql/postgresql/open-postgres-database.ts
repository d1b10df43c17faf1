/** Owns opening a PostgreSQL database for sql_query: its settings are checked, then the client is loaded and the first connection made. */
import { matchesName, systemClock } from '@adjutant/core'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import type { SqlDatabase } from '../sql-database.ts'
import { readConnectionTarget } from './connection-target.ts'

export interface PostgresDatabaseOptions {
  /** `postgres://user:password@host:port/database`; `?sslmode=disable | verify-full | no-verify`, `?sslrootcert=FILE`, `?host=FOLDER` for a socket. */
  readonly url: string
  /** Of one statement, by the server's clock. 100 … 3 600 000, default 10 000. */
  readonly statementTimeoutMs?: number
  /** Rows that one call can ask for. 1 … 10 000, default 1 000. */
  readonly maxRows?: number
  /** The only ones that may be named, the first being the usual one. Default: all that the account may read. */
  readonly schemas?: readonly string[]
  /** Patterns of functions that only read, beside PostgreSQL's own: `st_*`, `reports.revenue`. Others that are not known are refused. */
  readonly functions?: readonly string[]
  /** Connections at most. 1 … 32, default 2. */
  readonly connections?: number
  /** After which a connection that nobody used is closed. Default 60 000. */
  readonly idleMs?: number
  /** Certificates in PEM that are trusted in place of the usual ones. */
  readonly ca?: string
  /** Asked before the first connection; throws to refuse. `host`: name, address, or the folder of a socket. */
  readonly mayConnect?: (host: string, port: number) => void
  readonly clock?: Clock
}

/**
 * @throws AdjutantError CONFIG_INVALID for settings, logins and certificates that are wrong, ORIGIN_UNAVAILABLE when the server cannot be reached; both
 * name host and database and never the password
 * @example
 * ```ts
 * await using shop = await openPostgresDatabase({ url: `postgres://reader:${process.env.SHOP_PASSWORD}@db.example.com/shop`, schemas: ['sales'] })
 * ```
 */
export async function openPostgresDatabase(options: PostgresDatabaseOptions): Promise<SqlDatabase> {
  const target = readConnectionTarget(options.url, options.ca)
  const { schemas, functions = [] } = options
  if (schemas !== undefined && (schemas.length === 0 || schemas.some((name) => name === '' || name.includes('\0')))) {
    throw new AdjutantError('CONFIG_INVALID', 'schemas of a database must be names', {
      hint: 'Name at least one schema, or leave the key out.',
    })
  }
  const settings = {
    target,
    schemas,
    timeoutMs: whole(options.statementTimeoutMs ?? 10_000, 'statementTimeoutMs', 100, 3_600_000),
    maxRows: whole(options.maxRows ?? 1_000, 'maxRows', 1, 10_000),
    size: whole(options.connections ?? 2, 'connections', 1, 32),
    idleMs: whole(options.idleMs ?? 60_000, 'idleMs', 1_000, 86_400_000),
    clock: options.clock ?? systemClock,
    vouched: (name: string, schema: string | undefined) =>
      functions.some((pattern) =>
        matchesName(pattern.toLowerCase(), schema !== undefined && pattern.includes('.') ? `${schema}.${name}` : name),
      ),
  }
  options.mayConnect?.(target.host, target.port)
  // Loaded only here: most sessions ask no PostgreSQL.
  const { connectPostgres } = await import('./postgres-database.ts')
  return connectPostgres(settings)
}

function whole(value: number, name: string, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value
  throw new AdjutantError('CONFIG_INVALID', `${name} of a database must be a whole number from ${min} to ${max}, got ${value}`)
}
