import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { clipJson } from './json.ts'
import type { JsonNode } from './json-members.ts'
import { skimJson } from './json-skim.ts'

const value = fc.jsonValue({ depthSize: 'large', maxDepth: 8, stringUnit: 'grapheme' })
const written = fc
  .tuple(fc.array(value, { maxLength: 50, size: 'max' }), fc.constantFrom(undefined, 1, '\t'))
  .map(([all, indent]) => JSON.stringify(all, undefined, indent))

function nodesOf(node: JsonNode): number {
  if (!('cost' in node)) return 1
  return [...node.first, ...node.last].reduce((sum, member) => sum + nodesOf(member.node), 1)
}

function clip(text: string, limit: number): string {
  const clipped = clipJson(text, { limit })
  assert.ok(clipped !== undefined, 'it is JSON')
  assert.ok(clipped.text.length <= limit)
  return clipped.text
}

describe('clipJson', () => {
  it('gives JSON for JSON, at any limit that has room for a string', () => {
    fc.assert(
      fc.property(written, fc.integer({ min: 3, max: 1_500 }), (text, limit) => {
        if (text.length > limit) JSON.parse(clip(text, limit))
      }),
      { numRuns: 500 },
    )
  })

  it('gives JSON lines for JSON lines', () => {
    const lines = fc
      .array(value, { minLength: 2, maxLength: 50, size: 'max' })
      .map((all) => all.map((item) => JSON.stringify(item)).join('\n'))
    fc.assert(
      fc.property(lines, fc.integer({ min: 100, max: 1_500 }), (text, limit) => {
        if (text.length > limit) for (const line of clip(text, limit).split('\n')) JSON.parse(line)
      }),
      { numRuns: 300 },
    )
  })

  it('takes what JSON.parse takes and nothing else', () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"\\u00e9"', '"\\x"', '1', '-0.5e+3', '01', 'true', 'nul', ' ', '"\t"'),
      { maxLength: 9 },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          pieces.map((all) => all.join('')),
          written,
        ),
        (text) => {
          let parses = true
          try {
            JSON.parse(text)
          } catch {
            parses = false
          }
          assert.equal(skimJson(text, 100) !== undefined, parses, text)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('keeps the keys, the first and last items, and says how many more there are', () => {
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `n${id}` }))
    const text = JSON.stringify({ total: 1_000, rows, next: null })
    const shown: unknown = JSON.parse(clip(text, 400))
    assert.ok(typeof shown === 'object' && shown !== null && 'rows' in shown && Array.isArray(shown.rows))
    assert.deepEqual(Object.keys(shown), ['… shortened', 'total', 'rows', 'next'])
    assert.match(Object.values(shown).join(' '), /^… shortened from 24\d{3} characters of JSON 1000 /)
    assert.deepEqual(shown.rows[0], rows[0])
    assert.deepEqual(shown.rows.at(-1), rows.at(-1))
    const more = shown.rows.find((item: unknown) => typeof item === 'string')
    assert.equal(more, `… ${1_001 - shown.rows.length} more items`)
  })

  it('shows numbers and escapes as they were written', () => {
    const text = `{"big":12345678901234567890.100,"text":"\\u00e9\\n","many":[${'7,'.repeat(500)}7]}`
    assert.match(clip(text, 300), /"big":12345678901234567890\.100,\n"text":"\\u00e9\\n"/)
  })

  it('cuts long strings between characters and says how long they are', () => {
    for (const unit of ['x', '日', '👨‍👩‍👧‍👦', '\\u00e9', '\\ud83d\\ude00', '\\n\u0301', '\\"']) {
      const text = `{"text":"${unit.repeat(2_000)}","end":1}`
      const length = JSON.parse(text).text.length
      for (let limit = 200; limit < 230; limit++) {
        const shown: unknown = JSON.parse(clip(text, limit))
        assert.ok(typeof shown === 'object' && shown !== null && 'text' in shown && typeof shown.text === 'string')
        const [, kept = '', said] = /^(.*)… \((\d+) characters? in all\)$/s.exec(shown.text) ?? []
        assert.equal(Number(said), length, unit)
        assert.ok(JSON.parse(`"${unit.repeat(2_000)}"`).startsWith(kept) && kept.isWellFormed())
      }
    }
  })

  it('never loses a member of the object to its own words', () => {
    const text = JSON.stringify({ '… shortened': 1, '…': 2, more: 'x'.repeat(900) })
    const shown: unknown = JSON.parse(clip(text, 300))
    assert.ok(typeof shown === 'object' && shown !== null)
    assert.deepEqual(Object.keys(shown), ['… shortened…', '… shortened', '…', 'more'])
  })

  it('gives up depth before keys', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key${at}`, { a: { b: Array(100).fill(at) } }])))
    const shown: unknown = JSON.parse(clip(text, 1_000))
    assert.ok(typeof shown === 'object' && shown !== null)
    assert.equal(Object.keys(shown).length, 21)
  })

  it('counts the lines that are not shown of JSON lines', () => {
    const text = Array.from({ length: 500 }, (_, id) => JSON.stringify({ id })).join('\n')
    const clipped = clipJson(text, { limit: 300 })
    const more = Number(/(\d+) more lines/.exec(clipped?.text ?? '')?.[1])
    assert.deepEqual([clipped?.omittedLines, clipped?.totalLines], [more, 500])
  })

  it('keeps no more of a text than could be shown', () => {
    const tree = (depth: number): string => (depth === 0 ? `[${'1,'.repeat(50)}2]` : `[${tree(depth - 1)},${tree(depth - 1)}]`)
    const rows = `[${'{"a":[1,2,3],"b":{"c":"d"}},'.repeat(20_000)}0]`
    const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`key${at}`, [at, { at }]])))
    for (const text of [tree(12), rows, keys, `[${Array(10).fill(keys).join(',')}]`, `{"a":${rows},"b":${tree(12)}}`]) {
      const root = skimJson(text, 2_000)
      assert.ok(root !== undefined && nodesOf(root) < 10_000, `${root === undefined ? 0 : nodesOf(root)} nodes`)
    }
  })

  it('is not troubled by depth, breadth, or both', () => {
    const tree = (depth: number): string => (depth === 0 ? '[1,2,3,4,5,6,7,8,9]' : `[${tree(depth - 1)},${tree(depth - 1)}]`)
    for (const text of [`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, `[${'{},'.repeat(500_000)}0]`, tree(15)])
      JSON.parse(clip(text, 500))
    assert.equal(clipJson('['.repeat(1_000_000)), undefined)
  })
})
