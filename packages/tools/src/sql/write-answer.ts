/** Owns how an answer is written to a model: a header and one JSON array a row, then what was left out and how to get it. */
import { nearestNames } from '@adjutant/core'
import { grouped, plural } from '../text/amounts.ts'
import { CELL_CHARS, RESULT_CHARS, type SqlAnswer } from './sql-database.ts'

const LISTED_NAMES = 40

/** As compact as a table, and NULL, '' and line ends in texts stay apart. */
export function writeAnswer(answer: SqlAnswer, limit: number, maxRows: number): string {
  const lines = [JSON.stringify(answer.columns), ...answer.rows.map((row) => `[${row.join(',')}]`)]
  const notes = [plural(answer.rows.length, 'row')]
  if (answer.stopped === 'rows') {
    const more = limit < maxRows ? `set limit (up to ${grouped(maxRows)}), ` : ''
    notes.push(`there are more: ${more}aggregate, or page with ORDER BY … LIMIT … OFFSET …`)
  } else if (answer.stopped === 'size') {
    notes.push(`there are more, but the answer is full (${grouped(RESULT_CHARS)} characters): select fewer columns or rows`)
  }
  if (answer.cutCells > 0) notes.push(`${plural(answer.cutCells, 'text')} cut: read the rest with substr(column, ${CELL_CHARS + 1})`)
  lines.push(`[${notes.join('; ')}]`)
  return lines.join('\n')
}

/** What a wrong name was probably meant to be, and what there is. @param wrong may have a table before it */
export function namesHint(wrong: string, kind: 'tables' | 'columns', names: readonly string[]): string {
  const last = wrong.split('.').at(-1) ?? wrong
  const plain = new Map(names.map((name) => [name.split('.').at(-1) ?? name, name]))
  const close = nearestNames(last, kind === 'tables' ? names : plain.keys()).map((name) => plain.get(name) ?? name)
  const list = names.slice(0, LISTED_NAMES).join(', ')
  const more = names.length > LISTED_NAMES ? `, … ${names.length - LISTED_NAMES} more` : ''
  return `${close.length > 0 ? `Did you mean ${close.join(' or ')}? ` : ''}${kind === 'tables' ? 'Tables' : 'Columns'}: ${list}${more}.`
}
