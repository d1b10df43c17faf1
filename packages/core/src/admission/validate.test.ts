import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '../contract/errors.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../contract/json.ts'
import { compileSchema } from './validate.ts'

function refusal(schema: JsonSchema, value?: JsonValue): string {
  try {
    const compiled = compileSchema(schema)
    if (value !== undefined) compiled.accepts(value)
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error))
    assert.equal(error.code, 'TOOL_INVALID')
    return error.message
  }
  return assert.fail('the schema was taken')
}

function nested(depth: number, leaf: JsonSchema): JsonSchema {
  let schema = leaf
  for (let level = 0; level < depth; level++) schema = { properties: { a: schema } }
  return schema
}

describe('compileSchema', () => {
  it('checks values and tells every issue with its place', () => {
    const compiled = compileSchema({
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
      required: ['path'],
    })
    assert.equal(compiled.accepts({ path: 'a', limit: 1 }), true)
    const issues = compiled.issues({ limit: 0 })
    assert.deepEqual(
      issues.map((issue) => [issue.path, issue.keyword, issue.pointer]),
      [
        ['', 'required', ''],
        ['/limit', 'minimum', '/properties/limit'],
      ],
    )
  })

  it('gives the same compiled schema for an equal schema, and compiles again for another', () => {
    const one = compileSchema({ type: 'object', required: ['cached'] })
    assert.equal(compileSchema({ required: ['cached'], type: 'object' }), one)
    assert.notEqual(compileSchema({ type: 'object', required: ['other'] }), one)
  })

  it('tells an equal schema of another draft apart', () => {
    const list = { type: 'array', items: [{ type: 'integer' }], additionalItems: false }
    const old = compileSchema({ ...list, $schema: 'http://json-schema.org/draft-07/schema#' })
    const modern = compileSchema({ ...list, $schema: 'https://json-schema.org/draft/2020-12/schema' })
    assert.notEqual(old, modern)
    for (const compiled of [old, modern]) {
      assert.equal(compiled.accepts([1]), true)
      assert.equal(compiled.accepts(['x']), false)
      assert.equal(compiled.accepts([1, 2]), false)
    }
  })

  it('takes true and false as schemas', () => {
    assert.equal(compileSchema(true).accepts({ any: 1 }), true)
    assert.equal(compileSchema(false).accepts({}), false)
    assert.equal(compileSchema(false).issues({}).length, 1)
  })

  it('finds the checker of a part, also below odd names', () => {
    const compiled = compileSchema({ properties: { 'a/b~c %#?é': { type: 'integer' } } })
    const part = compiled.part('/properties/a~1b~0c %#?é')
    assert.equal(part?.accepts(1), true)
    assert.equal(part?.accepts('x'), false)
    assert.equal(compiled.part('/properties/none'), undefined)
  })

  it('tells only the first issue of a very large value', () => {
    const compiled = compileSchema({ type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } } } })
    assert.equal(compiled.issues({ list: Array.from({ length: 100 }, () => 'x') }).length, 100)
    assert.equal(compiled.issues({ list: Array.from({ length: 100_000 }, () => 'x') }).length, 1)
  })
})

describe('references', () => {
  it('reads a reference with siblings as both', () => {
    const compiled = compileSchema({
      $defs: { X: { type: 'object', required: ['a'] } },
      $ref: '#/$defs/X',
      type: 'object',
      required: ['b'],
    })
    assert.equal(compiled.accepts({ a: 1, b: 1 }), true)
    assert.equal(compiled.accepts({ a: 1 }), false)
    assert.equal(compiled.accepts({ b: 1 }), false)
  })

  it('follows a reference into properties, with the items there', () => {
    const headers = { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } }
    const compiled = compileSchema({ type: 'object', properties: { headers, extra: { $ref: '#/properties/headers' } } })
    assert.equal(compiled.accepts({ extra: [{ name: 'x' }] }), true)
    assert.equal(compiled.accepts({ extra: [{}] }), false)
  })

  it('takes an enum behind a reference that names no type', () => {
    const compiled = compileSchema({
      type: 'object',
      properties: { unit: { $ref: '#/$defs/Unit' } },
      $defs: { Unit: { enum: ['c', 'f'] } },
    })
    assert.equal(compiled.accepts({ unit: 'c' }), true)
    assert.equal(compiled.accepts({ unit: 'k' }), false)
  })

  it('follows a schema that contains itself', () => {
    const compiled = compileSchema({ type: 'object', properties: { child: { $ref: '#' }, name: { type: 'string' } }, required: ['name'] })
    assert.equal(compiled.accepts({ name: 'a', child: { name: 'b' } }), true)
    assert.equal(compiled.accepts({ name: 'a', child: {} }), false)
  })

  it('names a reference that leads outside, and fetches nothing', () => {
    for (const reference of ['https://127.0.0.1:9/schema.json', 'other.json#/a', 'file:///etc/passwd', 'urn:example:x']) {
      const message = refusal({ type: 'object', properties: { a: { $ref: reference } } })
      assert.match(message, /at \/properties\/a\/\$ref: .*outside the schema/)
      assert.ok(message.includes(reference), message)
    }
  })

  it('names a reference that points at nothing', () => {
    assert.match(
      refusal({ properties: { a: { $ref: '#/$defs/none' } } }),
      /at \/properties\/a\/\$ref: the reference "#\/\$defs\/none" points at nothing/,
    )
  })

  it('refuses a reference that never ends', () => {
    assert.match(refusal({ $ref: '#' }, {}), /without end/)
    assert.match(refusal({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, {}), /without end|circle/)
  })

  it('keeps equal ids of different tools apart', () => {
    const id = 'https://example.com/arguments.json'
    const one = compileSchema({ $id: id, properties: { a: { $id: 'inner', type: 'string' } } })
    const two = compileSchema({ $id: id, properties: { a: { $id: 'inner', type: 'integer' } } })
    assert.equal(one.accepts({ a: 'x' }), true)
    assert.equal(two.accepts({ a: 'x' }), false)
    assert.equal(two.accepts({ a: 1 }), true)
    // A reference by another tool's id is a reference to the outside.
    assert.match(refusal({ properties: { a: { $ref: id } } }), /outside the schema/)
  })

  it('knows the meta-schemas of the drafts', () => {
    const compiled = compileSchema({ properties: { schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } })
    assert.equal(compiled.accepts({ schema: { type: 'object' } }), true)
    assert.equal(compiled.accepts({ schema: { type: 7 } }), false)
  })
})

describe('schemas as they are found', () => {
  it('tolerates unknown keywords and formats', () => {
    const compiled = compileSchema({
      type: 'string',
      format: 'no-such-format',
      'x-order': 3,
      optional: true,
      id: 'urn:x',
      markdownDescription: 'x',
    })
    assert.equal(compiled.accepts('anything'), true)
  })

  it('asserts no format', () => {
    assert.equal(compileSchema({ type: 'string', format: 'email' }).accepts('not an address'), true)
  })

  it('leaves out annotations of a wrong type', () => {
    const compiled = compileSchema({ type: 'string', title: 5, description: null, examples: 'x', deprecated: 'yes', minLength: null })
    assert.equal(compiled.accepts(''), true)
  })

  const meanings: readonly (readonly [name: string, schema: JsonSchema, fits: JsonValue, doesNot: JsonValue])[] = [
    [
      'the type words of Python',
      { type: 'dict', properties: { a: { type: 'float' }, b: { type: 'tuple' } } },
      { a: 0.5, b: [] },
      { a: 'x' },
    ],
    ['upper-case type words', { type: 'OBJECT', properties: { a: { type: 'STRING' } } }, { a: 'x' }, { a: 1 }],
    ['a type word with its form', { properties: { day: { type: 'DATE (YYYY-MM-DD)' } } }, { day: '2026-01-31' }, { day: 5 }],
    ['the type word any', { properties: { a: { type: 'any' } }, required: ['a'] }, { a: null }, {}],
    ['nullable with a type', { type: 'integer', nullable: true }, null, 'x'],
    ['nullable without a type', { nullable: true, enum: ['a'] }, 'a', 'b'],
    ['exclusive limits as flags', { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }, 9, 1],
    ['required on the property', { type: 'object', properties: { a: { type: 'string', required: true } } }, { a: '' }, {}],
    ['required named twice', { required: ['a', 'a'] }, { a: 1 }, {}],
    ['an empty list for an empty map', { type: 'object', properties: [], required: ['a'] }, { a: 1 }, {}],
    ['a list of items without a draft', { type: 'array', items: [{ type: 'string' }], additionalItems: false }, ['a'], ['a', 'b']],
    ['definitions', { $ref: '#/definitions/A', definitions: { A: { type: 'integer' } } }, 1, 'x'],
    ['draft 6', { $schema: 'http://json-schema.org/draft-06/schema#', const: 1 }, 1, 2],
    ['draft 4', { $schema: 'http://json-schema.org/draft-04/schema#', id: 'http://x/y', minimum: 1, exclusiveMinimum: true }, 2, 1],
    ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    ['a draft nobody knows', { $schema: 'https://example.com/my-draft', type: 'integer' }, 1, 'x'],
    ['no choices at all', { enum: ['x'], properties: { a: { enum: [] } } }, 'x', 'y'],
    ['a pattern that is wrong in Unicode mode', { pattern: '^[\\w-.]+$' }, 'a-b.c', 'a b'],
  ]
  for (const [name, schema, fits, doesNot] of meanings) {
    it(`reads ${name}`, () => {
      const compiled = compileSchema(schema)
      assert.equal(compiled.accepts(fits), true)
      assert.equal(compiled.accepts(doesNot), false)
    })
  }

  it('reads names of Object.prototype as names', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    for (const name of names) {
      const schema: JsonSchema = { type: 'object', required: [name], properties: Object.fromEntries([[name, { type: 'integer' }]]) }
      const compiled = compileSchema(schema)
      assert.equal(compiled.accepts({}), false, name)
      assert.equal(compiled.accepts(Object.fromEntries([[name, 1]])), true, name)
      assert.equal(compiled.accepts(Object.fromEntries([[name, 'x']])), false, name)
    }
  })
})

describe('comparing whole values', () => {
  const bare = (members: JsonObject): JsonObject => Object.assign(Object.create(null), members)

  it('compares by what the JSON says', () => {
    const odd = { constructor: { x: 1 }, valueOf: 1, toString: 'x' }
    for (const value of [{ a: [1, { b: 2 }] }, odd, [], [{}]] satisfies JsonValue[]) {
      for (const schema of [{ const: value }, { enum: ['x', value] }] satisfies JsonSchema[]) {
        const compiled = compileSchema(schema)
        assert.equal(compiled.accepts(JSON.parse(JSON.stringify(value))), true, JSON.stringify(schema))
        assert.equal(compiled.accepts({ ...value, more: 1 }), false)
        assert.deepEqual(
          compiled.issues(5).map((issue) => [issue.keyword, issue.schema]),
          [[Object.keys(schema)[0], schema]],
        )
      }
    }
    assert.equal(compileSchema({ const: { a: { b: 1 } } }).accepts(bare({ a: bare({ b: 1 }) })), true)
    assert.equal(compileSchema({ const: bare({ a: 1 }) }).accepts({ a: 1 }), true)
  })

  it('finds twins among items, whatever they are', () => {
    const compiled = compileSchema({ type: 'array', uniqueItems: true })
    assert.equal(compiled.accepts([1, '1', true, 'true', null, 'null', { a: 1 }, '{"a":1}', [1], '[1]', 0, false, '']), true)
    assert.equal(
      compiled.accepts([
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
      false,
    )
    assert.equal(compiled.accepts([{ valueOf: 1 }, { valueOf: 1 }]), false)
    assert.equal(compileSchema({ uniqueItems: false }).accepts([1, 1]), true)
  })

  it('looks for twins in one pass', () => {
    // Comparing each with each would be 450 000 000 comparisons of objects.
    const many = Array.from({ length: 30_000 }, (_, n) => ({ n }))
    assert.equal(compileSchema({ type: 'array', uniqueItems: true }).accepts(many), true)
  })
})

describe('schemas that cannot be used', () => {
  const broken: readonly (readonly [name: string, schema: JsonSchema, said: RegExp])[] = [
    ['an unknown type', { properties: { a: { type: 'blob' } } }, /at \/properties\/a\/type: nobody knows the type "blob"/],
    ['a list of no types', { type: [] }, /at \/type/],
    ['a limit that is text', { properties: { a: { minLength: '5' } } }, /at \/properties\/a\/minLength: must be integer/],
    ['a property that is a number', { properties: { a: 3 } }, /at \/properties\/a: must be object,boolean/],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, /at \/properties\/a\/pattern: Invalid regular expression/],
    ['a required that is text', { required: 'a' }, /at \/required: must be array/],
  ]
  for (const [name, schema, said] of broken) {
    it(`refuses ${name} and names the place`, () => {
      assert.match(refusal(schema), said)
      assert.match(refusal(schema), said, 'the second time as well')
    })
  }

  it('refuses what is no schema at all', () => {
    const values: readonly unknown[] = [null, 5, 'x', [], undefined]
    for (const value of values) {
      const untyped: { schema: JsonSchema } = JSON.parse(JSON.stringify({ schema: value ?? null }))
      assert.match(refusal(untyped.schema), /a schema is an object, true or false/)
    }
  })

  it('refuses a schema nested without measure, and one that contains itself', () => {
    assert.match(refusal(nested(100_000, true)), /nested deeper/)
    const circle: { properties: Record<string, JsonSchema> } = { properties: {} }
    circle.properties.a = circle
    circle.properties.b = circle
    assert.match(refusal(circle), /contains itself/)
  })

  it('refuses a schema of shared parts that unfolds without measure', () => {
    let schema: JsonSchema = { type: 'string' }
    for (let level = 0; level < 60; level++) schema = { properties: { a: schema, b: schema } }
    assert.match(refusal(schema), /more than/)
  })

  it('takes nesting that is deep but sane', () => {
    assert.equal(compileSchema(nested(100, { type: 'string' })).accepts({}), true)
  })

  it('does not become asynchronous, and so accept everything, on $async', () => {
    assert.equal(compileSchema({ $async: true, required: ['a'] }).accepts({}), false)
    assert.equal(compileSchema({ properties: { a: { $async: true, type: 'string' } } }).accepts({ a: 1 }), false)
  })

  it('does not run code that a schema carries', () => {
    const mark = Symbol.for('adjutant.test.injected')
    const code = '"]; globalThis[Symbol.for("adjutant.test.injected")] = true; //'
    for (const schema of [
      { properties: { [code]: { type: 'string' } } },
      { required: [code] },
      { enum: [code] },
      { const: { [code]: code } },
      { patternProperties: { 'x"]; //': { const: code } } },
      { dependentRequired: { [code]: [code] } },
      { $defs: { [code]: { type: 'string' } }, title: code },
    ] satisfies JsonSchema[]) {
      compileSchema(schema).accepts({ [code]: code })
    }
    assert.equal(mark in globalThis, false)
  })

  it('ends a pattern that would run for ever, naming it', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
    assert.match(refusal(schema, { a: `${'a'.repeat(60)}!` }), /\^\(a\+\)\+\$.* does not finish within 100 ms/)
    assert.equal(compileSchema(schema).accepts({ a: 'aaa' }), true)
  })
})
