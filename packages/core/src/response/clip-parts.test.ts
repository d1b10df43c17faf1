import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ClipStrategy } from '../contract/tool.ts'
import { estimateTokens } from '../util/estimate-tokens.ts'
import { clipBy } from './clip-by.ts'
import { clipParts, fairShares } from './clip-parts.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 2_000, size: 'max' }),
  fc.integer({ min: 0, max: 400 }).map((lines) => 'a line of text\n'.repeat(lines)),
  fc.integer({ min: 3, max: 400 }).map((rows) => JSON.stringify(Array.from({ length: rows }, (_, id) => ({ id })))),
)

describe('clipParts', () => {
  it('holds all the parts within one limit, whatever they are', () => {
    const strategy = fc.constantFrom<ClipStrategy[]>('auto', 'head-tail', 'head', 'tail', 'json', 'table', 'errors')
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 12 }),
        strategy,
        fc.integer({ min: 1, max: 6_000 }),
        fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: undefined }),
        (texts, by, limit, tokens) => {
          const clipped = clipParts(texts, by, { limit, ...(tokens === undefined ? {} : { tokens }), rest: 'read_result {"id":"call_1"}' })
          assert.ok(clipped.text.length <= limit)
          if (tokens !== undefined) assert.ok(estimateTokens(clipped.text) <= tokens)
          assert.ok(clipped.text.isWellFormed())
          assert.equal(clipped.totalChars, texts.join('\n').length)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('keeps small parts whole and shares the rest', () => {
    const big = Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join('\n')
    const clipped = clipParts(['a small one', big, 'another', big], 'auto', { limit: 8_000, rest: 'ask' })
    const parts = /^a small one\n(.*)\nanother\n(.*)$/s.exec(clipped.text)
    assert.ok(parts !== null)
    for (const part of parts.slice(1)) assert.ok(part.length > 3_900 && part.startsWith('line 0\n') && part.endsWith('line 9999'))
    assert.deepEqual([...clipped.text.matchAll(/left out; ask/g)].length, 1)
  })

  it('treats each part by its own kind', () => {
    const json = JSON.stringify(Array.from({ length: 3_000 }, (_, id) => ({ id })))
    const log = 'step\n'.repeat(3_000)
    const { text: shown } = clipParts([log, json], 'auto', { limit: 2_000 })
    assert.match(shown, /^step\n.*lines.*left out …\]\n.*\n\[\n"… shortened from/s)
  })

  it('takes very many parts as one text', () => {
    const texts = Array.from({ length: 5_000 }, (_, index) => `part ${index}`)
    assert.deepEqual(clipParts(texts, 'auto', { limit: 1_000 }), clipBy('auto', texts.join('\n'), { limit: 1_000 }))
  })
})

describe('fairShares', () => {
  it('gives no more than the room, none more than it needs, and uses the room up where there is need', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 20 }), fc.nat({ max: 3_000 }), (sizes, room) => {
        const shares = fairShares(sizes, room)
        const given = shares.reduce((sum, share) => sum + share, 0)
        const needed = sizes.reduce((sum, size) => sum + size, 0)
        assert.ok(shares.every((share, index) => share <= (sizes[index] ?? 0)))
        assert.equal(given, Math.min(room, needed))
        const cut = shares.filter((share, index) => share < (sizes[index] ?? 0))
        assert.ok(Math.max(...cut, 0) - Math.min(...cut, room) <= 1)
        assert.ok(shares.every((share) => cut.length === 0 || share <= Math.max(...cut)))
      }),
    )
  })
})
