/** For a key that does not exist: what was probably meant. */

/** Edits (insert, delete, replace, swap of neighbours) from one word to the other. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/**
 * The known keys that are at most a third away, nearest first, at most two. Letter case and `-`/`_` do not count.
 *
 * @example
 * ```ts
 * nearestKey('max_rounds', ['maxRounds', 'model']) // ['maxRounds']
 * ```
 */
export function nearestKey(key: string, known: readonly string[]): readonly string[] {
  const plain = (word: string): string => word.slice(0, 64).toLowerCase().replace(/[-_]/g, '')
  const wanted = plain(key)
  return known
    .map((word) => ({ word, away: distance(wanted, plain(word)) }))
    .filter(({ word, away }) => away <= Math.max(1, Math.floor(Math.max(wanted.length, word.length) / 3)))
    .sort((a, b) => a.away - b.away)
    .slice(0, 2)
    .map(({ word }) => word)
}
