/** Owns how alike two lines of text are, for hints at the most similar place. (Names are compared by core's nearestNames.) */

/**
 * The share of two-letter groups that two texts have in common, 0 … 1 (Sørensen–Dice), without regard to case. Linear, unlike an
 * edit distance, and good for lines of code as well as for names.
 */
export function similarity(a: string, b: string): number {
  const left = a.toLowerCase()
  const right = b.toLowerCase()
  if (left === right) return 1
  if (left.length < 2 || right.length < 2) return 0
  const counts = new Map<string, number>()
  for (let index = 0; index + 1 < left.length; index += 1) {
    const pair = left.slice(index, index + 2)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  let common = 0
  for (let index = 0; index + 1 < right.length; index += 1) {
    const pair = right.slice(index, index + 2)
    const count = counts.get(pair) ?? 0
    if (count === 0) continue
    counts.set(pair, count - 1)
    common += 1
  }
  return (2 * common) / (left.length + right.length - 2)
}
