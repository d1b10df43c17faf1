import { isJsonObject, type JsonValue } from '../contract/json.ts'
import { type FrameSink, type Frames, faultOf, linesOf, parsed } from './frames.ts'
import { findJsonFault } from './json-fault.ts'
import { LineBuffer } from './line-buffer.ts'
import { parseJson } from './parse-json.ts'
import { clipped } from './wire.ts'

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
