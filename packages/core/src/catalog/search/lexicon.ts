/**
 * Owns what counts as a word: text becomes term numbers. Names fall apart at underscores, dots, dashes, capitals and digits; accents are
 * folded; English words are stemmed; scripts without spaces are cut by `Intl.Segmenter`, and into pairs of characters beside it, since
 * the same characters are not always cut the same way. The same text gives the same terms in a name, a description and a query.
 */
import { stemmer } from 'stemmer'
import { CONNECTORS, FUNCTION_WORDS, REQUEST_WORDS } from './common-words.ts'
import { SYNONYMS } from './synonyms.ts'
import { HASH_START, hashStep, LONGEST_WORD, longer32, lowerCode, WordTable, type WordTableState } from './word-table.ts'

/** Plain; says nothing (the, of); asks (get, show); joins two requests (then, also). */
export const TERM_KIND = { plain: 0, function: 1, request: 2, connector: 3 } as const

/** Stands between terms where a sentence ends. */
export const SENTENCE_END = 0xffff_ffff
/** Stands for a word that the lexicon does not know, where it does not learn. */
export const UNKNOWN_TERM = 0xffff_fffe

/** Term numbers of a text, and where each stands in it. Reused from text to text. */
export class TermBuffer {
  terms = new Uint32Array(256)
  /** Position in the text, start and end, two numbers for each term. */
  places = new Uint32Array(512)
  length = 0

  push(term: number, from: number, to: number): void {
    if (this.length === this.terms.length) {
      this.terms = longer32(this.terms, this.length * 2)
      this.places = longer32(this.places, this.length * 4)
    }
    this.terms[this.length] = term
    this.places[this.length * 2] = from
    this.places[this.length * 2 + 1] = to
    this.length++
  }
}

const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[\u{20000}-\u{323af}]/u
const UNSPACED_RUN =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{323af}]+|[^\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{323af}]+/gu

export interface LexiconState extends WordTableState {
  readonly names: readonly string[]
}

export class Lexicon {
  readonly #numbers = new Map<string, number>()
  readonly #names: string[] = []
  #words = new WordTable()
  #kinds = new Uint8Array(1 << 10)
  readonly #synonyms = new Map<number, readonly number[]>()
  #segmenter: Intl.Segmenter | undefined

  constructor(state?: LexiconState) {
    if (state === undefined) this.#learn()
    else {
      for (const name of state.names) this.#intern(name)
      this.#words = WordTable.from(state)
      this.#learn()
    }
  }

  get size(): number {
    return this.#names.length
  }

  get state(): LexiconState {
    return { names: [...this.#names], ...this.#words.state }
  }

  nameOf(term: number): string {
    return this.#names[term] ?? ''
  }

  kindOf(term: number): number {
    return this.#kinds[term] ?? 0
  }

  synonymsOf(term: number): readonly number[] | undefined {
    return this.#synonyms.get(term)
  }

  /** The term for two words written as one, if there is such a word. */
  joined(first: number, second: number): number {
    return this.#numbers.get(stem(`${this.nameOf(first)}${this.nameOf(second)}`)) ?? -1
  }

  /**
   * Appends the terms of `text`, the first `limit` characters of it.
   *
   * @param learn unknown words get a number; else each is an {@link UNKNOWN_TERM}
   * @param sentences also appends {@link SENTENCE_END} at `. ! ? ;` and line ends
   */
  scan(text: string, into: TermBuffer, learn: boolean, limit: number, sentences = false): void {
    const end = Math.min(text.length, limit)
    let at = 0
    while (at < end) {
      const code = text.charCodeAt(at)
      if (isAlphanumeric(code)) at = this.#ascii(text, at, end, into, learn)
      else if (code >= 0x80) at = this.#foreign(text, at, end, into, learn)
      else {
        if (sentences && endsSentence(code) && (at + 1 >= end || text.charCodeAt(at + 1) <= 32 || code === 10))
          into.push(SENTENCE_END, at, at)
        at++
      }
    }
  }

  /** Drops terms that `numbers` maps to -1 and renames the others. Words that every query knows stay. */
  keep(isUsed: (term: number) => boolean): Int32Array {
    const numbers = new Int32Array(this.#names.length).fill(-1)
    const names = this.#names.filter((_, term) => isUsed(term) || this.kindOf(term) !== TERM_KIND.plain)
    for (const [number, name] of names.entries()) numbers[this.#numbers.get(name) ?? 0] = number
    this.#names.length = 0
    this.#numbers.clear()
    this.#kinds.fill(0)
    this.#synonyms.clear()
    for (const name of names) this.#intern(name)
    this.#words = this.#words.renumber(numbers)
    this.#learn()
    return numbers
  }

  /** One run of ASCII letters and digits, cut where a new word begins. Gives back where it ended. */
  #ascii(text: string, start: number, end: number, into: TermBuffer, learn: boolean): number {
    let stop = start
    while (stop < end && isAlphanumeric(text.charCodeAt(stop))) stop++
    // A letter of another alphabet belongs to the same word: the whole of it is read the slow way.
    if (stop < end && text.charCodeAt(stop) >= 0xc0) return this.#foreign(text, start, end, into, learn)
    let from = start
    while (from < stop) {
      let to = from + 1
      let hash = hashStep(HASH_START, lowerCode(text.charCodeAt(from)))
      while (to < stop && !wordBegins(text, to, from, stop)) hash = hashStep(hash, lowerCode(text.charCodeAt(to++)))
      this.#word(text, from, to, hash, into, learn)
      from = to
    }
    return stop
  }

  #word(text: string, from: number, to: number, hash: number, into: TermBuffer, learn: boolean): void {
    if (to - from > LONGEST_WORD) return
    let term = this.#words.find(text, from, to, hash)
    if (term < 0) {
      const name = stem(text.slice(from, to).toLowerCase())
      const known = this.#numbers.get(name)
      if (known === undefined && !learn) {
        into.push(UNKNOWN_TERM, from, to)
        return
      }
      term = known ?? this.#intern(name)
      // A query must not make the table grow.
      if (learn) this.#words.add(text, from, to, hash, term)
    }
    into.push(term, from, to)
  }

  /** A run with letters outside ASCII. */
  #foreign(text: string, start: number, end: number, into: TermBuffer, learn: boolean): number {
    let stop = start
    while (stop < end && stop - start < 2_000) {
      const code = text.charCodeAt(stop)
      if (code < 0x80 && !isAlphanumeric(code)) break
      stop++
    }
    const folded = text
      .slice(start, stop)
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
    const put = (word: string): void => {
      if (word.length > LONGEST_WORD) return
      const name = stem(word.toLowerCase())
      const term = this.#numbers.get(name) ?? (learn ? this.#intern(name) : UNKNOWN_TERM)
      into.push(term, start, stop)
    }
    for (const [run] of folded.matchAll(/[\p{L}\p{N}]+/gu)) {
      if (!UNSPACED.test(run)) {
        for (const word of run.match(/\p{N}+|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lm}\p{Lt}]+|\p{Lu}+/gu) ?? []) put(word)
        continue
      }
      for (const [part] of run.matchAll(UNSPACED_RUN)) {
        if (!UNSPACED.test(part)) {
          put(part)
          continue
        }
        const characters = [...part]
        for (const word of this.#segments(part)) if (word.length !== 2 || characters.length === 1) put(word)
        for (let pair = 0; pair + 1 < characters.length; pair++) put(`${characters[pair]}${characters[pair + 1]}`)
      }
    }
    return stop
  }

  *#segments(text: string): Generator<string> {
    this.#segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' })
    for (const { segment, isWordLike } of this.#segmenter.segment(text)) if (isWordLike === true) yield segment
  }

  #intern(name: string): number {
    const term = this.#names.length
    this.#names.push(name)
    this.#numbers.set(name, term)
    return term
  }

  /** What every lexicon knows of itself: common words and synonyms. */
  #learn(): void {
    const buffer = new TermBuffer()
    const termOf = (word: string): number => {
      buffer.length = 0
      this.scan(word, buffer, true, word.length)
      return buffer.terms[0] ?? 0
    }
    for (const [kind, words] of [
      [TERM_KIND.function, FUNCTION_WORDS],
      [TERM_KIND.request, REQUEST_WORDS],
      [TERM_KIND.connector, CONNECTORS],
    ] as const) {
      for (const word of words.split(' ')) {
        const term = termOf(word)
        if (term >= this.#kinds.length) {
          const kinds = new Uint8Array(this.#kinds.length + term)
          kinds.set(this.#kinds)
          this.#kinds = kinds
        }
        this.#kinds[term] = kind
      }
    }
    const near = new Map<number, Set<number>>()
    for (const group of SYNONYMS) {
      const terms = group.split(' ').map(termOf)
      for (const term of terms) {
        const others = near.get(term) ?? new Set()
        for (const other of terms) if (other !== term) others.add(other)
        near.set(term, others)
      }
    }
    for (const [term, others] of near) this.#synonyms.set(term, [...others])
  }
}

function stem(word: string): string {
  return word.length > 2 && /^[a-z]+$/.test(word) ? stemmer(word) : word
}

function isAlphanumeric(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
}

const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isLower = (code: number): boolean => code >= 97 && code <= 122

/** True where a new word begins at `at` inside a run that began at `from` and ends at `stop`. */
function wordBegins(text: string, at: number, from: number, stop: number): boolean {
  const code = text.charCodeAt(at)
  const before = text.charCodeAt(at - 1)
  const digit = code <= 57
  if (digit !== before <= 57) return true
  if (isUpper(code)) {
    if (isLower(before)) return true
    // HTTPServer: the S begins a word; but UUIDs is one word with its plural.
    return at + 1 < stop && isLower(text.charCodeAt(at + 1)) && !isPlural(text, at + 1, stop) && at > from
  }
  // The small s of UUIDs is passed over by the stem, so it stays in the word.
  return false
}

function isPlural(text: string, at: number, stop: number): boolean {
  return text.charCodeAt(at) === 115 && (at + 1 === stop || !isLower(text.charCodeAt(at + 1)))
}

function endsSentence(code: number): boolean {
  return code === 46 || code === 33 || code === 63 || code === 59 || code === 10
}
