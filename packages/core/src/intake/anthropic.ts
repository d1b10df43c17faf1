import type { FinishReason, Usage } from '../contract/decode.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'
import { type ArgumentsEnd, ArgumentText } from './argument-text.ts'
import { parseArguments } from './arguments.ts'
import type { OpenCall } from './call-book.ts'
import { finishOf, numberOf, objectOf, providerError, stringOf, type Wire, type WireContext } from './wire.ts'

/**
 * Reads the Messages API, streamed and whole. Blocks are told apart by their index and closed by `content_block_stop`, which is
 * when a call is handed over. Only `tool_use` is a call: what the provider runs itself (`server_tool_use` and its results) is not.
 * Blocks that are neither text nor a call go back unchanged as `provider-block`: signed thinking, and whatever the provider adds.
 */

interface Block {
  readonly type: string
  /** As it was announced. */
  readonly start: JsonObject
  readonly call: OpenCall | undefined
  /** Of a call. */
  readonly input: ArgumentText
  /** `input_json_delta` pieces of what is no call. */
  json: string
  /** Other pieces by field: thinking, signature, and what later versions add. */
  readonly fields: Map<string, string>
}

export class AnthropicWire implements Wire {
  readonly dialect = 'anthropic'
  readonly #cx: WireContext
  readonly #blocks = new Map<number, Block>()
  #finish: FinishReason | undefined
  #inputTokens: number | undefined
  #outputTokens: number | undefined
  #idle = true
  #ended = false
  #failed = false
  #stray = false
  /** Stopped before their arguments were whole: whether the model was done is said only afterwards. */
  #unfinished: Block[] = []

  get idle(): boolean {
    return this.#idle
  }

  constructor(cx: WireContext) {
    this.#cx = cx
  }

  event(value: JsonObject): void {
    if (this.#read(value)) this.#idle = false
  }

  /** False for what this wire does not know. */
  #read(value: JsonObject): boolean {
    switch (value.type) {
      case 'content_block_delta':
        this.#delta(numberOf(value.index) ?? 0, objectOf(value.delta))
        return true
      case 'content_block_start':
        this.#start(numberOf(value.index) ?? 0, objectOf(value.content_block))
        return true
      case 'content_block_stop':
        this.#stop(numberOf(value.index) ?? 0)
        return true
      case 'message_start':
        this.#message(objectOf(value.message))
        return true
      case 'message_delta':
        this.#stopReason(objectOf(value.delta)?.stop_reason)
        this.#usage(value.usage)
        return true
      case 'message_stop':
        this.done()
        return true
      case 'message':
        this.#whole(value)
        return true
      case 'ping':
        return true
      default:
        return this.#readError(value.error)
    }
  }

  #readError(error: JsonValue | undefined): boolean {
    if (error === undefined || error === null) return false
    this.#failed = true
    this.#cx.emit({ type: 'problem', ...providerError(error) })
    return true
  }

  done(): void {
    this.#ended = true
    this.#closeAll(this.#finish === 'length')
  }

  end(): FinishReason | undefined {
    const said = this.#ended || this.#finish !== undefined
    this.#closeAll(!said || this.#finish === 'length' || this.#failed)
    if (!said && !this.#failed) {
      const message = 'the stream was cut off: it ended before the model said that it had finished'
      this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
    }
    if (this.#inputTokens !== undefined || this.#outputTokens !== undefined) {
      const usage: Usage = { inputTokens: this.#inputTokens ?? 0, outputTokens: this.#outputTokens ?? 0 }
      this.#cx.emit({ type: 'usage', usage })
    }
    if (this.#failed) return 'error'
    return this.#finish ?? (said ? 'other' : undefined)
  }

  /** A second message in one stream: a server that tried again, or a recording of two. What was open will not be finished. */
  #message(message: JsonObject | undefined): void {
    this.#closeAll(true, 'the provider started its message anew')
    this.#ended = false
    this.#finish = undefined
    if (message !== undefined) this.#usage(message.usage)
  }

  #whole(message: JsonObject): void {
    const content = message.content
    if (typeof content === 'string') this.#text(content)
    if (Array.isArray(content)) {
      for (const [index, block] of content.entries()) {
        this.#start(index, objectOf(block))
        this.#stop(index)
      }
    }
    this.#stopReason(message.stop_reason)
    this.#usage(message.usage)
    this.#ended = true
  }

  #stopReason(word: JsonValue | undefined): void {
    if (typeof word === 'string') this.#finish = finishOf(word)
  }

  #usage(value: JsonValue | undefined): void {
    const usage = objectOf(value)
    if (usage === undefined) return
    const input = numberOf(usage.input_tokens)
    // Cached tokens are counted apart here, and were read by the model all the same.
    const cached = (numberOf(usage.cache_creation_input_tokens) ?? 0) + (numberOf(usage.cache_read_input_tokens) ?? 0)
    if (input !== undefined) this.#inputTokens = input + cached
    this.#outputTokens = numberOf(usage.output_tokens) ?? this.#outputTokens
  }

  #text(text: string | undefined): void {
    if (text) this.#cx.emit({ type: 'text', text })
  }

  #reasoning(text: string | undefined): void {
    if (text) this.#cx.emit({ type: 'reasoning', text })
  }

  #start(index: number, start: JsonObject | undefined): void {
    if (this.#blocks.has(index)) this.#stop(index)
    if (start === undefined) return
    const type = stringOf(start.type) ?? ''
    const call = type === 'tool_use' ? this.#cx.book.start(stringOf(start.name) ?? '', stringOf(start.id)) : undefined
    const input = new ArgumentText(this.#cx)
    if (call !== undefined) input.tellFor(call)
    this.#blocks.set(index, { type, start, call, input, json: '', fields: new Map() })
    if (type === 'text') this.#text(stringOf(start.text))
    else if (type === 'thinking') this.#reasoning(stringOf(start.thinking))
  }

  #delta(index: number, delta: JsonObject | undefined): void {
    if (delta === undefined) return
    const type = delta.type
    const block = this.#blocks.get(index)
    if (type === 'input_json_delta') {
      const piece = stringOf(delta.partial_json)
      if (block === undefined) {
        this.#sayStray(index)
        return
      }
      if (piece) this.#appendJson(block, piece)
      return
    }
    if (type === 'text_delta') {
      this.#text(stringOf(delta.text))
      return
    }
    if (type === 'thinking_delta') this.#reasoning(stringOf(delta.thinking))
    if (block === undefined) return
    for (const [field, value] of Object.entries(delta)) {
      if (field !== 'type' && typeof value === 'string') block.fields.set(field, (block.fields.get(field) ?? '') + value)
    }
  }

  #appendJson(block: Block, piece: string): void {
    if (block.call !== undefined) feedArguments(block.input, piece)
    else if (block.json.length <= this.#cx.limits.argumentChars) block.json += piece
  }

  #sayStray(index: number): void {
    if (this.#stray) return
    this.#stray = true
    const message = `arguments came for block ${index}, which was never started; they were left out`
    this.#cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
  }

  #stop(index: number): void {
    const block = this.#blocks.get(index)
    if (block === undefined) return
    this.#blocks.delete(index)
    if (block.call !== undefined) {
      if (block.input.unfinished && !block.input.blank && !this.#ended) this.#unfinished.push(block)
      else this.#finishCall(block.call, block, 'closed')
      return
    }
    if (block.type === 'text') return
    const whole = restored(block)
    // Unsigned thinking comes from servers that would not take it back.
    if (block.type === 'thinking' && !stringOf(whole.signature)) return
    this.#cx.emit({ type: 'provider-block', block: whole })
  }

  #finishCall(call: OpenCall, block: Block, end: ArgumentsEnd, why?: string): void {
    if (block.input.blank && end !== 'cut') {
      const given = block.start.input
      if (isJsonObject(given)) block.input.take(given)
      else if (given !== undefined && given !== null) feedArguments(block.input, stringOf(given) ?? JSON.stringify(given))
    }
    this.#cx.book.finish(call, block.input.read(end, why))
  }

  /** Closes what no `content_block_stop` has closed. Arguments that are whole are taken all the same. */
  #closeAll(cut: boolean, why?: string): void {
    const ended = this.#finish === 'stop' || this.#finish === 'tool-calls'
    const end = cut ? 'cut' : ended ? 'ended' : 'closed'
    for (const block of this.#unfinished) if (block.call !== undefined) this.#finishCall(block.call, block, end, why)
    this.#unfinished = []
    for (const [index, block] of this.#blocks) {
      if (block.call !== undefined) this.#finishCall(block.call, block, end, why)
      // A block of the provider's own that is not whole must not go back.
      else if (!cut) this.#stop(index)
    }
    this.#blocks.clear()
  }
}

/** What follows the closing brace makes the arguments no JSON object: blocks say themselves where a call ends. */
function feedArguments(input: ArgumentText, piece: string): void {
  if (input.overfull) return
  if (!input.complete && !input.spoilt) {
    const rest = input.append(piece)
    if (rest !== '') input.spoil(rest)
  } else if (piece.trim() !== '') input.spoil(piece)
}

/** A block as it would have come whole. */
function restored(block: Block): JsonObject {
  const whole: Record<string, JsonValue> = { ...block.start }
  for (const [field, text] of block.fields) whole[field] = (stringOf(whole[field]) ?? '') + text
  if (block.json !== '') {
    const input = parseArguments(block.json)
    if (input.ok && isJsonObject(input.value)) whole.input = input.value
  }
  return whole
}
