import type { DecodeEvent, Dialect, FinishReason } from '../contract/decode.ts'
import { DIALECTS } from '../contract/decode.ts'
import { AdjutantError, type ErrorCode } from '../contract/errors.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import type { IdSource } from '../contract/ports.ts'
import { AnthropicWire } from './anthropic.ts'
import { CallBook, type Emit } from './call-book.ts'
import { DecisionReader, withoutFence } from './decision.ts'
import { type FrameSink, type Frames, JsonFrames, SseFrames } from './frames.ts'
import { OpenAiChatWire } from './openai-chat.ts'
import { dialectOf, foreignWire, framingOf } from './recognise.ts'
import { TaggedTextReader } from './tagged-text.ts'
import { Utf8Input } from './utf8-input.ts'
import { DEFAULT_LIMITS, type DecodeLimits, providerError, type TextReader, type Wire, type WireContext } from './wire.ts'

/**
 * Owns the way from raw bytes to decode events: which framing, which dialect, which reader. One decoder reads one answer; it keeps no
 * timers and no handles, so it may be dropped at any point. Bad input never throws: it becomes a `problem`, and decoding goes
 * on. What comes out does not depend on how the bytes were cut.
 */

export interface Decoder {
  /** Takes the next bytes. Events are emitted before it returns. Ignored after `end`. */
  push(chunk: Uint8Array | string): void
  /** No more will come. Emits what is left and exactly one `end`. */
  end(): void
}

export interface DecoderOptions {
  /** Where ids come from for calls that have none of their own. */
  readonly ids: IdSource
  readonly limits?: Partial<DecodeLimits>
}

/** Problems of the framing that are told one by one; the rest is counted. */
const TOLD = 20

/** Control characters that no text has; the rest of C0 occurs in terminals' output. */
const BINARY = /[\x00-\x06\x0e-\x1a\x1c-\x1f]/

function isDialect(value: string): value is Dialect {
  return DIALECTS.some((dialect) => dialect === value)
}

/**
 * Makes a decoder. `auto` finds out which dialect it is from the first events. `tagged-text` and `decision` are read from bare text as well
 * as from inside the text of a provider's stream.
 * @throws AdjutantError UNKNOWN_DIALECT
 *
 * @example
 * ```ts
 * const decoder = createDecoder('auto', (event) => process.stdout.write(`${JSON.stringify(event)}\n`), { ids: randomIds })
 * for await (const chunk of process.stdin) decoder.push(chunk)
 * decoder.end()
 * ```
 */
export function createDecoder(dialect: Dialect | 'auto', emit: (event: DecodeEvent) => void, options: DecoderOptions): Decoder {
  if (dialect !== 'auto' && !isDialect(dialect)) {
    const known = ['auto', ...DIALECTS].join(', ')
    throw new AdjutantError('UNKNOWN_DIALECT', `there is no dialect ${JSON.stringify(dialect)}; there are ${known}`)
  }
  return new StreamDecoder(dialect, emit, options)
}

class StreamDecoder implements Decoder {
  readonly #dialect: Dialect | 'auto'
  readonly #emit: Emit
  readonly #cx: WireContext
  readonly #input = new Utf8Input()
  #ended = false
  #head = ''
  #sawText = false
  #frames: Frames | undefined
  #wire: Wire | undefined
  #text: TextReader | undefined
  /** Text that may be a fenced decision; only for `auto`. */
  #fenced: string | undefined
  #binary = false
  #plainLength = 0
  #values = 0
  #foreign: JsonObject | undefined
  #foreignError = false
  #told = 0

  constructor(dialect: Dialect | 'auto', emit: Emit, options: DecoderOptions) {
    this.#dialect = dialect
    this.#emit = emit
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#cx = { emit, book: new CallBook(emit, options.ids), ids: options.ids, limits }
    if (dialect === 'openai-chat') this.#wire = new OpenAiChatWire(this.#cx)
    else if (dialect === 'anthropic') this.#wire = new AnthropicWire(this.#cx)
    else if (dialect === 'tagged-text') this.#text = new TaggedTextReader(this.#cx)
    else if (dialect === 'decision') this.#text = new DecisionReader(this.#cx)
  }

  push(chunk: Uint8Array | string): void {
    if (this.#ended) return
    const text = this.#input.push(chunk)
    if (text !== '') this.#read(text)
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    const rest = this.#input.end()
    if (rest !== '') this.#read(rest)
    if (!this.#sawText) this.#problem('STREAM_BROKEN', 'nothing was read: the input is empty')
    else this.#flush()
    const finish = this.#sawText ? this.#finish() : undefined
    this.#emit({ type: 'end', dialect: this.#resolved(), ...(finish === undefined ? {} : { finish }) })
  }

  #read(text: string): void {
    this.#sawText = true
    if (this.#frames !== undefined) {
      this.#frames.push(text)
      return
    }
    if (this.#plainLength > 0) {
      this.#plain(text)
      return
    }
    this.#head += text
    this.#choose(false)
  }

  #choose(final: boolean): void {
    const expected = this.#dialect === 'auto' ? 'any' : this.#text === undefined ? 'wire' : 'text'
    const framing = framingOf(this.#head, expected, final)
    if (framing === 'wait') return
    const head = this.#head
    this.#head = ''
    if (framing === 'plain') {
      this.#plain(head)
      return
    }
    const sink: FrameSink = {
      value: (value) => this.#value(value),
      done: () => this.#wire?.done(),
      problem: (code, message) => this.#problem(code, message),
    }
    const { lineChars } = this.#cx.limits
    this.#frames = framing === 'sse' ? new SseFrames(sink, lineChars) : new JsonFrames(sink, lineChars, (body) => this.#notJson(body))
    this.#frames.push(head)
  }

  #flush(): void {
    if (this.#head !== '') this.#choose(true)
    this.#frames?.end()
    if (this.#fenced !== undefined) this.#closeFence(this.#fenced)
    if (this.#told > TOLD)
      this.#emit({ type: 'problem', code: 'INVALID_JSON', message: `${this.#told - TOLD} more parts could not be read` })
  }

  #finish(): FinishReason | undefined {
    const said = this.#wire?.end()
    const inText = this.#text?.end()
    if (this.#frames !== undefined && this.#values === 0 && this.#told === 0)
      this.#problem('STREAM_BROKEN', 'nothing was read: the stream has no events')
    if (this.#wire === undefined && this.#text === undefined && !this.#binary) this.#unknown()
    if (this.#foreignError) return 'error'
    // The words of a cut stream may hold whole calls, but it did not finish.
    if (this.#wire !== undefined) return said === 'stop' && inText === 'tool-calls' ? inText : said
    return this.#binary ? undefined : inText
  }

  #resolved(): Dialect {
    if (this.#dialect !== 'auto') return this.#dialect
    if (this.#text instanceof DecisionReader) return 'decision'
    return this.#wire?.dialect ?? (this.#frames === undefined ? 'tagged-text' : 'openai-chat')
  }

  #problem(code: ErrorCode, message: string): void {
    this.#told++
    if (this.#told <= TOLD) this.#emit({ type: 'problem', code, message })
  }

  #value(value: JsonObject): void {
    this.#values++
    if (this.#wire !== undefined) {
      this.#wire.event(value)
      return
    }
    const dialect = dialectOf(value)
    if (dialect === undefined) {
      this.#foreignValue(value)
      return
    }
    if (dialect === 'decision') {
      this.#text ??= new DecisionReader(this.#cx)
      if (this.#text instanceof DecisionReader) this.#text.value(value)
      return
    }
    const cx = this.#text === undefined ? this.#cx : { ...this.#cx, emit: this.#intoText(this.#text) }
    this.#wire = dialect === 'anthropic' ? new AnthropicWire(cx) : new OpenAiChatWire(cx)
    this.#wire.event(value)
  }

  /** A provider's stream around text: its text goes to the reader of text, all else straight on. */
  #intoText(reader: TextReader): Emit {
    return (event) => (event.type === 'text' ? reader.push(event.text) : this.#emit(event))
  }

  #foreignValue(value: JsonObject): void {
    const error = value.error
    if ((isJsonObject(error) || typeof error === 'string') && !this.#foreignError) {
      this.#foreignError = true
      this.#emit({ type: 'problem', ...providerError(error) })
    }
    this.#foreign ??= value
  }

  #unknown(): void {
    if (this.#foreignError) return
    const known = DIALECTS.join(', ')
    const why = this.#foreign === undefined ? 'no event could be read' : foreignWire(this.#foreign)
    this.#emit({ type: 'problem', code: 'UNKNOWN_DIALECT', message: `the dialect was not recognised: ${why}; known are ${known}` })
  }

  /** A text that begins with a brace and is no JSON: text with tags, maybe. */
  #notJson(body: string): boolean {
    if (this.#dialect === 'openai-chat' || this.#dialect === 'anthropic') return false
    if (this.#dialect === 'auto' && !/<tool_(?:use|call)>/.test(body)) return false
    this.#frames = undefined
    this.#plain(body)
    return true
  }

  #plain(text: string): void {
    if (this.#dialect !== 'auto') {
      this.#plainLength += text.length
      this.#text?.push(text)
      return
    }
    if (this.#binary) return
    const place = BINARY.exec(text)?.index ?? replacedAt(text, this.#plainLength)
    const good = place === undefined ? text : text.slice(0, place)
    if (this.#plainLength === 0 && /^\s*```/.test(good)) this.#fenced = ''
    this.#plainLength += text.length
    if (this.#fenced !== undefined) this.#fenced += good
    else if (good !== '') this.#plainText(good)
    if (place === undefined) return
    this.#binary = true
    const position = this.#plainLength - text.length + place
    this.#emit({
      type: 'problem',
      code: 'UNKNOWN_DIALECT',
      message: `the input is no UTF-8 text: it is binary from character ${position} on`,
    })
  }

  #plainText(text: string): void {
    this.#text ??= new TaggedTextReader(this.#cx)
    this.#text.push(text)
  }

  #closeFence(text: string): void {
    this.#fenced = undefined
    const inside = withoutFence(text)
    let value: unknown
    try {
      value = JSON.parse(inside)
    } catch {
      this.#plainText(text)
      return
    }
    if (!isJsonObject(value) || dialectOf(value) !== 'decision') {
      this.#plainText(text)
      return
    }
    const reader = new DecisionReader(this.#cx)
    this.#text = reader
    reader.value(value)
  }
}

/** A replacement character right at the beginning: bytes of another encoding. */
function replacedAt(text: string, before: number): number | undefined {
  if (before >= 64) return undefined
  const at = text.indexOf('\uFFFD')
  return at !== -1 && before + at < 64 ? at : undefined
}
