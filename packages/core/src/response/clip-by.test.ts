import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ClipStrategy } from '../contract/tool.ts'
import { estimateTokens } from '../util/estimate-tokens.ts'
import type { Clipped } from './clip.ts'
import { type ClipByOptions, clipBy } from './clip-by.ts'

const STRATEGIES: readonly ClipStrategy[] = ['auto', 'head-tail', 'head', 'tail', 'json', 'table', 'errors']
const strategy = fc.constantFrom(...STRATEGIES)

const line = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 200, maxLength: 1_500 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('error: no such thing', 'a.c:12:5: error: x', '  ^~~~', 'Traceback (most recent call last):', '0 errors'),
  },
  { weight: 2, arbitrary: fc.constantFrom('a,b,c', '| a | b |', '|---|---|', 'NAME   AGE', 'pod-1  3d', '', '\t', '日本語のテキスト') },
)
const lines = fc.tuple(fc.array(line, { maxLength: 120, size: 'max' }), fc.constantFrom('', '\n')).map(([all, end]) => all.join('\n') + end)
const table = fc
  .tuple(fc.constantFrom(',', '\t', ';', ' | '), fc.integer({ min: 3, max: 300 }))
  .map(([separator, rows]) => Array.from({ length: rows }, (_, row) => ['id', 'name', 'när', row].join(separator)).join('\n'))
const json = fc.json({ depthSize: 'large', maxDepth: 6 })
const jsonLines = fc.array(json, { minLength: 2, maxLength: 60, size: 'max' }).map((all) => all.join('\n'))
const anyText = fc.oneof(lines, table, json, jsonLines, fc.string({ unit: 'grapheme', maxLength: 3_000, size: 'max' }))
const anyOptions = fc.record(
  {
    limit: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 2_500 })),
    tokens: fc.integer({ min: 1, max: 600 }),
    rest: fc.constantFrom('whole text in /a/b: read_result {"id":"call_1"} shows it', 'ask'),
    failed: fc.boolean(),
  },
  { requiredKeys: ['limit'] },
)

const GAP = /(?:^|\n)\[… ([^\n]*) …\](?=\n|$)/g

describe('clipBy', () => {
  it('never gives more than the limits, for any strategy and any text, and well-formed text only', () => {
    fc.assert(
      fc.property(strategy, anyText, anyOptions, (by, text, options) => {
        const clipped = clipBy(by, text, options)
        assert.ok(clipped.text.length <= options.limit, `${clipped.text.length} > ${options.limit}`)
        if (options.tokens !== undefined) assert.ok(estimateTokens(clipped.text) <= options.tokens)
        assert.ok(clipped.text.isWellFormed())
        assert.equal(clipped.totalChars, text.length)
      }),
      { numRuns: 1_500 },
    )
  })

  it('leaves a text that fits as it is', () => {
    fc.assert(
      fc.property(strategy, anyText, fc.boolean(), (by, text, failed) => {
        const clipped = clipBy(by, text, { limit: Math.max(1, text.length), tokens: Math.max(1, estimateTokens(text)), failed })
        assert.deepEqual([clipped.text, clipped.clipped, clipped.omittedChars, clipped.omittedLines], [text, false, 0, 0])
      }),
      { numRuns: 500 },
    )
  })

  it('says in its gaps exactly what is missing, for every strategy that keeps lines', () => {
    const keeping = fc.constantFrom<ClipStrategy[]>('head-tail', 'head', 'tail', 'errors', 'table')
    const plain = fc.oneof(lines, table).filter((text) => !text.includes('[…') && !text.includes('\r'))
    fc.assert(
      fc.property(keeping, plain, fc.integer({ min: 300, max: 3_000 }), (by, text, limit) => {
        const clipped = clipBy(by, text, { limit })
        if (!clipped.clipped) return
        let said = 0
        let saidLines = 0
        for (const [, gap = ''] of clipped.text.matchAll(GAP)) {
          said += Number(/\((\d+) characters?\)/.exec(gap)?.[1] ?? /^(\d+) character/.exec(gap)?.[1])
          saidLines += Number(/^(\d+) (?:line|row)/.exec(gap)?.[1] ?? 0)
        }
        assert.equal(said, clipped.omittedChars)
        assert.equal(saidLines, clipped.omittedLines)
        // Where a gap begins inside of a line, its line end is the gap's own.
        const shown = clipped.text.replace(GAP, '').length
        const gaps = [...clipped.text.matchAll(GAP)].length
        const total = shown + clipped.omittedChars
        assert.ok(Math.abs(total - text.length) <= gaps + 1, `${total} ${text.length}`)
      }),
      { numRuns: 500 },
    )
  })

  it('is the same every time', () => {
    fc.assert(
      fc.property(strategy, anyText, anyOptions, (by, text, options) =>
        assert.deepEqual(clipBy(by, text, options), clipBy(by, text, options)),
      ),
      { numRuns: 200 },
    )
  })

  it('leaves its own result alone', () => {
    fc.assert(
      fc.property(strategy, anyText, fc.integer({ min: 1, max: 2_000 }), (by, text, limit) => {
        const once = clipBy(by, text, { limit }).text
        assert.equal(clipBy(by, once, { limit }).text, once)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps only the beginning, or only the end', () => {
    const text = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`).join('')
    assert.match(clipBy('head', text, { limit: 200 }).text, /^line 0\n(?:line \d+\n)+\[… \d+ lines \(\d+ characters\) left out …\]$/)
    assert.match(clipBy('tail', text, { limit: 200 }).text, /^\[… \d+ lines \(\d+ characters\) left out …\]\n(?:line \d+\n)+line 999\n$/)
    assert.equal(clipBy('head', text, { limit: 200, head: 1 }).text, 'line 0\n[… 999 lines (8883 characters) left out …]')
    assert.equal(clipBy('tail', text, { limit: 200, tail: 1 }).text, '[… 999 lines (8881 characters) left out …]\nline 999\n')
  })

  it('takes a hundred times the text in about a hundred times the work, for every strategy', () => {
    // Work is counted in the characters of the longest run that the engine can do at once: no wall-clock time is asserted; a
    // quadratic way would not end here.
    const rows = Array.from({ length: 200_000 }, (_, index) => `error ${index}: x^~ (a.b:1:2: ${index})`)
    const hostile: readonly string[] = [
      rows.join('\n'),
      rows.join(' '),
      '['.repeat(2_000_000),
      `"${'\\u00e9'.repeat(400_000)}`,
      '.a:'.repeat(700_000),
      '^'.repeat(2_000_000),
      ' '.repeat(2_000_000),
      `${'-'.repeat(1_000_000)}\n${'-'.repeat(1_000_000)}\na`,
      `A${'  A'.repeat(500_000)}\nb\nc`,
    ]
    for (const by of STRATEGIES) for (const text of hostile) assert.ok(clipBy(by, text, { failed: true }).text.length <= 8_000)
  })

  it('refuses numbers that are none', () => {
    const wrong: readonly ClipByOptions[] = [{ limit: 0 }, { tokens: 0 }, { tokens: 1.5 }, { head: -1 }]
    for (const options of wrong) assert.throws(() => clipBy('auto', 'x', options), { code: 'USAGE' })
  })
})

describe('auto', () => {
  const by = (text: string, options: ClipByOptions = {}): Clipped => clipBy('auto', text, { limit: 2_000, ...options })

  it('looks at the text', () => {
    const long = Array.from({ length: 2_000 }, (_, index) => index)
    assert.deepEqual(by(JSON.stringify(long)), clipBy('json', JSON.stringify(long), { limit: 2_000 }))
    const csv = `id,name,age\n${long.map((id) => `${id},n,3\n`).join('')}`
    assert.deepEqual(by(csv), clipBy('table', csv, { limit: 2_000 }))
    const log = long.map((id) => `step ${id}`).join('\n')
    assert.deepEqual(by(log), clipBy('head-tail', log, { limit: 2_000 }))
    const build = log.replace('step 1000\n', 'src/a.c:3:5: error: no\n')
    assert.deepEqual(by(build), clipBy('errors', build, { limit: 2_000 }))
  })

  it('takes the lines that were asked for', () => {
    const csv = 'id,name,age\n'.repeat(900)
    assert.deepEqual(by(csv, { head: 1, tail: 1 }), clipBy('head-tail', csv, { limit: 2_000, head: 1, tail: 1 }))
  })
})
