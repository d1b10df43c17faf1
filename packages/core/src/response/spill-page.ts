import type { FileHandle } from 'node:fs/promises'
import { scanBytes } from './byte-scan.ts'
import { cutAfter, cutBefore } from './cut-point.ts'
import { countLines, endOfLines } from './lines.ts'
import { readBlocks } from './spill-blocks.ts'

/** Lines of a kept result. `firstLine` and `lastLine` count from 1; `lastLine` is `firstLine - 1` when nothing is there. */
export interface LinePage {
  readonly text: string
  readonly firstLine: number
  readonly lastLine: number
  /** Where to go on; absent at the end. `column` when a line too long for a page goes on. */
  readonly next?: { readonly offset: number; readonly column?: number }
  /** Lines in all; known only when the end was reached. */
  readonly totalLines?: number
}

/** Reads lines `offset` …, at most `limit` of them and `maxChars` characters; in bounded memory whatever the file. */
export async function readLines(
  handle: FileHandle,
  from: { readonly offset: number; readonly column: number; readonly limit: number; readonly maxChars: number },
): Promise<LinePage> {
  const start = await findLine(handle, from.offset)
  if (start.position === undefined) return { text: '', firstLine: from.offset, lastLine: from.offset - 1, totalLines: start.lines }
  const { text, complete } = await readText(handle, start.position, from.column - 1, from.maxChars + MARGIN)
  const lines = endOfLines(text, from.limit, text.length)
  const page = lines <= from.maxChars ? text.slice(0, lines) : cutToSize(text.slice(0, lines), from.maxChars)
  const lastLine = from.offset + countLines(page) - 1
  if (complete && page.length === text.length) {
    return { text: page, firstLine: from.offset, lastLine, totalLines: Math.max(lastLine, start.lines) }
  }
  const next = page.endsWith('\n') ? { offset: lastLine + 1 } : { offset: from.offset, column: from.column + page.length }
  return { text: page, firstLine: from.offset, lastLine, next }
}

/** Read beyond a page, so that a cut sees the whole of the character there. */
const MARGIN = 4_200

/** Whole lines where at least one fits, else a part of the first. */
function cutToSize(text: string, maxChars: number): string {
  const line = text.lastIndexOf('\n', maxChars - 1) + 1
  return text.slice(0, line > 0 ? line : cutBefore(text, maxChars) || cutAfter(text, 1))
}

/** Where line `line` begins; no position when there are fewer lines. */
async function findLine(handle: FileHandle, line: number): Promise<{ readonly position?: number; readonly lines: number }> {
  let before = 0
  let position = 0
  let open = false
  for await (const block of readBlocks(handle, 0)) {
    if (before === line - 1) return { position, lines: before }
    const inside = scanBytes(block).newlines
    if (before + inside >= line - 1) {
      let at = 0
      for (; before < line - 1; before++) at = block.indexOf(0x0a, at) + 1
      if (at < block.length) return { position: position + at, lines: before }
    } else before += inside
    open = block.at(-1) !== 0x0a
    position += block.length
  }
  return { lines: before + (open ? 1 : 0) }
}

/** Characters from `position` on, without the first `skip` of its line. */
async function readText(
  handle: FileHandle,
  position: number,
  skip: number,
  chars: number,
): Promise<{ readonly text: string; readonly complete: boolean }> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let text = ''
  let left = skip
  for await (const block of readBlocks(handle, position)) {
    let piece = decoder.decode(block, { stream: true })
    if (left > 0) {
      const end = piece.indexOf('\n')
      const take = Math.min(left, end === -1 ? piece.length : end)
      piece = piece.slice(take)
      left = end === -1 ? left - take : 0
    }
    text += piece
    if (text.length >= chars) return { text, complete: false }
  }
  return { text: text + decoder.decode(), complete: true }
}
