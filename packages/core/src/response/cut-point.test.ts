import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cutAfter, cutBefore } from './cut-point.ts'

const CHARACTERS = [
  'a',
  ' ',
  '\r\n',
  'é',
  'e\u0301',
  '日',
  '😀',
  '👩🏽‍🚀',
  '👨‍👩‍👧‍👦',
  '🇩🇪',
  '🇫🇷',
  '각',
  '한',
  'क्षि',
  '❤️',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
]
const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 60 }).map((parts) => parts.join(''))

/** Every boundary of the whole text, from the platform's own segmenter. */
function boundaries(of: string): readonly number[] {
  const segments = [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(of)]
  return [...segments.map(({ index }) => index), of.length]
}

describe('cut points', () => {
  it('are the nearest boundary between two characters, whatever the text and the place', () => {
    fc.assert(
      fc.property(text, fc.double({ min: 0, max: 1, noNaN: true }), (of, share) => {
        const at = Math.floor(share * of.length)
        const all = boundaries(of)
        assert.equal(cutBefore(of, at), all.filter((boundary) => boundary <= at).at(-1))
        assert.equal(
          cutAfter(of, at),
          all.find((boundary) => boundary >= at),
        )
      }),
      { numRuns: 400 },
    )
  })

  it('keep flags whole at the end of a run that is longer than any window', () => {
    const flags = '🇩🇪'.repeat(5_000)
    for (const at of [9_999, 10_000, 10_001, 10_002, 10_003]) {
      assert.equal(cutBefore(flags, at) % 4, 0)
      assert.equal(cutAfter(flags, at) % 4, 0)
    }
  })

  it('keep a letter with a hundred marks whole', () => {
    const marked = `x${'\u0301\u0327'.repeat(50)}`
    const line = `start ${marked}end`
    assert.equal(cutBefore(line, 60), 6)
    assert.equal(cutAfter(line, 60), 6 + marked.length)
  })

  it('keep people joined to one picture whole, however many they are', () => {
    const joined = `${'👨\u200d'.repeat(60)}👨`
    for (const at of [100, 135, 150, 170]) {
      assert.equal(cutBefore(`x${joined}y`, at), 1)
      assert.equal(cutAfter(`x${joined}y`, at), 1 + joined.length)
    }
  })

  it('never leave half a pair, also in a run that only pretends to be one character', () => {
    const endless = '\u{e0101}'.repeat(20_000)
    for (const at of [9_999, 10_000, 10_001]) {
      assert.equal(cutBefore(endless, at) % 2, 0)
      assert.equal(cutAfter(endless, at) % 2, 0)
    }
  })

  it('stay at the ends of the text', () => {
    assert.deepEqual([cutBefore('ab', -1), cutBefore('ab', 0), cutBefore('ab', 2), cutBefore('ab', 9)], [0, 0, 2, 2])
    assert.deepEqual([cutAfter('ab', -1), cutAfter('ab', 0), cutAfter('ab', 2), cutAfter('ab', 9)], [0, 0, 2, 2])
  })
})
