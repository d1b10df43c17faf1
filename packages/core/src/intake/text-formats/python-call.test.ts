import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parsePythonArguments } from './python-call.ts'

describe('arguments in Python notation', () => {
  const readable: readonly (readonly [string, unknown])[] = [
    ['()', {}],
    ['( a = 1 , )', { a: 1 }],
    ["(a='it''s', b=\"x\" 'y')", { a: 'its', b: 'xy' }],
    ['(a="""one "two" \\n""", b=r"c:\\temp")', { a: 'one "two" \n', b: 'c:\\temp' }],
    ['(a="\\x41\\u00e9\\U0001F600\\q")', { a: 'Aé😀\\q' }],
    ['(a=-1.5e3, b=1_000, c=0x1F, d=.5, e=+2)', { a: -1500, b: 1000, c: 31, d: 0.5, e: 2 }],
    ['(a=True, b=False, c=None, d=true, e=null)', { a: true, b: false, c: null, d: true, e: null }],
    ['(a=(1,), b=(1), c=(), d=[[1], {"k": (2, 3), 4: 5}])', { a: [1], b: 1, c: [], d: [[1], { k: [2, 3], 4: 5 }] }],
    ['({"a": 1})', { a: 1 }],
  ]
  for (const [text, value] of readable) {
    it(`reads ${text}`, () => {
      const args = parsePythonArguments(text)
      assert.deepEqual(args.ok ? args.value : args.problem, value)
    })
  }

  for (const [text, problem] of [
    ['(1)', /without the name/],
    ['(a=now())', /now, which is no literal/],
    ['(a=1+1)', /found \+ where \) should be/],
    ['(a="x)', /string does not end/],
    ['(a=12345678901234567890)', /too large to be kept exactly/],
    ['(a=[1)', /found \) where \] should be/],
    ['(a=1) b', /more behind/],
    ['({1, 2})', /where : should be/],
    [`(a=${'['.repeat(500)}`, /nested deeper/],
    ['(a={"x"})', /where : should be/],
  ] as const) {
    it(`refuses ${text.slice(0, 30)} and says where`, () => {
      const args = parsePythonArguments(text)
      assert.ok(!args.ok)
      assert.match(args.problem, problem)
      assert.match(args.problem, /at position \d+/)
    })
  }

  it('a key named __proto__ is a key', () => {
    const args = parsePythonArguments('(a={"__proto__": {"x": 1}}, __proto__=2)')
    assert.ok(args.ok)
    assert.deepEqual(Object.keys(args.value), ['a', '__proto__'])
    assert.equal(Object.getPrototypeOf(args.value), Object.prototype)
  })

  it('reads any strings that are written as Python writes them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom("'", '"'), (text, quote) => {
        const value = text.toWellFormed()
        const written = value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)
        const args = parsePythonArguments(`(a=${quote}${written}${quote})`)
        assert.deepEqual(args.ok ? args.value : args.problem, { a: value })
      }),
      { numRuns: 300 },
    )
  })
})
