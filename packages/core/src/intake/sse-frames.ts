import { createParser } from 'eventsource-parser'
import { isJsonObject, type JsonValue } from '../contract/json.ts'
import { type FrameSink, type Frames, faultOf, linesOf, parsed } from './frames.ts'
import { HtmlPage } from './html-page.ts'
import { findJsonFault } from './json-fault.ts'
import { LineBuffer } from './line-buffer.ts'
import { parseJson } from './parse-json.ts'
import { clipped } from './wire.ts'

/** Characters of lines without an event; then what there is counts as one. An event of one line may be longer. */
const UNFINISHED = 4_194_304

/** Server-sent events, each with one JSON object as its data. */
export class SseFrames implements Frames {
  readonly #sink: FrameSink
  readonly #lines: LineBuffer
  readonly #parser
  #count = 0
  #ending = false
  #page: HtmlPage | undefined
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
    const page = this.#page
    if (page !== undefined) this.#sink.problem(page.problem.code, () => page.problem.message)
  }

  /** Whole lines. Many of them without an empty one between are no event any more, and would fill the memory. */
  #feed(lines: string): void {
    if (this.#unfinished + lines.length <= UNFINISHED) {
      this.#parser.feed(lines)
      this.#unfinished = lines.endsWith('\n\n') ? 0 : this.#unfinishedAfter(lines)
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

  #unfinishedAfter(lines: string): number {
    if (!this.#dispatched) return this.#unfinished + lines.length
    return lines.length - Math.max(0, lines.lastIndexOf('\n\n'), lines.lastIndexOf('\n\r\n'))
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
    if (this.#count === 0 && HtmlPage.isBegunBy(line)) this.#page ??= new HtmlPage()
    if (this.#page !== undefined) {
      this.#page.add(line)
      return
    }
    const value = line.startsWith('{') ? parsed(line) : undefined
    if (value !== undefined) {
      this.#sink.value(value)
      return
    }
    this.#sink.problem('INVALID_JSON', () => `a line that is no server-sent event was skipped: ${clipped(line.trim(), 80)}`)
  }
}
