import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { clipBy } from '../clip-by.ts'
import { ErrorExcerpts } from './error-excerpts.ts'
import { gradeLine, nextSign } from './error-line.ts'
import { errorsOf } from './errors.ts'

const filler = Array.from({ length: 10_000 }, (_, index) => `step ${index}: compiled module ${index * 7} of the project`)

function planted(line: string, at: number): string {
  return filler.toSpliced(at, 0, line).join('\n')
}
const grade = (line: string): string | undefined => {
  const sign = nextSign(line, 0)
  return sign === -1 ? undefined : gradeLine(line, sign)
}

describe('errors', () => {
  it('keeps an error wherever it stands in ten thousand lines, as does auto when it failed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.constantFrom(
          'error: the one that matters',
          'src/main.ts(12,5): error TS2322: no',
          'thread main panicked at src/lib.rs:3:1',
          '  ✗ adds numbers',
        ),
        fc.integer({ min: 900, max: 8_000 }),
        (at, line, limit) => {
          const text = planted(line, at)
          assert.ok(clipBy('errors', text, { limit }).text.includes(line))
          assert.ok(clipBy('auto', text, { limit, failed: true }).text.includes(line))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('keeps some lines around it, the beginning and the end, and says what each gap stands for', () => {
    const { text } = clipBy('errors', planted('error: here', 5_000), { limit: 2_500, rest: 'ask' })
    assert.match(text, /^step 0: .*\n\[… \d+ lines \(\d+ characters\) left out; ask …\]\n/s)
    assert.match(
      text,
      /\nstep 4998: .*\nstep 4999: .*\nerror: here\nstep 5000: .*\nstep 5001: .*\n\[… \d+ lines \(\d+ characters\) left out …\]\n.*\nstep 9999: /s,
    )
  })

  it('keeps the place in a line of megabytes', () => {
    const text = `start\n${'x'.repeat(1_000_000)} error: here ${'y'.repeat(1_000_000)}\nend\n`
    assert.match(clipBy('errors', text, { limit: 2_000 }).text, /^start\nx.*\n\[…[^\n]*\nx+ error: here y+\n\[….*\nend\n$/s)
  })

  it('keeps the first and the last of very many', () => {
    const many = Array.from(
      { length: 5_000 },
      (_, at) => `noise\nerror: kind ${String.fromCharCode(97 + (at % 26))}${'z'.repeat(at % 50)} ${at}`,
    )
    const { text } = clipBy('errors', [...filler, ...many, ...filler].join('\n'), { limit: 4_000 })
    assert.match(text, /error: kind a 0\n/)
    assert.ok(text.length > 3_000)
  })

  it('does not fill up with one that repeats', () => {
    const same = Array.from({ length: 3_000 }, (_, at) => `error: retry ${at} failed`)
    const text = [...filler, ...same, ...filler, 'error: the cause', ...filler].join('\n')
    assert.match(clipBy('errors', text, { limit: 3_000 }).text, /\nerror: the cause\n/)
  })

  it('knows what says that it is an error, what may be one, and what is none', () => {
    const strong = [
      'error: x',
      'ERROR in ./src',
      "TypeError: Cannot read properties of undefined (reading 'a')",
      'Traceback (most recent call last):',
      'panic: runtime error: index out of range',
      'FAIL src/a.test.ts',
      '  ✗ adds',
      './a.go:3:2: undefined: x',
      'a.c:1:2: fatal error: b.h: No such file',
      'error[E0308]: mismatched types',
      'npm ERR! code ELIFECYCLE',
      'not ok 3 - adds',
      '2026-01-01 ERROR something',
      "a.ts(3,4): error TS2322: Type 'x'",
      'Segmentation fault (core dumped)',
      'FAILED tests/test_a.py::test_b',
    ]
    const weak = ['the request was refused', 'bash: foo: command not found', '      |  ^^^^', 'a.c:1:2: warning: unused']
    const none = ['0 errors', 'Found 0 errors.', 'Tests: 12 passed, 0 failed', 'errors: 0', '"error": null', 'no failures', 'all is well']
    for (const line of strong) assert.equal(grade(line), 'strong', line)
    for (const line of weak) assert.equal(grade(line), 'weak', line)
    for (const line of none) assert.equal(grade(line), undefined, line)
    assert.equal(grade('0 failed, 3 errors: x'), 'strong')
  })

  it('finds the same in pieces as in the whole', () => {
    const line = fc.oneof(
      fc.constantFrom('error: a', 'b failed', '0 errors', 'x'.repeat(3_000), `${'y'.repeat(900)} error: far ${'z'.repeat(900)}`),
      fc.string({ maxLength: 40 }),
    )
    const text = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 60, size: 'max' }), fc.integer({ min: 1, max: 60 }))
      .map(([all, times]) => `${all.join('\n')}\n`.repeat(times))
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), fc.integer({ min: 300, max: 4_000 }), (whole, places, limit) => {
        const cuts = [0, ...places.map((at) => whole.lastIndexOf('\n', at % whole.length) + 1).sort((a, b) => a - b), whole.length]
        const pieces = new ErrorExcerpts(limit)
        for (let index = 1; index < cuts.length; index++) pieces.take(whole.slice(cuts[index - 1], cuts[index]))
        pieces.end()
        for (const excerpt of pieces.all()) {
          assert.equal(excerpt.text, whole.slice(excerpt.from, excerpt.from + excerpt.text.length))
          assert.equal(excerpt.newlinesBefore, whole.slice(0, excerpt.from).split('\n').length - 1)
          assert.equal(excerpt.startsInside, excerpt.from > 0 && whole[excerpt.from - 1] !== '\n')
        }
        const placesOf = (found: ErrorExcerpts): readonly unknown[] => found.all().map(({ from, grade: of }) => [from, of])
        if (whole.length < 60_000) assert.deepEqual(placesOf(pieces), placesOf(errorsOf(whole, limit)))
      }),
      { numRuns: 150 },
    )
  })

  it('holds little of a text that is all errors', () => {
    const pieces = new ErrorExcerpts(8_000)
    for (let piece = 0; piece < 400; piece++) {
      pieces.take(
        Array.from(
          { length: 500 },
          (_, at) => `error: ${String.fromCharCode(97 + (at % 26), 97 + (piece % 26))} of ${'k'.repeat(at % 40)}\n`,
        ).join(''),
      )
    }
    pieces.end()
    const held = pieces.all().reduce((sum, { text }) => sum + text.length, 0)
    assert.ok(held < 100_000, `${held} characters are held`)
  })
})
