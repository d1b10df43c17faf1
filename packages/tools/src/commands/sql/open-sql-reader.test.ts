import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Effect } from '@adjutant/core/contract'
import fc from 'fast-check'
import { openSqlReader } from './open-sql-reader.ts'

const readSql = await openSqlReader()
const postgresql = readSql('postgresql')
const sqlite = readSql('sqlite')
const any = readSql('any')

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
