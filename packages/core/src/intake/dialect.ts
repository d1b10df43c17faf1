import type { DecodeEvent, Dialect, FinishReason } from '../contract/decode.ts'
import { DIALECTS } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import type { IdSource } from '../contract/ports.ts'
import { ArrayFrames } from './array-frames.ts'
import { BareTextReader } from './bare-text.ts'
import { ByteInput } from './byte-input.ts'
import { CallBook, type Emit } from './call-book.ts'
import { beginsDecision, DecisionReader } from './decision.ts'
import type { FrameSink, Frames } from './frames.ts'
import { FramingProblems } from './framing-problems.ts'
import { JsonFrames } from './json-frames.ts'
import { beginsPlan, PlanReader } from './plan.ts'
import { dialectOf, foreignWire, framingOf, holdsWire } from './recognise.ts'
import { SseFrames } from './sse-frames.ts'
import { isBareCall, nameOfBegun } from './text-formats/exact-call.ts'
import { holdsCall } from './text-formats/openers.ts'
import { DEFAULT_LIMITS, type DecodeLimits, providerError, type TextReader, type Wire, type WireContext } from './wire.ts'
import { textReaderOf, wireOf } from './wires.ts'

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
  /** Also tell finished top-level fields (`call-field`) and growth (`call-growing`) while arguments arrive. Default false. */
  readonly signals?: boolean
  /** Text begins inside thinking, because the prompt ended with its opening mark (`<think>`). Default false. */
  readonly thinking?: boolean
}

function isDialect(value: string): value is Dialect {
  return DIALECTS.some((dialect) => dialect === value)
}

/**
 * Makes a decoder. `auto` finds out which dialect it is from the first events. `tagged-text`, `decision` and `plan` are read from bare text as well
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
  readonly #sink: FrameSink
  readonly #input: ByteInput
  readonly #problems: FramingProblems
  #ended = false
  #head = ''
  #sawText = false
  #frames: Frames | undefined
  #wire: Wire | undefined
  #text: TextReader | undefined
  /** JSON that may be a provider's, around a text dialect. */
  #carrier: string[] | undefined
  #carrierLength = 0
  /** What comes is text, with no framing. */
  #plainText = false
  #values = 0
  #decisions = 0
  /** Values that are calls without any wire around them, while there is nothing else. */
  readonly #bareCalls: string[] = []
  /** The first event that nobody understood. */
  #foreign: JsonObject | undefined
  #foreignError = false

  constructor(dialect: Dialect | 'auto', emit: Emit, options: DecoderOptions) {
    this.#dialect = dialect
    this.#emit = emit
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#cx = {
      emit,
      book: new CallBook(emit, options.ids),
      ids: options.ids,
      limits,
      signals: options.signals ?? false,
      thinking: options.thinking ?? false,
    }
    this.#problems = new FramingProblems(emit)
    this.#sink = {
      value: (value) => this.#value(value),
      done: () => {
        if (!this.#problems.gaveUp) this.#wire?.done()
      },
      problem: (code, message) => this.#problems.tell(code, message),
    }
    this.#input = new ByteInput((text) => this.#read(text), this.#sink)
    if (dialect === 'auto') return
    this.#wire = wireOf(dialect, this.#cx)
    this.#text = textReaderOf(dialect, this.#cx)
  }

  push(chunk: Uint8Array | string): void {
    if (this.#ended || this.#problems.gaveUp) return
    this.#input.push(chunk)
    this.#cx.book.tellGrowth()
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#input.end()
    const sawAny = this.#sawText || this.#input.isBinary
    if (sawAny) this.#flush()
    else this.#problems.tell('STREAM_BROKEN', () => 'nothing was read: the input is empty')
    const finish = sawAny ? this.#finish() : undefined
    const format = this.#text?.format
    const said = { ...(finish === undefined ? {} : { finish }), ...(format === undefined ? {} : { format }) }
    this.#emit({ type: 'end', dialect: this.#resolved(), ...said })
  }

  #read(text: string): void {
    this.#sawText = true
    if (this.#frames !== undefined) {
      this.#frames.push(text)
      return
    }
    if (this.#carrier !== undefined) {
      this.#keepCarrier(text)
      return
    }
    if (this.#plainText) {
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
    if (framing === 'json' && expected === 'text') {
      this.#carrier = []
      this.#keepCarrier(head)
      return
    }
    this.#open(framing)
    this.#frames?.push(head)
  }

  #open(framing: 'sse' | 'json' | 'array'): void {
    const { lineChars } = this.#cx.limits
    if (framing === 'sse') this.#frames = new SseFrames(this.#sink, lineChars)
    else if (framing === 'array') this.#frames = new ArrayFrames(this.#sink, lineChars)
    else this.#frames = new JsonFrames(this.#sink, lineChars, (body) => this.#notJson(body))
  }

  #keepCarrier(text: string): void {
    this.#carrier?.push(text)
    this.#carrierLength += text.length
    if (this.#carrierLength <= this.#cx.limits.lineChars) return
    const kept = this.#carrier?.join('') ?? ''
    this.#carrier = undefined
    this.#plain(kept)
  }

  /** A text dialect in what may be a provider's JSON: only if one of its values says so, else it is a text that looks like it. */
  #closeCarrier(text: string): void {
    this.#carrier = undefined
    if (!holdsWire(text)) {
      this.#plain(text)
      return
    }
    this.#open('json')
    this.#frames?.push(text)
  }

  #flush(): void {
    if (this.#head !== '') this.#choose(true)
    if (this.#carrier !== undefined) this.#closeCarrier(this.#carrier.join(''))
    this.#frames?.end()
    this.#problems.close()
  }

  #finish(): FinishReason | undefined {
    const wire = this.#wire
    if (this.#bareCalls.length > 0 && this.#bareCalls.length === this.#values) this.#readBareCalls()
    const understood = wire === undefined ? !this.#framed || this.#decisions > 0 : !wire.idle
    if (!understood) {
      this.#notUnderstood()
      return this.#foreignError ? 'error' : undefined
    }
    const said = wire?.end()
    const inText = this.#text?.end()
    // The words of a cut stream may hold whole calls, but it did not finish.
    return wire === undefined || (said === 'stop' && inText === 'tool-calls') ? inText : said
  }

  #notUnderstood(): void {
    if (this.#foreignError) return
    if (this.#values === 0) {
      // What could not be read has been told already.
      if (!this.#problems.any) this.#problems.tell('STREAM_BROKEN', () => 'nothing was read: the stream has no events')
      else if (this.#dialect === 'auto') this.#unknown('no event could be read')
      return
    }
    this.#unknown(this.#foreign === undefined ? 'no event says what it is' : foreignWire(this.#foreign))
  }

  #unknown(why: string): void {
    const what = this.#dialect === 'auto' ? 'the dialect was not recognised' : `the stream is not of the dialect ${this.#dialect}`
    const message = `${what}: ${why}; known are ${DIALECTS.join(', ')}`
    this.#emit({ type: 'problem', code: 'UNKNOWN_DIALECT', message })
  }

  /** What came was in the framing of a wire. */
  get #framed(): boolean {
    return this.#frames !== undefined || this.#input.isBinary
  }

  #resolved(): Dialect {
    if (this.#dialect !== 'auto') return this.#dialect
    if (this.#text instanceof DecisionReader) return 'decision'
    if (this.#text instanceof PlanReader) return 'plan'
    if (this.#text instanceof BareTextReader) return this.#text.dialect
    return this.#wire?.dialect ?? (this.#framed ? 'openai-chat' : 'tagged-text')
  }

  #value(value: JsonObject): void {
    if (this.#problems.gaveUp) return
    this.#values++
    if (this.#wire !== undefined) {
      this.#wire.event(value)
      if (this.#wire.idle) this.#foreign ??= value
      return
    }
    const dialect = dialectOf(value)
    if (dialect === undefined) {
      if (this.#dialect === 'auto' && this.#bareCalls.length === this.#values - 1 && isBareCall(value))
        this.#bareCalls.push(JSON.stringify(value))
      this.#foreignValue(value)
      return
    }
    if (dialect === 'plan') {
      this.#text ??= new PlanReader(this.#cx)
      if (!(this.#text instanceof PlanReader)) return
      this.#decisions++
      this.#text.value(value)
      return
    }
    if (dialect === 'decision') {
      this.#text ??= new DecisionReader(this.#cx)
      if (!(this.#text instanceof DecisionReader)) return
      this.#decisions++
      this.#text.value(value)
      return
    }
    const cx = this.#text === undefined ? this.#cx : { ...this.#cx, emit: this.#intoText(this.#text) }
    this.#wire = wireOf(dialect, cx)
    this.#wire?.event(value)
  }

  /** Nothing came but calls: a message of a model that writes them as bare JSON. */
  #readBareCalls(): void {
    this.#decisions++
    this.#text ??= new BareTextReader(this.#cx)
    this.#text.push(this.#bareCalls.join('\n'))
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

  /** A text that begins with a brace and is no JSON: text with tags, maybe. */
  #notJson(body: string): boolean {
    if (this.#dialect !== 'auto' && this.#text === undefined) return false
    if (this.#dialect === 'auto' && beginsPlan(body)) this.#text ??= new PlanReader(this.#cx)
    else if (this.#dialect === 'auto' && beginsDecision(body)) this.#text ??= new DecisionReader(this.#cx)
    else if (this.#dialect === 'auto' && !holdsCall(body) && nameOfBegun(body) === undefined) return false
    this.#frames = undefined
    this.#plain(body)
    return true
  }

  #plain(text: string): void {
    this.#plainText = true
    this.#text ??= new BareTextReader(this.#cx)
    this.#text.push(text)
  }
}
