import type { JsonValue, ToolDefinition } from '../../contract/index.ts'
import { schemaAdapter } from './adapt-schema.ts'

/**
 * `parametersJsonSchema` takes JSON Schema, but a reference only into `$defs` and with nothing beside it, and the root must be
 * a plain object.
 */
const adapt = schemaAdapter({
  rootRefuses: new Set(['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not']),
  refs: 'defs-alone',
  wantsItems: true,
  constAsEnum: true,
})

/**
 * The `tools` member of a generateContent request: one entry that holds all functions; an empty list for no tools, as the API
 * refuses an entry without functions.
 *
 * @example
 * ```ts
 * toGeminiTools([{ name: 'now', description: 'Tells the time.', inputSchema: true }])
 * // [{ functionDeclarations: [{ name: 'now', description: 'Tells the time.', parametersJsonSchema: { type: 'object', properties: {} } }] }]
 * ```
 */
export function toGeminiTools(definitions: readonly ToolDefinition[]): JsonValue {
  if (definitions.length === 0) return []
  return [
    {
      functionDeclarations: definitions.map((definition) => {
        const { schema, note } = adapt(definition.inputSchema)
        const description = note === undefined ? definition.description : `${definition.description}\n${note}`.trimStart()
        return { name: definition.name, description, parametersJsonSchema: schema }
      }),
    },
  ]
}
