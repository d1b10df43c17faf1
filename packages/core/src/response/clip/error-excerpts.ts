import { cutAfter, cutBefore } from '../cut-point.ts'
import { countNewlines, endOfLines, startOfLines } from '../lines.ts'
import { type ErrorGrade, gradeLine, nextSign, shapeOf } from './error-line.ts'

/** A line that carries an error, with the lines around it. */
export interface ErrorExcerpt {
  readonly text: string
  /** Where it begins in the whole text, in characters. */
  readonly from: number
  /** `\n` in the whole text before it. */
  readonly newlinesBefore: number
  /** It begins inside of a line. */
  readonly startsInside: boolean
  readonly grade: ErrorGrade
}

/**
 * Owns: collecting the lines of a text that carry an error, while the text comes in pieces, in memory bounded by the limit: the
 * first ones and the last ones, those that say so themselves apart from those that may be. Of lines that differ only in numbers
 * the first few are kept. One instance for one text.
 */
export class ErrorExcerpts {
  readonly #limit: number
  readonly #pools: Readonly<Record<ErrorGrade, Pool>>
  readonly #shapes = new Map<string, number>()
  #text = ''
  /** Of the first character of `#text` in the whole text. */
  #from = 0
  #newlines = 0
  /** Up to where `#text` was searched. */
  #searched = 0
  /** Up to where excerpts reach already. */
  #taken = 0

  /** @param limit characters of the clipped text that they are for */
  constructor(limit: number) {
    this.#limit = limit
    this.#pools = { strong: new Pool(limit), weak: new Pool(limit) }
  }

  /** Takes the next piece. */
  take(piece: string): void {
    this.#text = this.#text === '' ? piece : this.#text + piece
    if (this.#text.length - this.#searched < BLOCK) return
    // The last lines wait for those behind them; without any line end nothing waits.
    const last = startOfLines(this.#text, LINES_AFTER + 2, BLOCK)
    this.#search(last > this.#searched ? last : this.#text.length)
    this.#forget(last > this.#searched)
  }

  end(): void {
    this.#search(this.#text.length)
  }

  /** In the order of the text. */
  all(): readonly ErrorExcerpt[] {
    return [...this.#pools.strong.all(), ...this.#pools.weak.all()].sort((a, b) => a.from - b.from)
  }

  get hasStrong(): boolean {
    return this.#pools.strong.all().length > 0
  }

  #search(until: number): void {
    const text = this.#text
    let counted = 0
    let newlines = this.#newlines
    let at = this.#searched
    for (let sign = nextSign(text, at); sign !== -1 && sign < until; sign = nextSign(text, at)) {
      const start = sign === 0 ? 0 : text.lastIndexOf('\n', sign - 1) + 1
      const newline = text.indexOf('\n', sign)
      const end = newline === -1 ? text.length : newline
      at = end
      const grade = gradeLine(text.slice(start, end), sign - start)
      if (grade === undefined || this.#isRepeated(text.slice(start, Math.min(end, start + 200)))) continue
      const [from, to] = this.#around(start, end, sign)
      if (to <= from) continue
      newlines += countNewlines(text, counted, from)
      counted = from
      const startsInside = from > 0 ? text.charCodeAt(from - 1) !== 0x0a : this.#from > 0 && this.#startsInside
      const excerpt = { text: text.slice(from, to), from: this.#from + from, newlinesBefore: newlines, startsInside, grade }
      this.#pools[grade].add(excerpt)
      this.#taken = to
    }
    this.#searched = until
  }

  /** Some lines before and behind it; of a long line the surroundings of the place. */
  #around(start: number, end: number, sign: number): readonly [number, number] {
    const text = this.#text
    const [line, before, after] = [this.#share(6, 700), this.#share(16, 300), this.#share(12, 500)]
    if (end - start > line) {
      const from = cutAfter(text, Math.max(start, sign - (line >> 1)))
      const to = cutBefore(text, Math.min(end, sign + (line >> 1)))
      return [Math.max(this.#taken, from), to]
    }
    const earlier = text.slice(Math.max(0, start - before), start)
    const whole = earlier.length === before ? earlier.indexOf('\n') + 1 || before : 0
    const from = start - earlier.length + Math.max(whole, startOfLines(earlier, LINES_BEFORE, before))
    const lineEnd = Math.min(text.length, end + 1)
    const later = text.slice(lineEnd, lineEnd + after)
    const lines = endOfLines(later, LINES_AFTER, after)
    const to = lineEnd + (lines === later.length && lineEnd + lines < text.length ? later.lastIndexOf('\n') + 1 : lines)
    return [Math.max(this.#taken, from), to]
  }

  #share(part: number, most: number): number {
    return Math.min(most, Math.floor(this.#limit / part))
  }

  #isRepeated(line: string): boolean {
    const shape = shapeOf(line)
    const seen = this.#shapes.get(shape) ?? 0
    if (this.#shapes.size >= SHAPES) this.#shapes.clear()
    this.#shapes.set(shape, seen + 1)
    return seen >= SAME_SHAPE
  }

  #startsInside = false

  /** Lets go of what was searched, save for the lines before the next one. */
  #forget(wholeLines: boolean): void {
    const done = this.#text.slice(0, this.#searched)
    const keep = wholeLines ? startOfLines(done, LINES_BEFORE, 1_000) : this.#searched
    this.#newlines += countNewlines(this.#text, 0, keep)
    this.#startsInside = keep > 0 ? this.#text.charCodeAt(keep - 1) !== 0x0a : this.#startsInside
    this.#text = this.#text.slice(keep)
    this.#from += keep
    this.#searched -= keep
    this.#taken = Math.max(0, this.#taken - keep)
  }
}

/** Characters searched at once. */
const BLOCK = 65_536
const LINES_BEFORE = 2
const LINES_AFTER = 4
/** Lines of one shape that are kept. */
const SAME_SHAPE = 3
const SHAPES = 1_000

/** The first excerpts up to `room` characters, and the last ones up to as many. */
class Pool {
  readonly #room: number
  readonly #first: ErrorExcerpt[] = []
  #last: ErrorExcerpt[] = []
  #firstChars = 0
  #lastChars = 0

  constructor(room: number) {
    this.#room = room
  }

  add(excerpt: ErrorExcerpt): void {
    const own = { ...excerpt, text: copied(excerpt.text) }
    if (this.#firstChars < this.#room) {
      this.#first.push(own)
      this.#firstChars += own.text.length
      return
    }
    this.#last.push(own)
    this.#lastChars += own.text.length
    if (this.#lastChars < 4 * this.#room) return
    let drop = 0
    for (; drop < this.#last.length - 1 && this.#lastChars > this.#room; drop++) this.#lastChars -= this.#last[drop]?.text.length ?? 0
    this.#last = this.#last.slice(drop)
  }

  all(): readonly ErrorExcerpt[] {
    return [...this.#first, ...this.#last]
  }
}

/** A slice of a string keeps all of that string alive. UTF-16, so that not even half a character is changed. */
function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
