import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cutRow, type Row, rowText, rowWidth, span, widthOf, wrapRow, wrapWords } from './rows.ts'

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('a', ' ', '副', '👩‍👩‍👧', 'e\u0301', '-'), fc.string({ minLength: 1, maxLength: 1 })),
  maxLength: 60,
})
const row: fc.Arbitrary<Row> = fc.array(
  text.map((part) => span(part)),
  { maxLength: 4 },
)

describe('rows', () => {
  it('are wrapped by columns and lose nothing', () => {
    fc.assert(
      fc.property(row, fc.integer({ min: 2, max: 30 }), (given, width) => {
        const rows = wrapRow(given, width)
        assert.equal(rows.map(rowText).join(''), rowText(given))
        for (const one of rows) assert.ok(rowWidth(one) <= width, JSON.stringify(rowText(one)))
      }),
      { numRuns: 300 },
    )
  })

  it('break at words where they fit', () => {
    assert.deepEqual(wrapWords([span('one two three')], 8).map(rowText), ['one two', 'three'])
    assert.deepEqual(wrapWords([span('abcdefghij kl')], 4).map(rowText), ['abcd', 'efgh', 'ij', 'kl'])
    fc.assert(
      fc.property(row, fc.integer({ min: 2, max: 30 }), (given, width) => {
        for (const one of wrapWords(given, width)) assert.ok(rowWidth(one) <= width)
      }),
      { numRuns: 300 },
    )
  })

  it('are cut with a sign', () => {
    assert.equal(rowText(cutRow([span('abc'), span('def')], 4, '…')), 'abc…')
    assert.equal(rowText(cutRow([span('副官副官')], 6, '…')), '副官…')
    assert.equal(rowText(cutRow([span('abcd')], 4, '…')), 'abcd')
    assert.equal(widthOf('副a'), 3)
  })

  it('keep what is wider than the room rather than losing it', () => {
    assert.deepEqual(wrapRow([span('副官')], 1).map(rowText), ['副', '官'])
  })
})
