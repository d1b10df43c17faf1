import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AdjutantError } from '../contract/errors.ts'
import { type Clipped, clipEnds, clipText } from './clip.ts'
import { countLines } from './lines.ts'

const line = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 200, maxLength: 900 }) },
)
const text = fc.tuple(fc.array(line, { maxLength: 80 }), fc.constantFrom('', '\n')).map(([lines, end]) => lines.join('\n') + end)
const limit = fc.integer({ min: 1, max: 1_500 })
const lines = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined })

/** What is before and behind the marker line; the marker is the only line that begins so. */
function parts(clipped: Clipped): { readonly head: string; readonly marker: string; readonly tail: string } {
  const found = /(?:^|\n)(\[… [^\n]* …\])(?:\n|$)/.exec(clipped.text)
  assert.ok(found?.[1] !== undefined, clipped.text)
  const start = found.index + found[0].indexOf('[')
  return { head: clipped.text.slice(0, start), marker: found[1], tail: clipped.text.slice(start + found[1].length + 1) }
}

describe('clipText', () => {
  it('gives back a text that fits as it is', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const clipped = clipText(whole, { limit: Math.max(1, whole.length) })
        assert.equal(clipped.text, whole)
        assert.deepEqual([clipped.clipped, clipped.omittedLines, clipped.omittedChars], [false, 0, 0])
        assert.equal(clipped.totalLines, countLines(whole))
        assert.equal(clipped.totalChars, whole.length)
      }),
    )
  })

  it('never gives more than the limit, for any text, limit and number of lines', () => {
    fc.assert(
      fc.property(
        text,
        limit,
        lines,
        lines,
        fc.option(fc.string({ maxLength: 200 }), { nil: undefined }),
        (whole, most, head, tail, rest) => {
          const options = {
            limit: most,
            ...(head === undefined ? {} : { head }),
            ...(tail === undefined ? {} : { tail }),
            ...(rest === undefined ? {} : { rest }),
          }
          const { text: out } = clipText(whole, options)
          assert.ok(out.length <= most, `${out.length} > ${most}`)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('keeps a true beginning and a true end, and counts what is between', () => {
    const marked = text.filter((whole) => !whole.includes('[…'))
    fc.assert(
      fc.property(marked, fc.integer({ min: 120, max: 1_500 }), (whole, most) => {
        const clipped = clipText(whole, { limit: most })
        if (!clipped.clipped) return
        const { head, tail } = parts(clipped)
        // A head cut inside its line gets a line end of the marker's own.
        const kept = whole.startsWith(head) ? head : head.slice(0, -1)
        assert.ok(whole.startsWith(kept))
        assert.ok(whole.endsWith(tail))
        assert.equal(clipped.omittedChars, whole.length - kept.length - tail.length)
        const between = whole.slice(kept.length, whole.length - tail.length)
        const shownBefore = kept !== '' && !kept.endsWith('\n')
        const shownAfter = tail !== '' && !between.endsWith('\n')
        const touched = between.split('\n').length - (between.endsWith('\n') ? 1 : 0)
        assert.equal(clipped.omittedLines, Math.max(0, touched - (shownBefore ? 1 : 0) - (shownAfter ? 1 : 0)))
      }),
      { numRuns: 500 },
    )
  })

  it('counts to the character at every limit, also where the cut falls on a line end', () => {
    const whole = Array.from({ length: 60 }, (_, index) => 'word '.repeat(6 + (index % 20))).join('\n')
    for (let most = 100; most < 400; most++) {
      const clipped = clipText(whole, { limit: most })
      const { head, tail } = parts(clipped)
      const kept = whole.startsWith(head) ? head.length : head.length - 1
      assert.equal(clipped.omittedChars, whole.length - kept - tail.length, `limit ${most}`)
    }
  })

  it('never cuts inside a character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('👨‍👩‍👧‍👦', '🇩🇪', 'e\u0301', '日', '😀', 'a'), { minLength: 300, maxLength: 400 }),
        limit,
        (characters, most) => {
          const clipped = clipText(characters.join(''), { limit: most })
          if (!clipped.clipped || !clipped.text.includes('[…')) return
          const { head, tail } = parts(clipped)
          const starts = new Set<number>([0])
          let at = 0
          for (const character of characters) {
            at += character.length
            starts.add(at)
          }
          assert.ok(starts.has(head === '' ? 0 : head.length - 1))
          assert.ok(starts.has(at - tail.length))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('leaves its own result alone', () => {
    fc.assert(
      fc.property(text, limit, (whole, most) => {
        const once = clipText(whole, { limit: most }).text
        assert.equal(clipText(once, { limit: most }).text, once)
      }),
    )
  })

  it('keeps the first and last lines asked for, with one line in between', () => {
    const whole = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}`).join('\n')
    const clipped = clipText(whole, { limit: 500, head: 3, tail: 2 })
    assert.equal(clipped.text, 'line 1\nline 2\nline 3\n[… 995 lines (8853 characters) left out …]\nline 999\nline 1000')
    assert.deepEqual([clipped.omittedLines, clipped.totalLines], [995, 1_000])
  })

  it('clips more lines than asked for also within the limit, and not one line less', () => {
    assert.equal(clipText('1\n2\n3\n4\n', { head: 1, tail: 1 }).text, '1\n[… 2 lines (4 characters) left out …]\n4\n')
    assert.equal(clipText('1\n2\n3\n', { head: 1, tail: 1 }).text, '1\n[… 1 line (2 characters) left out …]\n3\n')
    assert.equal(clipText('1\n2\n3\n4\n', { head: 2, tail: 2 }).clipped, false)
    assert.equal(clipText('1\n2\n3\n4\n', { head: 1 }).clipped, false)
    assert.equal(clipText('1\n2\n3', { head: 1, tail: 0 }).text, '1\n[… 2 lines (3 characters) left out …]')
    assert.equal(clipText('1\n\n\n2', { head: 1, tail: 1 }).text, '1\n[… 2 lines (2 characters) left out …]\n2')
    assert.equal(clipText('1\n2\n3', { head: 0, tail: 1 }).text, '[… 2 lines (4 characters) left out …]\n3')
  })

  it('cuts inside one endless line', () => {
    const clipped = clipText('x'.repeat(1_000_000))
    const { head, marker, tail } = parts(clipped)
    assert.ok(clipped.text.length <= 8_000 && clipped.text.length > 7_900)
    assert.equal(marker, `[… ${1_000_000 - (head.length - 1) - tail.length} characters of a long line left out …]`)
    assert.equal(clipped.omittedLines, 0)
  })

  it('shows a part of a long line between short ones rather than nothing of it', () => {
    const clipped = clipText(`start\n${'x'.repeat(50_000)}\nend\n`, { limit: 1_000 })
    assert.ok(clipped.text.startsWith('start\nxxxx'))
    assert.ok(clipped.text.endsWith('xxxx\nend\n'))
    assert.ok(clipped.text.length > 900)
  })

  it('says how the rest can be read where there is room to say it', () => {
    const whole = 'word\n'.repeat(5_000)
    assert.match(clipText(whole, { limit: 400, rest: 'ask for it' }).text, /left out; ask for it …\]/)
    assert.doesNotMatch(clipText(whole, { limit: 60, rest: 'ask for it by its very long name' }).text, /ask for it/)
    assert.match(clipText(whole, { limit: 60, rest: 'ask for it by its very long name' }).text, /\[… \d+ lines/)
    assert.equal(clipText(whole, { limit: 1 }).text, '…')
  })

  it('works on the two ends alone as on the whole', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 400 }), (whole, most) => {
        const expected = clipText(whole, { limit: most })
        if (!expected.clipped) return
        const ends = {
          head: whole.slice(0, most + 200),
          tail: whole.slice(-most - 200),
          newlines: whole.split('\n').length - 1,
          chars: whole.length,
        }
        const got = clipEnds(ends, { limit: most })
        assert.equal(got.omittedChars + got.text.length, expected.omittedChars + expected.text.length)
        assert.equal(got.text, expected.text)
      }),
    )
  })

  it('refuses numbers that are none, naming them', () => {
    for (const options of [{ limit: 0 }, { limit: Number.NaN }, { limit: 1.5 }, { head: -1 }, { tail: Number.POSITIVE_INFINITY }]) {
      assert.throws(
        () => clipText('a', options),
        (error) => AdjutantError.isInstance(error) && error.code === 'USAGE' && error.message.includes(Object.keys(options)[0] ?? ''),
      )
    }
  })
})
