import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { guardedPattern, PatternTooSlow, startPatternTime } from './guarded-pattern.ts'

describe('guardedPattern', () => {
  beforeEach(startPatternTime)

  it('answers as the regular expression does', () => {
    const piece = fc.constantFrom('a', 'b', '.', '\\d', '[ab]', '[^a]', '(?:ab)', '(a|b)', 'x')
    const count = fc.constantFrom('', '?', '*', '+', '{2}', '{1,3}', '{40}')
    const source = fc.array(fc.tuple(piece, count), { maxLength: 4 }).map((parts) => `^${parts.map(([a, b]) => a + b).join('')}$`)
    fc.assert(
      fc.property(source, fc.string({ unit: fc.constantFrom('a', 'b', 'x', '1'), maxLength: 12 }), (pattern, text) => {
        assert.equal(guardedPattern(pattern).test(text), new RegExp(pattern, 'u').test(text))
      }),
      { numRuns: 300 },
    )
  })

  for (const [pattern, text] of [
    ['^(a+)+$', `${'a'.repeat(60)}!`],
    ['^(a|a)*$', `${'a'.repeat(60)}!`],
    ['^(?:a|aa)+$', `${'a'.repeat(80)}!`],
    ['^(\\w+\\s?)*$', `${'a'.repeat(60)}!`],
    ['(x+x+)+y', 'x'.repeat(60)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60)],
    ['^\\s*\\s*\\s*\\s*\\s*x$', ' '.repeat(2_000)],
    ['.*.*=.*', 'x'.repeat(100_000)],
  ] as const) {
    it(`ends ${pattern}`, () => {
      assert.throws(() => guardedPattern(pattern).test(text), PatternTooSlow)
    })
  }

  it('runs a plain pattern over a large text', () => {
    assert.equal(guardedPattern('^[a-z]+$').test('a'.repeat(500_000)), true)
  })

  it('runs a suspicious pattern that does end', () => {
    assert.equal(guardedPattern('^(\\d+,)+$').test('1,22,333,'.repeat(20)), true)
    assert.equal(guardedPattern('^(\\d+,)+$').test('1,22,x'), false)
  })

  it('gives all tests of one check their time together, and the next check its own', () => {
    const slow = guardedPattern('^(a+)+$')
    assert.throws(() => slow.test(`${'a'.repeat(60)}!`), PatternTooSlow)
    assert.throws(() => slow.test('a'.repeat(60)), PatternTooSlow, 'nothing is left of the time')
    startPatternTime()
    assert.equal(slow.test('a'.repeat(60)), true)
  })

  it('takes a pattern that only works without Unicode mode', () => {
    assert.equal(guardedPattern('^[\\w-.]+$').test('a-b.c'), true)
  })

  it('refuses what is no regular expression', () => {
    assert.throws(() => guardedPattern('('), SyntaxError)
  })
})
