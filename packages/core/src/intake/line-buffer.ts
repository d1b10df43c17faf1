import type { FrameSink } from './frames.ts'

/** Collects pieces until a line ends; hands on whole lines, as many at once as there are, their ends included. */
export class LineBuffer {
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
