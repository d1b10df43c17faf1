import { DEFAULT_RANK, type HintEntry } from './hint.ts'
import { compileLinePattern, KEY_CHARS, type LinePattern } from './line-pattern.ts'

/**
 * Owns: a set of entries made ready for searching. All patterns are looked for in one pass over the text: every four characters of it are
 * looked up in a table of four characters of each pattern, so that the cost is that of the text's length, not of the number of entries.
 * Immutable once made; share it freely.
 */
export class HintDictionary {
  readonly entries: readonly HintEntry[]
  readonly patterns: readonly IndexedPattern[]
  /** By hash of four characters: the first pattern + 1, 0 for none; the others follow by `#next`. */
  readonly #heads = new Uint16Array(1 << TABLE_BITS)
  readonly #next: Uint16Array
  readonly #grams: Int32Array
  readonly #offsets: Uint16Array

  /** @throws Error when a pattern cannot be used, with the entry's code */
  constructor(entries: readonly HintEntry[]) {
    this.entries = entries
    this.patterns = entries.flatMap((entry, order) =>
      (entry.patterns ?? []).map((source) => ({ entry, order, rank: entry.rank ?? DEFAULT_RANK, pattern: compiled(entry, source) })),
    )
    if (this.patterns.length >= MOST_PATTERNS) throw new Error(`a dictionary holds fewer than ${MOST_PATTERNS} patterns`)
    this.#next = new Uint16Array(this.patterns.length)
    this.#grams = new Int32Array(this.patterns.length)
    this.#offsets = new Uint16Array(this.patterns.length)
    const uses = countGrams(this.patterns)
    for (const [at, { pattern }] of this.patterns.entries()) {
      const { gram, offset } = rarest(pattern.key, uses)
      const slot = slotOf(gram)
      this.#grams[at] = gram
      this.#offsets[at] = offset
      this.#next[at] = this.#heads[slot] ?? 0
      this.#heads[slot] = at + 1
    }
  }

  /** Calls `hit` for each place where the longest literal of a pattern begins, in the order of the text. */
  search(text: string, hit: (found: IndexedPattern, at: number) => void): void {
    let gram = 0
    for (let at = 0; at < text.length; at++) {
      gram = (gram << 8) | (text.charCodeAt(at) & 0xff)
      let index = this.#heads[slotOf(gram)] ?? 0
      while (index !== 0) {
        index--
        if (this.#grams[index] === gram) {
          const found = this.patterns[index]
          const start = at - (KEY_CHARS - 1) - (this.#offsets[index] ?? 0)
          if (found !== undefined && start >= 0 && text.startsWith(found.pattern.key, start)) hit(found, start)
        }
        index = this.#next[index] ?? 0
      }
    }
  }
}

export interface IndexedPattern {
  readonly entry: HintEntry
  /** The entry's place in the dictionary. */
  readonly order: number
  readonly rank: number
  readonly pattern: LinePattern
}

const TABLE_BITS = 14
const MOST_PATTERNS = 0xffff

function slotOf(gram: number): number {
  // Multiplied by 2^32 over the golden ratio: spreads texts that differ in one character over the whole table.
  return Math.imul(gram, 0x9e3779b1) >>> (32 - TABLE_BITS)
}

function compiled(entry: HintEntry, source: string): LinePattern {
  try {
    return compileLinePattern(source)
  } catch (error) {
    throw new Error(`${entry.code}: ${error instanceof Error ? error.message : 'unusable pattern'}`, { cause: error })
  }
}

function* gramsOf(key: string): Generator<{ readonly gram: number; readonly offset: number }> {
  for (let offset = 0; offset + KEY_CHARS <= key.length; offset++) {
    let gram = 0
    for (let at = offset; at < offset + KEY_CHARS; at++) gram = (gram << 8) | (key.charCodeAt(at) & 0xff)
    yield { gram, offset }
  }
}

function countGrams(patterns: readonly IndexedPattern[]): ReadonlyMap<number, number> {
  const uses = new Map<number, number>()
  for (const { pattern } of patterns) for (const { gram } of gramsOf(pattern.key)) uses.set(gram, (uses.get(gram) ?? 0) + 1)
  return uses
}

/** The four characters that fewest patterns share: common ones would be looked at in every text. */
function rarest(key: string, uses: ReadonlyMap<number, number>): { readonly gram: number; readonly offset: number } {
  let best = { gram: 0, offset: 0 }
  let fewest = Number.POSITIVE_INFINITY
  for (const one of gramsOf(key)) {
    const count = uses.get(one.gram) ?? 0
    if (count >= fewest) continue
    best = one
    fewest = count
  }
  return best
}

/** One dictionary of several; where two entries are equally specific, the earlier dictionary's wins. */
export function mergeHintDictionaries(dictionaries: readonly HintDictionary[]): HintDictionary {
  return new HintDictionary(dictionaries.flatMap((one) => one.entries))
}
