import { hash } from 'node:crypto'

const SEED_A = 0x1b873593
const SEED_B = 0x6a09e667
const FACTOR_A = 0x9e3779b1
const FACTOR_B = 0x85ebca6b
/** Above this many UTF-16 units SHA-256 in native code is quicker than a loop here. Measured on Node 24. */
const LONG_TEXT = 1_024

/**
 * A 53-bit digest that texts, numbers and other digests are mixed into: one safe integer, so that digests are kept in number arrays, compared by `===` and
 * written as JSON. It tells what happens to differ apart; it is no protection against somebody who looks for two texts with one digest, which
 * gains nothing here. The same in every process, so that a kept digest can be compared after a restart.
 * One instance is reused; not for interleaved use.
 */
export class TextDigest {
  #a = SEED_A
  #b = SEED_B

  /** Begins anew. */
  start(): this {
    this.#a = SEED_A
    this.#b = SEED_B
    return this
  }

  /** Mixes a text in, its length as well, so that `ab` + `c` is not `a` + `bc`. */
  text(text: string): this {
    const length = text.length
    this.word(length)
    if (length > LONG_TEXT) {
      const hex = hash('sha256', text)
      this.word(Number.parseInt(hex.slice(0, 8), 16)).word(Number.parseInt(hex.slice(8, 16), 16))
      return this
    }
    let a = this.#a
    let b = this.#b
    let at = 0
    // Two units a step; the shift brings high bits down, or a difference in high bits would stay there.
    for (; at + 1 < length; at += 2) {
      const word = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
      a = Math.imul(a ^ word, FACTOR_A)
      a ^= a >>> 15
      b = Math.imul(b ^ word, FACTOR_B)
      b ^= b >>> 13
    }
    this.#a = a
    this.#b = b
    if (at < length) this.word(text.charCodeAt(at))
    return this
  }

  /** Mixes the low 32 bits of a whole number in. */
  word(word: number): this {
    const a = Math.imul(this.#a ^ word, FACTOR_A)
    const b = Math.imul(this.#b ^ word, FACTOR_B)
    this.#a = a ^ (a >>> 15)
    this.#b = b ^ (b >>> 13)
    return this
  }

  /** Mixes a digest (53 bits) in. */
  digest(value: number): this {
    return this.word(value).word(Math.floor(value / 0x1_0000_0000))
  }

  /** What was mixed in so far, 0 … 2⁵³ − 1. May be called again after more. */
  value(): number {
    let a = this.#a
    let b = this.#b
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
    return (b & 0x1f_ffff) * 0x1_0000_0000 + (a >>> 0)
  }
}

/** The sum of two digests, modulo 2⁵³, whatever their order. Done so that no step leaves the whole numbers that a double holds exactly. */
export function addDigests(sum: number, digest: number): number {
  const room = Number.MAX_SAFE_INTEGER - sum
  return digest > room ? digest - room - 1 : sum + digest
}
