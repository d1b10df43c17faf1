import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkReadOnly } from './read-only-statement.ts'
import { tokenizeSql } from './sql-tokens.ts'

const READS: readonly string[] = [
  'SELECT 1',
  'select * from t;',
  '  -- a comment; DELETE\n select 1 /* ; drop table t */ ; ; ',
  'SELECT \'a;b\', "c;d", [e;f], `g;h` FROM t',
  "SELECT 'it''s; DELETE FROM t'",
  'VALUES (1), (2)',
  'WITH a AS (SELECT 1) SELECT * FROM a',
  'WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a LIMIT 3), b AS NOT MATERIALIZED (SELECT 2) SELECT * FROM a, b',
  'WITH replace AS (SELECT 1 AS "delete") SELECT "delete" FROM replace',
  'WITH recursive AS (SELECT 1) SELECT * FROM recursive',
  'WITH a AS MATERIALIZED (VALUES (1)) VALUES (2)',
  "SELECT replace(name, 'a', 'b') FROM t",
  'EXPLAIN SELECT 1',
  'EXPLAIN QUERY PLAN WITH a AS (SELECT 1) SELECT * FROM a',
  'PRAGMA table_info(t)',
  "PRAGMA main.index_list('t')",
  'PRAGMA user_version',
  "SELECT * FROM pragma_table_info('t')",
  'SELECT 1 AS attach_count, deleted FROM updates',
  'SELECT x FROM t WHERE y = :y AND z = :z AND y2 = :y',
  "SELECT 1.5e3, .5, 0xff, x'00ff'",
  'SELECT "pragma_x" FROM t'.replace('pragma_x', 'my_pragma'),
]

const REFUSED: readonly string[] = [
  'DELETE FROM t',
  'INSERT INTO t VALUES (1)',
  'REPLACE INTO t VALUES (1)',
  'UPDATE t SET a = 1',
  'DROP TABLE t',
  'CREATE TABLE t (a)',
  'CREATE TEMP TABLE t (a)',
  'ALTER TABLE t RENAME TO u',
  "ATTACH '/etc/x' AS x",
  'DETACH x',
  'VACUUM',
  "VACUUM INTO '/tmp/x'",
  'REINDEX',
  'ANALYZE',
  'BEGIN',
  'COMMIT',
  'SAVEPOINT a',
  'PRAGMA journal_mode = DELETE',
  'PRAGMA journal_mode',
  'PRAGMA writable_schema(1)',
  'PRAGMA user_version = 5',
  'PRAGMA user_version(5)',
  'PRAGMA main.user_version(5)',
  'PRAGMA database_list',
  'PRAGMA query_only = 0',
  'PRAGMA',
  'WITH a AS (SELECT 1) DELETE FROM t',
  'WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a',
  'WITH a AS (SELECT 1), b(x) AS MATERIALIZED (SELECT 2) UPDATE t SET a = 1',
  'WITH RECURSIVE replace AS (SELECT 1) REPLACE INTO t SELECT 1',
  'EXPLAIN DELETE FROM t',
  'EXPLAIN QUERY PLAN UPDATE t SET a = 1',
  'EXPLAIN PRAGMA table_info(t)',
  '/* SELECT */ DELETE FROM t',
  '-- SELECT\nDELETE FROM t',
  "SELECT load_extension('x')",
  'SELECT "load_extension"(\'x\')',
  "SELECT readfile('/etc/passwd')",
  'SELECT * FROM pragma_database_list',
  'SELECT * FROM "pragma_database_list"',
  "SELECT * FROM 'pragma_database_list'",
]

const INVALID: readonly string[] = [
  '',
  '   ;; -- nothing',
  'SELECT 1; SELECT 2',
  'SELECT 1; DELETE FROM t',
  "SELECT 'never closed",
  'SELECT "never closed',
  'SELECT [never closed',
  "SELECT x'00",
  'SELECT 1\0; DELETE FROM t',
  '(SELECT 1)',
  "'SELECT'",
  'WITH',
  'WITH a SELECT 1',
  'WITH a AS (SELECT 1',
  'WITH a AS SELECT 1',
  'SELECT ? + :a',
  'SELECT : FROM t',
  'SELECT ?99999',
  `SELECT ${'1'.repeat(100_001)}`,
]

describe('the proof that a statement only reads', () => {
  for (const sql of READS) it(`lets pass: ${sql}`, () => void checkReadOnly(sql))
  for (const sql of REFUSED) it(`refuses: ${sql}`, () => assert.throws(() => checkReadOnly(sql), { code: 'RULE_VIOLATED' }))
  for (const sql of INVALID)
    it(`finds invalid: ${sql.slice(0, 40).replace('\0', '\\0')}`, () =>
      assert.throws(() => checkReadOnly(sql), { code: 'INVALID_ARGUMENTS' }))

  it('counts parameters, not those in strings and comments', () => {
    assert.equal(checkReadOnly("SELECT ?, '?', ? -- ?").positional, 2)
    assert.equal(checkReadOnly('SELECT ?1, ?3, ?1').positional, 3)
    assert.deepEqual(checkReadOnly("SELECT :a, @b, $c, :a, ':d'").named, ['a', 'b', 'c'])
  })

  it('reads any text to its end, with every quoted part as one token (property)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("'", '"', '[', ']', '`', '-', '/', '*', '\n', ';', 'SELECT', ' ', ':a', '?', 'x', '1', '.', '$')),
        (parts) => {
          const result = tokenizeSql(parts.join(''))
          if (!result.ok) return
          for (const token of result.tokens) assert.ok(token.text.length > 0 || token.type === 'string' || token.type === 'quoted-name')
        },
      ),
      { numRuns: 1_000 },
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('\0'))
        const quoted = tokenizeSql(`SELECT '${text.replaceAll("'", "''")}'`)
        assert.ok(quoted.ok)
        assert.deepEqual(quoted.tokens.at(-1), { type: 'string', text, upper: text })
        assert.equal(quoted.tokens.length, 2)
      }),
    )
  })
})
