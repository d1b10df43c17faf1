import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { JsonSchema, JsonValue } from '../contract/json.ts'
import { type ArgumentProblem, type ProblemReport, reportProblems } from './problem-report.ts'
import { compileSchema } from './validate.ts'

function report(schema: JsonSchema, value: JsonValue): ProblemReport {
  const compiled = compileSchema(schema)
  return reportProblems('a_tool', compiled, value, compiled.issues(value))
}

function only(schema: JsonSchema, value: JsonValue): ArgumentProblem {
  const { problems } = report(schema, value)
  assert.equal(problems.length, 1, JSON.stringify(problems))
  return problems[0] ?? assert.fail('no problem was told')
}

describe('reportProblems', () => {
  it('says which argument, what was got, what is expected, and an example', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { path: { type: 'string', examples: ['notes.md'] }, limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 } },
      required: ['path'],
    }
    const { message, hint } = report(schema, { limit: '5px' })
    assert.equal(
      message,
      [
        'Wrong arguments for a_tool:',
        '- path: got nothing, expected string, for example "notes.md"',
        '- limit: got string "5px", expected integer from 1 to 50, for example 10',
        'Arguments that fit: {"path":"notes.md"}',
      ].join('\n'),
    )
    assert.equal(hint, 'Correct path, limit and call a_tool again.')
  })

  it('writes places as code does', () => {
    const schema: JsonSchema = {
      properties: { filter: { properties: { dates: { type: 'array', items: { type: 'integer' } }, 'odd name': { type: 'integer' } } } },
    }
    const { problems } = report(schema, { filter: { dates: [1, 'x'], 'odd name': 'y' } })
    assert.deepEqual(
      problems.map((problem) => problem.argument),
      ['filter.dates[1]', 'filter["odd name"]'],
    )
  })

  it('names the nearest argument for an unknown one, or those there are', () => {
    const schema: JsonSchema = { properties: { path: {}, limit: {} }, additionalProperties: false }
    assert.equal(only(schema, { file_path: 'x' }).expected, 'no such argument; did you mean path?')
    assert.equal(only(schema, { zzz: 'x' }).expected, 'no such argument; there are path, limit')
    assert.equal(only(schema, { constructor: 'x' }).argument, 'constructor')
    const composed: JsonSchema = { allOf: [{ properties: { path: {} } }], properties: { limit: {} }, unevaluatedProperties: false }
    assert.equal(only(composed, { limits: 1 }).expected, 'no such argument; did you mean limit?')
  })

  it('tells of the alternative that was meant', () => {
    const schema: JsonSchema = {
      properties: {
        shape: {
          anyOf: [
            { type: 'null' },
            { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
            { type: 'object', properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] },
          ],
        },
      },
    }
    assert.deepEqual(only(schema, { shape: { kind: 'square' } }), {
      argument: 'shape.side',
      got: 'nothing',
      expected: 'number',
      example: '1',
    })
  })

  it('says all alternatives at once when none was meant', () => {
    const schema: JsonSchema = {
      properties: { id: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'integer' } }, { type: 'null' }] } },
    }
    const problem = only(schema, { id: 'x' })
    assert.equal(problem.argument, 'id')
    assert.equal(problem.expected, 'integer, or array of integer, or null')
  })

  const rows: readonly (readonly [schema: JsonSchema, value: JsonValue, expected: RegExp])[] = [
    [{ enum: ['a', 'b'] }, 'c', /^one of "a", "b"$/],
    [{ const: 5 }, 6, /^5$/],
    [
      {
        oneOf: [
          { const: 1, title: 'low' },
          { const: 3, title: 'high' },
        ],
      },
      'x',
      /^1 \(low\), or 3 \(high\)$/,
    ],
    [{ oneOf: [{ type: 'integer' }, { minimum: 1 }] }, 5, /fits one alternative only \(it fits number 1 and 2\)/],
    [{ type: 'string', minLength: 2, maxLength: 4 }, 'x', /^string of 2 to 4 characters$/],
    [{ type: 'string', pattern: '^[A-Z]{3}$', format: 'code' }, 'x', /^string \(code\) matching \^\[A-Z\]\{3\}\$$/],
    [{ type: 'number', exclusiveMinimum: 0, multipleOf: 5 }, -5, /^number above 0, a multiple of 5$/],
    [{ type: 'array', items: { type: 'integer' }, maxItems: 1 }, [1, 2], /^array of integer of at most 1 items$/],
    [{ type: 'array', prefixItems: [{}], items: false }, [1, 2], /at most 1 items/],
    [{ type: 'array', uniqueItems: true }, [1, 1], /different items \(items 0 and 1/],
    [{ type: 'array', contains: { type: 'string' } }, [1], /at least 1 item that is string/],
    [{ type: 'object', propertyNames: { maxLength: 2 } }, { long: 1 }, /^other names than "long": a value of at most 2 characters$/],
    [{ type: 'object', minProperties: 1 }, {}, /at least 1 members/],
    [{ type: 'object', maxProperties: 0 }, { a: 1 }, /at most 0 members/],
    [{ not: { type: 'string' } }, 'x', /anything but string/],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, /needed with a/],
    [{ type: 'object', required: ['x', 'y'] }, 'x', /object with x, y/],
    [false, 1, /to be left out/],
    [{ allOf: [{ type: 'integer' }, { minimum: 3 }] }, 1, /at least 3/],
    [{ $ref: '#/$defs/A' }, 'x', /integer/],
  ]
  for (const [property, value, expected] of rows) {
    it(`${JSON.stringify(value)} under ${JSON.stringify(property)}`, () => {
      const { problems } = report({ properties: { a: property }, $defs: { A: { type: 'integer' } } }, { a: value })
      assert.ok(problems.length > 0)
      assert.ok(
        problems.some((problem) => expected.test(problem.expected)),
        JSON.stringify(problems),
      )
      assert.ok(problems.every((problem) => problem.argument.startsWith('a')))
    })
  }

  it('tells of no arguments at all', () => {
    const { message } = report(false, {})
    assert.match(message, /no arguments fit this tool/)
  })

  it('stays bounded for large and hostile arguments', () => {
    const huge = 'x'.repeat(1_000_000)
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'integer' } },
        text: { type: 'integer' },
        pick: { enum: Array.from({ length: 5_000 }, (_, n) => `choice ${n}`) },
      },
      required: Array.from({ length: 1_000 }, (_, n) => `argument_${n}`),
      additionalProperties: false,
    }
    const value = { list: Array.from({ length: 5_000 }, () => huge.slice(0, 100)), text: huge, pick: [huge], [huge]: huge }
    const { message, problems } = report(schema, value)
    assert.equal(problems.length, 8)
    assert.match(message, /and \d+ more/)
    assert.ok(message.length < 5_000, String(message.length))
    for (const part of [{ text: huge }, { pick: [huge] }, { [huge]: 1 }, { list: [{ [huge]: huge }] }]) {
      assert.ok(report({ ...schema, required: [] }, part).message.length < 2_000)
    }
  })

  it('never cuts a character in two', () => {
    const { message } = report({ properties: { a: { type: 'integer' } } }, { a: `x${'😀'.repeat(500)}` })
    assert.equal(message.isWellFormed(), true)
  })

  it('tells at least one problem, with its argument, for whatever does not fit', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        a: { anyOf: [{ type: 'integer' }, { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] }] },
        c: { type: 'array', items: { oneOf: [{ enum: ['x'] }, { type: 'integer', minimum: 5 }] } },
      },
      required: ['a'],
      additionalProperties: false,
    }
    const compiled = compileSchema(schema)
    const value = fc.record(
      { a: fc.anything({ maxDepth: 2 }), c: fc.array(fc.anything({ maxDepth: 1 })), d: fc.string() },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(value, (made) => {
        const sent: JsonValue = JSON.parse(JSON.stringify(made))
        fc.pre(!compiled.accepts(sent))
        const { problems, message } = reportProblems('a_tool', compiled, sent, compiled.issues(sent))
        assert.ok(problems.length > 0)
        for (const problem of problems) assert.ok(message.includes(`- ${problem.argument}`))
      }),
      { numRuns: 150 },
    )
  })
})
