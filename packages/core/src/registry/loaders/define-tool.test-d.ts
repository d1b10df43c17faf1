/** Checked by the compiler only: that argument and result types are inferred, and that wrong ones are refused. */
import { type } from 'arktype'
import * as z from 'zod'
import type { AgentTool, JsonObject, JsonValue } from '../../contract/index.ts'
import { type DefinedTool, defineTool } from './define-tool.ts'
import type { InferJsonSchema } from './infer-json-schema.ts'

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
function expect<_ extends true>(): void {}
type InputOf<Tool> = Tool extends DefinedTool<infer Input, unknown> ? Input : never
type OutputOf<Tool> = Tool extends DefinedTool<infer _Input, infer Output> ? Output : never

// A literal JSON Schema.
const weather = defineTool({
  name: 'weather',
  description: 'x',
  input: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      unit: { enum: ['c', 'f'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['city'],
  },
  effect: (input) => (input.city === '' ? 'write' : 'read'),
  check: async (input) => {
    expect<Same<typeof input.days, number | undefined>>()
  },
  execute: async (input, cx) => {
    expect<Same<typeof input.city, string>>()
    expect<Same<typeof input.unit, 'c' | 'f' | undefined>>()
    expect<Same<typeof input.tags, readonly string[] | undefined>>()
    cx.progress({ current: 1 })
    // @ts-expect-error: no such argument
    input.town
    return { degrees: 3 }
  },
  format: (output) => `${output.degrees}`,
})
expect<
  Same<
    InputOf<typeof weather>,
    { readonly city: string; readonly days?: number; readonly unit?: 'c' | 'f'; readonly tags?: readonly string[] }
  >
>()
expect<Same<OutputOf<typeof weather>, { degrees: number }>>()

// Schema libraries: the function gets what comes out, `effect` what goes in.
const parsed = defineTool({
  name: 'parsed',
  description: 'x',
  input: z.object({ when: z.string().transform((text) => text.length), limit: z.number().default(3) }),
  effect: (input) => (input.limit === undefined ? 'read' : 'write'),
  execute: (input) => {
    expect<Same<typeof input.when, number>>()
    expect<Same<typeof input.limit, number>>()
    return input.when + input.limit
  },
})
expect<Same<OutputOf<typeof parsed>, number>>()

const ark = defineTool({
  name: 'ark',
  description: 'x',
  input: type({ name: 'string', 'age?': 'number' }),
  execute: async ({ name, age }) => (age === undefined ? name : age),
})
expect<Same<OutputOf<typeof ark>, string | number>>()

// A generator of progress.
const slow = defineTool({
  name: 'slow',
  description: 'x',
  input: { type: 'object' },
  async *execute(input) {
    expect<Same<typeof input, JsonObject>>()
    yield { message: 'half', current: 1, total: 2 }
    return 'done' as const
  },
})
expect<Same<OutputOf<typeof slow>, 'done'>>()

// A declared output binds the function.
defineTool({
  name: 'bound',
  description: 'x',
  input: true,
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  execute: async () => ({ sum: 3 }),
})
defineTool({
  name: 'bound',
  description: 'x',
  input: true,
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  // @ts-expect-error: sum is a number
  execute: async () => ({ sum: 'three' }),
})
// @ts-expect-error: execute is missing
defineTool({ name: 'none', description: 'x', input: true })

const list: readonly AgentTool[] = [weather, parsed, ark, slow]
expect<Same<(typeof list)[number], AgentTool>>()

// The schema language.
expect<Same<InferJsonSchema<{ type: ['string', 'null'] }>, string | null>>()
expect<Same<InferJsonSchema<{ const: 3 }>, 3>>()
expect<Same<InferJsonSchema<{ anyOf: [{ type: 'string' }, { type: 'number' }] }>, string | number>>()
expect<
  Same<InferJsonSchema<{ type: 'array'; prefixItems: [{ type: 'string' }, { type: 'number' }]; items: false }>, readonly [string, number]>
>()
expect<Same<InferJsonSchema<{ type: 'object'; additionalProperties: { type: 'number' } }>, { readonly [key: string]: number }>>()
expect<
  Same<
    InferJsonSchema<{ type: 'object'; properties: { a: { type: 'string' } }; anyOf: [{ required: ['a'] }, { required: ['b'] }] }>,
    { readonly a?: string }
  >
>()
expect<
  Same<
    InferJsonSchema<{
      type: 'object'
      properties: { day: { $ref: '#/$defs/day' } }
      required: ['day']
      $defs: { day: { enum: ['mon', 'tue'] } }
    }>,
    { readonly day: 'mon' | 'tue' }
  >
>()
expect<Same<InferJsonSchema<{ type: 'object'; properties: { any: true }; required: ['any'] }>, { readonly any: JsonValue }>>()
expect<Same<InferJsonSchema<JsonObject>, JsonObject>>()
expect<Same<InferJsonSchema<true>, JsonObject>>()

/** A schema inside itself does not send the compiler round for ever. */
interface Tree {
  readonly value: number
  readonly children?: readonly Tree[]
}
type TreeSchema = {
  $ref: '#/$defs/node'
  $defs: {
    node: {
      type: 'object'
      properties: { value: { type: 'number' }; children: { type: 'array'; items: { $ref: '#/$defs/node' } } }
      required: ['value']
    }
  }
}
const tree: InferJsonSchema<TreeSchema> = { value: 1, children: [{ value: 2 }] }
const sameTree: Tree = tree
expect<Same<typeof sameTree, Tree>>()
