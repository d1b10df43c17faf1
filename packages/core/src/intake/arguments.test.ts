import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { argumentsOf, MAX_DEPTH, parseArguments } from './arguments.ts'

describe('arguments', () => {
  it('absent, null, empty and {} are an empty object', () => {
    for (const value of [undefined, null, '', ' \n', 'null', '{}', {}]) assert.deepEqual(argumentsOf(value), { ok: true, value: {} })
  })

  it('any object comes through unchanged, as a value and as text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (object) => {
        const value = JSON.parse(JSON.stringify(object))
        assert.deepEqual(argumentsOf(value), { ok: true, value })
        assert.deepEqual(argumentsOf(JSON.stringify(value)), { ok: true, value })
      }),
    )
  })

  it('what is no object keeps its raw text and is named', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['[1,2]', /are an array, not a JSON object/],
      ['"x"', /are a string/],
      ['7', /are a number/],
      ['true', /are a boolean/],
      [`{"paths": ['a']}`, /at position 11 found a single quote/],
      ['{"text": "one\ntwo"}', /position 13 found a raw line break inside a string/],
      ['{"a":1}{"b":2}', /position 7 found { where the text should have ended/],
    ]
    for (const [raw, problem] of cases) {
      const args = parseArguments(raw)
      assert.ok(!args.ok)
      assert.equal(args.raw, raw)
      assert.equal(args.code, 'INVALID_JSON')
      assert.match(args.problem, problem)
    }
    const args = argumentsOf([1])
    assert.ok(!args.ok && args.raw === '[1]')
  })

  it('keys that name inherited members stay own properties', () => {
    const args = parseArguments('{"__proto__":{"admin":true},"constructor":1}')
    assert.ok(args.ok)
    assert.deepEqual(Object.keys(args.value), ['__proto__', 'constructor'])
    assert.equal(Reflect.get({}, 'admin'), undefined)
    assert.equal(Object.getPrototypeOf(args.value), Object.prototype)
  })

  it('nesting is bounded, as text and as a value, and never overflows', () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    assert.ok(parseArguments(nested(MAX_DEPTH)).ok)
    for (const levels of [MAX_DEPTH + 1, 100_000, 1_000_000]) {
      const args = parseArguments(nested(levels))
      assert.ok(!args.ok)
      assert.match(args.problem, /nested deeper/)
      assert.ok(args.raw.length < 10_000)
    }
    assert.ok(!argumentsOf(JSON.parse(nested(100_000))).ok)
    assert.ok(!argumentsOf(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).ok)
  })
})
