/** Owns showing what an edit did: hunks in the form of a unified diff, bounded. Pure. */
import { plural } from '../text/amounts.ts'
import type { Replacement } from './edit-text.ts'

const CONTEXT = 2
const MAX_HUNKS = 3
/** Lines of one side of one hunk. */
const MAX_LINES = 20
const MAX_CHARS = 200

export function editExcerpt(before: string, after: string, replacements: readonly Replacement[]): string {
  const hunks: string[] = []
  let shift = 0
  for (const replacement of replacements.slice(0, MAX_HUNKS)) {
    hunks.push(hunk(before, after, replacement, shift))
    shift += replacement.text.length - (replacement.end - replacement.start)
  }
  const rest = replacements.length - hunks.length
  if (rest > 0) hunks.push(`[${plural(rest, 'more replacement')}]`)
  return hunks.join('\n')
}

function hunk(before: string, after: string, replacement: Replacement, shift: number): string {
  const from = lineStart(before, replacement.start)
  const removedEnd = lineEnd(before, replacement.end, replacement.start)
  const newStart = replacement.start + shift
  const addedEnd = removedEnd + shift + replacement.text.length - (replacement.end - replacement.start)
  const removed = linesOf(before.slice(from, removedEnd))
  const added = linesOf(after.slice(lineStart(after, newStart), addedEnd))
  const above = linesBefore(before, from)
  const below = linesAfter(before, removedEnd)
  const oldLine = lineNumber(before, from)
  const newLine = lineNumber(after, lineStart(after, newStart))
  const head = `@@ -${oldLine - above.length},${above.length + removed.length + below.length} +${newLine - above.length},${above.length + added.length + below.length} @@`
  return [head, ...above.map(context), ...side('-', removed), ...side('+', added), ...below.map(context)].join('\n')
}

function context(line: string): string {
  return ` ${cut(line)}`
}

function side(mark: string, lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, MAX_LINES).map((line) => `${mark}${cut(line)}`)
  return lines.length > MAX_LINES ? [...shown, `[${plural(lines.length - MAX_LINES, `more "${mark}" line`)}]`] : shown
}

function cut(line: string): string {
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}…` : line
}

/** Whole lines without their ends; nothing at all gives no line. */
function linesOf(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

/** Behind the line feed of the line in which the range ends. */
function lineEnd(text: string, at: number, start: number): number {
  if (at > start && text[at - 1] === '\n') return at
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end + 1
}

function linesBefore(text: string, at: number): readonly string[] {
  let from = at
  for (let line = 0; line < CONTEXT && from > 0; line += 1) from = lineStart(text, from - 1)
  return linesOf(text.slice(from, at))
}

function linesAfter(text: string, at: number): readonly string[] {
  let to = at
  for (let line = 0; line < CONTEXT && to < text.length; line += 1) {
    const end = text.indexOf('\n', to)
    to = end === -1 ? text.length : end + 1
  }
  return linesOf(text.slice(at, to))
}

function lineNumber(text: string, at: number): number {
  let line = 1
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line += 1
  return line
}
