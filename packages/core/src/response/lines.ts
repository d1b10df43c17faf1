/** Counting and finding lines without making them. A line ends with `\n`; a last one without it counts as well. */

/** How many `\n` are in `text[from, to)`. */
export function countNewlines(text: string, from = 0, to = text.length): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** `''` has no line, `'a'` and `'a\n'` have one. */
export function countLines(text: string): number {
  if (text.length === 0) return 0
  return countNewlines(text) + (text.endsWith('\n') ? 0 : 1)
}

/** Where the first `lines` lines end (behind their `\n`); the length of the text when there are no more. Stops at `bound`. */
export function endOfLines(text: string, lines: number, bound: number): number {
  let end = 0
  for (let left = lines; left > 0 && end < text.length && end <= bound; left--) {
    const at = text.indexOf('\n', end)
    if (at === -1) return text.length
    end = at + 1
  }
  return end
}

/** Where the last `lines` lines begin; 0 when there are no more. Stops once more than `bound` characters are behind it. */
export function startOfLines(text: string, lines: number, bound: number): number {
  if (lines <= 0) return text.length
  let start = text.length
  let search = text.endsWith('\n') ? text.length - 2 : text.length - 1
  for (let left = lines; left > 0 && start > 0 && text.length - start <= bound; left--) {
    const at = search < 0 ? -1 : text.lastIndexOf('\n', search)
    start = at + 1
    search = at - 1
  }
  return start
}
