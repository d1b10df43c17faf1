import type { ErrorCode } from './errors.ts'
import type { AgentTool } from './tool.ts'

/** Something that keeps a tool out, or that its author should know. It never takes other tools down. */
export interface RegistryProblem {
  readonly code: ErrorCode
  /** What caused it: a file, a folder, a server name. */
  readonly source: string
  /** The tool's name, where it has one. */
  readonly tool?: string
  /** What is wrong, and where. */
  readonly message: string
  /** What to do about it. */
  readonly hint: string
}

/** What a loader found: the tools that are fit to be registered, and what was wrong with the rest. */
export interface LoadReport {
  readonly tools: readonly AgentTool[]
  readonly problems: readonly RegistryProblem[]
}
