import type { ToolDefinition } from '../contract/messages.ts'
import type { AgentTool } from '../contract/tool.ts'
import { toolDefinitionOf } from '../registry/definitions/definition.ts'

const definitions = new WeakMap<readonly AgentTool[], readonly ToolDefinition[]>()

/** A snapshot's list of tools stays the same object, so ten thousand definitions are made once. */
export function definitionsOf(tools: readonly AgentTool[]): readonly ToolDefinition[] {
  const known = definitions.get(tools)
  if (known !== undefined) return known
  const made = tools.map(toolDefinitionOf)
  definitions.set(tools, made)
  return made
}
