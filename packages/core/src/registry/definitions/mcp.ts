import type { JsonSchema, JsonValue, ToolDefinition } from '../../contract/index.ts'

/**
 * The `tools` member of an MCP `tools/list` result. MCP wants `type: "object"` at the root of both schemas and takes any JSON
 * Schema beside it; an output schema of another type is left out, as clients refuse the tool otherwise.
 *
 * @example
 * ```ts
 * toMcpTools([{ name: 'now', description: 'Tells the time.', inputSchema: true }])
 * // [{ name: 'now', description: 'Tells the time.', inputSchema: { type: 'object' } }]
 * ```
 */
export function toMcpTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map(({ name, description, inputSchema, outputSchema }) => ({
    name,
    description,
    inputSchema: objectRoot(inputSchema),
    ...(typeof outputSchema === 'object' && outputSchema.type === 'object' ? { outputSchema } : {}),
  }))
}

function objectRoot(schema: JsonSchema): JsonValue {
  if (typeof schema === 'boolean') return schema ? { type: 'object' } : { type: 'object', properties: {}, additionalProperties: false }
  return schema.type === 'object' ? schema : { ...schema, type: 'object' }
}
