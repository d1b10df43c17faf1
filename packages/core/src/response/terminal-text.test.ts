import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ROW_LIMIT } from './terminal-row.ts'
import { hasControl, resolveTerminalText, TerminalText } from './terminal-text.ts'

function inPieces(pieces: readonly string[]): string {
  const scanner = new TerminalText()
  return pieces.map((piece) => scanner.write(piece)).join('') + scanner.end()
}

const CASES: readonly (readonly [name: string, sent: string, shown: string])[] = [
  ['plain text', 'a\tb\nc', 'a\tb\nc'],
  ['colours', '\x1b[1;31merror\x1b[0m: \x1b[38;5;12mblue\x1b[m', 'error: blue'],
  ['a link ended by BEL', '\x1b]8;;https://example.org\x07here\x1b]8;;\x07.', 'here.'],
  ['a link ended by ST', '\x1b]8;id=1;https://example.org\x1b\\here\x1b]8;;\x1b\\.', 'here.'],
  ['a window title', '\x1b]0;title\x07$ ls', '$ ls'],
  ['C1 forms of CSI, OSC and ST', '\x9b31mred\x9b0m \x9d8;;u\x9clink\x9d8;;\x9c', 'red link'],
  ['DCS over lines', 'a\x1bPq#0;2;0;0\n!100~-\x1b\\b', 'ab'],
  ['APC, PM, SOS', 'a\x1b_Gf=100;AAAA\x1b\\b\x1b^pm\x1b\\c\x1bXsos\x1b\\d', 'abcd'],
  ['two-byte sequences', '\x1b7saved\x1b8\x1b(B\x1b=\x1b>', 'saved'],
  ['private modes', '\x1b[?25l\x1b[?2004hx\x1b[?25h', 'x'],
  ['line ends of Windows', 'a\r\nb\r\n', 'a\nb\n'],
  ['a progress line', '  5 %\r 50 %\r100 %\ndone', '100 %\ndone'],
  ['a shorter last state', 'downloading\rdone', 'doneloading'],
  ['a cleared progress line', 'downloading\r\x1b[Kdone\n', 'done\n'],
  ['a line erased from its end', 'working …\x1b[2K\x1b[1Gready', 'ready'],
  ['erasing up to the cursor', 'abcdef\x1b[3D\x1b[1KX', '   Xef'.padEnd(6)],
  ['columns', 'ab\x1b[6Gc\x1b[2De', 'ab  ec'],
  ['backspace', 'cat\b\b\bdog', 'dog'],
  ['a spinner', '|\b/\b-\b\\\bok', 'ok'],
  ['overstruck bold', 'N\bNA\bAM\bME\bE', 'NAME'],
  ['bells and other controls', 'a\x07b\x00c\x7fd\x0ee\x0f', 'abcde'],
  ['another row begins a line', 'one\x1b[1A\x1b[2Ktwo', 'one\ntwo'],
  ['a cleared screen begins a line', 'secret\x1b[2J\x1b[HApprove? [Y/n]', 'secret\nApprove? [Y/n]'],
  ['a cut sequence', 'text\x1b[3', 'text'],
  ['an unterminated title ends with its line', 'a\x1b]0;never\nb', 'a\nb'],
  ['a sequence inside another', 'a\x1b]0;t\x1b[31mb', 'ab'],
  ['a sequence cut by a control', 'a\x1b[12\nb\x1b\rc', 'a\nc'],
  ['a letter that is in no sequence', 'a\x1b[1é\x1bü', 'aéü'],
  ['half an emoji overwritten', '😀x\ra', 'a x'],
  ['an emoji written over', 'ab\r😀', '😀'],
  ['backspace over an emoji', 'a😀\bb', 'ab '],
]

describe('terminal text', () => {
  for (const [name, sent, shown] of CASES) {
    it(`resolves ${name}`, () => assert.equal(resolveTerminalText(sent), shown))
  }

  it('gives the same however each of these is split in two', () => {
    for (const [name, sent, shown] of CASES) {
      for (let at = 0; at <= sent.length; at++) {
        assert.equal(inPieces([sent.slice(0, at), sent.slice(at)]), shown, `${name}, split at ${at}`)
      }
      assert.equal(inPieces(sent.split('')), shown, `${name}, unit by unit`)
    }
  })

  const piece = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.constantFrom(
      '\r',
      '\n',
      '\b',
      '\r\n',
      '\t',
      '\x1b',
      '\x1b[',
      '\x1b[31m',
      '\x1b[K',
      '\x1b[2K',
      '\x1b[5G',
      '\x1b[3C',
      '\x1b[2D',
      '\x1b[1A',
      '\x1b[2J',
    ),
    fc.constantFrom(
      '\x1b]8;;http://x.y\x1b\\',
      '\x1b]8;;\x07',
      '\x1bP',
      '\x1b\\',
      '\x9b1m',
      '\x9d',
      '\x9c',
      '\x85',
      '\x07',
      '\x18',
      '\x00',
      '\x1b(B',
      '\ud83d',
      '\ude00',
    ),
  )

  it('does not depend on how the input is cut, and leaves nothing that moves a cursor', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 12 }), (parts, places) => {
        const sent = parts.join('')
        const cuts = [0, ...places.map((place) => place % (sent.length + 1)).sort((a, b) => a - b), sent.length]
        const pieces = cuts.slice(1).map((cut, index) => sent.slice(cuts[index], cut))
        const whole = resolveTerminalText(sent)
        assert.equal(inPieces(pieces), whole)
        assert.equal(hasControl(whole), false)
        assert.equal(resolveTerminalText(whole), whole)
      }),
      { numRuns: 1_000 },
    )
  })

  it('shows what a screen of one row would show, for any overwriting', () => {
    const written = fc.array(
      fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 6 }), fc.constantFrom('\r', '\b')),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(written, (parts) => {
        const cells: string[] = []
        let column = 0
        for (const unit of parts.join('')) {
          if (unit === '\r') column = 0
          else if (unit === '\b') column = Math.max(0, column - 1)
          else cells[column++] = unit
        }
        assert.equal(resolveTerminalText(parts.join('')), cells.join(''))
      }),
    )
  })

  it('gives a text that needs nothing back as it is', () => {
    const text = 'nothing here\n'.repeat(1_000)
    assert.equal(resolveTerminalText(text), text)
  })

  it('keeps nothing of an unterminated sequence', () => {
    const scanner = new TerminalText()
    const before = process.memoryUsage().heapUsed
    scanner.write('\x1b]0;')
    const piece = 'x'.repeat(1_048_576)
    for (let written = 0; written < 15; written++) assert.equal(scanner.write(piece), '')
    assert.ok(process.memoryUsage().heapUsed - before < 32 * 1_048_576)
    assert.equal(scanner.write('\nseen\n'), '\nseen\n')
  })

  it('takes what no terminal would take for a sequence as text again', () => {
    const scanner = new TerminalText()
    const piece = 'x'.repeat(1_048_576)
    let shown = scanner.write('\x1bP')
    for (let written = 0; written < 20; written++) shown += scanner.write(piece)
    shown += scanner.end()
    assert.equal(shown.length, 4 * 1_048_576)
  })

  it('gives out a row without end in bounded pieces, and wraps as a terminal does', () => {
    const scanner = new TerminalText()
    let shown = ''
    for (let written = 0; written < 100; written++) shown += scanner.write('y'.repeat(1_000))
    assert.ok(shown.length >= 100_000 - ROW_LIMIT)
    assert.equal((shown + scanner.write('\rz') + scanner.end()).length, 100_000)
  })

  it('stays linear for a hostile row of tiny overwrites', () => {
    const hostile = `${'x'.repeat(30_000)}${'\rA\x1b[20000G'.repeat(20_000)}\n`
    assert.equal(resolveTerminalText(hostile), `A${'x'.repeat(29_999)}\n`)
  })

  it('stays linear for a line of a million overwrites and erasures', () => {
    assert.equal(resolveTerminalText(`${'a\r'.repeat(1_000_000)}\n`), 'a\n')
    const erasing = `${'x'.repeat(30_000)}${'\x1b[20000G\x1b[1K'.repeat(50_000)}\n`
    assert.equal(resolveTerminalText(erasing), `${' '.repeat(20_000)}${'x'.repeat(10_000)}\n`)
  })

  it('blows a few bytes up only so far', () => {
    assert.ok(resolveTerminalText('\x1b[99999Gx\n'.repeat(1_000)).length <= 201_000)
  })
})
