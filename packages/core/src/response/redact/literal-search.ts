/**
 * Owns the search for many fixed words at once: the shifts of Wu and Manber, so that a text without any of them is read at every few
 * characters only. Linear in the text for words that do not repeat in themselves; never worse than text × longest word.
 */

const TABLE_SIZE = 4_096

export class LiteralSearch {
  readonly #shift = new Uint8Array(TABLE_SIZE)
  /** Words by the two characters that end their first {@link #shortest}. */
  readonly #ending = new Map<number, { readonly word: string; readonly index: number }[]>()
  readonly #shortest: number

  /** @param words at least one, each of at least 2 characters */
  constructor(words: readonly string[]) {
    this.#shortest = Math.min(255, ...words.map((word) => word.length))
    this.#shift.fill(this.#shortest - 1)
    for (const [index, word] of words.entries()) {
      for (let at = 1; at < this.#shortest; at += 1) {
        const key = keyOf(word.charCodeAt(at - 1), word.charCodeAt(at))
        this.#shift[key] = Math.min(this.#shift[key] ?? 0, this.#shortest - 1 - at)
      }
      const last = keyOf(word.charCodeAt(this.#shortest - 2), word.charCodeAt(this.#shortest - 1))
      const words = this.#ending.get(last)
      if (words === undefined) this.#ending.set(last, [{ word, index }])
      else words.push({ word, index })
    }
  }

  /** Whether a word begins at a place, `from` inclusive, `to` exclusive. Makes nothing. */
  isIn(text: string, from: number, to: number): boolean {
    const { length } = text
    const back = this.#shortest - 1
    let at = from + back
    while (at < length && at - back < to) {
      const key = keyOf(text.charCodeAt(at - 1), text.charCodeAt(at))
      const shift = this.#shift[key] ?? 0
      if (shift > 0) {
        at += shift
        continue
      }
      for (const { word } of this.#ending.get(key) ?? NONE) if (text.startsWith(word, at - back)) return true
      at += 1
    }
    return false
  }

  /** Every place at which a word begins, `from` inclusive, `to` exclusive, in order; several at one place in the order of the words. */
  each(text: string, from: number, to: number, visit: (start: number, end: number, index: number) => void): void {
    const { length } = text
    const back = this.#shortest - 1
    let at = from + back
    while (at < length && at - back < to) {
      const key = keyOf(text.charCodeAt(at - 1), text.charCodeAt(at))
      const shift = this.#shift[key] ?? 0
      if (shift > 0) {
        at += shift
        continue
      }
      for (const { word, index } of this.#ending.get(key) ?? NONE) {
        if (text.startsWith(word, at - back)) visit(at - back, at - back + word.length, index)
      }
      at += 1
    }
  }
}

const NONE: readonly { readonly word: string; readonly index: number }[] = []

function keyOf(first: number, second: number): number {
  return ((first << 5) ^ second) & (TABLE_SIZE - 1)
}
