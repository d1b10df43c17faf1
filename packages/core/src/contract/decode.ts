import type { ToolCall } from './call.ts'
import type { ErrorCode } from './errors.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { Plan } from './plan.ts'

/** The wires intake reads. `auto` is not one: it finds out which of these it is. */
export const DIALECTS = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'gemini-interactions',
  'bedrock',
  'ollama',
  'cohere',
  'tagged-text',
  'decision',
  'plan',
] as const
export type Dialect = (typeof DIALECTS)[number]

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other'

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What a non-call decision of the JSON decision form says. */
export interface DecisionNote {
  readonly action: 'call_tool' | 'ask_user' | 'answer' | 'give_up'
  readonly reasoning?: string
  readonly confidence?: number
  readonly alternatives?: readonly string[]
}

/**
 * What intake makes of a model's bytes, in order: any `text`/`reasoning`, for each call a `call-start` as soon as its name is
 * known and one `call` when it is complete, and exactly one `end`, last.
 */
export type DecodeEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call-start'; readonly index: number; readonly id: string; readonly name: string }
  /** A top-level field of a call's arguments is finished. With `signals` only; not told again when the call is complete. */
  | { readonly type: 'call-field'; readonly index: number; readonly id: string; readonly name: string; readonly value: JsonValue }
  /** A call's arguments have grown to `chars` characters. With `signals` only; at most once for each call and push. */
  | { readonly type: 'call-growing'; readonly index: number; readonly id: string; readonly chars: number }
  | { readonly type: 'call'; readonly call: ToolCall }
  /** Something was wrong with the stream; `index` when it concerns one call. Decoding goes on. */
  | { readonly type: 'problem'; readonly code: ErrorCode; readonly message: string; readonly index?: number }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'decision'; readonly decision: DecisionNote }
  /** A whole plan, checked; its steps are no calls yet. */
  | { readonly type: 'plan'; readonly plan: Plan }
  /** Blocks a provider wants back unchanged in the history (e.g. signed thinking). */
  | { readonly type: 'provider-block'; readonly block: JsonObject }
  /** `format`: which form the calls had, where a dialect has several (`tagged-text`); absent when there was no call. */
  | { readonly type: 'end'; readonly finish?: FinishReason; readonly dialect: Dialect; readonly format?: string }
