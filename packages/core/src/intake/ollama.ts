import type { FinishReason, Usage } from '../contract/decode.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'
import { argumentsOf } from './arguments.ts'
import { finishOf, numberOf, objectOf, providerError, stringOf, type Wire, type WireContext } from './wire.ts'

/**
 * Reads the native form of Ollama, streamed as JSON lines and whole: `/api/chat`, and the text of `/api/generate`. A call comes whole in
 * one line and is handed over at once; each entry of `tool_calls` is a call of its own, whatever index or id it carries.
 */

/** True for a line of this wire. */
export function isOllama(value: JsonObject): boolean {
  return typeof value.done === 'boolean' && (isJsonObject(value.message) || typeof value.response === 'string')
}

export class OllamaWire implements Wire {
  readonly dialect = 'ollama'
  readonly #cx: WireContext
  #finish: FinishReason | undefined
  #usage: Usage | undefined
  #calls = 0
  #idle = true
  #ended = false
  #failed = false

  get idle(): boolean {
    return this.#idle
  }

  constructor(cx: WireContext) {
    this.#cx = cx
  }

  event(value: JsonObject): void {
    const error = value.error
    if (error !== undefined && error !== null) {
      this.#idle = false
      this.#failed = true
      this.#cx.emit({ type: 'problem', ...providerError(error) })
    }
    const message = objectOf(value.message)
    if (message === undefined && typeof value.done !== 'boolean') return
    this.#idle = false
    this.#say('reasoning', message?.thinking ?? value.thinking)
    this.#say('text', message === undefined ? value.response : message.content)
    const calls = message?.tool_calls
    if (Array.isArray(calls)) for (const entry of calls) this.#call(entry)
    if (value.done === true) this.#finished(value)
  }

  done(): void {
    this.#ended = true
  }

  end(): FinishReason | undefined {
    if (!this.#ended && !this.#failed) {
      const message = 'the stream was cut off: it ended before the model said that it had finished'
      this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
    }
    if (this.#usage !== undefined) this.#cx.emit({ type: 'usage', usage: this.#usage })
    if (this.#failed) return 'error'
    // The server says "stop" after calls too.
    if (this.#finish === 'stop' && this.#calls > 0) return 'tool-calls'
    return this.#finish ?? (this.#ended ? 'other' : undefined)
  }

  #say(type: 'text' | 'reasoning', text: JsonValue | undefined): void {
    if (typeof text === 'string' && text !== '') this.#cx.emit({ type, text })
  }

  #call(entry: JsonValue): void {
    const record = objectOf(entry)
    const body = objectOf(record?.function)
    if (record === undefined || body === undefined) return
    this.#calls++
    const call = this.#cx.book.start(stringOf(body.name) ?? '', stringOf(record.id))
    this.#cx.book.finish(call, argumentsOf(body.arguments))
  }

  #finished(value: JsonObject): void {
    this.#ended = true
    // Old servers say nothing more than `done`.
    this.#finish = finishOf(stringOf(value.done_reason) || 'stop')
    const input = numberOf(value.prompt_eval_count)
    const output = numberOf(value.eval_count)
    if (input !== undefined || output !== undefined) this.#usage = { inputTokens: input ?? 0, outputTokens: output ?? 0 }
  }
}
