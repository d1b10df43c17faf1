import type { AgentTool, ToolDefinition } from '../../contract/index.ts'

/**
 * What a model is told of a tool, free of any provider's form.
 *
 * @example
 * ```ts
 * const definitions = snapshot.tools().map(toolDefinitionOf)
 * ```
 */
export function toolDefinitionOf(tool: AgentTool): ToolDefinition {
  const { name, description, inputSchema, outputSchema } = tool
  return outputSchema === undefined ? { name, description, inputSchema } : { name, description, inputSchema, outputSchema }
}
