import { type ClipOptions, type Clipped, clipEnds, cutHead, cutTail, DEFAULT_RESULT_CHARS, type TextEnds } from '../clip.ts'
import { countNewlines } from '../lines.ts'
import { type ErrorExcerpt, ErrorExcerpts } from './error-excerpts.ts'
import { gapForm } from './gap.ts'
import { clipToTokens } from './token-limit.ts'

/**
 * Owns: keeping the beginning, the end, and the lines that carry an error from in between, each gap with a line that says how much
 * is missing. Up to half of the limit goes to the errors. Pure.
 */

/** @example clipErrors(endsOf(log), errorsOf(log, 4_000), { limit: 4_000 }) */
export function clipErrors(ends: TextEnds, excerpts: readonly ErrorExcerpt[], options: ClipOptions = {}): Clipped {
  const { limit = DEFAULT_RESULT_CHARS, tokens, rest } = options
  const plain: ClipOptions = { ...(tokens === undefined ? {} : { tokens }), ...(rest === undefined ? {} : { rest }) }
  if (excerpts.length === 0) return clipEnds(ends, { ...plain, limit })
  const most = ends.chars <= limit ? Math.max(1, ends.chars - 1) : limit
  return clipToTokens(most, tokens, (chars) =>
    chars < LEAST ? clipEnds(ends, { ...plain, limit: chars }) : clipTo(ends, excerpts, chars, rest),
  )
}

/** The lines of a whole text that carry an error. */
export function errorsOf(text: string, limit: number): ErrorExcerpts {
  const found = new ErrorExcerpts(limit)
  found.take(text)
  found.end()
  return found
}

/** Below, there is no room for three gaps. */
const LEAST = 300
/** What of the room beside the errors goes to the beginning: the end of a program's output says how it ended. */
const HEAD_SHARE = 0.4

interface Piece {
  readonly text: string
  readonly from: number
  readonly newlinesBefore: number
  readonly startsInside: boolean
}

function clipTo(ends: TextEnds, excerpts: readonly ErrorExcerpt[], limit: number, rest: string | undefined): Clipped {
  const endsOpen = ends.chars > 0 && !ends.tail.endsWith('\n')
  const totalLines = ends.newlines + (endsOpen ? 1 : 0)
  const first = gapForm(totalLines, ends.chars, rest, limit)
  const other = gapForm(totalLines, ends.chars, undefined, limit)
  const room = (limit - first.reserve) >> 1
  const least = lengths(ends, limit - first.reserve - room)
  const between = excerpts.filter(({ from, text }) => from + text.length > least.head && from < ends.chars - least.tail)
  const { chosen, used } = choose(between, room, other.reserve)
  const { head, tail } = lengths(ends, limit - first.reserve - used)

  // A cut at the very end of a line keeps its line end, in the place of the one that the gap would need.
  const headEnd = head > 0 && ends.head.charCodeAt(head - 1) !== 0x0a && ends.head.charCodeAt(head) === 0x0a ? head + 1 : head
  const tailFrom = ends.chars - tail
  const pieces: Piece[] = [{ text: ends.head.slice(0, headEnd), from: 0, newlinesBefore: 0, startsInside: false }]
  let end = headEnd
  for (const excerpt of chosen) {
    const piece = within(excerpt, end, tailFrom)
    if (piece === undefined) continue
    pieces.push(piece)
    end = piece.from + piece.text.length
  }
  if (tail > 0) {
    const start = ends.tail.length - tail
    const text = ends.tail.slice(start)
    const startsInside = start > 0 && ends.tail.charCodeAt(start - 1) !== 0x0a
    pieces.push({ text, from: tailFrom, newlinesBefore: ends.newlines - countNewlines(text), startsInside })
  }
  return { ...join(pieces, ends, endsOpen, [first, other]), clipped: true, totalLines, totalChars: ends.chars }
}

function lengths(ends: TextEnds, room: number): { readonly head: number; readonly tail: number } {
  const head = cutHead(ends.head, Math.floor(room * HEAD_SHARE))
  return { head, tail: cutTail(ends.tail, Math.floor(room * (1 - HEAD_SHARE))) }
}

/** Errors that say so first; of these two thirds from the beginning, where the cause is, the others from the end. */
function choose(
  excerpts: readonly ErrorExcerpt[],
  room: number,
  gap: number,
): { readonly chosen: readonly ErrorExcerpt[]; readonly used: number } {
  const chosen = new Set<ErrorExcerpt>()
  /** Where chosen ones begin and end: next to one of them there is no gap. */
  const edges = new Set<number>()
  let used = 0
  const take = (from: Iterable<ErrorExcerpt>, most: number): void => {
    for (const excerpt of from) {
      const end = excerpt.from + excerpt.text.length
      const cost = excerpt.text.length + (edges.has(excerpt.from) || edges.has(end) ? 0 : gap)
      if (used + cost > most || chosen.has(excerpt)) break
      chosen.add(excerpt)
      edges.add(excerpt.from).add(end)
      used += cost
    }
  }
  for (const grade of ['strong', 'weak'] as const) {
    const own = excerpts.filter((excerpt) => excerpt.grade === grade)
    if (own.length === 0) continue
    take(own, used + Math.floor(((room - used) * 2) / 3))
    if (chosen.size === 0) take(own.slice(0, 1), room)
    take(own.toReversed(), room)
  }
  return { chosen: [...chosen].sort((a, b) => a.from - b.from), used }
}

/** The part of an excerpt between two places of the text. */
function within(excerpt: ErrorExcerpt, from: number, to: number): Piece | undefined {
  const start = Math.max(0, from - excerpt.from)
  const end = Math.min(excerpt.text.length, to - excerpt.from)
  if (start >= end) return undefined
  const before = excerpt.text.slice(0, start)
  return {
    text: excerpt.text.slice(start, end),
    from: excerpt.from + start,
    newlinesBefore: excerpt.newlinesBefore + countNewlines(before),
    startsInside: start === 0 ? excerpt.startsInside : !before.endsWith('\n'),
  }
}

function join(
  pieces: readonly Piece[],
  ends: TextEnds,
  endsOpen: boolean,
  forms: readonly [ReturnType<typeof gapForm>, ReturnType<typeof gapForm>],
): { readonly text: string; readonly omittedLines: number; readonly omittedChars: number } {
  let text = ''
  let omittedLines = 0
  let omittedChars = 0
  let end = 0
  let newlines = 0
  const gap = (to: number, newlinesTo: number, inside: boolean, last: boolean): void => {
    if (to <= end) return
    const cut = text !== '' && !text.endsWith('\n')
    const passed = newlinesTo - newlines
    const lines = passed - (cut && passed > 0 ? 1 : 0) + (last && endsOpen && !(cut && passed === 0) ? 1 : 0)
    const form = omittedChars === 0 ? forms[0] : forms[1]
    text += `${cut ? '\n' : ''}${form.write(lines, to - end, cut || inside)}${last ? '' : '\n'}`
    omittedLines += lines
    omittedChars += to - end
  }
  for (const piece of pieces) {
    gap(piece.from, piece.newlinesBefore, piece.startsInside, false)
    text += piece.text
    end = piece.from + piece.text.length
    newlines = piece.newlinesBefore + countNewlines(piece.text)
  }
  gap(ends.chars, ends.newlines, false, true)
  return { text, omittedLines, omittedChars }
}
