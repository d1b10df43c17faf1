/**
 * Owns how rows are written: one JSON object a line, or a table for people. Lines go out as rows come; a table needs the widths of its
 * columns first, so it is held back, up to a bound.
 */
import type { SqlValue } from './sqlite-instance.ts'

/** Rows of a table, and characters of one of its cells. */
const TABLE_ROWS = 1_000
const CELL = 200

export interface RowWriter {
  row(values: readonly SqlValue[]): void
  end(): void
}

/** @param format `table`, or anything else for lines of JSON */
export function rowWriter(columns: readonly string[], format: string | undefined, write: (text: string) => void): RowWriter {
  const names = uniqueNames(columns)
  if (format !== 'table') {
    const keys = names.map((name) => JSON.stringify(name))
    return {
      row: (values) => write(`{${keys.map((key, index) => `${key}:${jsonOf(values[index] ?? null)}`).join(',')}}\n`),
      end: () => {},
    }
  }
  const kept: string[][] = []
  let count = 0
  return {
    row(values) {
      count += 1
      if (kept.length < TABLE_ROWS) kept.push(names.map((_, index) => cellOf(values[index] ?? null)))
    },
    end() {
      if (names.length === 0) return
      const widths = names.map((name, column) => kept.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), name.length))
      const line = (cells: readonly string[]): string =>
        `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
      write(`${line(names)}|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|\n${kept.map(line).join('')}`)
      if (count > kept.length) write(`… ${count - kept.length} more rows\n`)
    },
  }
}

function uniqueNames(columns: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return columns.map((column) => {
    let name = column
    for (let number = 2; taken.has(name); number += 1) name = `${column}_${number}`
    taken.add(name)
    return name
  })
}

function jsonOf(value: SqlValue): string {
  switch (typeof value) {
    case 'bigint':
      // Beyond what a number holds, digits would be lost by whoever reads the line.
      return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? String(value) : `"${value}"`
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`
    case 'string':
      return JSON.stringify(value)
    default:
      return value === null ? 'null' : JSON.stringify({ base64: Buffer.from(value).toString('base64') })
  }
}

function cellOf(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'object') return `<${value.byteLength} bytes>`
  const text = String(value).replaceAll('\n', '⏎').replaceAll('|', '¦')
  return text.length > CELL ? `${text.slice(0, CELL - 1)}…` : text
}
