import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { blankLength, refusedStatement } from './statement-policy.ts'

describe('statements that are not read', () => {
  it('are those that open files or lift bounds, however they are dressed', () => {
    const blank = fc
      .array(
        fc.constantFrom(' ', '\n', '\t', '\r', '\f', ';', '\ufeff', '-- x\n', '/* y */', '/**/', "/* ' */", '-- "\n', '/* ; attach */'),
        { maxLength: 6 },
      )
      .map((parts) => parts.join(''))
    const gap = fc.constantFrom(' ', '\n', '/**/', ' -- z\n', '\t/* a */ ')
    const statement = fc.constantFrom(
      ['ATTACH', "'x' AS y"],
      ['attach', "database 'x' as y"],
      ['Detach', 'y'],
      ['VACUUM', "INTO 'x'"],
      ['vacuum', "main into 'x'"],
      ['PRAGMA', 'max_page_count=9'],
      ['pragma', 'main.journal_mode=wal'],
      ['Pragma', '"temp_store"=1'],
      ['PRAGMA', 'main . [journal_mode]'],
      ['PRAGMA', "'hard_heap_limit'=1"],
      ['PRAGMA', 'writable_schema=1'],
      ['PRAGMA', ''],
    )
    const explain = fc.constantFrom('', 'EXPLAIN', 'explain query plan', 'EXPLAIN /**/ QUERY -- a\n PLAN')
    fc.assert(
      fc.property(blank, explain, gap, statement, (before, explained, between, [word = '', rest = '']) => {
        const sql = `${before}${explained}${explained === '' ? '' : between}${word}${between}${rest}`
        assert.ok(refusedStatement(sql) !== undefined, JSON.stringify(sql))
      }),
      { numRuns: 500 },
    )
  })

  it('are no others', () => {
    for (const sql of [
      'SELECT 1',
      "select 'attach'",
      'PRAGMA table_info(t)',
      'pragma main.user_version = 3',
      'PRAGMA foreign_keys=ON',
      'VACUUM',
      'vacuum main;',
      'explain query plan select 1',
      'CREATE TABLE attach_log(a)',
      'WITH a AS (SELECT 1) SELECT * FROM a',
      '',
      ' -- only a remark',
      '/* open',
    ]) {
      assert.equal(refusedStatement(sql), undefined, sql)
    }
  })

  it('are found without going over a long text more than once', () => {
    const sql = `${'/* x */ ;\n'.repeat(200_000)}ATTACH 'a' AS b`
    assert.equal(blankLength(sql), sql.length - "ATTACH 'a' AS b".length)
    assert.match(refusedStatement(sql) ?? '', /^ATTACH/)
    assert.equal(refusedStatement(`VACUUM${' '.repeat(500_000)}x${' '.repeat(500_000)}`), undefined)
  })
})
