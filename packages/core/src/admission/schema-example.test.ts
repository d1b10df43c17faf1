import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonSchema, JsonValue } from '../contract/json.ts'
import { exampleFor } from './schema-example.ts'
import { compileSchema } from './validate.ts'

function example(schema: JsonSchema): JsonValue | undefined {
  return exampleFor(compileSchema(schema))
}

describe('exampleFor', () => {
  const rows: readonly (readonly [schema: JsonSchema, example: JsonValue])[] = [
    [{ type: 'string', examples: ['notes.md'], default: 'x' }, 'notes.md'],
    [{ type: 'string', default: 'x' }, 'x'],
    [{ const: 3 }, 3],
    [{ enum: [null, 'a'] }, 'a'],
    [{ type: 'integer', minimum: 10 }, 10],
    [{ type: 'integer', exclusiveMinimum: 10, multipleOf: 4 }, 12],
    [{ type: 'integer', maximum: -5 }, -5],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.1 }, 0.05],
    [{ type: 'number', minimum: 0.5, maximum: 0.6 }, 0.6],
    [{ type: ['null', 'boolean'] }, true],
    [{ type: 'null' }, null],
    [{ type: 'string', format: 'date' }, '2026-01-31'],
    [{ type: 'string', pattern: '^AS\\d+$' }, 'AS1'],
    [{ type: 'string', minLength: 6 }, 'textxx'],
    [{ type: 'string', maxLength: 2 }, 'te'],
    [{ type: 'array', items: { type: 'integer' }, minItems: 2, uniqueItems: true }, [1, 2]],
    [{ type: 'array', prefixItems: [{ type: 'integer' }, { type: 'boolean' }] }, [1, true]],
    [{ type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a'] }, { a: 1 }],
    [{ type: 'object', properties: { a: { type: 'integer' } }, minProperties: 1 }, { a: 1 }],
    [{ required: ['a'], additionalProperties: { type: 'integer' } }, { a: 1 }],
    [{ anyOf: [{ type: 'null' }, { type: 'integer' }] }, 1],
    [
      { type: 'object', required: ['kind'], oneOf: [{ properties: { kind: { const: 'a' } } }, { properties: { kind: { const: 'b' } } }] },
      { kind: 'a' },
    ],
    [
      {
        allOf: [
          { properties: { a: { type: 'integer' } }, required: ['a'] },
          { properties: { b: { enum: ['x'] } }, required: ['b'] },
        ],
      },
      { a: 1, b: 'x' },
    ],
    [{ $ref: '#/$defs/A', $defs: { A: { type: 'integer', minimum: 3 } } }, 3],
    [{ type: 'integer', examples: ['not a number'], default: 'neither' }, 1],
    [true, 'text'],
  ]
  for (const [schema, wanted] of rows) {
    it(`${JSON.stringify(schema)} → ${JSON.stringify(wanted)}`, () => {
      assert.deepEqual(example(schema), wanted)
    })
  }

  it('gives none where nothing fits, rather than a wrong one', () => {
    assert.equal(example(false), undefined)
    assert.equal(example({ type: 'array', enum: ['a'] }), undefined)
    assert.equal(example({ type: 'integer', minimum: 5, maximum: 4 }), undefined)
  })

  it('gives none for a pattern that takes for ever', () => {
    assert.equal(example({ type: 'string', pattern: '^(?=(x+x+)+y)z' }), undefined)
  })

  it('ends for schemas that contain themselves or fan out', () => {
    assert.deepEqual(example({ type: 'object', properties: { child: { $ref: '#' }, n: { type: 'integer' } }, required: ['n'] }), { n: 1 })
    const endless = { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] }
    assert.equal(example(endless), undefined)
    const wide: JsonSchema = {
      $defs: { A: { anyOf: Array.from({ length: 8 }, () => ({ allOf: [{ $ref: '#/$defs/A' }, { not: {} }] })) } },
      $ref: '#/$defs/A',
    }
    compileSchema(wide)
    assert.doesNotThrow(() => {
      try {
        example(wide)
      } catch (error) {
        // Checking against a schema without end is refused; making the example must not be what fails.
        assert.match(String(error), /without end/)
      }
    })
  })
})
