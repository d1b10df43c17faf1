import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { lineAndColumn, openStatementChecker, type StatementChecker } from './check-statement.ts'

let checker: StatementChecker
before(async () => {
  checker = await openStatementChecker({
    schemas: ['sales'],
    vouched: (name, schema) => name === 'mine' && (schema ?? 'sales') === 'sales',
  })
})

/** The code of the refusal; undefined: it is let through. */
function verdict(sql: string): string | undefined {
  try {
    checker.check(sql, undefined)
    return undefined
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error), String(error))
    return error.code
  }
}

describe('the proof that a statement of PostgreSQL only reads', () => {
  it('lets questions through, in every dress', () => {
    const cases = [
      'SELECT 1',
      'select 1;',
      '/* DELETE FROM t; */ SELECT 1 -- ; DROP TABLE t',
      "SELECT 'DELETE FROM t; DROP TABLE t'",
      'SELECT $q$; COMMIT; $q$',
      'SELECT "drop" FROM "delete"',
      'VALUES (1)',
      'TABLE t',
      'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n',
      'EXPLAIN (FORMAT JSON) SELECT 1',
      'EXPLAIN ANALYZE SELECT 1',
      'SHOW ALL',
      'SELECT * FROM sales.t, pg_catalog.pg_class, information_schema.tables',
      'SELECT mine(1), sales.mine(1)',
    ]
    for (const sql of cases) assert.equal(verdict(sql), undefined, sql)
  })

  it('finds what does more, wherever in the statement it stands (property)', () => {
    const bad = fc.constantFrom(
      "pg_read_file('/etc/passwd')",
      "lo_import('/etc/passwd')",
      "dblink_exec('host=evil', 'DROP TABLE t')",
      "set_config('transaction_read_only', 'off', false)",
      'pg_terminate_backend(1)',
      'pg_advisory_lock(1)',
      "pg_notify('a', 'b')",
      "nextval('s')",
      'pg_sleep(1)',
      'other.mine(1)',
      'nobody_knows()',
      "pg_catalog.pg_ls_dir('.')",
      '"pg_read_file"(\'x\')',
      "PG_READ_FILE('x')",
    )
    const around = fc.constantFrom<(call: string) => string>(
      (call) => `SELECT ${call}`,
      (call) => `SELECT * FROM ${call} AS f`,
      (call) => `SELECT 1 WHERE 'x' = (${call})::text`,
      (call) => `SELECT CASE WHEN true THEN (SELECT ${call}::text) END`,
      (call) => `WITH a AS (SELECT ${call}) SELECT 1`,
      (call) => `SELECT 1 ORDER BY ${call}`,
      (call) => `SELECT 1 LIMIT (SELECT length(${call}::text))`,
      (call) => `SELECT count(*) FILTER (WHERE ${call} IS NULL) FROM t`,
      (call) => `SELECT sum(1) OVER (PARTITION BY ${call}) FROM t`,
      (call) => `SELECT * FROM t, LATERAL ${call} AS f`,
      (call) => `SELECT * FROM t TABLESAMPLE bernoulli(1) WHERE ${call} IS NOT NULL`,
      (call) => `VALUES (1), (${call}::text::int)`,
      (call) => `SELECT 1 UNION SELECT 2 FROM t GROUP BY ${call} HAVING ${call} IS NULL`,
      (call) => `EXPLAIN ANALYZE SELECT ${call}`,
      (call) => `SELECT ARRAY[ROW(${call})]`,
    )
    fc.assert(
      fc.property(bad, around, (call, wrap) => {
        assert.equal(verdict(wrap(call)), 'RULE_VIOLATED', wrap(call))
      }),
      { numRuns: 300 },
    )
  })

  it('keeps to its schemas', () => {
    assert.equal(verdict('SELECT * FROM secret.t'), 'RULE_VIOLATED')
    assert.equal(verdict('SELECT (SELECT a FROM SECRET.t LIMIT 1)'), 'RULE_VIOLATED')
    assert.equal(verdict("SELECT table_to_xml('secret.t', true, true, '')"), 'RULE_VIOLATED')
  })

  it('takes any text, and says what is wrong with it (property)', () => {
    const word = fc.constantFrom(
      'SELECT',
      ';',
      '(',
      ')',
      "'",
      '"',
      '$$',
      '$1',
      '/*',
      '*/',
      '--',
      'FROM',
      't',
      ',',
      '\n',
      '\\',
      '\0',
      '😀',
      'WITH',
      'COMMIT',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
        ),
        (sql) => {
          const code = verdict(sql)
          assert.ok(code === undefined || code === 'INVALID_ARGUMENTS' || code === 'RULE_VIOLATED', code)
        },
      ),
      { numRuns: 300 },
    )
    for (const sql of [
      '('.repeat(30_000),
      `SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)}`,
      '/*'.repeat(30_000),
      'x'.repeat(70_000),
      '\n'.repeat(60_000),
    ]) {
      assert.notEqual(verdict(sql), undefined, sql.slice(0, 20))
    }
    assert.equal(verdict('SELECT 1'), undefined)
  })

  it('says where a fault is, in lines and characters', () => {
    assert.throws(() => checker.check('SELECT 1\n  FROM FROM t', undefined), { message: /at line 2:8/ })
    assert.equal(lineAndColumn('ab\n😀é x', 6), 'line 2:3')
    assert.equal(lineAndColumn('', 1), 'line 1:1')
  })
})
