import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ToolOutput } from '../contract/tool.ts'
import { fromSharedText, toSharedText } from './shared-value.ts'

describe('a result for other processes', () => {
  it('comes back as it was, or does not go at all', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true }),
        (value) => {
          const text = toSharedText(value)
          if (text !== undefined) assert.deepStrictEqual(fromSharedText(text), { output: value })
        },
      ),
      { numRuns: 500 },
    )
    for (const value of [undefined, new Date(0), -0, Number.NaN, 1n, new Map(), { a: undefined }, () => 1])
      assert.equal(toSharedText(value), undefined)
    for (const value of [null, 0, '', 'ü 🐝 \ud800', [], {}, { value: 1 }, { parts: [], isError: false }, JSON.parse('{"__proto__": 1}')]) {
      assert.deepStrictEqual(fromSharedText(toSharedText(value) ?? ''), { output: value })
    }
  })

  it('keeps the parts of an output', () => {
    const output = new ToolOutput([{ type: 'image', mimeType: 'image/png', data: 'AA==' }], { structured: [1, { a: null }] })
    const back = fromSharedText(toSharedText(output) ?? '')?.output
    assert.ok(back instanceof ToolOutput)
    assert.deepStrictEqual(back, output)
  })

  it('is nothing where the text is none of ours', () => {
    for (const text of ['', 'x', 'null', '1', '{}', '{"parts":1,"isError":false}', '{"parts":[]}'])
      assert.equal(fromSharedText(text), undefined, text)
  })
})
