/**
 * Owns: the last bytes of a stream, at least `capacity` of them, as the pieces they came in (no copy, save of small ones, which
 * would hold on to the large buffer they are a part of). What is older is dropped.
 */
export class ByteTail {
  readonly #capacity: number
  #pieces: Uint8Array[] = []
  #first = 0
  #bytes = 0
  #dropped = false

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** False as long as everything that was pushed is still there. */
  get dropped(): boolean {
    return this.#dropped
  }

  get bytes(): number {
    return this.#bytes
  }

  /** True when pushing so many more bytes would drop some for the first time. */
  wouldDrop(bytes: number): boolean {
    const oldest = this.#pieces[this.#first]
    return !this.#dropped && oldest !== undefined && this.#bytes + bytes - oldest.byteLength >= this.#capacity
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece.byteLength < SMALL ? new Uint8Array(piece) : piece)
    this.#bytes += piece.byteLength
    for (let oldest = this.#pieces[this.#first]; oldest !== undefined; oldest = this.#pieces[this.#first]) {
      if (this.#bytes - oldest.byteLength < this.#capacity) break
      this.#bytes -= oldest.byteLength
      // Let go at once: a large buffer that outlives its youth is collected late.
      this.#pieces[this.#first] = NOTHING
      this.#first++
      this.#dropped = true
    }
    if (this.#first > 64 && this.#first * 2 > this.#pieces.length) {
      this.#pieces = this.#pieces.slice(this.#first)
      this.#first = 0
    }
  }

  /** Takes a copy of what is needed of it, for a piece whose memory is used again. */
  pushCopy(piece: Uint8Array): void {
    if (piece.byteLength <= this.#capacity) {
      this.push(new Uint8Array(piece))
      return
    }
    this.#pieces = []
    this.#first = 0
    this.#bytes = 0
    this.#dropped = true
    this.push(new Uint8Array(piece.subarray(piece.byteLength - this.#capacity)))
  }

  pieces(): readonly Uint8Array[] {
    return this.#pieces.slice(this.#first)
  }
}

const SMALL = 4_096
const NOTHING = new Uint8Array(0)
