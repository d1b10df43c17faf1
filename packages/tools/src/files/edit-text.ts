/**
 * Owns replacing one piece of text by another. Pure. Line ends do not decide whether a piece is found: `\n` matches `\r\n`; what
 * is put in takes the line ends of what it replaces, and all else stays as it is, to the character.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { plural } from '../text/amounts.ts'
import { explainMissing } from './explain-missing.ts'

export interface Replacement {
  /** In the text before: code units from `start` to `end`. */
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface EditedText {
  readonly text: string
  /** In order, none overlapping. */
  readonly replacements: readonly Replacement[]
}

/** More places than this are not listed one by one. */
const LISTED = 10

/**
 * @throws AdjutantError INVALID_ARGUMENTS when nothing would change, NOT_FOUND with what comes nearest, CONFLICT when the piece occurs
 * several times and not all are to be replaced
 */
export function editText(text: string, oldText: string, newText: string, replaceAll: boolean): EditedText {
  if (oldText.length === 0)
    throw new AdjutantError('INVALID_ARGUMENTS', 'old_text is empty', {
      hint: 'Quote the text to replace, or use write_file for a new file.',
    })
  const wanted = toLineFeeds(oldText)
  const given = toLineFeeds(newText)
  if (wanted === given)
    throw new AdjutantError('INVALID_ARGUMENTS', 'old_text and new_text are the same (line ends are kept as they are)', {
      hint: 'Nothing has to be done, or new_text is wrong.',
    })
  const plain = toLineFeeds(text)
  const returns = removedReturns(text)
  const places = occurrences(plain, wanted, replaceAll ? wanted.length : 1)
  if (places.length === 0) throw explainMissing(plain, wanted)
  if (places.length > 1 && !replaceAll) {
    const lines = lineNumbers(plain, places)
    const shown = lines.slice(0, LISTED).join(', ') + (lines.length > LISTED ? `, … ${lines.length - LISTED} more` : '')
    throw new AdjutantError('CONFLICT', `old_text occurs ${plural(places.length, 'time')}, at lines ${shown}; nothing was changed`, {
      hint: 'Quote more of the lines around it so that it is unique, or set replace_all.',
    })
  }
  const fileHasReturns = returns.length > 0 && returns.length * 2 >= count(plain, '\n')
  const replacements = places.map((place): Replacement => {
    const start = original(place, returns)
    const end = original(place + wanted.length, returns)
    const replaced = text.slice(start, end)
    const withReturns = replaced.includes('\n') ? replaced.includes('\r\n') : fileHasReturns
    return { start, end, text: withReturns ? given.replaceAll('\n', '\r\n') : given }
  })
  return { text: apply(text, replacements), replacements }
}

function apply(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = []
  let from = 0
  for (const replacement of replacements) {
    parts.push(text.slice(from, replacement.start), replacement.text)
    from = replacement.end
  }
  parts.push(text.slice(from))
  return parts.join('')
}

function toLineFeeds(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text
}

/** For each `\r` that {@link toLineFeeds} took out: where its line feed stands in the text without them. */
function removedReturns(text: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) places.push(at - places.length)
  return places
}

/** The place in the original text of a place in the text without returns. A place at a line feed is the one before its `\r`. */
function original(place: number, returns: readonly number[]): number {
  let low = 0
  let high = returns.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((returns[middle] ?? 0) < place) low = middle + 1
    else high = middle
  }
  return place + low
}

function occurrences(text: string, wanted: string, step: number): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) places.push(at)
  return places
}

function count(text: string, letter: string): number {
  let found = 0
  for (let at = text.indexOf(letter); at !== -1; at = text.indexOf(letter, at + 1)) found += 1
  return found
}

function lineNumbers(text: string, places: readonly number[]): readonly number[] {
  const lines: number[] = []
  let line = 1
  let from = 0
  for (const place of places) {
    for (let at = text.indexOf('\n', from); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1
    from = place
    if (lines.at(-1) !== line) lines.push(line)
  }
  return lines
}
