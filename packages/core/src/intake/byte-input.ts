import { EventStreamInput, isPrelude, mayBeEventStream, PRELUDE_BYTES } from './event-stream-input.ts'
import type { FrameSink } from './frames.ts'
import { Utf8Input } from './utf8-input.ts'

/**
 * Owns the first decision on raw bytes: a binary event stream, whose first twelve bytes carry their own checksum, or text. Only what
 * begins as no text does is held back, and at most those twelve bytes of it.
 */
export class ByteInput {
  readonly #text: (text: string) => void
  readonly #sink: FrameSink
  readonly #utf8 = new Utf8Input()
  #binary: EventStreamInput | undefined
  /** The beginning, until it is decided. */
  #head: Uint8Array | undefined
  #decided = false

  constructor(text: (text: string) => void, sink: FrameSink) {
    this.#text = text
    this.#sink = sink
  }

  get isBinary(): boolean {
    return this.#binary !== undefined
  }

  push(chunk: Uint8Array | string): void {
    if (chunk.length === 0) return
    if (this.#binary !== undefined) {
      this.#binary.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      return
    }
    if (!this.#decided && typeof chunk !== 'string' && this.#mustWait(chunk)) return
    this.#asText(chunk)
  }

  end(): void {
    this.#decide()
    this.#binary?.end()
    const rest = this.#utf8.end()
    if (rest !== '') this.#text(rest)
  }

  /** True when the chunk was taken. */
  #mustWait(chunk: Uint8Array): boolean {
    const [first] = chunk
    if (this.#head === undefined && (first === undefined || !mayBeEventStream(first))) {
      this.#decided = true
      return false
    }
    this.#head = this.#head === undefined ? chunk.slice() : Buffer.concat([this.#head, chunk])
    if (this.#head.length >= PRELUDE_BYTES) this.#decide()
    return true
  }

  #decide(): void {
    const head = this.#head
    this.#head = undefined
    this.#decided = true
    if (head === undefined) return
    if (!isPrelude(head)) {
      this.#asText(head)
      return
    }
    this.#binary = new EventStreamInput(this.#sink)
    this.#binary.push(head)
  }

  #asText(chunk: Uint8Array | string): void {
    if (this.#head !== undefined) this.#decide()
    this.#decided = true
    const text = this.#utf8.push(chunk)
    if (text !== '') this.#text(text)
  }
}
