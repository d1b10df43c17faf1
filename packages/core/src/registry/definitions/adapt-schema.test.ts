import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import type { JsonObject, JsonSchema, JsonValue } from '../../contract/index.ts'
import { type SchemaRule, schemaAdapter } from './adapt-schema.ts'

const ALL = new Set(['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'])
const KEEP: SchemaRule = { rootRefuses: ALL, refs: 'keep', wantsItems: true }
const ALONE: SchemaRule = { rootRefuses: ALL, refs: 'defs-alone', wantsItems: true, constAsEnum: true }
const NAMED: SchemaRule = { rootRefuses: ALL, refs: 'keep', wantsItems: false, propertyName: /^[A-Za-z0-9_.-]{1,64}$/ }

function adapt(schema: JsonSchema, rule: SchemaRule = KEEP): JsonObject {
  return schemaAdapter(rule)(schema).schema
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) freeze(member)
    Object.freeze(value)
  }
  return value
}

describe('schemaAdapter: the root', () => {
  it('makes an object of what says nothing', () => {
    const plain = { type: 'object', properties: {} }
    assert.deepEqual(adapt(true), plain)
    assert.deepEqual(adapt({}), plain)
    assert.deepEqual(adapt({ type: 'object' }), plain)
    assert.deepEqual(adapt({ type: ['object', 'null'] }), plain)
    assert.deepEqual(adapt(false), { ...plain, additionalProperties: false })
  })

  it('takes $schema out and leaves the rest of a plain schema as it is', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', minLength: 1 } }, required: ['a'], additionalProperties: false }
    assert.deepEqual(adapt({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema }), schema)
  })

  it('merges alternatives and says in the note what was lost', () => {
    const adapted = schemaAdapter(KEEP)({
      type: 'object',
      properties: { a: { type: 'string' } },
      anyOf: [{ required: ['route'] }, { required: ['file', 'line'] }],
    })
    assert.deepEqual(adapted.schema, { type: 'object', properties: { a: { type: 'string' } } })
    assert.equal(adapted.note, 'Give at least one of these sets of arguments: (route), (file, line).')
  })

  it('joins the marks of a discriminated union', () => {
    const schema = adapt({
      oneOf: [
        { type: 'object', properties: { kind: { const: 'circle' }, radius: { type: 'number' } }, required: ['kind', 'radius'] },
        { type: 'object', properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] },
      ],
    })
    assert.deepEqual(schema, {
      type: 'object',
      properties: { kind: { enum: ['circle', 'square'] }, radius: { type: 'number' }, side: { type: 'number' } },
      required: ['kind'],
    })
  })

  it('requires what any part of an allOf requires', () => {
    const schema = adapt({
      allOf: [
        { properties: { a: {} }, required: ['a'] },
        { properties: { b: {} }, required: ['b'] },
      ],
    })
    assert.deepEqual(schema.required, ['a', 'b'])
  })

  it('leaves alternatives alone where the rule does', () => {
    const schema = { type: 'object', properties: {}, anyOf: [{ required: ['a'] }, { required: ['b'] }] }
    assert.deepEqual(adapt(schema, { ...KEEP, rootRefuses: new Set() }), schema)
  })

  it('follows a reference at the root, and one that comes back to itself ends', () => {
    const schema = { $ref: '#/$defs/Input', $defs: { Input: { type: 'object', properties: { a: { type: 'string' } } } } }
    assert.deepEqual(adapt(schema).properties, { a: { type: 'string' } })
    assert.equal(adapt({ $ref: '#' }).type, 'object')
    assert.equal(adapt({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }).type, 'object')
    assert.equal(adapt({ $ref: 'https://example.org/other.json' }).type, 'object')
  })

  it('says what an enum or a not at the root asked for', () => {
    const adapted = schemaAdapter(KEEP)({ type: 'object', not: { required: ['a'] } })
    assert.deepEqual(adapted.schema, { type: 'object', properties: {} })
    assert.match(adapted.note ?? '', /\{"not":\{"required":\["a"\]\}\}/)
  })

  it('leaves out properties that may not be called so, and names them in the note', () => {
    const adapted = schemaAdapter(NAMED)({
      type: 'object',
      properties: { 'filter[name]': { type: 'string' }, $top: { type: 'integer' }, fine: { type: 'string' } },
      required: ['$top', 'fine'],
      additionalProperties: false,
    })
    assert.deepEqual(adapted.schema, { type: 'object', properties: { fine: { type: 'string' } }, required: ['fine'] })
    assert.match(adapted.note ?? '', /filter\[name\].*\$top/)
  })
})

describe('schemaAdapter: references', () => {
  const sibling: JsonObject = {
    type: 'object',
    properties: { x: { $ref: '#/$defs/X', type: 'object', description: 'the X' } },
    $defs: { X: { type: 'object', properties: { deep: { $ref: '#/$defs/Y' } }, description: 'any X' }, Y: { type: 'string' } },
  }

  it('keeps them, with what stands beside them, where they are taken so', () => {
    assert.deepEqual(adapt(sibling), sibling)
  })

  it('replaces one that has something beside it where that is refused', () => {
    const properties = adapt(sibling, ALONE).properties
    assert.deepEqual(properties, {
      x: { type: 'object', properties: { deep: { $ref: '#/$defs/Y' } }, description: 'the X' },
    })
  })

  it('replaces one into properties', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        headers: { type: 'object', properties: { name: { type: 'string' } } },
        actions: { type: 'array', items: { $ref: '#/properties/headers' } },
      },
    }
    assert.deepEqual(adapt(schema), schema)
    assert.deepEqual(adapt(schema, ALONE).properties, {
      headers: { type: 'object', properties: { name: { type: 'string' } } },
      actions: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    })
  })

  it('keeps an enum behind a reference, with no type of its own', () => {
    const schema: JsonObject = { type: 'object', properties: { c: { $ref: '#/$defs/C' } }, $defs: { C: { enum: ['red', 'blue'] } } }
    assert.deepEqual(adapt(schema, ALONE), schema)
  })

  it('resolves escaped pointers and anchors', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { a: { $ref: '#/definitions/x~1y%20z' }, b: { $ref: '#mark' } },
      definitions: { 'x/y z': { type: 'integer' }, m: { $anchor: 'mark', type: 'boolean' } },
    }
    const properties = adapt(schema, ALONE).properties
    assert.deepEqual(properties, { a: { type: 'integer' }, b: { $anchor: 'mark', type: 'boolean' } })
  })

  it('ends on a schema inside itself', () => {
    const tree: JsonObject = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/Node', description: 'the root' }, other: { $ref: '#/definitions/Loop' } },
      $defs: { Node: { type: 'object', properties: { child: { $ref: '#/$defs/Node', description: 'below' } } } },
      definitions: { Loop: { type: 'array', items: { $ref: '#/definitions/Loop' } } },
    }
    const adapted = adapt(tree, ALONE)
    new Ajv2020({ strict: false }).compile(adapted)
    assert.ok(JSON.stringify(adapted).length < 2_000)
  })

  it('replaces a reference into alternatives that were merged', () => {
    const schema: JsonObject = {
      anyOf: [
        { properties: { day: { type: 'string', pattern: '^[0-9]+$' } } },
        { properties: { until: { $ref: '#/anyOf/0/properties/day' } } },
      ],
    }
    assert.deepEqual(adapt(schema).properties, {
      day: { type: 'string', pattern: '^[0-9]+$' },
      until: { type: 'string', pattern: '^[0-9]+$' },
    })
  })

  it('stays small and quick when references multiply', () => {
    const definitions: Record<string, JsonObject> = { d0: { type: 'string' } }
    for (let level = 1; level < 40; level++) {
      const below = { $ref: `#/definitions/d${level - 1}` }
      definitions[`d${level}`] = { type: 'object', properties: { a: below, b: below } }
    }
    const adapted = adapt({ type: 'object', properties: { x: { $ref: '#/definitions/d39' } }, definitions }, ALONE)
    assert.ok(JSON.stringify(adapted).length < 3_000_000)
  })
})

describe('schemaAdapter: inside', () => {
  it('gives an array items where they are missing', () => {
    assert.deepEqual(adapt({ type: 'object', properties: { a: { type: 'array' } } }).properties, { a: { type: 'array', items: {} } })
    const one: JsonObject = { type: 'object', properties: { a: { type: 'array' } } }
    assert.deepEqual(adapt(one, NAMED), one)
  })

  it('writes older drafts in the way of 2020-12', () => {
    const adapted = adapt({
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
        above: { type: 'number', minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      },
    })
    assert.deepEqual(adapted.properties, {
      pair: { type: 'array', items: false, prefixItems: [{ type: 'string' }, { type: 'number' }] },
      above: { type: 'number', exclusiveMinimum: 3, maximum: 9 },
    })
  })

  it('writes const as an enum where that is the only way to say it', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { kind: { const: 'circle', title: 'Kind' }, both: { const: 1, enum: [1, 2] } },
    }
    assert.deepEqual(adapt(schema), schema)
    assert.deepEqual(adapt(schema, ALONE).properties, { kind: { title: 'Kind', enum: ['circle'] }, both: { const: 1, enum: [1, 2] } })
  })

  it('keeps a property that is called __proto__', () => {
    const schema: JsonObject = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}')
    assert.equal(JSON.stringify(adapt(schema, ALONE)), JSON.stringify(schema))
  })

  it('ends on a schema that is nested without end', () => {
    let deep: JsonObject = { type: 'string' }
    for (let level = 0; level < 5_000; level++) deep = { type: 'object', properties: { a: deep } }
    assert.ok(JSON.stringify(adapt(deep)).length < 20_000)
  })

  it('gives the same object for the same schema', () => {
    const adapter = schemaAdapter(KEEP)
    const schema: JsonObject = { type: 'object', properties: {} }
    assert.equal(adapter(schema), adapter(schema))
  })
})

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>({ type: 'string' }, { type: 'integer' }, { const: 'a' }, { const: 'b' }, { enum: [1, 'a'] }, {}),
  fc.constantFrom<JsonObject>(
    { $ref: '#/$defs/P' },
    { $ref: '#/$defs/Q', description: 'q' },
    { $ref: '#/properties/a' },
    { type: 'array' },
  ),
)
const objectSchema: fc.Arbitrary<JsonObject> = fc.record(
  {
    type: fc.constant<JsonValue>('object'),
    properties: fc.dictionary(fc.constantFrom('a', 'b', 'c', '$d'), leaf, { maxKeys: 3 }),
    required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '$d'), { maxLength: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), leaf),
  },
  { requiredKeys: [] },
)
/** Closed, so that no alternative lets through what only another one describes (see flatten-root.ts). */
const branch: fc.Arbitrary<JsonValue> = fc.oneof(
  objectSchema.map((schema) => ({ ...schema, additionalProperties: false })),
  fc.constant({ $ref: '#/$defs/O' }),
  fc.constant(false),
)
const rootSchema: fc.Arbitrary<JsonObject> = fc
  .tuple(
    objectSchema,
    fc.record(
      {
        anyOf: fc.array(branch, { minLength: 1, maxLength: 3 }),
        oneOf: fc.array(branch, { minLength: 1, maxLength: 3 }),
        allOf: fc.array(branch, { minLength: 1, maxLength: 2 }),
        not: objectSchema,
      },
      { requiredKeys: [] },
    ),
  )
  .map(([plain, more]) => ({
    ...plain,
    ...more,
    // What the references point at is always there, and never points back.
    properties: { ...(typeof plain.properties === 'object' ? plain.properties : {}), a: { type: 'string' } },
    $defs: {
      P: { type: 'string' },
      Q: { enum: ['a', 3] },
      O: { type: 'object', properties: { b: { const: 'b' } }, required: ['b'], additionalProperties: false },
    },
  }))
const value: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', '$d', 'e'),
  fc.constantFrom<JsonValue>('a', 'b', 1, 3, [], {}, null),
  { maxKeys: 4 },
)

describe('schemaAdapter: in general', () => {
  for (const [title, rule] of [
    ['references kept', KEEP],
    ['references alone', ALONE],
    ['names limited', NAMED],
  ] as const) {
    it(`never refuses what the schema accepts, and stays in form (${title})`, () => {
      fc.assert(
        fc.property(rootSchema, fc.array(value, { minLength: 5, maxLength: 5 }), (schema, values) => {
          const ajv = new Ajv2020({ strict: false, validateSchema: false })
          const adapted = adapt(freeze(schema), rule)
          assert.equal(adapted.type, 'object')
          for (const keyword of ALL) assert.ok(!(keyword in adapted), keyword)
          const [before, after] = [ajv.compile(schema), ajv.compile(adapted)]
          for (const one of values) {
            if (before(one))
              assert.ok(after(one), `${JSON.stringify(one)} fits ${JSON.stringify(schema)} but not ${JSON.stringify(adapted)}`)
          }
        }),
        { numRuns: 300 },
      )
    })
  }
})
