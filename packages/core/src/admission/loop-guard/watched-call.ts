import type { Outcome } from '../../contract/call-state.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { CallId } from '../../contract/ids.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { ContentPart } from '../../contract/result.ts'
import type { AgentTool, Effect } from '../../contract/tool.ts'

/** A call that the guard looks at. */
export interface WatchedCall {
  readonly id: CallId
  /** Of the tool that is meant: a call of a meta-tool that names another tool counts as that tool's. */
  readonly name: string
  /** As the model sent them; the raw text of what is no JSON object. */
  readonly input: JsonObject | string
  /** Absent: no tool has this name. Such calls are remembered together. */
  readonly tool?: AgentTool
  /** Default: the tool's own when it is fixed, else as for a write. */
  readonly effect?: Effect
}

/** What came of it. A ToolResult is one. */
export interface WatchedOutcome {
  readonly outcome: Outcome
  /** What the model reads. */
  readonly text: string
  readonly code?: string
  /** Images, audio and resources beside the text: a screenshot that changes is progress. */
  readonly parts?: readonly ContentPart[]
  /** Where the whole of a clipped result is: its id and path stand in the text and differ for each call, so they are left out. */
  readonly spill?: { readonly handle: string; readonly path: string }
}

export type LoopVerdict =
  | { readonly type: 'pass' }
  /** Not to be run: LOOP_DETECTED. */
  | { readonly type: 'warn'; readonly reason: string }
  /** Not to be run, and the task ends: LOOP_ABORTED. */
  | { readonly type: 'stop'; readonly reason: string }

/** The error of a verdict, for the call's result. */
export function loopError(verdict: Exclude<LoopVerdict, { readonly type: 'pass' }>): AdjutantError {
  return new AdjutantError(verdict.type === 'warn' ? 'LOOP_DETECTED' : 'LOOP_ABORTED', verdict.reason)
}

/** Whether the call only reads, asking the tool where its effect depends on the arguments. What cannot be said is no read. */
export function isRead(call: WatchedCall): boolean {
  const effect = effectOf(call)
  if (effect !== undefined) return effect === 'read'
  const own = call.tool?.effect
  if (typeof own !== 'function' || typeof call.input === 'string') return false
  try {
    return own(call.input) === 'read'
  } catch {
    return false
  }
}

/** As far as it is known before the arguments are checked. */
export function effectOf(call: WatchedCall): Effect | undefined {
  if (call.effect !== undefined) return call.effect
  const own = call.tool?.effect
  return typeof own === 'string' ? own : undefined
}
