/** A line diff for people: what a write would change. */

export interface DiffLine {
  readonly sign: '+' | '-' | ' '
  readonly text: string
}

/** Above this many cells the middle is told as removed and added whole: a preview must not take seconds. */
const MAX_CELLS = 4_000_000
/** Unchanged lines around a change. */
const CONTEXT = 2

function linesOf(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.replace(/\r\n/g, '\n').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Longest common subsequence of the part that is not the same at both ends. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > MAX_CELLS) {
    return [...a.map((text): DiffLine => ({ sign: '-', text })), ...b.map((text): DiffLine => ({ sign: '+', text }))]
  }
  const width = b.length + 1
  const table = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] =
        a[i] === b[j] ? 1 + (table[(i + 1) * width + j + 1] ?? 0) : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0)
    }
  }
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const left = a[i]
    const right = b[j]
    if (left !== undefined && left === right) {
      lines.push({ sign: ' ', text: left })
      i += 1
      j += 1
    } else if (left !== undefined && (right === undefined || (table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0))) {
      lines.push({ sign: '-', text: left })
      i += 1
    } else if (right !== undefined) {
      lines.push({ sign: '+', text: right })
      j += 1
    }
  }
  return lines
}

/**
 * The lines that differ, with two unchanged ones around each change; `…` stands for unchanged lines left out.
 *
 * @example
 * ```ts
 * diffLines('a\nb\n', 'a\nc\n') // [{ sign: ' ', text: 'a' }, { sign: '-', text: 'b' }, { sign: '+', text: 'c' }]
 * ```
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = linesOf(before)
  const b = linesOf(after)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  const same = (from: number, to: number): DiffLine[] => a.slice(from, to).map((text) => ({ sign: ' ', text }))
  const whole = [
    ...same(0, start),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.length - end, a.length),
  ]
  const near = new Uint8Array(whole.length)
  for (const [index, line] of whole.entries()) {
    if (line.sign !== ' ') near.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1)
  }
  const shown: DiffLine[] = []
  let skipped = false
  for (const [index, line] of whole.entries()) {
    if (near[index] === 1) {
      if (skipped) shown.push({ sign: ' ', text: '…' })
      shown.push(line)
    }
    skipped = near[index] !== 1
  }
  return shown
}
