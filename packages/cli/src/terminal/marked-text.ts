/**
 * A text argument as lines whose dangerous parts stand out. Takes marks from anybody: those that lie outside of the text, overlap, are no
 * numbers or split a character break nothing. Of a text that is too long to read, the surroundings of what is dangerous are kept, and what
 * is left out is counted. Pure; linear in the text.
 */
import type { ArgumentMark, Effect } from '@adjutant/core'
import { printableArgument, shorten } from './printable.ts'
import { type Row, type Span, span } from './rows.ts'
import type { Tone } from './theme.ts'

export interface MarkedText {
  readonly lines: readonly Row[]
  /** Characters that are left out. */
  readonly hidden: number
}

/** Where in the text a mark begins and ends, in UTF-16 units. */
export type TextMark = Omit<ArgumentMark, 'path'>

/** More parts than anybody can look at one by one; the worst are kept. */
const MAX_MARKS = 1_000
const REASON_CHARS = 160
/** A longer text is shown in part. */
const WINDOW_CHARS = 2_000
/** Of a long text: its beginning, its end, and what is around a mark. */
const HEAD = 400
const TAIL = 200
const AROUND = 160
const MARK_CHARS = 400
/** Marks of a long text that get a place of their own. */
const MAX_PLACES = 12

const RANK: Readonly<Record<Effect, number>> = { read: 0, write: 1, dangerous: 2 }

interface Clean {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly effect: Effect
  readonly reason: string
}

function isEffect(value: unknown): value is Effect {
  return value === 'read' || value === 'write' || value === 'dangerous'
}

/** In the text, never within a pair of surrogates or of CR and LF. */
function snap(text: string, offset: number, outwards: -1 | 1): number {
  const at = Math.max(0, Math.min(text.length, Math.trunc(offset)))
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  const inPair = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
  return inPair || (before === 13 && after === 10) ? at + outwards : at
}

function cleaned(text: string, marks: readonly TextMark[]): readonly Clean[] {
  const clean: Clean[] = []
  for (const mark of marks) {
    // They come from tools of all kinds: what is no mark is passed over.
    if (typeof mark !== 'object' || mark === null) continue
    const { start, end, effect, reason } = mark
    if (typeof start !== 'number' || typeof end !== 'number' || Number.isNaN(start) || Number.isNaN(end) || !isEffect(effect)) continue
    const from = snap(text, start, -1)
    const to = snap(text, end, 1)
    if (from >= to) continue
    const why = typeof reason === 'string' ? shorten(printableArgument(reason.slice(0, REASON_CHARS * 2)), REASON_CHARS) : ''
    clean.push({ id: clean.length, start: from, end: to, effect, reason: why })
  }
  if (clean.length <= MAX_MARKS) return clean
  return clean.sort((a, b) => RANK[b.effect] - RANK[a.effect] || a.start - b.start).slice(0, MAX_MARKS)
}

interface Segment {
  readonly start: number
  end: number
  readonly mark: Clean | undefined
}

/** The text in stretches that have one mark each: where several lie over another the worst counts, then the shortest. */
function segmentsOf(text: string, marks: readonly Clean[]): readonly Segment[] {
  const cuts = [...new Set([0, text.length, ...marks.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b)
  const byStart = marks.toSorted((a, b) => a.start - b.start)
  const segments: Segment[] = []
  let open: Clean[] = []
  let next = 0
  for (const [index, start] of cuts.entries()) {
    const end = cuts[index + 1]
    if (end === undefined) break
    open = open.filter((mark) => mark.end > start)
    for (let mark = byStart[next]; mark !== undefined && mark.start <= start; mark = byStart[++next]) open.push(mark)
    let best: Clean | undefined
    for (const mark of open) {
      if (best === undefined || RANK[mark.effect] > RANK[best.effect]) best = mark
      else if (mark.effect === best.effect && mark.end - mark.start < best.end - best.start) best = mark
    }
    const last = segments.at(-1)
    if (last !== undefined && last.mark === best) last.end = end
    else segments.push({ start, end, mark: best })
  }
  return segments
}

interface Range {
  readonly start: number
  readonly end: number
}

/** The parts of a long text that are shown, in order and apart from each other. */
function windowsOf(text: string, pointed: readonly Clean[]): readonly Range[] {
  const wanted: Range[] = [
    { start: 0, end: HEAD },
    { start: text.length - TAIL, end: text.length },
  ]
  for (const { start, end } of pointed.slice(0, MAX_PLACES)) {
    wanted.push({ start: start - AROUND, end: Math.min(end, start + MARK_CHARS) + AROUND })
    if (end > start + MARK_CHARS) wanted.push({ start: end - AROUND, end: end + AROUND })
  }
  if (pointed.length === 0) wanted.push({ start: 0, end: WINDOW_CHARS - TAIL })
  wanted.sort((a, b) => a.start - b.start)
  const windows: { start: number; end: number }[] = []
  for (const range of wanted) {
    const start = snap(text, range.start, -1)
    const end = snap(text, range.end, 1)
    const last = windows.at(-1)
    // A gap of a few characters takes more room told than shown.
    if (last !== undefined && start <= last.end + 40) last.end = Math.max(last.end, end)
    else windows.push({ start, end })
  }
  return windows
}

const TONES: Readonly<Record<Effect, Tone>> = { read: 'good', write: 'warning', dangerous: 'bad' }

/**
 * @param effect of the whole call: parts with it stand out, unless the call only reads
 * @param limit a longer text is shown in part; `Infinity`: all of it
 */
export function markedText(text: string, marks: readonly TextMark[], effect: Effect, limit: number = WINDOW_CHARS): MarkedText {
  const clean = cleaned(text, marks)
  const worst = clean.reduce((most, mark) => Math.max(most, RANK[mark.effect]), 0)
  const level = Math.max(1, Math.min(worst, RANK[effect]))
  const pointed = clean.filter((mark) => RANK[mark.effect] >= level)
  const windows = text.length <= limit ? [{ start: 0, end: text.length }] : windowsOf(text, pointed)
  const writer = new LineWriter()
  let hidden = 0
  let done = 0
  let at = 0
  const segments = segmentsOf(text, clean)
  for (const { start, end } of windows) {
    if (start > done) {
      writer.gap(start - done)
      hidden += start - done
    }
    for (let segment = segments[at]; segment !== undefined && segment.start < end; segment = segments[++at]) {
      const { mark } = segment
      const part = text.slice(Math.max(start, segment.start), Math.min(end, segment.end))
      if (part !== '') writer.write(part, mark, mark !== undefined && RANK[mark.effect] >= level)
      // It goes on in the next window.
      if (segment.end > end) break
    }
    done = end
  }
  return { lines: writer.end(), hidden: hidden + (text.length - done) }
}

class LineWriter {
  readonly #lines: Row[] = []
  #line: Span[] = []

  write(part: string, mark: Clean | undefined, pointed: boolean): void {
    for (const [index, line] of part.split(/\r\n|\n/).entries()) {
      if (index > 0) this.#break()
      const text = printableArgument(line)
      if (text === '') continue
      if (mark === undefined) this.#line.push(span(text))
      else if (!pointed) this.#line.push(span(text, TONES[mark.effect]))
      else {
        const tone = mark.effect === 'dangerous' ? 'danger' : 'marked'
        this.#line.push({ text, tone, mark: { id: mark.id, reason: mark.reason } })
      }
    }
  }

  gap(characters: number): void {
    if (this.#line.length > 0) this.#break()
    this.#lines.push([span(`… ${characters} characters …`, 'warning')])
  }

  end(): readonly Row[] {
    this.#break()
    return this.#lines
  }

  #break(): void {
    this.#lines.push(this.#line)
    this.#line = []
  }
}
