/** Owns what a search has found so far, written as the model reads it, and when that is enough. Pure. */
import { safeCut } from '../text/scan-lines.ts'
import type { LineMatch } from './match-lines.ts'

export interface FindingsLimits {
  /** Matching lines. */
  readonly matches: number
  /** Of all that is given back. */
  readonly chars: number
  /** Lines before and after each match. */
  readonly context: number
}

/** What came out, when the search is over. */
export interface FoundLines {
  readonly lines: readonly string[]
  readonly matches: number
  /** Files that were searched. */
  readonly files: number
  readonly binary: number
  readonly unreadable: number
  /** Text files on which the pattern could not be run. */
  readonly failed: number
  /** Which limit ended it, if one did. */
  readonly full: 'matches' | 'chars' | undefined
}

/** Of one line, around the match. */
const LINE_CHARS = 300

export class Findings {
  files = 0
  binary = 0
  unreadable = 0
  failed = 0
  readonly #limits: FindingsLimits
  readonly #lines: string[] = []
  #matches = 0
  #chars = 0

  constructor(limits: FindingsLimits) {
    this.#limits = limits
  }

  /** One more than may be shown, to know that there are more. */
  get left(): number {
    return this.#limits.matches - this.#matches + 1
  }

  get full(): 'matches' | 'chars' | undefined {
    if (this.#matches > this.#limits.matches) return 'matches'
    return this.#chars > this.#limits.chars ? 'chars' : undefined
  }

  /** @param firstLine number of the block's first line, from 1 */
  add(name: string, block: string, firstLine: number, matches: readonly LineMatch[]): void {
    const lines = block.split('\n')
    if (lines.at(-1) === '') lines.pop()
    const columns = new Map(matches.map((match) => [match.line, match.column]))
    const { context } = this.#limits
    let shownTo = -1
    for (const { line } of matches) {
      this.#matches += 1
      if (this.full !== undefined) return
      const from = Math.max(line - context, shownTo + 1)
      if (context > 0 && from > shownTo + 1 && this.#lines.length > 0) this.#push('--')
      const to = Math.min(line + context, lines.length - 1)
      for (let at = from; at <= to; at += 1) {
        const column = columns.get(at)
        const mark = column === undefined ? '-' : ':'
        this.#push(`${name}${mark}${firstLine + at}${mark}${around(lines[at] ?? '', column ?? 0)}`)
      }
      // A neighbour that matches as well was shown with its own mark; when its turn comes it is not repeated.
      shownTo = Math.max(shownTo, to)
    }
  }

  result(): FoundLines {
    const matches = Math.min(this.#matches, this.#limits.matches)
    const { files, binary, unreadable, failed, full } = this
    return { lines: this.#lines, matches, files, binary, unreadable, failed, full }
  }

  #push(line: string): void {
    this.#lines.push(line)
    this.#chars += line.length + 1
  }
}

/** The part of a long line that has the match in it. */
function around(raw: string, column: number): string {
  const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  if (line.length <= LINE_CHARS) return line
  const from = safeCut(line, Math.max(0, Math.min(column - 60, line.length - LINE_CHARS)))
  const to = safeCut(line, from + LINE_CHARS)
  return `${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`
}
