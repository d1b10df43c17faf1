import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { patternExample } from './pattern-example.ts'

describe('patternExample', () => {
  for (const [pattern, example] of [
    ['^AS\\d+$', 'AS1'],
    ['^[A-Z]{3}-\\d{4}$', 'AAA-1111'],
    ['^(asc|desc)$', 'asc'],
    ['^(?:v)?\\d+\\.\\d+$', '1.1'],
    ['^[^@]+@[^@]+\\.[a-z]{2,}$', 'a@a.aa'],
    ['^#[0-9a-f]{6}$', '#aaaaaa'],
    ['^(?<year>\\d{4})-\\d\\d$', '1111-11'],
    ['', ''],
  ] as const) {
    it(`${pattern} → ${example}`, () => {
      assert.equal(patternExample(pattern), example)
    })
  }

  it('gives up what it cannot read', () => {
    for (const pattern of ['^(?=x)y', '(?!a).', '\\p{L}+', '(a)\\1', 'a{1000}', `^${'a'.repeat(600)}$`])
      assert.equal(patternExample(pattern), undefined)
  })

  it('never gives a text that the pattern refuses', () => {
    const piece = fc.constantFrom('a', '.', '\\d', '\\w', '\\s', '[a-c]', '[^a]', '(?:ab|c)', '(|x)', '\\.', '^', '$', '\\b')
    const count = fc.constantFrom('', '?', '*', '+', '{2}', '{1,3}', '+?')
    const source = fc
      .array(fc.tuple(piece, count), { maxLength: 6 })
      .map((parts) => parts.map(([a, b]) => (/^[$^]|b$/.test(a) ? a : a + b)).join(''))
    fc.assert(
      fc.property(source, (pattern) => {
        const example = patternExample(pattern)
        assert.ok(example === undefined || new RegExp(pattern, 'u').test(example))
      }),
      { numRuns: 300 },
    )
  })
})
