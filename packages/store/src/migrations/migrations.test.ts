/** Every version of the tables that there ever was comes up to this program's with all its rows; a newer one is refused and left alone. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { AdjutantError, systemClock } from '@adjutant/core'
import { GOLDEN_FOLDER, GOLDEN_KEY, GOLDEN_SCHEMA, rowsAsText } from '../../test/golden.ts'
import { freshUrl, openStore, STORE_KINDS, testServer } from '../../test/open-stores.ts'
import { hot } from '../database/hot.ts'
import { check, migrate, type StoreDatabase } from '../database/index.ts'
import { bringUp } from '../database/migrate.ts'
import { MIGRATIONS } from './index.ts'
import type { StoreMigration } from './migration.ts'

const SHARED = STORE_KINDS.filter((kind) => kind !== 'sqlite-memory')
const released = MIGRATIONS.map(({ name }) => name)

/** Loads a fixture as it was written, without this program. @returns its address */
async function load(kind: 'sqlite-file' | 'postgres', name: string): Promise<string> {
  const text = readFileSync(join(GOLDEN_FOLDER, `${name}.${kind === 'postgres' ? 'postgres' : 'sqlite'}.sql`), 'utf8')
  if (kind === 'sqlite-file') {
    const url = await freshUrl(kind)
    using database = new DatabaseSync(url.slice('sqlite:'.length))
    database.exec(text)
    return url
  }
  const server = await testServer()
  const url = await server.createDatabase(`of_${name.replace('-', '_')}`)
  const admin = await openStore(url)
  assert.ok(admin.postgres !== undefined)
  // Roles are the server's: the fixture of another version may have made it.
  await admin.postgres.pool.query(
    `DO $role$ BEGIN CREATE ROLE ${GOLDEN_SCHEMA}_app NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $role$`,
  )
  await admin.postgres.pool.query(text)
  await admin.close()
  return `${url}?schema=${GOLDEN_SCHEMA}`
}

async function shapeOf(db: StoreDatabase): Promise<unknown> {
  const sqlite = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
  const postgres = `SELECT c.relname AS name, a.attname AS part, pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS needed
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
    WHERE n.nspname = current_schema() AND a.attnum > 0 AND c.relkind IN ('r', 'i') ORDER BY c.relname, a.attnum`
  const rows = await db.system((tx) => tx.all(hot<Record<string, unknown>>(db.kind === 'sqlite' ? sqlite : postgres)), { readOnly: true })
  return rows.map((row) => ({ ...row, ...(typeof row.sql === 'string' ? { sql: row.sql.replace(/\s+/g, ' ') } : {}) }))
}

describe('the list of migrations', () => {
  it('goes up by one, in the order of names, and each has a fixture', () => {
    assert.deepEqual(
      MIGRATIONS.map(({ version }) => version),
      MIGRATIONS.map((_, index) => index + 1),
    )
    assert.deepEqual(released, released.toSorted())
    const fixtures = readdirSync(GOLDEN_FOLDER)
    for (const name of released) {
      for (const form of ['sqlite.sql', 'postgres.sql', 'jsonl']) {
        assert.ok(fixtures.includes(`${name}.${form}`), `test/golden/${name}.${form} is missing: run packages/store/test/make-golden.ts`)
      }
    }
  })
})

for (const kind of SHARED) {
  describe(`versions on ${kind}`, () => {
    for (const name of released) {
      it(`${name} comes up to the newest with all its rows`, async () => {
        const url = await load(kind, name)
        const db = await openStore(url, { encryptionKey: GOLDEN_KEY })
        const [rows, kept] = [await rowsAsText(db), readFileSync(join(GOLDEN_FOLDER, `${name}.jsonl`), 'utf8')].map((text) =>
          text.split('\n'),
        )
        for (const [index, line] of (kept ?? []).entries()) assert.equal(rows?.[index], line)
        assert.equal(rows?.length, kept?.length)
        const report = await check(db, { bodies: true })
        assert.deepEqual(report.findings, [])
        assert.equal(report.version.found, MIGRATIONS.length)
        // What it has become is what a new store is.
        assert.deepEqual(await shapeOf(db), await shapeOf(await openStore(kind)))
      })
    }

    it('a newer one is refused with its name, and left as it is', async () => {
      const url = await freshUrl(kind)
      const db = await openStore(url)
      const later: StoreMigration = {
        name: '0999-later',
        version: 999,
        up: async (connection) => await connection.script('CREATE TABLE later (x TEXT)'),
      }
      const options = { clock: systemClock, program: 'newer', migrations: [...MIGRATIONS, later] }
      assert.deepEqual((await bringUp(db.engine, db.schema, options)).applied, ['0999-later'])
      const before = await shapeOf(db)
      for (const mode of ['auto', 'require', 'leave'] as const) {
        await assert.rejects(
          openStore(url, { migrate: mode }),
          (error: unknown) =>
            AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && /newer program.*0999-later/.test(error.message),
        )
      }
      assert.deepEqual(await shapeOf(db), before)
      // A program that knows it finds all in place.
      assert.deepEqual((await bringUp(db.engine, db.schema, options)).applied, [])
    })

    it('one that breaks in the middle leaves nothing of itself', async () => {
      const url = await freshUrl(kind)
      const db = await openStore(url)
      const before = await shapeOf(db)
      const half: StoreMigration = {
        name: '0998-half',
        version: 998,
        up: async (connection) => {
          await connection.script('CREATE TABLE half (x TEXT)')
          await connection.script('CREATE TABLE half (x TEXT)')
        },
      }
      const options = { clock: systemClock, program: 'p', migrations: [...MIGRATIONS, half] }
      await assert.rejects(
        bringUp(db.engine, db.schema, options),
        (error: unknown) => AdjutantError.isInstance(error) && error.code === 'STORE_FAILED',
      )
      assert.deepEqual(await shapeOf(db), before)
      assert.deepEqual(await migrate(db), { from: MIGRATIONS.length, to: MIGRATIONS.length, applied: [] })
    })

    it('missing tables are made, or asked for, or left', async () => {
      const url = await freshUrl(kind)
      await assert.rejects(
        openStore(url, { migrate: 'require' }),
        (error: unknown) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && /older/.test(error.message),
      )
      const db = await openStore(url, { migrate: 'leave' })
      assert.equal((await check(db)).version.found, 0)
      assert.deepEqual(await migrate(db, { program: 'adjutant test' }), { from: 0, to: MIGRATIONS.length, applied: released })
      const rows = await db.system((tx) => tx.db.selectFrom('store_versions').select(['version', 'program']).execute())
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        MIGRATIONS.map(({ version }) => ({ version, program: 'adjutant test' })),
      )
      await openStore(url, { migrate: 'require' })
    })
  })
}

describe('a file of the first skill store', () => {
  it('is taken over with what it holds', async () => {
    const url = await freshUrl('sqlite-file')
    {
      using database = new DatabaseSync(url.slice('sqlite:'.length))
      database.exec(`
        CREATE TABLE skills (tenant_id TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (tenant_id, key)) STRICT;
        CREATE TABLE skill_files (tenant_id TEXT NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (tenant_id, key, path),
          FOREIGN KEY (tenant_id, key) REFERENCES skills (tenant_id, key) ON DELETE CASCADE) STRICT;
        PRAGMA user_version = 1; PRAGMA journal_mode = WAL;
        INSERT INTO skills VALUES ('local', 'x', 'text of x'); INSERT INTO skill_files VALUES ('local', 'x', 'a.png', X'00FF');`)
    }
    const db = await openStore(url)
    const [skill] = await db.read('local', (tx) => tx.db.selectFrom('skills').selectAll().execute())
    const [file] = await db.read('local', (tx) => tx.db.selectFrom('skill_files').selectAll().execute())
    assert.deepEqual({ ...skill }, { tenant_id: 'local', key: 'x', text: new Uint8Array(Buffer.from('text of x')) })
    assert.deepEqual(file?.content, new Uint8Array([0, 0xff]))
    assert.deepEqual(await shapeOf(db), await shapeOf(await openStore('sqlite-file')))
    assert.deepEqual((await check(db)).findings, [])
  })
})
