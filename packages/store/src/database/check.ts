/**
 * Owns looking a store over: whether the file is whole, the walls stand, the tables are those of this program, and what follows from the log of events agrees with
 * it. Changes nothing. What it finds is told, not thrown.
 */
import { MIGRATIONS } from '../migrations/index.ts'
import { sealedBy } from './body-seal.ts'
import type { StoreConnection } from './connection.ts'
import { CONSISTENCY_CHECKS } from './consistency-checks.ts'
import { hot } from './hot.ts'
import { doneMigrations } from './migrate.ts'
import { rowsInOrder } from './rows-in-order.ts'
import { placeOfRow, sealedColumnsOf } from './sealed-columns.ts'
import type { StoreDatabase, StoreTransaction } from './store-database.ts'
import { TENANT_TABLES } from './tables.ts'

export interface Finding {
  /** `error`: something is lost or wrong. `warning`: something could be better. */
  readonly severity: 'error' | 'warning'
  /** What was looked at, e.g. `file`, `foreign-keys`, `walls`, `versions`, `events`. */
  readonly check: string
  readonly message: string
  /** What to do. */
  readonly hint: string
}

export interface CheckReport {
  /** No errors. */
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** Versions of the tables: what is there and what this program has. */
  readonly version: { readonly found: number; readonly newest: number }
}

export interface CheckOptions {
  /** Also opens every body; takes as long as reading all of them. Default false. */
  readonly bodies?: boolean
}

/** Of one kind, so that a damaged table does not fill the screen. */
const MOST = 20

/** @throws AdjutantError STORE_FAILED when it cannot even be read */
export async function check(db: StoreDatabase, options: CheckOptions = {}): Promise<CheckReport> {
  const done = await doneMigrations(db.engine, db.schema)
  const findings: Finding[] = []
  if (done.length !== MIGRATIONS.length) {
    findings.push({
      severity: 'error',
      check: 'versions',
      message: `${done.length} of ${MIGRATIONS.length} versions of the tables are there`,
      hint: 'adjutant store migrate',
    })
  }
  // The walls are looked at as whoever we are connected as, not in the role that a transaction takes.
  if (db.kind === 'sqlite') findings.push(...(await db.system(checkFile, { readOnly: true })))
  else findings.push(...(await db.engine.alone((connection) => checkWalls(connection, db.schema))))
  const current = done.length === MIGRATIONS.length
  if (current) findings.push(...(await checkRows(db)))
  if (current && options.bodies === true) findings.push(...(await checkBodies(db)))
  return {
    ok: findings.every(({ severity }) => severity !== 'error'),
    findings,
    version: { found: done.length, newest: MIGRATIONS.length },
  }
}

const INTEGRITY = hot<{ integrity_check: string }>(`PRAGMA integrity_check(${MOST})`)
const FOREIGN_KEYS = hot<{ table: string; parent: string; n: number }>(
  'SELECT "table", parent, count(*) AS n FROM pragma_foreign_key_check GROUP BY 1, 2',
)

async function checkFile(tx: StoreTransaction): Promise<Finding[]> {
  const damage = (await tx.all(INTEGRITY)).filter(({ integrity_check: said }) => said !== 'ok')
  const orphans = await tx.all(FOREIGN_KEYS)
  return [
    ...damage.map(
      ({ integrity_check: said }): Finding => ({
        severity: 'error',
        check: 'file',
        message: `the file is damaged: ${said}`,
        hint: 'Put a backup in its place.',
      }),
    ),
    ...orphans.map(
      ({ table, parent, n }): Finding => ({
        severity: 'error',
        check: 'foreign-keys',
        message: `${n} rows of ${table} belong to no row of ${parent}`,
        hint: 'Something else than this program has written here; put a backup in its place.',
      }),
    ),
  ]
}

async function checkWalls(connection: StoreConnection, schema: string): Promise<Finding[]> {
  const open = hot<{ relname: string }>(
    `SELECT relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ? AND relkind = 'r' AND relname = ANY (string_to_array(?, ',')) AND NOT (relrowsecurity AND relforcerowsecurity)`,
  )
  const user = hot<{ rolsuper: boolean; rolbypassrls: boolean; role: string | null }>(
    `SELECT rolsuper, rolbypassrls, (SELECT rolname FROM pg_catalog.pg_roles WHERE rolname = ? AND pg_catalog.pg_has_role(current_user, oid, 'MEMBER')) AS role
     FROM pg_catalog.pg_roles WHERE rolname = current_user`,
  )
  const findings = (await connection.all(open, [schema, TENANT_TABLES.join(',')])).map(
    ({ relname }): Finding => ({
      severity: 'error',
      check: 'walls',
      message: `row-level security is off on ${relname}`,
      hint: `ALTER TABLE ${schema}.${relname} ENABLE ROW LEVEL SECURITY; ALTER TABLE ${schema}.${relname} FORCE ROW LEVEL SECURITY;`,
    }),
  )
  const [who] = await connection.all(user, [`${schema}_app`])
  if (who !== undefined && who.role === null && (who.rolsuper || who.rolbypassrls)) {
    findings.push({
      severity: 'warning',
      check: 'walls',
      message: `this user passes every wall between tenants, and there is no role ${schema}_app to take instead`,
      hint: `Connect as an ordinary user, or migrate once as one who may make the role ${schema}_app.`,
    })
  }
  return findings
}

async function checkRows(db: StoreDatabase): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { check: name, sql, says, hint } of CONSISTENCY_CHECKS) {
    const rows = await db.system((tx) => tx.all(hot<{ place: string }>(`${sql} LIMIT ${MOST}`)), { readOnly: true })
    findings.push(...rows.map(({ place }): Finding => ({ severity: 'error', check: name, message: `${place}: ${says}`, hint })))
  }
  return findings
}

async function checkBodies(db: StoreDatabase): Promise<Finding[]> {
  const findings: Finding[] = []
  await db.system(
    async (tx) => {
      for (const table of TENANT_TABLES) {
        const columns = sealedColumnsOf(table)
        if (columns.length === 0) continue
        for await (const row of rowsInOrder(tx, table)) {
          if (findings.length >= MOST) return
          for (const column of columns) {
            const kept = row[column]
            if (!(kept instanceof Uint8Array)) continue
            try {
              db.seal.open(kept, placeOfRow(table, column, row))
            } catch (error) {
              const message = error instanceof Error ? error.message : String(error)
              const by = sealedBy(kept)
              findings.push({
                severity: 'error',
                check: 'bodies',
                message,
                hint: by === undefined ? 'Put a backup of this row in its place.' : `Configure the key "${by}" under which it was written.`,
              })
            }
          }
        }
      }
    },
    { readOnly: true },
  )
  return findings
}
