import type { Clock, Effect, JsonObject, JsonSchema, ReadCommand, SessionId, ToolLimits } from '@adjutant/core/contract'
import type { SessionBoxes } from './session-boxes.ts'

/** What the code tools of one host share. */
export interface CodeToolContext {
  readonly boxes: SessionBoxes
  readonly clock: Clock
  readonly readBash: ReadCommand
  /** The workspace is a folder of the host. */
  readonly isShared: boolean
  /** Of code that nobody reads before it runs. */
  readonly codeEffect: Effect
  /** What it prints may come from strangers: the box reaches hosts. */
  readonly untrusted: boolean
  readonly limits: ToolLimits
  readonly timeoutSchema: JsonSchema
  /** What of the box's surroundings a model must know, as the end of a description. */
  readonly surroundings: string
  /** The same for all tools: together they are told once that a session is over. */
  readonly endSession: (sessionId: SessionId) => Promise<void>
  /** Milliseconds. @throws AdjutantError INVALID_ARGUMENTS */
  timeoutOf(input: JsonObject): number
}
