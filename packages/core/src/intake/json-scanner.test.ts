import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { JsonScanner, measureJson } from './json-scanner.ts'

/** Feeds the pieces; gives how many characters were read up to the closing brace. */
function readTo(pieces: readonly string[]): { readonly read: number; readonly scanner: JsonScanner } {
  const scanner = new JsonScanner()
  let read = 0
  for (const piece of pieces) {
    const end = scanner.scan(piece)
    read += end
    if (scanner.state === 'closed') break
  }
  return { read, scanner }
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...places].map((from, at) => text.slice(from, places[at] ?? text.length))
}

describe('JsonScanner', () => {
  it('finds the closing brace of any object, however it is cut, and stops there', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.array(fc.nat()),
        fc.string(),
        fc.nat(4),
        (object, cuts, rest, indent) => {
          const json = JSON.stringify(object, undefined, indent)
          const { read, scanner } = readTo(cutAt(` \n${json}${rest}`, cuts))
          assert.equal(scanner.state, 'closed')
          assert.equal(read, json.length + 2)
          assert.equal(scanner.deepest, measureJson(json).deepest)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is open before the closing brace', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, cut) => {
        const json = JSON.stringify(object)
        const { scanner } = readTo([json.slice(0, 1 + (cut % (json.length - 1)))])
        assert.equal(scanner.state, 'open')
      }),
    )
  })

  it('knows white space and what is no object', () => {
    assert.equal(readTo([' \r\n\t']).scanner.state, 'empty')
    for (const text of ['null', '[1]', '"x"', "{'".slice(1), 'x']) assert.equal(readTo([text]).scanner.state, 'other')
  })

  it('takes a hundred thousand levels without a stack', () => {
    const levels = 100_000
    const { scanner } = readTo([`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`])
    assert.equal(scanner.state, 'closed')
    assert.equal(scanner.deepest, levels)
  })
})
