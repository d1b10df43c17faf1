/**
 * Owns: telling from the first lines of a text whether it is a table, and how many of them are its header: comma, semicolon or tab
 * separated values, columns between `|`, columns of fixed width. Stateless.
 */

export interface TableHeader {
  /** Lines of it. */
  readonly lines: number
  readonly kind: 'separated' | 'bars' | 'columns'
}

/** Lines looked at, and characters of them. */
const LOOKED_AT = 12
const LOOKED_AT_CHARS = 20_000
const SEPARATORS: readonly string[] = ['\t', ',', ';']

/** @returns `undefined` when it does not look like a table */
export function tableHeader(text: string): TableHeader | undefined {
  const lines = firstLines(text)
  if (lines.length < 3) return undefined
  return ruled(lines) ?? separated(lines) ?? bars(lines) ?? columns(lines)
}

/** Whole lines only, without what ends them. */
function firstLines(text: string): readonly string[] {
  const part = text.slice(0, LOOKED_AT_CHARS)
  const lines = part.split('\n', LOOKED_AT + 1)
  const whole = lines.length > LOOKED_AT || part.length < text.length || !text.endsWith('\n') ? lines.slice(0, -1) : lines
  const end = text.length <= LOOKED_AT_CHARS && lines.length <= LOOKED_AT && !text.endsWith('\n') ? lines : whole
  return end
    .slice(0, LOOKED_AT)
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .filter((line, index, all) => line !== '' || index < all.length - 1)
}

/** A line of dashes below the names, as in Markdown, psql, or a report; above them as well where the table has a frame. */
function ruled(lines: readonly string[]): TableHeader | undefined {
  const framed = isRule(lines[0])
  const at = framed ? 2 : 1
  const names = lines[at - 1] ?? ''
  const rule = lines[at] ?? ''
  if (!isRule(rule)) return undefined
  const columnsOfRule = rule.split(/[|+\s│┼┬┴├┤╪]+/).filter((part) => part !== '').length
  const barred = /[|│]/.test(names)
  if (!barred && (columnsOfRule < 2 || framed)) return undefined
  return { lines: at + 1, kind: barred ? 'bars' : 'columns' }
}

/** At least three dashes, and nothing else but what stands between columns. */
function isRule(line: string | undefined): boolean {
  return line !== undefined && /[-=─═━]{3}/.test(line) && /^[-=─═━|+:\s│┼┬┴├┤╪┌┐└┘╞╡]+$/.test(line)
}

/** The same number of separators in each line. */
function separated(lines: readonly string[]): TableHeader | undefined {
  for (const separator of SEPARATORS) {
    const count = countOutsideQuotes(lines[0] ?? '', separator)
    if (count === 0) continue
    // One comma in each line may be chance; three in each of a few lines is none.
    const needed = separator === '\t' || count >= 3 ? 3 : 6
    if (lines.length >= needed && lines.every((line) => countOutsideQuotes(line, separator) === count))
      return { lines: 1, kind: 'separated' }
  }
  return undefined
}

function countOutsideQuotes(line: string, separator: string): number {
  let count = 0
  let inside = false
  for (const character of line) {
    if (character === '"') inside = !inside
    else if (!inside && character === separator) count++
  }
  return count
}

function bars(lines: readonly string[]): TableHeader | undefined {
  const count = countOutsideQuotes(lines[0] ?? '', '|')
  if (count < 2 || !lines.every((line) => countOutsideQuotes(line, '|') === count)) return undefined
  return { lines: 1, kind: 'bars' }
}

/** Names in capitals, and below each of two or more of them a column that begins there. */
function columns(lines: readonly string[]): TableHeader | undefined {
  const names = lines[0] ?? ''
  if (!/^\s*[A-Z%#][A-Z0-9_%#()/.:+-]*(?:\s+[A-Z%#][A-Z0-9_%#()/.:+-]*)+\s*$/.test(names)) return undefined
  const gaps = [...names.matchAll(/\s{2,}\S/g)]
  if (names.length > 1_000 || gaps.length === 0) return undefined
  const rows = lines.slice(1)
  // Right-aligned columns end where their name ends.
  const fits = gaps.filter(({ index, 0: gap }) => {
    const start = index + gap.length - 1
    const end = start + (/^\S+/.exec(names.slice(start))?.[0].length ?? 1)
    return rows.every((row) => isBorder(row, start) || isBorder(row, end))
  })
  return fits.length >= 1 && fits.length * 2 >= gaps.length ? { lines: 1, kind: 'columns' } : undefined
}

/** One side of the place is blank, or the row has ended. */
function isBorder(row: string, at: number): boolean {
  return at >= row.length || row[at - 1] === ' ' || row[at] === ' ' || row[at - 1] === '\t'
}
