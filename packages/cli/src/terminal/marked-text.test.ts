import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Effect } from '@adjutant/core'
import fc from 'fast-check'
import { UNPRINTABLE } from '../../test/approval-example.ts'
import { type MarkedText, markedText, type TextMark } from './marked-text.ts'
import { printableArgument } from './printable.ts'
import { rowText } from './rows.ts'

const mark = (start: number, end: number, effect: Effect = 'dangerous', reason = 'why'): TextMark => ({ start, end, effect, reason })
/** Pointed parts in square brackets. */
const written = ({ lines }: MarkedText): readonly string[] =>
  lines.map((line) => line.map((part) => (part.mark === undefined ? part.text : `[${part.text}]`)).join(''))

describe('a text with marks', () => {
  it('has its dangerous parts stand out, over lines and beside quieter ones', () => {
    assert.deepEqual(written(markedText('ls && rm x', [mark(0, 2, 'read'), mark(6, 10)], 'dangerous')), ['ls && [rm x]'])
    assert.deepEqual(written(markedText('a\nrm \\\n  x\r\nb', [mark(2, 10)], 'dangerous')), ['a', '[rm \\]', '[  x]', 'b'])
    const [line = []] = markedText('ls; touch a; rm b', [mark(0, 2, 'read'), mark(4, 11, 'write'), mark(13, 17)], 'dangerous').lines
    assert.deepEqual(
      line.map(({ text, tone }) => [text, tone]),
      [
        ['ls', 'good'],
        ['; ', 'plain'],
        ['touch a', 'warning'],
        ['; ', 'plain'],
        ['rm b', 'danger'],
      ],
    )
  })

  it('points at the writes of a call that does no worse', () => {
    assert.deepEqual(written(markedText('ls; touch a', [mark(0, 2, 'read'), mark(4, 11, 'write')], 'write')), ['ls; [touch a]'])
  })

  it('takes the worst of marks that lie over each other, then the shortest', () => {
    const [line = []] = markedText(
      'bash -c "rm x"',
      [mark(0, 14, 'dangerous', 'a script'), mark(9, 13, 'dangerous', 'rm')],
      'dangerous',
    ).lines
    assert.deepEqual(
      line.map(({ text, mark: made }) => [text, made?.reason]),
      [
        ['bash -c "', 'a script'],
        ['rm x', 'rm'],
        ['"', 'a script'],
      ],
    )
    assert.deepEqual(written(markedText('abcdef', [mark(0, 4, 'read'), mark(2, 6, 'dangerous')], 'dangerous')), ['ab[cdef]'])
  })

  it('counts offsets in UTF-16 units and splits no character', () => {
    assert.deepEqual(written(markedText('副😀 rm', [mark(4, 6)], 'dangerous')), ['副😀 [rm]'])
    assert.deepEqual(written(markedText('😀x', [mark(1, 2)], 'dangerous')), ['[😀]x'])
    assert.deepEqual(written(markedText('a\r\nb', [mark(0, 2)], 'dangerous')), ['[a]', 'b'])
  })

  it('passes over what is no mark, and goes on with what lies partly outside', () => {
    const odd: readonly TextMark[] = JSON.parse(
      '[null, 7, "x", {}, {"start":"0","end":2,"effect":"dangerous","reason":"r"}, {"start":3,"end":1,"effect":"dangerous","reason":"r"}, {"start":0,"end":2,"effect":"odd","reason":"r"}]',
    )
    assert.deepEqual(written(markedText('abc', [...odd, mark(Number.NaN, 2), mark(1.5, Number.POSITIVE_INFINITY)], 'dangerous')), ['a[bc]'])
    assert.deepEqual(written(markedText('abc', [mark(-5, 1), mark(9, 12)], 'dangerous')), ['[a]bc'])
    assert.deepEqual(written(markedText('', [mark(0, 1)], 'dangerous')), [''])
  })

  it('keeps the surroundings of what is dangerous in a text of 64 KiB, and counts the rest', () => {
    const command = `echo ${'x'.repeat(40_000)}; rm -rf /; echo ${'y'.repeat(25_000)}`
    const at = command.indexOf('rm -rf')
    const shown = markedText(command, [mark(0, at - 2, 'read'), mark(at, at + 8), mark(at + 10, command.length, 'read')], 'dangerous')
    const lines = written(shown)
    assert.ok(lines.some((line) => line.includes('[rm -rf /]')))
    const told = shown.lines.flatMap((line) => [...rowText(line).matchAll(/^… (\d+) characters …$/g)].map(([, count]) => Number(count)))
    assert.equal(told.length, 2)
    assert.equal(shown.hidden, told[0] !== undefined && told[1] !== undefined ? told[0] + told[1] : -1)
    const visible = shown.lines
      .map(rowText)
      .filter((line) => !line.startsWith('…'))
      .join('')
    assert.equal(visible.length + shown.hidden, command.length)
    assert.deepEqual(written(markedText(command, [], 'dangerous', 100_000)), [command])
  })

  it('shows the beginning and the end of a long text without marks', () => {
    const shown = markedText('z'.repeat(9_000), [], 'write')
    assert.equal(shown.lines.length, 3)
    assert.equal(shown.hidden, 7_000)
  })

  it('loses nothing, breaks on no mark and lets nothing through, whatever comes', () => {
    const part = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\r\n',
      '\u001b[2J',
      '\u009b',
      '\u202e',
      '\u2066',
      '\u200b',
      '\ud800',
      '😀',
      '副',
      '\u007f',
      '\u00a0',
      '\t',
      '👩‍👧',
    )
    const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''))
    const offset = fc.oneof(
      fc.integer({ min: -3, max: 80 }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5),
    )
    const marks = fc.array(
      fc.record({
        start: offset,
        end: offset,
        effect: fc.constantFrom<Effect>('read', 'write', 'dangerous'),
        reason: text,
      }),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(
        text,
        marks,
        fc.constantFrom<Effect>('read', 'write', 'dangerous'),
        fc.constantFrom(10, 2_000),
        (given, made, effect, limit) => {
          const shown = markedText(given, made, effect, limit)
          for (const line of shown.lines) {
            for (const one of line) assert.doesNotMatch((one.text + (one.mark?.reason ?? '')).replaceAll('\u200d', ''), UNPRINTABLE)
          }
          if (shown.hidden > 0) return
          const plain = given.split(/\r\n|\n/).map(printableArgument)
          // A joiner between two parts with different marks joins nothing: it is shown.
          if (!given.includes('\u200d')) assert.deepEqual(shown.lines.map(rowText), plain)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('takes a thousand nested marks and ten thousand flat ones', () => {
    const nested = Array.from({ length: 1_000 }, (_, index) => mark(index, 4_000 - index))
    assert.equal(written(markedText('n'.repeat(4_000), nested, 'dangerous', 5_000)).length, 1)
    const flat = Array.from({ length: 10_000 }, (_, index) => mark(index * 2, index * 2 + 1, index === 9_999 ? 'dangerous' : 'read'))
    assert.ok(
      written(markedText('f'.repeat(20_000), flat, 'dangerous'))
        .join('')
        .includes('[f]'),
    )
  })
})
