import { editDistanceFrom } from './edit-distance.ts'

/**
 * Owns the search for the names a model may have meant. Compares letters (Damerau-Levenshtein, bounded) and words (the parts
 * of `read_file`, `readFile`, `read-file`). Looks only at the names it is given, so it tells of no others. Pure.
 */

/** Names longer than this are compared by their beginning. Ours: twice what a legal tool name has. */
const MAX_LENGTH = 128

/**
 * The nearest of `names` to `wanted`, best first; none that is not near at all. One to four milliseconds for 10 000 names.
 *
 * @example
 * ```ts
 * nearestNames('raed_file', ['read_file', 'write_file', 'sql_query']) // ['read_file', 'write_file']
 * ```
 */
export function nearestNames(wanted: string, names: Iterable<string>, limit = 3): readonly string[] {
  const query = wanted.slice(0, MAX_LENGTH).toLowerCase()
  if (query.trim() === '' || limit < 1) return []
  const compact = query.replace(SEPARATORS, '')
  const words = wordsOf(wanted.slice(0, MAX_LENGTH))
  const asked: Asked = { text: query, compact, words, letters: lettersOf(query), distance: editDistanceFrom(query) }
  const best: { readonly name: string; readonly score: number }[] = []
  let floor = LEAST_SCORE
  for (const name of names) {
    const score = scoreOf(asked, name, floor)
    if (score < floor) continue
    const at = best.findIndex((other) => score > other.score || (score === other.score && name < other.name))
    best.splice(at === -1 ? best.length : at, 0, { name, score })
    if (best.length > limit) best.pop()
    if (best.length === limit) floor = best[best.length - 1]?.score ?? floor
  }
  return best.map((entry) => entry.name)
}

/** Below this two names have nothing to do with each other. Found by trying misspelt tool names. */
const LEAST_SCORE = 0.45
/** Below this share of kept letters a likeness in letters is chance; likeness in words may still count. */
const LEAST_LETTERS = 0.6

interface Asked {
  readonly text: string
  readonly compact: string
  readonly words: readonly string[]
  readonly letters: number
  readonly distance: (candidate: string, most: number) => number
}

function scoreOf(asked: Asked, name: string, floor: number): number {
  const candidate = (name.length > MAX_LENGTH ? name.slice(0, MAX_LENGTH) : name).toLowerCase()
  if (candidate === asked.text) return 1
  const overlap = wordScore(asked.words, candidate)
  // The same letters and digits in another writing (`readFile`, `read-file`) is all but certain.
  if (overlap > 0.9 && asked.compact === candidate.replace(SEPARATORS, '')) return 0.99
  // So is the name behind a prefix that some model puts before it (`functions.read_file`).
  if (
    isTelling(candidate, asked.text) &&
    asked.text.endsWith(candidate) &&
    isSeparator(asked.text.charCodeAt(asked.text.length - candidate.length - 1))
  )
    return 0.98
  return Math.min(0.97, Math.max(letterScore(asked, candidate, floor), overlap * 0.9))
}

function letterScore(asked: Asked, candidate: string, floor: number): number {
  const longest = Math.max(asked.text.length, candidate.length)
  // A hair more, since 3 * (1 - 2 / 3) is a little less than 1.
  const allowed = Math.floor(longest * (1 - Math.max(floor, LEAST_LETTERS)) + 1e-9)
  if (Math.abs(asked.text.length - candidate.length) > allowed) return 0
  // Each kind of letter that only one of them has costs a change: most names are told apart by this alone.
  const letters = lettersOf(candidate)
  if (bitsIn(asked.letters & ~letters) > allowed || bitsIn(letters & ~asked.letters) > allowed) return 0
  const distance = asked.distance(candidate, allowed)
  return distance > allowed ? 0 : 1 - distance / longest
}

/** Long enough to be no accident: `now` at the end of a long name says nothing. */
function isTelling(ending: string, whole: string): boolean {
  return ending.length >= 6 || (ending.length >= 3 && ending.length * 3 >= whole.length)
}

const SEPARATORS = /[^\p{L}\p{N}]+/gu

/** Which letters there are, as bits; several letters may share one, which only makes the test weaker. */
function lettersOf(text: string): number {
  let letters = 0
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31)
  return letters
}

function bitsIn(word: number): number {
  let count = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) count++
  return count
}

/** How much of both names the shared words make up, 0 … 1 (Dice). */
function wordScore(words: readonly string[], candidate: string): number {
  let shared = 0
  let asked = 0
  for (const word of words) {
    asked += word.length
    if (candidate.includes(word)) shared += word.length
  }
  if (shared === 0) return 0
  let letters = 0
  for (let at = 0; at < candidate.length; at++) if (!isSeparator(candidate.charCodeAt(at))) letters++
  return (2 * shared) / (asked + Math.max(letters, shared))
}

function isSeparator(code: number): boolean {
  return code === 0x5f || code === 0x2d || code === 0x2e || code === 0x2f || code === 0x3a || code === 0x20
}

/** Words of three letters and more; shorter ones are in every name. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  return [...new Set(words.filter((word) => word.length >= 3))]
}
