import type { JsonObject, JsonValue, ToolDefinition } from '../../contract/index.ts'
import { schemaAdapter } from './adapt-schema.ts'

/** Both OpenAI forms refuse these at the root, and arrays that do not say what is in them. */
const adapt = schemaAdapter({
  rootRefuses: new Set(['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not']),
  refs: 'keep',
  wantsItems: true,
})

/** Chat Completions refuses a longer description; the API's error text names the number. */
const MAX_DESCRIPTION = 1_024
const CONTINUED = '… (whole text: description of the parameters)'

/**
 * Tools for the `tools` member of a Chat Completions request. A description that is too long for the API is cut there and
 * stands whole in the description of the parameters, so that the model still reads all of it.
 *
 * @example
 * ```ts
 * toOpenAiChatTools([{ name: 'now', description: 'Tells the time.', inputSchema: true }])
 * // [{ type: 'function', function: { name: 'now', description: 'Tells the time.', parameters: { type: 'object', properties: {} } } }]
 * ```
 */
export function toOpenAiChatTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map((definition) => {
    const { description, parameters } = fit(definition)
    return { type: 'function', function: { name: definition.name, description, parameters } }
  })
}

/**
 * Tools for the `tools` member of a Responses request. `strict` is said to be false: left out, that API rewrites the schema
 * into its strict subset, where optional arguments are no longer optional.
 */
export function toOpenAiResponsesTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map((definition) => {
    const { description, parameters } = fit(definition)
    return { type: 'function', name: definition.name, description, parameters, strict: false }
  })
}

function fit(definition: ToolDefinition): { readonly description: string; readonly parameters: JsonObject } {
  const { schema, note } = adapt(definition.inputSchema)
  const whole = note === undefined ? definition.description : `${definition.description}\n${note}`.trimStart()
  if (whole.length <= MAX_DESCRIPTION) return { description: whole, parameters: schema }
  const cut = whole.slice(0, MAX_DESCRIPTION - CONTINUED.length).replace(/[\uD800-\uDBFF]$/, '')
  const own = typeof schema.description === 'string' ? `\n${schema.description}` : ''
  return { description: cut + CONTINUED, parameters: { ...schema, description: whole + own } }
}
