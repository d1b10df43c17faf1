/**
 * Owns the map from ASCII words, as they stand in a text, to term numbers. Looking one up allocates nothing: the text is hashed and
 * compared in place, without regard to case. That is what makes ten thousand definitions a matter of a tenth of a second.
 */

/** Longer runs of letters are data, not words. */
export const LONGEST_WORD = 48

/** FNV-1a; {@link WordTable.find} wants it over the word's lower-case characters. */
export const HASH_START = 0x811c9dc5
export function hashStep(hash: number, lower: number): number {
  return Math.imul(hash ^ lower, 0x01000193)
}

export interface WordTableState {
  readonly ends: Uint32Array
  readonly terms: Uint32Array
  readonly bytes: Uint8Array
}

export class WordTable {
  #slots = new Int32Array(1 << 12)
  #hashes = new Int32Array(1 << 11)
  /** Where word `i` ends in the bytes; it begins where the one before ends. */
  #ends = new Uint32Array(1 << 11)
  #terms = new Uint32Array(1 << 11)
  #bytes = new Uint8Array(1 << 14)
  #count = 0
  #used = 0

  /** The term of `text[from..to)`, or -1. */
  find(text: string, from: number, to: number, hash: number): number {
    const mask = this.#slots.length - 1
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const word = (this.#slots[slot] ?? 0) - 1
      if (word < 0) return -1
      if (this.#hashes[word] === (hash | 0) && this.#same(word, text, from, to)) return this.#terms[word] ?? -1
    }
  }

  add(text: string, from: number, to: number, hash: number, term: number): void {
    if (this.#count === this.#hashes.length) this.#grow()
    while (this.#used + to - from > this.#bytes.length) this.#bytes = longer(this.#bytes, this.#bytes.length * 2)
    for (let at = from; at < to; at++) this.#bytes[this.#used++] = lowerCode(text.charCodeAt(at))
    this.#append(hash, term)
  }

  /** Keeps the words whose term `numbers` maps to a number of its own; -1 drops the word. */
  renumber(numbers: Int32Array): WordTable {
    const kept = new WordTable()
    for (let word = 0; word < this.#count; word++) {
      const term = numbers[this.#terms[word] ?? 0] ?? -1
      if (term < 0) continue
      const from = word === 0 ? 0 : (this.#ends[word - 1] ?? 0)
      const text = String.fromCharCode(...this.#bytes.subarray(from, this.#ends[word]))
      kept.add(text, 0, text.length, this.#hashes[word] ?? 0, term)
    }
    return kept
  }

  get state(): WordTableState {
    return {
      ends: this.#ends.slice(0, this.#count),
      terms: this.#terms.slice(0, this.#count),
      bytes: this.#bytes.slice(0, this.#used),
    }
  }

  static from(state: WordTableState): WordTable {
    const table = new WordTable()
    let from = 0
    for (const [word, end] of state.ends.entries()) {
      const text = String.fromCharCode(...state.bytes.subarray(from, end))
      let hash = HASH_START
      for (let at = 0; at < text.length; at++) hash = hashStep(hash, text.charCodeAt(at))
      table.add(text, 0, text.length, hash, state.terms[word] ?? 0)
      from = end
    }
    return table
  }

  #append(hash: number, term: number): void {
    const word = this.#count++
    this.#hashes[word] = hash
    this.#ends[word] = this.#used
    this.#terms[word] = term
    this.#place(word)
  }

  #place(word: number): void {
    const mask = this.#slots.length - 1
    let slot = spread(this.#hashes[word] ?? 0) & mask
    while ((this.#slots[slot] ?? 0) !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = word + 1
  }

  #grow(): void {
    const size = this.#hashes.length * 2
    const hashes = new Int32Array(size)
    hashes.set(this.#hashes)
    this.#hashes = hashes
    this.#ends = longer32(this.#ends, size)
    this.#terms = longer32(this.#terms, size)
    this.#slots = new Int32Array(size * 2)
    for (let word = 0; word < this.#count; word++) this.#place(word)
  }

  #same(word: number, text: string, from: number, to: number): boolean {
    const start = word === 0 ? 0 : (this.#ends[word - 1] ?? 0)
    if ((this.#ends[word] ?? 0) - start !== to - from) return false
    for (let at = from; at < to; at++) if (this.#bytes[start + at - from] !== lowerCode(text.charCodeAt(at))) return false
    return true
  }
}

export function lowerCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

/** Mixes the high bits in: the low ones of FNV alone cluster. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15)
}

function longer(array: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(size)
  grown.set(array)
  return grown
}

export function longer32(array: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(size)
  grown.set(array)
  return grown
}
