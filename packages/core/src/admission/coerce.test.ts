import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isJsonObject, type JsonSchema, type JsonValue } from '../contract/json.ts'
import { type Coercion, coerce } from './coerce.ts'
import { isJsonArray } from './json-shape.ts'
import { compileSchema } from './validate.ts'

function convert(schema: JsonSchema, value: JsonValue): Coercion {
  return coerce(compileSchema(schema), value)
}

/** The value of the one property `a`, converted; `undefined` when it does not fit in the end. */
function converted(property: JsonSchema, value: JsonValue, rest: Readonly<Record<string, JsonValue>> = {}): JsonValue | undefined {
  const { value: result, issues } = convert({ type: 'object', properties: { a: property }, required: ['a'], ...rest }, { a: value })
  return issues.length === 0 && isJsonObject(result) ? result.a : undefined
}

describe('conversions that are safe', () => {
  const level = {
    oneOf: [
      { const: 1, title: 'low' },
      { const: 3, title: 'High' },
    ],
  }
  // Parsed, since an object literal with a member `then` looks like a promise to the linter.
  const conditional: JsonSchema = JSON.parse(
    '{"type":"object","if":{"required":["k"]},"then":{"properties":{"v":{"type":"integer"}}},"else":{"properties":{"v":{"type":"boolean"}}}}',
  )
  const seconds = { type: 'integer', format: 'unix-time' }
  const rows: readonly (readonly [schema: JsonSchema, from: JsonValue, to: JsonValue])[] = [
    [{ type: 'integer' }, '5', 5],
    [{ type: 'integer' }, ' 5 ', 5],
    [{ type: 'integer' }, '5.0', 5],
    [{ type: 'integer' }, '-12', -12],
    [{ type: 'integer' }, '1e3', 1000],
    [{ type: 'integer' }, '-0', 0],
    [{ type: 'integer' }, '007', 7],
    [{ type: 'number' }, '0.1', 0.1],
    [{ type: 'number' }, '2.50', 2.5],
    [{ type: ['integer', 'null'] }, '5', 5],
    [{ type: ['integer', 'null'] }, 'null', null],
    [{ type: 'string' }, 5, '5'],
    [{ type: 'string' }, true, 'true'],
    [{ type: 'string', format: 'int64' }, 5, '5'],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'boolean' }, 'False', false],
    [{ type: 'boolean' }, ' YES ', true],
    [{ type: 'boolean' }, 'no', false],
    [{ type: 'string', format: 'date-time' }, 1_700_000_000, '2023-11-14T22:13:20.000Z'],
    [{ type: 'string', format: 'date-time' }, 1_700_000_000_123, '2023-11-14T22:13:20.123Z'],
    [{ type: 'string', format: 'date' }, 1_700_006_400, '2023-11-15'],
    [seconds, '2023-11-14T22:13:20Z', 1_700_000_000],
    [seconds, '2023-11-15T00:13:20+02:00', 1_700_000_000],
    [seconds, '2023-11-15', 1_700_006_400],
    [{ type: 'integer', format: 'epoch-millis' }, '2023-11-14T22:13:20.123Z', 1_700_000_000_123],
    [{ type: 'integer', description: 'Unix timestamp of the start' }, '2023-11-14T22:13:20Z', 1_700_000_000],
    [{ type: 'integer', description: 'Start, epoch in milliseconds' }, '2023-11-14T22:13:20Z', 1_700_000_000_000],
    [{ type: 'object' }, '{"x":[1]}', { x: [1] }],
    [{ type: 'array' }, ' [1,2]', [1, 2]],
    [{ type: 'array', items: { type: 'integer' } }, '["1","2"]', [1, 2]],
    [{ type: 'array', items: { type: 'string' } }, 'x', ['x']],
    [{ type: 'array', items: { type: 'integer' } }, '5', [5]],
    [{ type: 'array', items: { type: 'object' } }, { x: 1 }, [{ x: 1 }]],
    [{ type: 'string' }, ['x'], 'x'],
    [{ type: 'integer' }, ['5'], 5],
    [{ enum: ['asc', 'desc'] }, 'DESC', 'desc'],
    [{ enum: ['asc', 'desc'] }, ' asc ', 'asc'],
    [{ enum: ['in_progress', 'done'] }, 'In progress', 'in_progress'],
    [{ enum: [1, 2] }, '2', 2],
    [{ type: 'string', enum: ['1', '2'] }, 2, '2'],
    [{ const: 'fixed' }, 'Fixed', 'fixed'],
    [level, 'high', 3],
    [level, 'LOW', 1],
    [level, '3', 3],
    [{ anyOf: level.oneOf }, 'high', 3],
    [{ enum: [10, 20], enumNames: ['ten', 'twenty'] }, 'Twenty', 20],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '5', 5],
    [{ anyOf: [{ type: 'object', properties: { n: { type: 'integer' } } }, { type: 'null' }] }, { n: '5' }, { n: 5 }],
    [{ allOf: [{ type: 'integer' }, { minimum: 3 }] }, '5', 5],
    [{ type: 'array', prefixItems: [{ type: 'integer' }, { type: 'boolean' }] }, ['1', 'yes'], [1, true]],
    [
      { type: 'object', additionalProperties: { type: 'integer' } },
      { x: '1', y: 2 },
      { x: 1, y: 2 },
    ],
    [
      { type: 'object', patternProperties: { '^n': { type: 'integer' } } },
      { n1: '1', s: '1' },
      { n1: 1, s: '1' },
    ],
    [{ $ref: '#/$defs/n' }, '5', 5],
    [conditional, { k: 1, v: '1' }, { k: 1, v: 1 }],
    [conditional, { v: 'no' }, { v: false }],
    [{ type: 'object' }, '{"__proto__":{"x":1}}', JSON.parse('{"__proto__":{"x":1}}')],
  ]
  for (const [schema, from, to] of rows) {
    it(`${JSON.stringify(from)} → ${JSON.stringify(to)} under ${JSON.stringify(schema)}`, () => {
      assert.deepEqual(converted(schema, from, { $defs: { n: { type: 'integer' } } }), to)
    })
  }

  it('takes the alternative whose fixed word agrees', () => {
    const shape: JsonSchema = {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
        { type: 'object', properties: { kind: { const: 'square' }, r: { type: 'string' } }, required: ['kind', 'r'] },
      ],
    }
    assert.deepEqual(converted(shape, { kind: 'circle', r: '2' }), { kind: 'circle', r: 2 })
    assert.deepEqual(converted(shape, { kind: 'square', r: 2 }), { kind: 'square', r: '2' })
  })

  it('reads lists of items as draft-07 writes them', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { items: [{ type: 'integer' }], additionalItems: { type: 'boolean' } } },
    }
    const { value, issues } = convert(schema, { a: ['1', 'yes', 'no'] })
    assert.deepEqual(issues, [])
    assert.deepEqual(value, { a: [1, true, false] })
  })

  it('leaves out null for an optional argument, and only there', () => {
    const schema: JsonSchema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] }
    assert.deepEqual(convert(schema, { a: 'x', b: null }), {
      value: { a: 'x' },
      conversions: [{ path: '/b', from: 'null', to: 'left out', rule: 'null → left out' }],
      issues: [],
    })
    assert.notDeepEqual(convert(schema, { a: null }).issues, [])
    const nullable = convert({ type: 'object', properties: { a: { type: ['string', 'null'] } } }, { a: null })
    assert.deepEqual(nullable.value, { a: null })
    assert.deepEqual(nullable.conversions, [])
    const elsewhere: JsonSchema = { allOf: [{ required: ['a'] }], properties: { a: { type: 'string' } } }
    assert.equal(convert(elsewhere, { a: null }).conversions.length, 0)
  })
})

describe('conversions that are not safe', () => {
  const rows: readonly (readonly [schema: JsonSchema, value: JsonValue])[] = [
    [{ type: 'integer' }, '5px'],
    [{ type: 'integer' }, '5.5'],
    [{ type: 'integer' }, 5.5],
    [{ type: 'integer' }, ''],
    [{ type: 'integer' }, ' '],
    [{ type: 'integer' }, '0x10'],
    [{ type: 'integer' }, '1,000'],
    [{ type: 'integer' }, '٥'],
    [{ type: 'integer' }, 'Infinity'],
    [{ type: 'integer' }, 'NaN'],
    [{ type: 'integer' }, '9007199254740993'],
    [{ type: 'number' }, '1e999'],
    [{ type: 'number' }, '0.12345678901234567890123'],
    [{ type: 'integer' }, true],
    [{ type: 'integer' }, null],
    [{ type: 'integer', minimum: 10 }, '5'],
    [{ type: 'boolean' }, 1],
    [{ type: 'boolean' }, '1'],
    [{ type: 'boolean' }, 'maybe'],
    [{ type: 'string' }, null],
    [{ type: 'string' }, { x: 1 }],
    [{ type: 'string' }, ['a', 'b']],
    [{ type: 'string', format: 'date-time' }, 5],
    [{ type: 'string', format: 'date' }, 1_700_000_001],
    [{ type: 'string', format: 'email' }, 5],
    [{ type: 'integer' }, '2023-11-14T22:13:20Z'],
    [{ type: 'integer', format: 'unix-time' }, '2023-11-14T22:13:20'],
    [{ type: 'integer', format: 'unix-time' }, '2023-11-14T22:13:20.5Z'],
    [{ type: 'integer', format: 'unix-time' }, '2023-02-31'],
    [{ type: 'integer', format: 'unix-time' }, 'yesterday'],
    [{ type: 'integer', description: 'timestamp' }, '2023-11-14T22:13:20Z'],
    [{ type: 'object' }, '{"x":'],
    [{ type: 'object' }, '[1]'],
    [{ type: 'object' }, 'x'],
    [{ type: 'array', items: { type: 'integer' } }, 'x'],
    [{ type: 'array' }, null],
    [{ type: 'array', items: { type: 'string' } }, '["a", '],
    [{ enum: ['a', 'b'] }, 'c'],
    [{ enum: ['Ab', 'aB'] }, 'AB'],
    [{ enum: [1, '1'] }, true],
    [
      {
        oneOf: [
          { const: 1, title: 'x' },
          { const: 2, title: 'X' },
        ],
      },
      ' x',
    ],
    [{ anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'integer' } }] }, '5'],
    [{ oneOf: [{ type: 'integer' }, { type: 'boolean' }] }, 'x'],
    [{ not: { type: 'string' } }, '5'],
    [false, 5],
  ]
  for (const [schema, value] of rows) {
    it(`${JSON.stringify(value)} stays refused under ${JSON.stringify(schema)}`, () => {
      assert.equal(converted(schema, value), undefined)
    })
  }

  it('invents nothing: a default is not filled in', () => {
    const schema: JsonSchema = { type: 'object', properties: { a: { type: 'string', default: 'x' } }, required: ['a'] }
    assert.deepEqual(convert(schema, {}).value, {})
    assert.notDeepEqual(convert(schema, {}).issues, [])
  })

  it('does not nest without measure', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    assert.ok(converted({ type: 'array', items: { type: 'array' } }, deep) === undefined)
  })

  it('converts many rows of alternatives', () => {
    const schema: JsonSchema = { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }
    const { value, issues, conversions } = convert(
      schema,
      Array.from({ length: 3_000 }, (_, n) => String(n)),
    )
    assert.deepEqual(issues, [])
    assert.equal(conversions.length, 3_000)
    assert.deepEqual(
      value,
      Array.from({ length: 3_000 }, (_, n) => n),
    )
  })

  it('does not change the value it is given', () => {
    const value = { a: ['1', { b: '2' }], c: null }
    const before = structuredClone(value)
    const schema: JsonSchema = {
      properties: { a: { prefixItems: [{ type: 'integer' }, { properties: { b: { type: 'integer' } } }] }, c: { type: 'string' } },
    }
    assert.deepEqual(convert(schema, value).value, { a: [1, { b: 2 }] })
    assert.deepEqual(value, before)
  })

  it('keeps keys that Object.prototype knows', () => {
    const value: JsonValue = JSON.parse('{"__proto__":{"polluted":true},"constructor":"x","n":"5"}')
    const { value: result } = convert({ type: 'object', properties: { n: { type: 'integer' } } }, value)
    assert.equal(JSON.stringify(result), '{"__proto__":{"polluted":true},"constructor":"x","n":5}')
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  })
})

/** A schema, a value that fits it, and the same value as a model may spell it. */
interface Spelling {
  readonly schema: JsonSchema
  readonly value: JsonValue
  readonly spelled: JsonValue
  /** A scalar may stand for a list of one; a list may not, since its text would be read first. */
  readonly scalar: boolean
}

const integer = fc.tuple(fc.integer(), fc.nat(3)).map(
  ([value, way]): Spelling => ({
    schema: { type: 'integer' },
    value,
    spelled: [value, String(value), ` ${value}.0`, [value]][way] ?? value,
    scalar: true,
  }),
)
const truth = fc.tuple(fc.boolean(), fc.nat(3)).map(
  ([value, way]): Spelling => ({
    schema: { type: 'boolean' },
    value,
    spelled: [value, String(value), value ? 'YES' : 'No', [value]][way] ?? value,
    scalar: true,
  }),
)
const choice = fc.tuple(fc.constantFrom('alpha', 'beta_two'), fc.nat(3)).map(
  ([value, way]): Spelling => ({
    schema: { enum: ['alpha', 'beta_two'] },
    value,
    spelled: [value, value.toUpperCase(), ` ${value} `, value.replace('_', ' ')][way] ?? value,
    scalar: false,
  }),
)
const text = fc.string().map((value): Spelling => ({ schema: { type: 'string' }, value, spelled: value, scalar: false }))

const { node } = fc.letrec<{ node: Spelling; list: Spelling; record: Spelling }>((tie) => ({
  node: fc.oneof({ maxDepth: 3, withCrossShrink: true }, integer, truth, choice, text, tie('list'), tie('record')),
  list: fc.tuple(fc.oneof(integer, truth, tie('record')), fc.nat(4), fc.nat(2)).map(([item, count, way]): Spelling => {
    const value = Array.from({ length: count }, () => item.value)
    const spelled = Array.from({ length: count }, () => item.spelled)
    const asOne = count === 1 && item.scalar && !isJsonArray(item.spelled) ? item.spelled : spelled
    return {
      schema: { type: 'array', items: item.schema },
      value,
      spelled: [spelled, JSON.stringify(spelled), asOne][way] ?? spelled,
      scalar: false,
    }
  }),
  record: fc
    .tuple(fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a/b', '~')), tie('node'), { maxKeys: 4 }), fc.nat(1))
    .map(([members, way]): Spelling => {
      const all = Object.entries(members)
      const spelled = Object.fromEntries(all.map(([key, member]) => [key, member.spelled]))
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(all.map(([key, member]) => [key, member.schema])),
          required: all.map(([key]) => key),
          additionalProperties: false,
        },
        value: Object.fromEntries(all.map(([key, member]) => [key, member.value])),
        spelled: way === 0 ? spelled : JSON.stringify(spelled),
        scalar: false,
      }
    }),
}))

/** Paths at which two values differ. */
function differences(a: JsonValue | undefined, b: JsonValue | undefined, path: string): readonly string[] {
  if (isJsonArray(a) && isJsonArray(b) && a.length === b.length)
    return a.flatMap((item, index) => differences(item, b[index], `${path}/${index}`))
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    const own = (object: Readonly<Record<string, JsonValue>>, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined)
    return keys.flatMap((key) => differences(own(a, key), own(b, key), `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`))
  }
  return a === b ? [] : [path]
}

describe('properties of conversion', () => {
  it('never changes a value that fits', () => {
    fc.assert(
      fc.property(node, ({ schema, value }) => {
        const result = convert(schema, value)
        assert.equal(result.value, value)
        assert.deepEqual(result.conversions, [])
        assert.deepEqual(result.issues, [])
      }),
      { numRuns: 150 },
    )
  })

  it('finds the value behind a spelling; it fits, is recorded, and converting again changes nothing', () => {
    fc.assert(
      fc.property(node, ({ schema, value, spelled }) => {
        const before = JSON.stringify(spelled)
        const result = convert(schema, spelled)
        assert.equal(JSON.stringify(spelled), before)
        assert.deepEqual(result.issues, [])
        assert.equal(JSON.stringify(result.value), JSON.stringify(value))
        assert.equal(compileSchema(schema).accepts(result.value), true)
        const recorded = result.conversions.map((conversion) => conversion.path)
        for (const path of differences(spelled, result.value, '')) {
          assert.ok(
            recorded.some((place) => path === place || path.startsWith(`${place}/`)),
            `${path} is in no record`,
          )
        }
        const again = convert(schema, result.value)
        assert.equal(again.value, result.value)
        assert.deepEqual(again.conversions, [])
      }),
      { numRuns: 300 },
    )
  })

  it('gives what fits, or says what does not, for any schema of these words and any value', () => {
    const words: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.boolean(),
        fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object') }),
        fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1, maxLength: 4 }) }),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({ type: fc.constant('object'), properties: fc.record({ a: tie('schema'), b: tie('schema') }, { requiredKeys: [] }) }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ not: tie('schema') }),
      ),
    })).schema
    const values: fc.Arbitrary<JsonValue> = fc.oneof(
      fc.constantFrom<JsonValue>('5', 'true', 'null', '[1]', '{"a":"1"}', { a: '5', b: null }, ['x'], 1_700_000_000),
      fc.json({ maxDepth: 3 }).map((json): JsonValue => JSON.parse(json)),
    )
    fc.assert(
      fc.property(words, values, (schema, value) => {
        const compiled = compileSchema(schema)
        const result = coerce(compiled, value)
        assert.equal(result.issues.length === 0, compiled.accepts(result.value))
        if (result.issues.length === 0) assert.equal(result.value === value, result.conversions.length === 0)
      }),
      { numRuns: 200 },
    )
  })
})
