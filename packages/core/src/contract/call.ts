import type { ErrorCode } from './errors.ts'
import type { CallId, Digest } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { AgentTool, Effect } from './tool.ts'

/**
 * The arguments of a call as the model sent them. Absent, `null`, `""` and `{}` all arrive as an empty object;
 * what is no JSON object keeps its raw text, so that the model can be shown it.
 */
export type CallArguments =
  | {
      readonly ok: true
      readonly value: JsonObject
      /** What intake changed to be able to read them; absent when they were right as they came. */
      readonly repairs?: readonly ArgumentRepair[]
    }
  | { readonly ok: false; readonly raw: string; readonly problem: string; readonly code: ErrorCode }

/**
 * One thing that intake changed in arguments that were no JSON, or that JSON cannot say exactly. Whoever decides on a call with
 * repairs must see them: what runs is not, letter for letter, what was sent.
 */
export interface ArgumentRepair {
  /** e.g. `trailing-comma`, `single-quotes`, `big-number`: see docs/reference/dialects.md. */
  readonly rule: string
  /** Offset in the raw text, in UTF-16 units from 0. */
  readonly at: number
  /** For people and models, e.g. `left out the comma before "}"`. */
  readonly note: string
}

/** One call of a model's decision, in the order the model made it. */
export interface ToolCall {
  /** Unique in its batch; the provider's own where it gave one, else made by intake. */
  readonly id: CallId
  /** 0-based position in the batch: the order of the results. */
  readonly index: number
  /** The name as the model wrote it; may be no tool at all. */
  readonly name: string
  readonly arguments: CallArguments
  /** False when intake had to make the id up (the provider sent none, an empty one, or a repeated one). */
  readonly idFromProvider: boolean
  /** `text`: the model wrote free text, for a tool that takes no JSON; it is the argument `input`. Absent: JSON. */
  readonly form?: 'text'
}

/** One change that tolerant conversion made to an argument (D9). */
export interface Conversion {
  /** JSON Pointer into the arguments, e.g. `/limit`. */
  readonly path: string
  readonly from: string
  readonly to: string
  /** e.g. `string → integer`, `enum case`, `label → code`. */
  readonly rule: string
}

/** A call that may run as it stands, or as soon as somebody approves it. */
export interface AdmittedCall {
  readonly call: ToolCall
  readonly tool: AgentTool
  /** Validated and converted. */
  readonly input: JsonObject
  readonly conversions: readonly Conversion[]
  /** Classified with these very arguments. */
  readonly effect: Effect
}

/** What an approval is bound to; compared again at the moment of running. */
export interface CallBinding {
  readonly arguments: Digest
  readonly tool: Digest
  readonly principal: Digest
}
