/**
 * Counts the changes of one letter (put in, left out, replaced, swapped with its neighbour) that make one text of another:
 * the restricted Damerau-Levenshtein distance. Pure, but for rows that are written anew at each call.
 */

/** Letters that fit the bits of one number. */
const WORD = 32

/**
 * Prepares one text to be compared with many. The function gives the distance, or any number above `most` when it is above.
 *
 * @example
 * ```ts
 * editDistanceFrom('raed')('read', 3) // 1
 * ```
 */
export function editDistanceFrom(text: string): (other: string, most: number) => number {
  if (text.length === 0) return (other) => other.length
  return text.length <= WORD ? byBits(text) : (other, most) => byRows(text, other, most)
}

/**
 * One column of the table at a time, its cells as the bits of a few numbers (Hyyrö, "A bit-vector algorithm for computing
 * Levenshtein and Damerau edit distances", 2003): some twenty operations for each letter of the other text.
 */
function byBits(text: string): (other: string) => number {
  const positions = new Map<number, number>()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    positions.set(code, (positions.get(code) ?? 0) | (1 << at))
  }
  const ascii = new Int32Array(128)
  for (const [code, bits] of positions) if (code < 128) ascii[code] = bits
  const last = 1 << (text.length - 1)
  return (other) => {
    let distance = text.length
    let [more, less, equal, before] = [-1, 0, 0, 0]
    for (let at = 0; at < other.length; at++) {
      const code = other.charCodeAt(at)
      const here = (code < 128 ? ascii[code] : positions.get(code)) ?? 0
      const swapped = ((~equal & here) << 1) & before
      equal = ((((here & more) + more) | 0) ^ more) | here | less | swapped
      let up = less | ~(equal | more)
      let down = equal & more
      if ((up & last) !== 0) distance++
      if ((down & last) !== 0) distance--
      up = (up << 1) | 1
      down <<= 1
      more = down | ~(equal | up)
      less = up & equal
      before = here
    }
    return distance
  }
}

/** Three rows of the table, only as wide as `most` asks for. */
function byRows(a: string, b: string, most: number): number {
  const size = b.length + 1
  let [before, last, row] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)]
  const far = most + 1
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    // Only cells within `most` of the diagonal can stay within it.
    const from = Math.max(1, i - most)
    const to = Math.min(b.length, i + most)
    row[0] = i
    if (from > 1) row[from - 1] = far
    let least = from === 1 ? i : far
    const letter = a.charCodeAt(i - 1)
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1)
      let cost = Math.min((last[j - 1] ?? far) + (letter === other ? 0 : 1), (row[j - 1] ?? far) + 1, (last[j] ?? far) + 1)
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other)
        cost = Math.min(cost, (before[j - 2] ?? far) + 1)
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
