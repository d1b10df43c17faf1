import { type ClipOptions, type Clipped, clipEnds, DEFAULT_RESULT_CHARS, type TextEnds } from '../clip.ts'
import { countNewlines, endOfLines } from '../lines.ts'
import { tableHeader } from './table-header.ts'

/**
 * Owns: keeping the header of a table and both ends of its rows, with one line in between that says how many rows are missing.
 * Works on the two ends of a text alone. Pure.
 */

/**
 * @returns `undefined` when the text does not look like a table, or its header leaves no room for rows
 * @param sure take it for a table also where it does not look like one: its first line is the header then
 */
export function clipTable(ends: TextEnds, options: ClipOptions = {}, sure = false): Clipped | undefined {
  const { limit = DEFAULT_RESULT_CHARS, tokens, rest } = options
  const found = tableHeader(ends.head)
  if (found === undefined && !sure) return undefined
  const length = endOfLines(ends.head, found?.lines ?? 1, ends.head.length)
  const header = ends.head.slice(0, length)
  // Its own tokens are counted for it as if each character were one.
  const most = tokens === undefined ? limit : Math.min(limit, tokens)
  if (length === ends.head.length || length > most / 2) return undefined
  const rows: TextEnds = {
    head: ends.head.slice(length),
    tail: ends.tail,
    newlines: ends.newlines - countNewlines(header),
    chars: ends.chars - length,
  }
  const quoted = found?.kind === 'separated' && endsInsideQuotes(ends.head)
  const room = { limit: Math.min(limit, ends.chars <= limit ? ends.chars - 1 : limit) - length }
  const clipped = clipEnds(
    rows,
    {
      ...room,
      ...(tokens === undefined ? {} : { tokens: tokens - Math.min(length, tokens - 1) }),
      ...(rest === undefined ? {} : { rest }),
    },
    quoted ? 'line' : 'row',
  )
  return {
    ...clipped,
    text: header + clipped.text,
    totalLines: clipped.totalLines + countNewlines(header),
    totalChars: ends.chars,
  }
}

/** A row may hold line ends between quotes: then lines are no rows. */
function endsInsideQuotes(text: string): boolean {
  const quote = text.indexOf('"')
  if (quote === -1) return false
  let inside = false
  const marks = /["\n]/g
  marks.lastIndex = quote
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') inside = !inside
    else if (inside) return true
  }
  return false
}
