/**
 * Lines of a screen as parts of text with a tone each: made once, then painted by whichever terminal there is. All text in them is printable
 * already. Rows are cut and wrapped by columns, not by characters, so that a box drawn around them fits.
 */
import stringWidth from 'string-width'
import type { Theme, Tone } from './theme.ts'

export interface Span {
  readonly text: string
  readonly tone: Tone
  /** A part that the person has to look at. Parts of one mark have one number. */
  readonly mark?: { readonly id: number; readonly reason: string }
}

export type Row = readonly Span[]

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const ASCII = /^[\x20-\x7e]*$/

export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text)
}

export function rowWidth(row: Row): number {
  return row.reduce((sum, span) => sum + widthOf(span.text), 0)
}

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone }
}

export function rowText(row: Row): string {
  return row.map(({ text }) => text).join('')
}

export function paintRow(row: Row, theme: Theme): string {
  return row.map(({ text, tone }) => theme.paint(tone, text)).join('')
}

/** How much of the beginning of `text` fits into `room` columns, in UTF-16 units. At least one character when `whole` is set. */
function fitting(text: string, room: number, whole: boolean): number {
  if (ASCII.test(text)) return Math.min(text.length, whole ? Math.max(1, room) : room)
  let columns = 0
  let end = 0
  for (const { segment } of SEGMENTER.segment(text)) {
    columns += widthOf(segment)
    if (columns > room && !(whole && end === 0)) break
    end += segment.length
    if (columns >= room) break
  }
  return end
}

/** Longer stretches without a break are looked at piece by piece, so that the cost does not grow with their square. */
const PIECE = 512

/**
 * Breaks a row after each `width` columns, and nowhere else: what is shown is what there is.
 *
 * @param width at least 1
 */
export function wrapRow(row: Row, width: number): readonly Row[] {
  const rows: Row[] = []
  let now: Span[] = []
  let used = 0
  for (const part of row) {
    let at = 0
    while (at < part.text.length) {
      const rest = piece(part.text, at)
      const end = fitting(rest, width - used, now.length === 0)
      if (end > 0) {
        const text = rest.slice(0, end)
        now.push({ ...part, text })
        used += widthOf(text)
        at += end
      }
      if (end === 0 || used >= width) {
        rows.push(now)
        now = []
        used = 0
      }
    }
  }
  if (now.length > 0 || rows.length === 0) rows.push(now)
  return rows
}

function piece(text: string, at: number): string {
  const end = at + PIECE
  const last = text.charCodeAt(end - 1)
  return text.slice(at, last >= 0xd800 && last <= 0xdbff ? end + 1 : end)
}

/** One row of at most `width` columns; the cut is marked. */
export function cutRow(row: Row, width: number, ellipsis: string): Row {
  if (rowWidth(row) <= width) return row
  const [first = []] = wrapRow(row, Math.max(1, width - widthOf(ellipsis)))
  return [...first, span(ellipsis, first.at(-1)?.tone ?? 'plain')]
}

/** Words kept whole where they fit: for sentences of this program's own. */
export function wrapWords(row: Row, width: number): readonly Row[] {
  const rows: Row[] = []
  let now: Span[] = []
  let used = 0
  const end = (): void => {
    rows.push(now)
    now = []
    used = 0
  }
  for (const { text, tone } of row) {
    for (const word of text.match(/ *[^ ]+| +$/g) ?? []) {
      const columns = widthOf(word)
      if (used + columns <= width) {
        now.push(span(word, tone))
        used += columns
        continue
      }
      if (used > 0) end()
      const lines = wrapRow([span(word.trimStart(), tone)], width)
      for (const [index, line] of lines.entries()) {
        now.push(...line)
        used = rowWidth(line)
        if (index < lines.length - 1) end()
      }
    }
  }
  if (now.length > 0 || rows.length === 0) rows.push(now)
  return rows
}
