/**
 * Owns one run of SQL: its statements one after the other, rows as they come, and where an error is. Stops at the first error. A statement
 * that does not come to its end is ended with its worker, by whoever started it.
 */
import type { WorkerRun } from '../wasm/worker-run.ts'
import { rowWriter } from './row-writer.ts'
import type { SqlDatabase } from './sqlite-instance.ts'
import { blankLength, refusedStatement } from './statement-policy.ts'

export interface SqlOutcome {
  readonly exitCode: number
  /** The engine has no memory or no room in its database left. */
  readonly full: boolean
}

export function runStatements(database: SqlDatabase, run: WorkerRun): SqlOutcome {
  const { code, env } = run.message
  if (code.includes('\0')) return failed(run, 'The code holds a NUL; SQL ends there.')
  const statements = database.iterateStatements(code)
  for (let number = 1; ; number += 1) {
    const rest = statements.getRemainingSQL()
    const start = code.length - rest.length + blankLength(rest)
    const refused = refusedStatement(rest)
    if (refused !== undefined) return failed(run, `${refused} (statement ${number}, ${placeOf(code, start)})`)
    try {
      const next = statements.next()
      if (next.done || next.value === undefined) return { exitCode: 0, full: false }
      const columns = next.value.getColumnNames()
      const writer = rowWriter(columns, env.SQL_FORMAT, (text) => run.write('stdout', text))
      while (next.value.step()) {
        if (columns.length > 0) writer.row(next.value.get(null, { useBigInt: true }))
        if (run.stopped() !== undefined) return { exitCode: 1, full: false }
      }
      writer.end()
      const changed =
        columns.length === 0 && /^(?:insert|update|delete|replace)\b/i.test(code.slice(start)) ? database.getRowsModified() : 0
      if (changed > 0) run.write('stderr', `${changed} ${changed === 1 ? 'row' : 'rows'} changed by statement ${number}\n`)
    } catch (error) {
      const said = messageOf(error)
      return { ...failed(run, `${said} (statement ${number}, ${placeOf(code, tokenPlace(code, start, said))})`), full: isFull(said) }
    }
  }
}

/** Neither the engine's memory nor the pages of its databases go beyond their bounds. */
export function isFull(said: string): boolean {
  return /out of memory|disk is full|memory of this box/.test(said)
}

function failed(run: WorkerRun, text: string): SqlOutcome {
  run.write('stderr', `Error: ${text}\n`)
  return { exitCode: 1, full: false }
}

/** Where the word lies that SQLite names, when it can only be one place; else where the statement begins. */
function tokenPlace(code: string, start: number, said: string): number {
  const token = /near "([\s\S]{1,200})": /.exec(said)?.[1]
  if (token === undefined) return start
  const first = code.indexOf(token, start)
  const end = code.indexOf(';', start)
  const second = code.indexOf(token, first + 1)
  return first >= 0 && (second < 0 || (end >= 0 && second > end)) ? first : start
}

function placeOf(code: string, at: number): string {
  const before = code.slice(0, at)
  const line = before.split('\n').length
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
