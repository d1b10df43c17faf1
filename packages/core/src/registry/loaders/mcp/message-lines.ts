/**
 * Splits bytes into lines at LF, as they come, each decoded whole. The work is linear however small the chunks are. A line over
 * the limit is an error: the memory it would take is somebody else's decision.
 */
export class MessageLines {
  readonly #limit: number
  readonly #onLine: (line: string) => void
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(limit: number, onLine: (line: string) => void) {
    this.#limit = limit
    this.#onLine = onLine
  }

  /** @throws RangeError for a line over the limit; what came of it is dropped */
  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#keep(chunk.subarray(start, end))
      start = end + 1
      const line = this.#pieces.length === 1 ? (this.#pieces[0] ?? EMPTY) : Buffer.concat(this.#pieces)
      this.#pieces = []
      this.#bytes = 0
      this.#onLine(line.toString('utf8'))
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length
    if (this.#bytes > this.#limit) {
      this.#pieces = []
      this.#bytes = 0
      throw new RangeError(`a line is longer than ${this.#limit} bytes`)
    }
    this.#pieces.push(piece)
  }
}

const EMPTY = Buffer.alloc(0)
