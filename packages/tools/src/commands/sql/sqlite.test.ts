import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { Effect } from '@adjutant/core/contract'
import { openSqlReader } from './open-sql-reader.ts'

const sqlite = (await openSqlReader())('sqlite')

/** What SQLite does with a text, by hand. */
const SQLITE: Readonly<Record<Effect, readonly string[]>> = {
  read: [
    'SELECT 1',
    'SELECT * FROM t WHERE a = ?1 AND b IN (1, 2) LIMIT 3',
    'SELECT \';\', "; delete", `; drop`, [; x] FROM (SELECT 1) -- ; drop table t',
    'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 9), d (m) AS NOT MATERIALIZED (SELECT 2) SELECT * FROM c, d',
    "SELECT * FROM pragma_table_info('t')",
    "SELECT json_extract(a, '$.b'), count(DISTINCT a), substr(a, 1, 2), a ->> '$' FROM t GROUP BY 1 HAVING max(a) > 1",
    'SELECT CASE WHEN (a) THEN (1) ELSE (2) END, CAST(a AS TEXT) FROM t ORDER BY (a)',
    'VALUES (1), (2)',
    'EXPLAIN DELETE FROM t',
    'EXPLAIN QUERY PLAN SELECT * FROM t',
    'PRAGMA table_info(t)',
    'PRAGMA main.index_list(t)',
    'PRAGMA user_version',
    'BEGIN IMMEDIATE',
    'COMMIT',
    '/* never closed',
    '',
  ],
  write: [
    'INSERT INTO t (a) VALUES (1)',
    'INSERT OR REPLACE INTO t VALUES (1)',
    'REPLACE INTO t VALUES (1)',
    'UPDATE t SET a = (SELECT 1 WHERE 1) WHERE b = 2',
    'DELETE FROM t WHERE id IN (SELECT 1)',
    'WITH x AS (SELECT 1) DELETE FROM t WHERE id IN x',
    'CREATE TABLE t (a)',
    'CREATE TEMP TABLE t AS SELECT 1',
    'CREATE INDEX i ON t (a)',
    'SELECT my_own_function(1)',
    'VACUUM',
    'REINDEX',
    'PRAGMA user_version = 3',
    'PRAGMA optimize',
  ],
  dangerous: [
    'DELETE FROM t',
    'DELETE FROM t WHERE 1',
    'DELETE FROM t WHERE TRUE OR 1 = 1',
    'UPDATE t SET a = (SELECT 1 WHERE b = 2)',
    'WITH x AS (SELECT 1) DELETE FROM t',
    'DROP TABLE t',
    'ALTER TABLE t RENAME TO u',
    "ATTACH 'x.db' AS x",
    'DETACH x',
    "VACUUM INTO '/tmp/x'",
    'CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM u; DELETE FROM v; END',
    "CREATE VIRTUAL TABLE v USING csv(filename='/etc/passwd')",
    "SELECT load_extension('x')",
    'SELECT "load_extension"(\'x\')',
    "SELECT writefile('/tmp/x', 'y')",
    'SELECT * FROM pragma_writable_schema',
    'PRAGMA writable_schema = 1',
    'PRAGMA foreign_keys = off',
    'EXPLAIN PRAGMA foreign_keys = off',
    "PRAGMA temp_store_directory = '/tmp'",
    "UPDATE sqlite_master SET sql = 'x' WHERE name = 'y'",
    'SELECT 1; DROP TABLE t',
    "SELECT $x('); DROP TABLE t; --')",
    'SELECT 1 FROM t DROP TABLE t',
    'SELECT * FROM (SELECT 1',
    'SELECT 1) FROM (SELECT 2',
    'EXPLAIN ANALYZE DELETE FROM t',
    '.shell ls',
    'SELEC 1',
    "SELECT 'never closed",
    'WITH x AS (DELETE FROM t) SELECT 1',
    'SELECT 1\0; DROP TABLE t',
  ],
}

describe('SQLite', () => {
  for (const [effect, statements] of Object.entries(SQLITE)) {
    it(`tells what is ${effect}`, () => {
      for (const sql of statements) assert.equal(sqlite(sql).effect, effect, `${sql} ${JSON.stringify(sqlite(sql))}`)
    })
  }

  it('what it calls a read changes nothing in a real database', () => {
    const database = new DatabaseSync(':memory:')
    database.exec('CREATE TABLE t (id, a, b); INSERT INTO t VALUES (1, \'{"b":1}\', 3); CREATE TABLE u (id)')
    const state = () =>
      JSON.stringify([
        database.prepare('SELECT * FROM t').all(),
        database.prepare('SELECT sql FROM sqlite_master').all(),
        database.prepare('PRAGMA user_version').all(),
      ])
    const before = state()
    const all = Object.values(SQLITE)
      .flat()
      .filter((sql) => sqlite(sql).effect === 'read')
    assert.ok(all.length > 10)
    for (const sql of all) {
      try {
        database.exec(sql)
      } catch {
        // What does not run changes nothing either.
      }
      assert.equal(state(), before, sql)
    }
  })
})
