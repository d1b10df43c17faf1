import { createParser } from 'eventsource-parser'
import { isJsonObject, type JsonValue } from '../contract/json.ts'
import { EventTemplate } from './event-template.ts'
import { type FrameSink, type Frames, faultOf, linesOf, parsed } from './frames.ts'
import { HtmlPage } from './html-page.ts'
import { findJsonFault } from './json-fault.ts'
import { LineBuffer } from './line-buffer.ts'
import { parseJson } from './parse-json.ts'
import { clipped } from './wire.ts'

const LINE_END = 0x0a
const SPACE = 0x20
const LETTER_D = 0x64
const LETTER_E = 0x65

/** Characters of lines without an event; then what there is counts as one. An event of one line may be longer. */
const UNFINISHED = 4_194_304

/**
 * Server-sent events, each with one JSON object as its data. Events of one line of data, as nearly all are, are taken as they stand; what
 * else there may be in a stream (comments, ids, data of several lines, other ends of lines) goes through a parser of the whole
 * standard.
 */
export class SseFrames implements Frames {
  readonly #sink: FrameSink
  readonly #lines: LineBuffer
  readonly #parser
  #count = 0
  #ending = false
  readonly #template = new EventTemplate()
  /** The parser holds no part of an event: what comes next begins one. */
  #fresh = true
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
    // A byte order mark is taken off before. The parser would take off another, in its first piece only.
    this.#parser.feed(':\n')
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

  /** Whole lines. */
  #feed(lines: string): void {
    let at = 0
    if (!this.#fresh) {
      at = afterEmptyLine(lines)
      this.#parse(at === 0 ? lines : lines.slice(0, at))
      this.#fresh = at > 0
      if (!this.#fresh) return
    }
    const simple = !lines.includes('\r')
    while (at < lines.length) {
      const known = this.#template.read(lines, at)
      const value = this.#template.value
      if (known !== -1 && value !== undefined) {
        at = known
        this.#count++
        this.#sink.value(value)
        continue
      }
      const end = simple ? this.#plainEvent(lines, at) : -1
      if (end === -1) {
        const empty = lines.indexOf('\n\n', at)
        // None: the rest of the event is to come.
        this.#fresh = empty !== -1
        this.#parse(lines.slice(at, this.#fresh ? empty + 2 : undefined))
        at = this.#fresh ? empty + 2 : lines.length
      } else at = end
    }
  }

  /** An event of one line of data, behind its name or not; gives where it ends, or -1 when it is another. */
  #plainEvent(lines: string, from: number): number {
    let start = from
    let end = lines.indexOf('\n', start)
    if (lines.charCodeAt(start) === LETTER_E && lines.startsWith('event:', start)) {
      start = end + 1
      end = lines.indexOf('\n', start)
    }
    if (end === -1 || lines.charCodeAt(end + 1) !== LINE_END || lines.charCodeAt(start) !== LETTER_D || !lines.startsWith('data:', start))
      return -1
    const isSpaced = lines.charCodeAt(start + 5) === SPACE
    if (this.#event(lines.slice(start + (isSpaced ? 6 : 5), end))) this.#template.see(lines, from, end + 2)
    return end + 2
  }

  /** Whole lines. Many of them without an empty one between are no event any more, and would fill the memory. */
  #parse(lines: string): void {
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

  /** False when it was no JSON object. */
  #event(data: string): boolean {
    this.#count++
    this.#dispatched = true
    let value: JsonValue
    try {
      value = parseJson(data)
    } catch {
      this.#unread(data)
      return false
    }
    if (isJsonObject(value)) this.#sink.value(value)
    else this.#unread(data)
    return isJsonObject(value)
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

/** Where the first empty line ends; 0 when there is none. */
function afterEmptyLine(lines: string): number {
  if (lines.startsWith('\n')) return 1
  const at = lines.indexOf('\n\n')
  return at === -1 ? 0 : at + 2
}
