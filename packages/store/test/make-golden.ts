/**
 * Writes what the newest version of the tables looks like, with rows, for the tests of all later versions. Run once when a version is released; what is there
 * is never written again.
 *
 * Usage: node --conditions=adjutant-source packages/store/test/make-golden.ts [path of pg_dump]
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { countingIds, ManualClock, startPostgres } from '@adjutant/testkit'
import { openDatabase, type StoreDatabase } from '../src/database/index.ts'
import { MIGRATIONS } from '../src/migrations/index.ts'
import { GOLDEN_FOLDER, GOLDEN_KEY, GOLDEN_SCHEMA, rowsAsText } from './golden.ts'
import { insertSample } from './sample-rows.ts'

const [pgDump = '/usr/lib/postgresql/15/bin/pg_dump'] = process.argv.slice(2)
const name = MIGRATIONS.at(-1)?.name ?? ''
const base = join(GOLDEN_FOLDER, name)
if (existsSync(`${base}.jsonl`)) throw new Error(`${base}.jsonl is there already: a version that was released does not change`)
mkdirSync(GOLDEN_FOLDER, { recursive: true })

const options = { clock: new ManualClock(1_700_000_000_000), ids: countingIds(), encryptionKey: GOLDEN_KEY, program: 'adjutant golden' }

async function fill(db: StoreDatabase): Promise<void> {
  for (const [tenant, n] of [
    ['acme', 1],
    ['acme', 2],
    ["o'brien \\ 🐝", 3],
  ] as const) {
    await db.transaction(tenant, (tx) => insertSample(tx, db.seal, tenant, n))
  }
  await db.system((tx) => tx.db.insertInto('nodes').values({ node_id: 'host:1', started_at: 1, seen_at: 2, address: null }).execute())
}

function literal(value: SQLOutputValue): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

function dumpSqlite(file: string): string {
  using database = new DatabaseSync(file, { readOnly: true })
  const objects = database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    .all()
  const lines = [
    `PRAGMA application_id = ${String(database.prepare('PRAGMA application_id').get()?.application_id)};`,
    'PRAGMA foreign_keys = OFF;',
    'BEGIN;',
  ]
  for (const { type, sql } of objects) if (type === 'table') lines.push(`${String(sql)};`)
  for (const { type, name: table } of objects) {
    if (type !== 'table') continue
    for (const row of database.prepare(`SELECT * FROM "${String(table)}"`).all()) {
      lines.push(`INSERT INTO "${String(table)}" VALUES (${Object.values(row).map(literal).join(', ')});`)
    }
  }
  for (const { type, sql } of objects) if (type !== 'table') lines.push(`${String(sql)};`)
  return `${[...lines, 'COMMIT;'].join('\n')}\n`
}

const folder = mkdtempSync(join(tmpdir(), 'golden-'))
try {
  const file = join(folder, 'store.db')
  await using sqlite = await openDatabase(`sqlite:${file}`, options)
  await fill(sqlite)
  writeFileSync(`${base}.sqlite.sql`, dumpSqlite(file))
  await using server = await startPostgres()
  {
    await using postgres = await openDatabase(`${server.url}?schema=${GOLDEN_SCHEMA}`, options)
    await fill(postgres)
    if ((await rowsAsText(sqlite)) !== (await rowsAsText(postgres))) throw new Error('the two databases hold different rows')
  }
  const dump = execFileSync(pgDump, ['--no-owner', '--inserts', `--schema=${GOLDEN_SCHEMA}`, server.url], { encoding: 'utf8' })
  // Lines for psql alone; the test sends the rest as it is.
  writeFileSync(`${base}.postgres.sql`, dump.replace(/^\\(un)?restrict .*\n/gm, ''))
  writeFileSync(`${base}.jsonl`, await rowsAsText(sqlite))
} finally {
  rmSync(folder, { recursive: true })
}
