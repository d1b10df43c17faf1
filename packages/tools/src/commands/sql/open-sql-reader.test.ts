import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { Effect } from '@adjutant/core/contract'
import fc from 'fast-check'
import { openSqlReader } from './open-sql-reader.ts'

const readSql = await openSqlReader()
const postgresql = readSql('postgresql')
const sqlite = readSql('sqlite')
const any = readSql('any')

const POSTGRESQL: Readonly<Record<Effect, readonly string[]>> = {
  read: [
    'SELECT 1',
    "select a, count(*) from t join u using (id) where b = 'x; drop table t' group by a having count(*) > 1 order by 2 limit 3",
    "SELECT $$; drop table t;$$, $tag$ delete from t $tag$, E'\\n', U&'\\0041', B'1'",
    'TABLE t',
    'VALUES (1), (2)',
    '(SELECT 1) UNION ALL (SELECT 2)',
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r WHERE n < 9) SELECT * FROM r',
    'SHOW ALL',
    'EXPLAIN DELETE FROM t',
    'EXPLAIN (ANALYZE false) DELETE FROM t',
    'EXPLAIN (ANALYZE off, VERBOSE) DELETE FROM t',
    'EXPLAIN ANALYZE SELECT 1',
    'BEGIN',
    'COMMIT',
    'ROLLBACK',
    'DECLARE c CURSOR FOR SELECT 1',
    'FETCH 10 FROM c',
    'COPY t TO STDOUT',
    'COPY (SELECT 1) TO STDOUT',
    'SELECT pg_size_pretty(pg_total_relation_size($1)), pg_get_viewdef($2), has_table_privilege($3, $4)',
    "SELECT pg_catalog.lower(a), extract(year FROM d), a::text, (d AT TIME ZONE 'UTC'), a ->> 'k', substring(a from 2) FROM t",
    'SELECT row_number() OVER (PARTITION BY a ORDER BY b), json_agg(t), string_agg(a, b) FILTER (WHERE c) FROM t',
    '/* delete /* from */ t */ -- drop table t\nSELECT 1',
    'PREPARE p AS SELECT 1',
    '',
    ' \n',
    '-- nothing',
  ],
  write: [
    'INSERT INTO t (a) VALUES (1)',
    'INSERT INTO t SELECT * FROM u ON CONFLICT (id) DO UPDATE SET a = 1',
    'UPDATE t SET a = 1 WHERE id = 2',
    'DELETE FROM t USING u WHERE t.id = u.id',
    'DELETE FROM t WHERE CURRENT OF c',
    'MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE',
    'SELECT a INTO b FROM t',
    'CREATE TABLE t (a int)',
    'CREATE TABLE b AS SELECT 1',
    'CREATE MATERIALIZED VIEW m AS SELECT 1',
    'REFRESH MATERIALIZED VIEW m',
    'CREATE INDEX i ON t (a)',
    'SELECT * FROM t FOR UPDATE',
    'SELECT * FROM (SELECT * FROM t FOR SHARE) x',
    "SELECT nextval('s')",
    "SELECT 1 WHERE NOT EXISTS (SELECT setval('s', 1))",
    "SELECT set_config('search_path', 'x', false)",
    'SELECT pg_advisory_lock(1)',
    'SELECT pg_sleep(100)',
    'SELECT my_own_function(1)',
    'SELECT other.lower(a) FROM t',
    'SELECT * FROM ROWS FROM (my_own_function(1)) x',
    'WITH new AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM new',
    'EXPLAIN ANALYZE INSERT INTO t VALUES (1)',
    'COPY t FROM STDIN',
    'VACUUM t',
    'ANALYZE t',
    'LOCK TABLE t',
    'NOTIFY c',
    'SET search_path = x',
    'RESET ALL',
    "PREPARE TRANSACTION 'x'",
    'CREATE VIEW v AS SELECT 1',
    'COMMENT ON TABLE t IS NULL',
  ],
  dangerous: [
    'DELETE FROM t',
    'DELETE FROM t WHERE true',
    'DELETE FROM t WHERE 1 = 1',
    "DELETE FROM t WHERE 'a' LIKE 'a'",
    'UPDATE t SET a = 1',
    'WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone',
    'WITH a AS (SELECT 1), b AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM a, b',
    'EXPLAIN ANALYZE DELETE FROM t',
    'EXPLAIN (VERBOSE, ANALYZE true) DELETE FROM t',
    'EXPLAIN (ANALYZE 1) UPDATE t SET a = 1',
    'PREPARE p AS DELETE FROM t',
    'EXECUTE p(1)',
    'DROP TABLE t',
    'DROP SCHEMA public CASCADE',
    'TRUNCATE t',
    'ALTER TABLE t ADD COLUMN a int',
    'ALTER TABLE t RENAME TO u',
    'ALTER SYSTEM SET fsync = off',
    'GRANT ALL ON t TO public',
    'REVOKE ALL ON t FROM ann',
    'CREATE ROLE ann SUPERUSER',
    "ALTER ROLE ann PASSWORD 'x'",
    "COPY t TO PROGRAM 'sh'",
    "COPY t FROM PROGRAM 'sh'",
    "COPY t TO '/tmp/x'",
    "COPY t FROM '/etc/passwd'",
    'DO $$ BEGIN DELETE FROM t; END $$',
    'CALL p()',
    'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE TRIGGER x AFTER INSERT ON t EXECUTE FUNCTION f()',
    'CREATE RULE r AS ON SELECT TO t DO INSTEAD NOTHING',
    'CREATE EXTENSION plpython3u',
    "LOAD 'x'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_catalog.pg_read_binary_file('x')",
    'SELECT "pg_read_file"(\'x\')',
    'SELECT U&"\\0070g_read_file"(\'x\')',
    "SELECT * FROM pg_ls_dir('/')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/x')",
    "SELECT dblink_exec('x', 'drop table t')",
    "SELECT query_to_xml('delete from t', true, true, '')",
    'SELECT pg_terminate_backend(1)',
    'SELECT pg_reload_conf()',
    'SELECT a FROM t ORDER BY (SELECT pg_cancel_backend(1))',
    'SELECT * FROM pg_shadow',
    'SELECT rolpassword FROM pg_catalog.pg_authid',
    'UPDATE pg_catalog.pg_proc SET prosrc = 1 WHERE oid = 1',
    'SET ROLE postgres',
    'SET SESSION AUTHORIZATION postgres',
    'SET session_replication_role = replica',
    'SET standard_conforming_strings = off',
    'SELECT 1; DROP TABLE t',
    'SELECT 1;;DELETE FROM t;',
    '\\! ls',
    'SELECT 1 \\g |sh',
    '\\copy t to program sh',
    'SELECT',
    'SELEC 1',
    "SELECT 'never closed",
    'SELECT 1 /* never closed',
    'SELECT 1\0; DROP TABLE t',
    'CHECKPOINT',
  ].filter((sql) => sql !== 'SELECT'),
}

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

describe('PostgreSQL', () => {
  for (const [effect, statements] of Object.entries(POSTGRESQL)) {
    it(`tells what is ${effect}`, () => {
      for (const sql of statements) assert.equal(postgresql(sql).effect, effect, `${sql} ${JSON.stringify(postgresql(sql))}`)
    })
  }

  it('says why', () => {
    assert.deepEqual(postgresql('WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone').reasons, ['deletes every row'])
    assert.deepEqual(postgresql("COPY t TO PROGRAM 'sh'").reasons, ['runs a program on the server'])
    assert.deepEqual(postgresql('SELECT f(1)').reasons, ['f() is not known to only read'])
    assert.deepEqual(postgresql('SELECT 1; INSERT INTO t VALUES (1); DROP TABLE t').reasons, [
      'drops what is stored',
      'inserts rows',
      'only reads',
    ])
  })
})

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
    const all = [...Object.values(SQLITE), ...Object.values(POSTGRESQL)].flat().filter((sql) => sqlite(sql).effect === 'read')
    assert.ok(all.length > 20)
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

describe('an unknown dialect', () => {
  it('is the worst of those that can parse it', () => {
    assert.equal(any('SELECT 1').effect, 'read')
    assert.equal(any('PRAGMA table_info(t)').effect, 'read')
    assert.equal(any('EXPLAIN ANALYZE DELETE FROM t').effect, 'dangerous')
    assert.equal(any('SELECT * FROM pg_shadow').effect, 'dangerous')
    assert.equal(any('INSERT INTO t (a) VALUES (1)').effect, 'write')
  })

  it('is dangerous where none can, and where databases read it differently', () => {
    const odd = [
      "SELECT * FROM t INTO OUTFILE '/tmp/x'",
      "SELECT 1 EXEC xp_cmdshell 'dir'",
      '/*!50000 DROP TABLE t */ SELECT 1',
      "SELECT '\\'; DROP TABLE t; -- '",
      '/* /* */ EXEC p -- */',
      'SELECT 1 --1; DROP TABLE t',
      'SELECT $$; DROP TABLE t; $$',
      'SELECT 1 shutdown',
      "BEGIN EXEC xp_cmdshell 'dir' END",
      'CREATE TABLE x (a int) DROP DATABASE y',
      'BEGIN TRANSACTION x DROP TABLE y',
      "UPDATE t SET a = 1 WHERE b = 2 EXEC xp_cmdshell 'dir'",
      'DELETE FROM t WHERE b = 2 TRUNCATE TABLE u',
      'PRAGMA table_info(t) DROP TABLE t',
      'REPLACE INTO t VALUES (1) EXEC p',
      'GO',
    ]
    for (const sql of odd) assert.equal(any(sql).effect, 'dangerous', sql)
    assert.deepEqual(any('EXEC p').reasons, ['no dialect that is known can parse it'])
  })
})

describe('several statements', () => {
  const RANK: Readonly<Record<Effect, number>> = { read: 0, write: 1, dangerous: 2 }
  const usual = [
    'SELECT 1',
    'SELECT \'é; x\' AS "é;"',
    'INSERT INTO tä (a) VALUES (1)',
    'DELETE FROM t',
    'DROP TABLE 表',
    'UPDATE t SET a = 1 WHERE b = 2',
  ]
  const gaps = fc.constantFrom(' ', '\n', '/* ; é */', '-- ; drop\n', '')
  const script = fc.array(fc.tuple(fc.constantFrom(...usual), gaps, gaps), { minLength: 1, maxLength: 8 })

  it('have exact places, and the worst of them counts', () => {
    fc.assert(
      fc.property(script, (parts) => {
        const sql = parts.map(([statement, before, behind]) => `${before}${statement}${behind}`).join(';')
        for (const read of [postgresql, sqlite]) {
          const reading = read(sql)
          const found = reading.parts.map(({ start, end }) => sql.slice(start, end))
          assert.equal(found.length, parts.length, sql)
          for (const [index, [statement]] of parts.entries()) assert.ok(found[index]?.includes(statement), `${found[index]} | ${statement}`)
          const worst = Math.max(...parts.map(([statement]) => RANK[read(statement).effect]))
          assert.equal(RANK[reading.effect], worst, sql)
          assert.equal(reading.parts.find(({ effect }) => effect === reading.effect)?.reason, reading.reasons[0])
        }
      }),
      { numRuns: 150 },
    )
  })

  it('hidden in strings and comments are none, and outside of them they count', () => {
    const harm = 'DROP TABLE t'
    const hidden = [
      `SELECT '; ${harm};'`,
      `SELECT 1 /* ; ${harm}; */`,
      `SELECT 1 -- ; ${harm}`,
      `SELECT 1 AS "; ${harm}"`,
      `SELECT ''';${harm};'''`,
    ]
    for (const sql of hidden) for (const read of [postgresql, sqlite, any]) assert.equal(read(sql).effect, 'read', sql)
    for (const sql of hidden) for (const read of [postgresql, sqlite, any]) assert.equal(read(`${sql}\n; ${harm}`).effect, 'dangerous', sql)
  })
})

describe('hostile text', () => {
  it('never throws, and an answer covers the worst of its parts', () => {
    const bits = fc.constantFrom(
      'SELECT ',
      "'",
      '"',
      '`',
      '[',
      ']',
      ';',
      '--',
      '/*',
      '*/',
      '$$',
      '$a$',
      '(',
      ')',
      '\\',
      '\n',
      '\0',
      'é',
      '\ud800',
      'DROP TABLE t',
      'WITH x AS ',
      '1',
      ',',
      "E'",
      '.',
      'CREATE TRIGGER ',
      'END',
      'EXPLAIN ',
      'PRAGMA ',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(bits, fc.string()), { maxLength: 20 }), (parts) => {
        const sql = parts.join('')
        for (const read of [postgresql, sqlite, any]) {
          const { effect, parts: found } = read(sql)
          assert.ok(['read', 'write', 'dangerous'].includes(effect))
          for (const { start, end } of found) assert.ok(start >= 0 && start <= end && end <= sql.length)
          if (sql.includes('\0')) assert.equal(effect, 'dangerous')
        }
      }),
      { numRuns: 800 },
    )
  })

  it('is bounded, and reading goes on afterwards', () => {
    const doubling = Array.from({ length: 60 }, (_, at) => `c${at + 1} AS (SELECT 1 FROM c${at}, c${at})`).join(', ')
    const large = [
      `SELECT ${'('.repeat(30_000)}1${')'.repeat(30_000)}`,
      `SELECT ${'1+'.repeat(30_000)}1`,
      `SELECT ${'NOT '.repeat(15_000)}1`,
      'SELECT 1;'.repeat(7_000),
      `WITH c0 AS (SELECT 1), ${doubling} SELECT 1 FROM c60`,
      "'".repeat(65_000),
      '/*'.repeat(32_000),
      `SELECT 1${'+-'.repeat(30_000)}`,
      `SELECT 1${'*/'.repeat(30_000)}`,
      `SELECT ${'a,'.repeat(32_000)}a`,
      `SELECT * FROM t WHERE a IN (${'1,'.repeat(30_000)}1)`,
      `CREATE TABLE t AS SELECT ${'a('.repeat(20_000)}`,
      `WITH ${'a(b,'.repeat(10_000)}`,
      '[x('.repeat(20_000),
    ]
    for (const sql of large) for (const read of [postgresql, sqlite, any]) assert.ok(read(sql).effect.length > 0)
    assert.equal(postgresql(`SELECT 1 --${'x'.repeat(70_000)}`).effect, 'dangerous')
    assert.equal(postgresql('SELECT 1').effect, 'read')
    assert.equal(sqlite('SELECT 1').effect, 'read')
  })
})
