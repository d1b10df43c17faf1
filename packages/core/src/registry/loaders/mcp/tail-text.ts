import { stripVTControlCharacters } from 'node:util'

/** The last bytes of an endless text: what a server says on stderr is kept for messages, in bounded memory. */
export class TailText {
  readonly #limit: number
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(limit = 64 * 1024) {
    this.#limit = limit
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    // Joined only at twice the limit, so that many small chunks cost no more than a copy each.
    if (this.#bytes > 2 * this.#limit) {
      this.#chunks = [Buffer.concat(this.#chunks).subarray(-this.#limit)]
      this.#bytes = this.#limit
    }
  }

  /** The last lines that say something, without terminal control sequences; empty when there are none. */
  lines(count: number): readonly string[] {
    const text = Buffer.concat(this.#chunks).subarray(-this.#limit).toString('utf8')
    const plain = stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '')
    return plain
      .split('\n')
      .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line).trimEnd())
      .filter((line) => line !== '')
      .slice(-count)
  }
}

const MAX_LINE = 500
