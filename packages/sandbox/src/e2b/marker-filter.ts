/**
 * Owns where the output of one run in a shared shell ends: a mark that nobody can know before, with a number behind it. Bytes may come cut
 * anywhere; what may be the beginning of the mark is held back until it is known.
 */

const CLOSE = 0x1e
/** Digits of a status, its space and its end. */
const TAIL_BYTES = 16

export class MarkerFilter {
  readonly #mark: Buffer
  #held: Buffer = Buffer.alloc(0)
  #status: number | undefined

  /** @param mark begins with the byte 1E, which it does not hold again */
  constructor(mark: Buffer) {
    this.#mark = mark
  }

  /** What stood behind the mark, once it has come. */
  get status(): number | undefined {
    return this.#status
  }

  /** The bytes that are output for sure. After the mark: none. */
  push(bytes: Uint8Array): Buffer {
    if (this.#status !== undefined) return Buffer.alloc(0)
    const all = this.#held.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#held, bytes])
    for (let at = all.indexOf(CLOSE); at !== -1; at = all.indexOf(CLOSE, at + 1)) {
      const there = all.subarray(at, at + this.#mark.length)
      if (!there.equals(this.#mark.subarray(0, there.length))) continue
      const end = all.indexOf(CLOSE, at + this.#mark.length)
      if (there.length === this.#mark.length && end !== -1) {
        const status = /^ (\d{1,3})$/.exec(all.toString('latin1', at + this.#mark.length, end))?.[1]
        if (status === undefined) continue
        this.#status = Number(status)
        this.#held = Buffer.alloc(0)
        return all.subarray(0, at)
      }
      if (all.length - at > this.#mark.length + TAIL_BYTES) continue
      this.#held = all.subarray(at)
      return all.subarray(0, at)
    }
    this.#held = Buffer.alloc(0)
    return all
  }
}
