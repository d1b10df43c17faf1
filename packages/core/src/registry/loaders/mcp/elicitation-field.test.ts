import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject, JsonValue } from '@adjutant/core'
import fc from 'fast-check'
import { answerElicitation } from './elicitation.ts'
import { formField } from './elicitation-field.ts'

function read(schema: JsonObject, answer: string, required = true): unknown {
  const field = formField('it', schema, required)
  assert.ok(field !== undefined)
  const reading = field.read(answer)
  return reading.ok ? reading.value : `! ${reading.problem}`
}

describe('a field of a form', () => {
  const cases: readonly (readonly [JsonObject, string, unknown])[] = [
    [{ type: 'number' }, ' 1.5 ', 1.5],
    [{ type: 'number' }, '1,5', '! it has to be a number'],
    [{ type: 'number' }, '', '! it has to be a number'],
    [{ type: 'number' }, 'Infinity', '! it has to be a number'],
    [{ type: 'integer', minimum: 1 }, '1.5', '! it has to be a whole number'],
    [{ type: 'integer', minimum: 1 }, '0', '! it has to be a whole number, at least 1'],
    [{ type: 'string', format: 'email' }, 'a@b.c', 'a@b.c'],
    [{ type: 'string', format: 'email' }, 'a', '! it has to be an e-mail address'],
    [{ type: 'string', format: 'date' }, '2026-02-30x', '! it has to be a date like 2026-01-31'],
    [{ type: 'string', format: 'date-time' }, '2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z'],
    [{ type: 'string', format: 'uri' }, 'nowhere', '! it has to be an address with its scheme'],
    [{ type: 'string', maxLength: 2 }, '🙂🙂', '🙂🙂'],
    [{ type: 'string', enum: ['a', 'b'] }, 'b', 'b'],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', '! it has to be one of a, b'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'Apple' }] }, 'Apple', 'a'],
    [{ type: 'string', enum: ['a', 'b'], enumNames: ['Same', 'Same'] }, 'b', 'b'],
    [{ type: 'boolean' }, 'no', false],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 }, '', '! 1 to 2 have to be named'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'b, a, b', ['b', 'a']],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'c', '! "c" is none of a, b'],
  ]
  for (const [schema, answer, value] of cases) {
    it(`${JSON.stringify(schema)}, answered ${JSON.stringify(answer)}`, () => assert.deepEqual(read(schema, answer), value))
  }

  it('that may be left out is left out by an empty answer', () => {
    for (const type of ['string', 'number', 'integer', 'boolean']) assert.equal(read({ type }, '', false), undefined)
    assert.equal(formField('it', { type: 'boolean' }, false)?.question.fallback, '(leave out)')
  })

  it('of a kind that no person can be asked for is none', () => {
    for (const schema of [true, null, {}, { type: 'object' }, { type: 'array', items: { type: 'string' } }, { type: ['string'] }]) {
      assert.equal(formField('it', schema, true), undefined)
    }
  })

  it('whatever the server sends, the answer is one of three and nothing throws', async () => {
    const words = fc.constantFrom(
      'type',
      'properties',
      'required',
      'enum',
      'oneOf',
      'items',
      'const',
      'default',
      'title',
      '__proto__',
      'it',
    )
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        fc.constantFrom<JsonValue>('object', 'string', 'number', 'array', 'boolean', '', null, 5, true),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(words, tie('value'), { maxKeys: 4 }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(value, value, fc.string(), async (requestedSchema, message, said) => {
        const caller = {
          server: 's',
          tools: ['t'],
          ask: async ({ choices }: { readonly choices?: readonly string[] }) => choices?.[0] ?? said,
        }
        const { action } = await answerElicitation({ requestedSchema, message }, caller)
        assert.ok(['accept', 'decline', 'cancel'].includes(action))
      }),
      { numRuns: 500 },
    )
  })
})
