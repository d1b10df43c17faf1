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
        const read = argumentsOf(JSON.stringify(value))
        const whole = JSON.stringify(value).isWellFormed() && !/\\ud[89a-f]/i.test(JSON.stringify(value))
        // Halves of characters are the only thing in them that is changed, and that is told.
        if (whole) assert.deepEqual(read, { ok: true, value })
        else if (read.ok) assert.ok((read.repairs?.length ?? 0) > 0)
        assert.ok(!read.ok || JSON.stringify(read.value).isWellFormed())
      }),
    )
    const certain = fc
      .jsonValue()
      .map((value) =>
        JSON.parse(JSON.stringify(value, (_key, member) => (typeof member === 'number' && Math.abs(member) >= 2 ** 53 ? 1 : member))),
      )
    fc.assert(
      fc.property(fc.dictionary(fc.string(), certain), (object) => {
        const value = JSON.parse(JSON.stringify(object))
        assert.deepEqual(argumentsOf(value), { ok: true, value })
      }),
    )
  })

  it('what is no object keeps its raw text and is named', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['[1,2]', /are an array, not a JSON object/],
      ['"x"', /are a string/],
      ['7', /are a number/],
      ['true', /are a boolean/],
      [
        `{"paths": ['a' 'b']}`,
        /at position 11 found a single quote .* not be repaired: at position 13 where the string ends is not certain/,
      ],
      ['{"text": "one\ntwo', /position 13 found a raw line break inside a string/],
      ['{"a":1}{"b":2}', /position 7 found { where the text should have ended/],
      ['{"a":{"b":1,"b":2}}', /are not clear: at position 12 the key "b" stands twice with different values/],
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

  it('what is almost JSON is read, and says so; a closing bracket is added only to what its sender called finished', () => {
    assert.deepEqual(parseArguments(`{"paths": ['a']}`), {
      ok: true,
      value: { paths: ['a'] },
      repairs: [{ rule: 'single-quotes', at: 11, note: 'took single quotes around "a" for double ones' }],
    })
    const rules = (raw: string, ended = false): readonly string[] | undefined => {
      const args = parseArguments(raw, { ended })
      return args.ok ? args.repairs?.map(({ rule }) => rule) : undefined
    }
    assert.deepEqual(rules('{"text": "one\ntwo"}'), ['control-character'])
    assert.deepEqual(rules(JSON.stringify('{"a":1}')), ['double-encoded'])
    assert.deepEqual(rules(JSON.stringify("{'a':1}")), ['single-quotes'])
    assert.deepEqual(rules('{"a":["x"'), undefined)
    assert.deepEqual(rules('{"a":["x"', true), ['missing-end'])
    assert.deepEqual(rules('{"a":["x', true), undefined)
    assert.equal(parseArguments(JSON.stringify(JSON.stringify({ a: 1 }).repeat(2))).ok, true)
  })

  it('what parsing would change without a word is kept, told or refused', () => {
    const text = parseArguments('{"id":9007199254740993,"list":[{"id":12345678901234567890}]}')
    assert.ok(text.ok)
    assert.deepEqual(text.value, { id: '9007199254740993', list: [{ id: '12345678901234567890' }] })
    assert.deepEqual(
      text.repairs?.map(({ rule, at }) => [rule, at]),
      [
        ['big-number', 6],
        ['big-number', 37],
      ],
    )
    assert.deepEqual(parseArguments('{"t":1790000000000,"x":0.30000000000000004,"s":"1234567890123456789012"}'), {
      ok: true,
      value: { t: 1790000000000, x: 0.30000000000000004, s: '1234567890123456789012' },
    })
    // As a value its digits are gone already.
    const value = argumentsOf(JSON.parse('{"a":{"b/c":[9007199254740993]}}'))
    assert.ok(!value.ok)
    assert.match(value.problem, /the number at \/a\/b~1c\/0 has more digits/)
    assert.ok(argumentsOf({ a: 6.022e23, b: -0.1, c: Number.MAX_SAFE_INTEGER }).ok)
    const halves = argumentsOf({ '\uD800': ['\uDC00x'] })
    assert.ok(halves.ok)
    assert.deepEqual([halves.value, halves.repairs?.[0]?.rule], [{ '\uFFFD': ['\uFFFDx'] }, 'lone-surrogate'])
    assert.ok(!argumentsOf({ '\uD800': 1, '\uD801': 2 }).ok)
    assert.deepEqual(parseArguments('{"a":1,"a":1}'), {
      ok: true,
      value: { a: 1 },
      repairs: [{ rule: 'duplicate-key', at: 7, note: 'the key "a" stands twice with one value; taken once' }],
    })
  })

  it('text too long to be repaired is refused, and right JSON of any length is read', () => {
    const long = 'x'.repeat(5_000_000)
    const args = parseArguments(`{'a':"${long}"}`)
    assert.ok(!args.ok)
    assert.match(args.problem, /they are longer than 4194304 characters/)
    const right = parseArguments(`{"a":"${long}","b":"\\ud83d\\ude00"}`)
    assert.ok(right.ok && right.repairs === undefined && right.value.b === '😀')
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
