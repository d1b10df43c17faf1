import { createParser } from 'eventsource-parser'
import type { ErrorCode } from '../contract/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'
import { findJsonFault } from './json-fault.ts'
import { isJsonSpace, skipJsonSpace } from './json-scanner.ts'
import { parseJson } from './parse-json.ts'
import { clipped } from './wire.ts'

/**
 * Owns framing: text → parsed events, from SSE, from JSON lines, and from one JSON body. What cannot be read is reported, with its
 * place, and skipped. Nothing here depends on where the text was cut: lines are handed on whole, joined once.
 */

export interface FrameSink {
  value(value: JsonObject): void
  /** The mark `[DONE]`. */
  done(): void
  /** Asked for its words only when they are told: a stream of garbage has millions. */
  problem(code: ErrorCode, message: () => string): void
}

export interface Frames {
  push(text: string): void
  end(): void
}

/** Collects pieces until a line ends; hands on whole lines, as many at once as there are, their ends included. */
class LineBuffer {
  #pieces: string[] = []
  #length = 0
  #skipping = false
  readonly #limit: number
  readonly #sink: FrameSink
  readonly #feed: (lines: string) => void

  constructor(limit: number, sink: FrameSink, feed: (lines: string) => void) {
    this.#limit = limit
    this.#sink = sink
    this.#feed = feed
  }

  push(text: string): void {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) this.#complete(end === text.length ? text : text.slice(0, end))
    if (end < text.length) this.#keep(end === 0 ? text : text.slice(end))
  }

  /** What has no end yet. */
  take(): string {
    const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('')
    this.#pieces = []
    this.#length = 0
    return text
  }

  #complete(text: string): void {
    let lines = text
    if (this.#skipping) {
      lines = lines.slice(lines.indexOf('\n') + 1)
      this.#skipping = false
    } else if (this.#length > 0) {
      this.#pieces.push(lines)
      lines = this.take()
    }
    if (lines.length <= this.#limit) this.#feed(lines)
    else this.#feedOneByOne(lines)
  }

  /** Some line in here may be too long. */
  #feedOneByOne(lines: string): void {
    for (let start = 0; start < lines.length; ) {
      const end = lines.indexOf('\n', start)
      if (end - start > this.#limit) this.#sayTooLong()
      else this.#feed(lines.slice(start, end + 1))
      start = end + 1
    }
  }

  #keep(text: string): void {
    if (this.#skipping) return
    this.#pieces.push(text)
    this.#length += text.length
    if (this.#length <= this.#limit) return
    this.take()
    this.#skipping = true
    this.#sayTooLong()
  }

  #sayTooLong(): void {
    this.#sink.problem('TOO_LARGE', () => `a line is longer than ${this.#limit} characters; it was skipped`)
  }
}

/** The object that `text` is, if it is one. What cannot be one costs no exception. */
function parsed(text: string): JsonObject | undefined {
  const from = skipJsonSpace(text)
  let end = text.length
  while (end > from && isJsonSpace(text.charCodeAt(end - 1))) end--
  if (text.charAt(from) !== '{' || text.charAt(end - 1) !== '}') return undefined
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function faultOf(text: string): string {
  const fault = findJsonFault(text)
  return fault === undefined ? 'it is no JSON object' : `at position ${fault.position} ${fault.message}`
}

/** Characters of lines without an event; then what there is counts as one. An event of one line may be longer. */
const UNFINISHED = 4_194_304

/** Server-sent events, each with one JSON object as its data. */
export class SseFrames implements Frames {
  readonly #sink: FrameSink
  readonly #lines: LineBuffer
  readonly #parser
  #count = 0
  #ending = false
  /** Characters since the last event. */
  #unfinished = 0
  #dispatched = false

  constructor(sink: FrameSink, limit: number) {
    this.#sink = sink
    this.#lines = new LineBuffer(limit, sink, (lines) => this.#feed(lines))
    this.#parser = createParser({
      maxBufferSize: limit,
      onEvent: (event) => this.#event(event.data),
      onError: (error) => {
        if (error.type === 'unknown-field') this.#stray(error.line ?? '')
        else if (error.type === 'max-buffer-size-exceeded') this.#overflow(limit)
      },
    })
  }

  push(text: string): void {
    this.#lines.push(text)
  }

  end(): void {
    // The last event may lack its empty line, or the rest of its own line.
    this.#ending = true
    this.#feed(`${this.#lines.take()}\n\n`)
  }

  /** Whole lines. Many of them without an empty one between are no event any more, and would fill the memory. */
  #feed(lines: string): void {
    if (this.#unfinished + lines.length <= UNFINISHED) {
      this.#parser.feed(lines)
      const from = this.#dispatched ? Math.max(0, lines.lastIndexOf('\n\n'), lines.lastIndexOf('\n\r\n')) : 0
      this.#unfinished = (this.#dispatched ? 0 : this.#unfinished) + lines.length - from
      this.#dispatched = false
      return
    }
    for (let start = 0; start < lines.length; ) {
      const end = lines.indexOf('\n', start) + 1
      this.#parser.feed(lines.slice(start, end))
      this.#unfinished = this.#dispatched ? 0 : this.#unfinished + end - start
      this.#dispatched = false
      if (this.#unfinished > UNFINISHED) {
        this.#parser.feed('\n')
        this.#unfinished = 0
        this.#dispatched = false
      }
      start = end
    }
  }

  #event(data: string): void {
    this.#count++
    this.#dispatched = true
    let value: JsonValue
    try {
      value = parseJson(data)
    } catch {
      this.#unread(data)
      return
    }
    if (isJsonObject(value)) this.#sink.value(value)
    else this.#unread(data)
  }

  #unread(data: string): void {
    const text = data.trim()
    if (text === '[DONE]') {
      this.#sink.done()
      return
    }
    if (text === '') return
    // Servers that leave out the empty line between events make one of many.
    if (text.includes('\n')) {
      for (const line of linesOf(text)) this.#event(line)
      return
    }
    const count = this.#count
    if (this.#ending && findJsonFault(text)?.incomplete === true) {
      this.#sink.problem('STREAM_BROKEN', () => `the stream was cut off inside event ${count}: ${clipped(text, 80)}`)
      return
    }
    this.#sink.problem('INVALID_JSON', () => `event ${count} was skipped: ${faultOf(text)}: ${clipped(text, 80)}`)
  }

  /** An event of very many lines. The parser refuses all more until it is set back. */
  #overflow(limit: number): void {
    this.#sink.problem('TOO_LARGE', () => `an event is longer than ${limit} characters; it was skipped`)
    this.#parser.reset()
  }

  /** A line that is no SSE field. Some servers drop a bare JSON error into the stream. */
  #stray(line: string): void {
    const value = line.startsWith('{') ? parsed(line) : undefined
    if (value !== undefined) {
      this.#sink.value(value)
      return
    }
    this.#sink.problem('INVALID_JSON', () => `a line that is no server-sent event was skipped: ${clipped(line.trim(), 80)}`)
  }
}

/** JSON lines, one JSON body on one or many lines, or an array of such bodies. */
export class JsonFrames implements Frames {
  readonly #sink: FrameSink
  readonly #lines: LineBuffer
  readonly #limit: number
  /** Called with the whole text when it is no JSON at all; true when somebody else can read it. */
  readonly #fallback: (text: string) => boolean
  #mode: 'first' | 'lines' | 'body' = 'first'
  #body: string[] = []
  #bodyLength = 0
  #ending = false
  #tooLarge = false
  #count = 0

  constructor(sink: FrameSink, limit: number, fallback: (text: string) => boolean) {
    this.#sink = sink
    this.#lines = new LineBuffer(limit, sink, (lines) => this.#read(lines))
    this.#limit = limit
    this.#fallback = fallback
  }

  push(text: string): void {
    if (this.#inBody()) {
      this.#keep(text)
      return
    }
    this.#lines.push(text)
    // The line buffer holds the beginning of the line after the one that was no JSON.
    if (this.#inBody()) this.#keep(this.#lines.take())
  }

  end(): void {
    this.#ending = true
    const rest = this.#lines.take()
    if (this.#mode === 'body') this.#keep(rest)
    else this.#read(`${rest}\n`)
    if (this.#mode === 'body' && !this.#tooLarge) this.#readBody(this.#body.join(''))
  }

  /** Asked anew after each step: handing lines on may change it. */
  #inBody(): boolean {
    return this.#mode === 'body'
  }

  #read(lines: string): void {
    if (this.#inBody()) {
      this.#keep(lines)
      return
    }
    for (let start = 0; start < lines.length; ) {
      const end = lines.indexOf('\n', start)
      const line = lines.slice(start, end)
      if (this.#mode === 'first' && line.trim() !== '') {
        const value = parsed(line)
        if (value === undefined) {
          this.#mode = 'body'
          this.#keep(lines.slice(start))
          return
        }
        this.#mode = 'lines'
        this.#count++
        this.#sink.value(value)
      } else this.#line(line)
      start = end + 1
    }
  }

  #line(line: string): void {
    const text = line.trim()
    if (text === '') return
    const count = ++this.#count
    const value = parsed(text)
    if (value !== undefined) this.#sink.value(value)
    else if (text === '[DONE]') this.#sink.done()
    else if (this.#ending && findJsonFault(text)?.incomplete === true) {
      this.#sink.problem('STREAM_BROKEN', () => `the stream was cut off inside line ${count}: ${clipped(text, 80)}`)
    } else this.#sink.problem('INVALID_JSON', () => `line ${count} was skipped: ${faultOf(text)}: ${clipped(text, 80)}`)
  }

  #keep(text: string): void {
    if (this.#tooLarge || text === '') return
    this.#bodyLength += text.length
    this.#body.push(text)
    if (this.#bodyLength <= this.#limit) return
    this.#tooLarge = true
    this.#body = []
    this.#sink.problem('TOO_LARGE', () => `the JSON body is longer than ${this.#limit} characters; it was not read`)
  }

  #readBody(text: string): void {
    let value: JsonValue
    try {
      value = parseJson(text)
    } catch {
      this.#readBroken(text)
      return
    }
    const values = Array.isArray(value) ? value : [value]
    for (const item of values) {
      if (isJsonObject(item)) this.#sink.value(item)
      else this.#sink.problem('INVALID_JSON', () => `the body was skipped: it is no JSON object: ${clipped(text.trim(), 80)}`)
    }
  }

  /** JSON lines whose first line is broken, or no JSON. */
  #readBroken(text: string): void {
    if (holdsObject(text)) {
      for (const line of linesOf(text)) this.#line(line)
      return
    }
    if (this.#fallback(text)) return
    const fault = findJsonFault(text.trimEnd())
    if (fault?.incomplete === true) {
      this.#sink.problem('STREAM_BROKEN', () => `the JSON body is cut off after ${text.length} characters: ${fault.message}`)
      return
    }
    const place = fault === undefined ? 'it is no JSON' : `at line ${fault.line}, column ${fault.column} ${fault.message}`
    this.#sink.problem('INVALID_JSON', () => `the body is no JSON: ${place}: ${clipped(text.trim(), 80)}`)
  }
}

/** One line after the other, without a list of them all: there may be millions. */
function* linesOf(text: string): Generator<string, void, void> {
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start)
    yield end === -1 ? text.slice(start) : text.slice(start, end)
    if (end === -1) return
    start = end + 1
  }
}

/** Lines looked at before a body counts as no JSON lines. */
const LOOKED_AT = 1_000

/** Whether one of the first lines is a JSON object of its own. */
function holdsObject(text: string): boolean {
  let count = 0
  for (const line of linesOf(text)) {
    if (line.startsWith('{') && parsed(line) !== undefined) return true
    if (++count >= LOOKED_AT) return false
  }
  return false
}
