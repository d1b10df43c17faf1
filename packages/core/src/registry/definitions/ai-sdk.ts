import type { JsonObject, ToolDefinition } from '../../contract/index.ts'
import { schemaAdapter } from './adapt-schema.ts'

/** Which provider is behind an AI SDK model is not known, so a schema is brought into the form that all of them take. */
const adapt = schemaAdapter({
  rootRefuses: new Set(['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not']),
  refs: 'defs-alone',
  wantsItems: true,
})

/** A function tool as AI SDK models of every version take it. */
export interface AiSdkTool {
  type: 'function'
  name: string
  description: string
  inputSchema: JsonObject
}

/** Tools for the `tools` option of an AI SDK language model (V2 to V4). */
export function toAiSdkTools(definitions: readonly ToolDefinition[]): AiSdkTool[] {
  return definitions.map(({ name, description, inputSchema }) => {
    const { schema, note } = adapt(inputSchema)
    return {
      type: 'function',
      name,
      description: note === undefined ? description : `${description}\n${note}`.trimStart(),
      inputSchema: schema,
    }
  })
}
