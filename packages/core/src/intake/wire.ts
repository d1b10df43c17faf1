import type { Dialect, FinishReason } from '../contract/decode.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'
import type { IdSource } from '../contract/ports.ts'
import type { CallBook, Emit } from './call-book.ts'

/** What a provider's reader offers, whatever the framing: parsed events go in, decode events come out. */
export interface Wire {
  readonly dialect: Exclude<Dialect, 'tagged-text' | 'decision' | 'plan'>
  /** Nothing has come yet that this wire knows. */
  readonly idle: boolean
  /** One event of a stream, or a whole answer. Ignores what it does not know: providers add things. */
  event(value: JsonObject): void
  /** The stream's own end mark was read. */
  done(): void
  /** No more will come: closes what is open, says when it was cut off. Called once. */
  end(): FinishReason | undefined
}

/** What a reader of text offers. Only new text is read; what may be the beginning of something is held back. */
export interface TextReader {
  push(text: string): void
  end(): FinishReason | undefined
  /** Which form calls had in the text, where there are several; undefined while none was met. */
  readonly format?: string | undefined
}

/** Bounds on what is kept in memory while something is incomplete. */
export interface DecodeLimits {
  /** Characters of one call's arguments. Default 64 Mi: far above what a model writes, below what a process cannot hold. */
  readonly argumentChars: number
  /** Characters of one SSE line, JSON line or whole body. Default 128 Mi: the arguments twice, since they may be escaped. */
  readonly lineChars: number
}

export const DEFAULT_LIMITS: DecodeLimits = { argumentChars: 64 * 1024 * 1024, lineChars: 128 * 1024 * 1024 }

export interface WireContext {
  readonly emit: Emit
  readonly book: CallBook
  readonly ids: IdSource
  readonly limits: DecodeLimits
  /** Tell fields and growth of arguments while they arrive. */
  readonly signals: boolean
  /** The text begins inside thinking: the prompt ended with its opening mark. */
  readonly thinking?: boolean
}

const FINISH: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['eos', 'stop'],
  ['tool_calls', 'tool-calls'],
  ['tool_use', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['content_filter', 'content-filter'],
  ['refusal', 'content-filter'],
  ['safety', 'content-filter'],
  ['recitation', 'content-filter'],
  ['blocklist', 'content-filter'],
  ['prohibited_content', 'content-filter'],
  ['spii', 'content-filter'],
  ['image_safety', 'content-filter'],
  ['image_prohibited_content', 'content-filter'],
  ['image_recitation', 'content-filter'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['sensitive', 'content-filter'],
  ['error', 'error'],
])

/** A provider's word for why it stopped. Unknown words are `other`. */
export function finishOf(word: string): FinishReason {
  return FINISH.get(word) ?? FINISH.get(word.toLowerCase()) ?? 'other'
}

export function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Codes and words of providers that mean: the same request may work a little later. */
const TRANSIENT =
  /overload|throttl|not.?ready|rate.?limit|unavailable|timeout|timed.?out|too.?many|capacity|server_error|internal|api_error|\b(?:408|409|429|5\d\d)\b/i

/** What a provider says went wrong, from any of the forms that errors take. */
export function providerError(error: JsonValue): { readonly code: ErrorCode; readonly message: string } {
  const record = objectOf(error)
  const said = record === undefined ? error : (record.message ?? record.error ?? record.detail)
  const message = typeof said === 'string' ? said : JSON.stringify(said ?? error)
  const marks = [record?.type, record?.code, record?.status].filter((mark) => typeof mark === 'string' || typeof mark === 'number')
  const label = marks.length === 0 ? '' : ` (${marks.join(', ')})`
  const transient = TRANSIENT.test(marks.join(' ')) || (marks.length === 0 && TRANSIENT.test(message))
  return { code: transient ? 'MODEL_UNAVAILABLE' : 'MODEL_FAILED', message: `the provider reported an error${label}: ${clipped(message)}` }
}

/** A text short enough for a message. */
export function clipped(text: string, limit = 300): string {
  return text.length <= limit ? text : `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')}…`
}
