import type { AdjutantError } from './errors.ts'
import type { AgentTool } from './tool.ts'

/** What admission needs of a registry snapshot: look-up by name (own names only) and all the names there are. */
export interface ToolLookup {
  get(name: string): AgentTool | undefined
  names(): Iterable<string>
  /** Why `get` gave nothing, where that is more than "there is none": said to the model instead of UNKNOWN_TOOL. */
  missing?(name: string): AdjutantError | undefined
}

/** All tools of one state of the registry. */
export interface ToolSource extends ToolLookup {
  tools(): readonly AgentTool[]
}
