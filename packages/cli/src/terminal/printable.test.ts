import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { printableArgument, printableLine, printableLines, shorten } from './printable.ts'

const ESC = '\u001b'

describe('printable text', () => {
  it('shows what would clear the screen or move over the question', () => {
    assert.equal(printableLine(`a${ESC}[2Jb`), 'a\\x1b[2Jb')
    assert.equal(printableLine(`${ESC}[1A${ESC}[K`), '\\x1b[1A\\x1b[K')
    assert.equal(printableLine('a\rb\nc\td'), 'a\\rb\\nc\\td')
    assert.equal(printableLine('\u009b2J'), '\\x9b2J')
    assert.equal(printableLine(`${ESC}]8;;https://evil\u0007x`), '\\x1b]8;;https://evil\\x07x')
  })

  it('shows what turns the reading direction or is invisible', () => {
    assert.equal(printableLine('safe\u202egnp.exe'), 'safe\\u202egnp.exe')
    assert.equal(printableLine('a\u2066b\u2069\u200bc\ufeff'), 'a\\u2066b\\u2069\\u200bc\\ufeff')
    assert.equal(printableLine('x\u{e0041}'), 'x\\u{e0041}')
    assert.equal(printableLine('\ud800'), '\\ud800')
  })

  it('leaves what people write as it is', () => {
    for (const text of ['naïve café', '副官 执行', '👩‍👩‍👧', 'e\u0301', 'שלום']) assert.equal(printableLine(text), text)
  })

  it('shows what draws nothing, save where an emoji is made with it', () => {
    for (const hidden of ['\u034f', '\u115f', '\u3164', '\uffa0', '\u2800', '\u180b', '\u200d', '\ufe0f', '\u{e0100}', '\u2064']) {
      const code = hidden.codePointAt(0)?.toString(16) ?? ''
      assert.equal(printableLine(`a${hidden}b`), code.length > 4 ? `a\\u{${code}}b` : `a\\u${code.padStart(4, '0')}b`)
    }
    for (const emoji of ['👩‍💻', '🏳️‍🌈', '❤️', '1️⃣', '👍🏽']) assert.equal(printableLine(emoji), emoji)
    // A letter for each selector: text that only a machine reads.
    assert.equal(printableLine('❤\ufe0f\ufe0f'), '❤\ufe0f\\ufe0f')
    assert.equal(printableLine('1\ufe0f'), '1\\ufe0f')
  })

  it('shows blanks that are no spaces in what a person decides on', () => {
    assert.equal(printableArgument('rm -rf\u00a0/\u2003x\u202fy\tz'), 'rm -rf\\xa0/\\u2003x\\u202fy  z')
    assert.equal(printableLine('C’est\u202fbien'), 'C’est\u202fbien')
    assert.equal(printableArgument('副\u3000官'), '副\u3000官')
  })

  it('keeps lines where lines are wanted', () => {
    assert.equal(printableLines(`a\r\nb\n\tc${ESC}d\re`), 'a\nb\n  c\\x1bd\\re')
  })

  it('never lets a control character through, whatever comes', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom(ESC, '\u0007', '\u009b', '\u202e', '\r', '\n'),
      ),
    })
    fc.assert(
      fc.property(hostile, (text) => {
        assert.doesNotMatch(printableLine(text), /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u)
        assert.doesNotMatch(printableLines(text), /[^\P{Cc}\n]/u)
      }),
      { numRuns: 300 },
    )
  })

  it('shortens without cutting a pair in two', () => {
    assert.equal(shorten('abcdef', 4), 'abc…')
    assert.equal(shorten('ab😀cd', 4), 'ab…')
    assert.equal(shorten('abc', 3), 'abc')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, width) => {
        const cut = shorten(text, width)
        assert.ok(cut.length <= width)
        assert.ok(cut.isWellFormed())
      }),
    )
  })
})
