import type { AgentTool } from './tool.ts'

/** What admission needs of a registry snapshot: look-up by name (own names only) and all the names there are. */
export interface ToolLookup {
  get(name: string): AgentTool | undefined
  names(): Iterable<string>
}
