import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fromColumn, toColumn } from './column-text.ts'

const unit = fc.oneof(
  fc.constantFrom('\u0000', '\u001a', '\ud83d', '\udc1d', '0', 'a', '\\', '🐝'),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
)
const texts = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''))

describe('a text column', () => {
  it('gives back every text exactly, and holds nothing that a database refuses', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const column = toColumn(text)
        assert.equal(fromColumn(column), text)
        assert.ok(column.isWellFormed() && !column.includes('\u0000'))
      }),
    )
  })

  it('leaves ordinary texts as they are', () => {
    for (const text of ['', 'ann', 'DOMAIN\\ann', "o'brien 🐝\n\t", '\\u0000']) assert.equal(toColumn(text), text)
  })
})
