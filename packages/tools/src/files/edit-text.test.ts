import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { editText } from './edit-text.ts'

describe('editing text', () => {
  it('keeps what is around it, to the character (property)', () => {
    const piece = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r', ' '), { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(piece, piece, (before, after) => {
        // A cut inside \r\n is no place that a line-end-blind search can name.
        fc.pre(!before.endsWith('\r') && !after.startsWith('\n'))
        const { text, replacements } = editText(`${before}OLD\nTEXT${after}`, 'OLD\nTEXT', 'NEW', false)
        assert.equal(text, `${before}NEW${after}`)
        assert.equal(replacements.length, 1)
      }),
      { numRuns: 500 },
    )
  })

  it('does not mind line ends, and keeps them', () => {
    assert.equal(editText('a\r\nb\r\nc', 'a\nb', 'x\ny\nz', false).text, 'x\r\ny\r\nz\r\nc')
    assert.equal(editText('a\nb\nc', 'a\r\nb', 'x\r\ny', false).text, 'x\ny\nc')
    assert.equal(editText('a\r\nb\nc\nd', 'c\nd', 'x\ny', false).text, 'a\r\nb\nx\ny')
    assert.equal(editText('a\r\nb\r\n', 'b', 'x\ny', false).text, 'a\r\nx\r\ny\r\n')
    assert.equal(editText('a\r\nb\r\n', '\nb', '', false).text, 'a\r\n')
  })

  it('replaces all, left to right', () => {
    assert.equal(editText('aXbXc', 'X', 'YY', true).text, 'aYYbYYc')
    assert.equal(editText('aaa', 'aa', 'b', true).text, 'ba')
  })

  it('takes new text as it is', () => {
    assert.equal(editText('cost', 'cost', "$& $1 $' $$", false).text, "$& $1 $' $$")
  })

  it('says how often and where, when it is not the only one', () => {
    assert.throws(() => editText('x\ny\nx\n x', 'x', 'z', false), {
      code: 'CONFLICT',
      message: 'old_text occurs 3 times, at lines 1, 3, 4; nothing was changed',
    })
    assert.throws(() => editText('aaa', 'aa', 'b', false), { code: 'CONFLICT', message: /occurs 2 times/ })
  })

  it('says why nothing would change', () => {
    assert.throws(() => editText('a', 'a', 'a', false), { code: 'INVALID_ARGUMENTS' })
    assert.throws(() => editText('a\r\n', 'a\r\n', 'a\n', false), { code: 'INVALID_ARGUMENTS' })
    assert.throws(() => editText('a', '', 'b', false), { code: 'INVALID_ARGUMENTS' })
  })

  const text = 'function alpha() {\n  return "one"\n}\n\nfunction beta() {\n  return 2\n}'
  const hints: readonly (readonly [old: string, hint: RegExp])[] = [
    ['    1\tfunction alpha() {\n    2\t  return "one"', /without the line numbers/],
    ['function beta() {\nreturn 2\n}', /^Lines 5–7 are the same except for white space.*function beta/],
    ['FUNCTION ALPHA() {', /upper and lower case/],
    ['return “one”', /quotation marks/],
    ['function gamma() {', /^The most similar place is line \d: "function/],
    ['zzzzqqqq', /Nothing in the file resembles it/],
  ]
  for (const [old, hint] of hints) {
    it(`hints: ${hint.source}`, () => {
      assert.throws(() => editText(text, old, 'x', false), { code: 'NOT_FOUND', hint })
    })
  }
  it('hints at an empty file', () => {
    assert.throws(() => editText('', 'a', 'x', false), { code: 'NOT_FOUND', hint: /empty/ })
  })
})
