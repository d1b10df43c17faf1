/**
 * Owns reading comma separated values: one pass, fields in quotes with anything in them, and comma, semicolon or tab as separator. Bad
 * quotes are taken as text: a table with a strange cell says more than none.
 */

/** Of one table; SQLite takes no more. */
const MAX_COLUMNS = 1_000

export interface CsvTable {
  readonly columns: readonly string[]
  readonly rows: Iterable<readonly string[]>
}

/**
 * The first line names the columns: empty and repeated names get a number.
 *
 * @example
 * ```ts
 * readCsv('a,b\n1,"x, y"\n').columns // ['a', 'b']
 * ```
 */
export function readCsv(text: string): CsvTable {
  const start = text.startsWith('\ufeff') ? 1 : 0
  const separator = separatorOf(text, start)
  const rows = rowsOf(text, start, separator)
  const head = rows.next()
  return { columns: namesOf(head.done === true ? [] : head.value), rows }
}

function separatorOf(text: string, start: number): string {
  const end = text.indexOf('\n', start)
  const line = text.slice(start, end < 0 ? Math.min(text.length, start + 65_536) : end)
  const counts = [',', ';', '\t'].map((character) => ({ character, count: line.split(character).length }))
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).character
}

function namesOf(head: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return head.slice(0, MAX_COLUMNS).map((cell, index) => {
    const base = cell.trim().slice(0, 200) || `column${index + 1}`
    let name = base
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${base}_${number}`
    taken.add(name.toLowerCase())
    return name
  })
}

function* rowsOf(text: string, start: number, separator: string): Generator<readonly string[], void, undefined> {
  let at = start
  while (at < text.length) {
    const row: string[] = []
    for (;;) {
      const cell = cellAt(text, at, separator)
      row.push(cell.text)
      at = cell.end
      if (text.charAt(at) !== separator) break
      at += 1
    }
    if (text.charAt(at) === '\r') at += 1
    if (text.charAt(at) === '\n') at += 1
    if (row.length > 1 || row[0] !== '') yield row
  }
}

function cellAt(text: string, start: number, separator: string): { readonly text: string; readonly end: number } {
  if (text.charAt(start) !== '"') {
    const end = plainEnd(text, start, separator)
    return { text: text.slice(start, end), end }
  }
  const parts: string[] = []
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return { text: parts.join('') + text.slice(at), end: text.length }
    parts.push(text.slice(at, quote))
    at = quote + 1
    if (text.charAt(at) !== '"') break
    parts.push('"')
    at += 1
  }
  const end = plainEnd(text, at, separator)
  return { text: parts.join('') + text.slice(at, end), end }
}

function plainEnd(text: string, start: number, separator: string): number {
  let at = start
  for (; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === separator || character === '\n' || (character === '\r' && text.charAt(at + 1) === '\n')) break
  }
  return at
}
