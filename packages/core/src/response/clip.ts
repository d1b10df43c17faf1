import { AdjutantError } from '../contract/errors.ts'
import { gapForm } from './clip/gap.ts'
import { clipToTokens, fitsTokens } from './clip/token-limit.ts'
import { cutAfter, cutBefore } from './cut-point.ts'
import { countLines, countNewlines, endOfLines, startOfLines } from './lines.ts'

/**
 * Owns: making a long text short enough for a model by keeping its beginning and its end, with one line in between that says
 * what is missing. Never cuts inside a character, never gives back more than the limit, never touches a text that fits.
 * Pure. What was cut is not kept here: see spill.ts.
 */

/** Characters (UTF-16 code units) that reach a model for one result, where nobody says otherwise. */
export const DEFAULT_RESULT_CHARS = 8_000

export interface ClipOptions {
  /** At most this many characters (UTF-16 code units) come back. Default {@link DEFAULT_RESULT_CHARS}. */
  readonly limit?: number
  /** At most this many estimated tokens come back as well. Default: only characters count. */
  readonly tokens?: number
  /**
   * Keep at most this many of the first lines. With both `head` and `tail` given, a text of more lines than they allow is
   * clipped even when it is within the limit. Default: whatever fits into half of the limit.
   */
  readonly head?: number
  /** Keep at most this many of the last lines. Default: whatever fits beside the head. */
  readonly tail?: number
  /** How the rest can be read; becomes part of the line in between, e.g. `read_result {"id":"call_1"} shows them`. */
  readonly rest?: string
}

export interface Clipped {
  readonly text: string
  readonly clipped: boolean
  /** Lines of which nothing is shown. 0 when the cut is inside one line. */
  readonly omittedLines: number
  /** Of JSON: of what is not shown, without the white space between what is. */
  readonly omittedChars: number
  readonly totalLines: number
  readonly totalChars: number
}

/**
 * Keeps the first and the last lines of a text that is longer than the limit.
 *
 * Where the cut would waste more than half of its share (one endless line), it goes inside the line, between two characters.
 *
 * @throws AdjutantError USAGE when a number is not a whole number in range
 * @example
 * ```ts
 * clipText('1\n2\n3\n4\n5\n', { head: 1, tail: 1 }).text // '1\n[… 3 lines (6 characters) left out …]\n5\n'
 * ```
 */
export function clipText(text: string, options: ClipOptions = {}): Clipped {
  checkClipOptions(options)
  return wholeIfFits(text, options) ?? clipEnds(endsOf(text), options)
}

/** The text as it is, where the options let it through. */
export function wholeIfFits(text: string, options: ClipOptions): Clipped | undefined {
  const { limit = DEFAULT_RESULT_CHARS, tokens, head, tail } = options
  if (text.length > limit || (tokens !== undefined && !fitsTokens(text, tokens))) return undefined
  const totalLines = countLines(text)
  if (head !== undefined && tail !== undefined && totalLines > head + tail) return undefined
  return { text, clipped: false, omittedLines: 0, omittedChars: 0, totalLines, totalChars: text.length }
}

/** A whole text as its own ends. */
export function endsOf(text: string): TextEnds {
  return { head: text, tail: text, newlines: countNewlines(text), chars: text.length }
}

/** The two ends of a text, and how much it is in all: what a reader in bounded memory still has of it. */
export interface TextEnds {
  /** A beginning of the text: at least `limit` characters of it, or all. */
  readonly head: string
  /** An end of the text: at least `limit` characters of it, or all. */
  readonly tail: string
  /** `\n` in the whole text. */
  readonly newlines: number
  /** Characters of the whole text. */
  readonly chars: number
}

/**
 * Clips a text of which only the ends are at hand and which is known to be too long.
 *
 * @param noun what a line is called in what stands for those left out
 */
export function clipEnds(ends: TextEnds, options: ClipOptions = {}, noun = 'line'): Clipped {
  const { limit = DEFAULT_RESULT_CHARS, tokens } = options
  // Too many tokens in few characters: below the text's own length, or its two ends would overlap.
  const tooDense = tokens !== undefined && ends.chars <= limit && !fitsTokens(ends.head, tokens)
  return clipToTokens(tooDense ? Math.max(1, ends.chars - 1) : limit, tokens, (most) => clipEndsTo(ends, options, most, noun))
}

function clipEndsTo(ends: TextEnds, options: ClipOptions, limit: number, noun: string): Clipped {
  const endsOpen = ends.chars > 0 && !ends.tail.endsWith('\n')
  const totalLines = ends.newlines + (endsOpen ? 1 : 0)
  const form = gapForm(totalLines, ends.chars, options.rest, limit, noun)
  const room = Math.max(0, limit - form.reserve)

  const wantHead = options.head === undefined ? Number.POSITIVE_INFINITY : endOfLines(ends.head, options.head, room)
  const wantTail = options.tail === undefined ? Number.POSITIVE_INFINITY : ends.tail.length - startOfLines(ends.tail, options.tail, room)
  const tailShare = Math.min(wantTail, room - Math.min(wantHead, room >> 1))
  const headLength = wantHead <= room - tailShare ? wantHead : cutHead(ends.head, room - tailShare)
  const tailRoom = room - headLength
  const tailLength = wantTail <= tailRoom ? wantTail : cutTail(ends.tail, tailRoom)

  // A cut at the very end of a line keeps its line end, in the place of the one that the marker would need.
  const endsLine = headLength > 0 && ends.head.charCodeAt(headLength - 1) !== 0x0a && ends.head.charCodeAt(headLength) === 0x0a
  const head = ends.head.slice(0, endsLine ? headLength + 1 : headLength)
  const tail = tailLength === 0 ? '' : ends.tail.slice(ends.tail.length - tailLength)
  const omittedChars = ends.chars - head.length - tail.length
  const cutsHead = head.length > 0 && !head.endsWith('\n')
  const tailStart = ends.tail.length - tailLength
  const cutsTail = tailLength > 0 && tailStart > 0 && ends.tail.charCodeAt(tailStart - 1) !== 0x0a
  const newlines = ends.newlines - countNewlines(head) - countNewlines(tail)
  // The first line end left out belongs to the line that the head shows a part of; a last line without one has none to count.
  const omittedLines =
    newlines - (cutsHead && newlines > 0 ? 1 : 0) + (tailLength === 0 && endsOpen && !(cutsHead && newlines === 0) ? 1 : 0)

  const marker = form.write(omittedLines, omittedChars, cutsHead || cutsTail)
  const text = `${head}${cutsHead ? '\n' : ''}${marker}${tail === '' || marker === '' ? '' : '\n'}${tail}`
  return { text, clipped: true, omittedLines, omittedChars, totalLines, totalChars: ends.chars }
}

/** @throws AdjutantError USAGE naming the option */
export function checkClipOptions(options: ClipOptions): void {
  checkWhole('limit', options.limit, 1)
  checkWhole('tokens', options.tokens, 1)
  checkWhole('head', options.head, 0)
  checkWhole('tail', options.tail, 0)
}

function checkWhole(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return
  throw new AdjutantError('USAGE', `${name} must be a whole number, at least ${least}; it is ${value}`, {
    hint: `Give ${name} as a whole number.`,
  })
}

/** How much of a beginning to keep: back to the last line end, unless that gives up more than half of the room. */
export function cutHead(text: string, room: number): number {
  const line = room === 0 ? 0 : text.lastIndexOf('\n', room - 1) + 1
  return line > room >> 1 ? line : cutBefore(text, room)
}

/** How much of an end to keep: forward to the next line start, unless that gives up more than half of the room. */
export function cutTail(text: string, room: number): number {
  const from = text.length - room
  if (room === 0) return 0
  if (from > 0 && text.charCodeAt(from - 1) === 0x0a) return room
  const line = text.indexOf('\n', from)
  const length = line === -1 ? 0 : text.length - line - 1
  return length > room >> 1 ? length : text.length - cutAfter(text, from)
}
