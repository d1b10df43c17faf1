import type { JsonValue, ToolDefinition } from '../../contract/index.ts'
import { schemaAdapter } from './adapt-schema.ts'

/** The Messages API refuses alternatives at the root, and property names outside this pattern. */
const adapt = schemaAdapter({
  rootRefuses: new Set(['anyOf', 'oneOf', 'allOf']),
  refs: 'keep',
  wantsItems: false,
  propertyName: /^[A-Za-z0-9_.-]{1,64}$/,
})

/**
 * Tools for the `tools` member of a Messages request.
 *
 * @example
 * ```ts
 * toAnthropicTools([{ name: 'now', description: 'Tells the time.', inputSchema: true }])
 * // [{ name: 'now', description: 'Tells the time.', input_schema: { type: 'object', properties: {} } }]
 * ```
 */
export function toAnthropicTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map((definition) => {
    const { schema, note } = adapt(definition.inputSchema)
    const description = note === undefined ? definition.description : `${definition.description}\n${note}`.trimStart()
    return { name: definition.name, description, input_schema: schema }
  })
}
