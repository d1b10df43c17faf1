import type { FileHandle } from 'node:fs/promises'
import { cutAfter, cutBefore } from './cut-point.ts'
import { countNewlines } from './lines.ts'
import { readBlocks } from './spill-blocks.ts'

/** A line in which the text was found; `text` is the line, or the surroundings of the place in a long one. */
interface SearchHit {
  readonly line: number
  /** Of the first place in the line, from 1, in characters. */
  readonly column: number
  readonly text: string
}

export interface SearchPage {
  readonly hits: readonly SearchHit[]
  /** The line of the next hit that had no room; absent when there is none. */
  readonly next?: { readonly offset: number }
}

/**
 * Finds plain text, upper and lower case alike, from line `offset` on: one hit for each line. Plain, because a pattern that
 * a model wrote may take for ever. In bounded memory whatever the file and its lines.
 */
export async function searchLines(
  handle: FileHandle,
  needle: string,
  from: { readonly offset: number; readonly limit: number; readonly maxChars: number },
): Promise<SearchPage> {
  const search = new LineSearch(needle, from)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const block of readBlocks(handle, 0)) {
    if (search.feed(decoder.decode(block, { stream: true }))) return search.page()
  }
  search.feed(decoder.decode())
  search.finish()
  return search.page()
}

/** Longer lines are searched in pieces that overlap. */
const LONG_LINE = 1_048_576
/** Characters shown on each side of a hit in a long line. */
const AROUND = 150
const SHORT_LINE = 400

class LineSearch {
  readonly #pattern: RegExp
  readonly #overlap: number
  readonly #offset: number
  readonly #limit: number
  readonly #maxChars: number
  readonly #hits: SearchHit[] = []
  #next: { readonly offset: number } | undefined
  #used = 0
  /** Not searched yet; begins in line `#line` at column `#column`. */
  #text = ''
  #line = 1
  #column = 0
  /** The rest of the current line needs no search: it had its hit. */
  #lineDone = false

  constructor(needle: string, from: { readonly offset: number; readonly limit: number; readonly maxChars: number }) {
    this.#pattern = new RegExp(needle.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu')
    this.#overlap = needle.length * 2
    this.#offset = from.offset
    this.#limit = from.limit
    this.#maxChars = from.maxChars
  }

  /** True once the page is full. */
  feed(piece: string): boolean {
    this.#text += piece
    const end = this.#text.lastIndexOf('\n') + 1
    if (end > 0) {
      const whole = this.#text.slice(0, end)
      this.#text = this.#text.slice(end)
      this.#searchWhole(whole)
    } else if (this.#text.length > LONG_LINE) this.#searchOpen()
    return this.#next !== undefined
  }

  finish(): void {
    if (this.#text !== '' && this.#next === undefined) this.#searchWhole(`${this.#text}\n`)
  }

  page(): SearchPage {
    return { hits: this.#hits, ...(this.#next === undefined ? undefined : { next: this.#next }) }
  }

  #searchWhole(text: string): void {
    let counted = 0
    let at = 0
    if (this.#lineDone) {
      at = text.indexOf('\n')
      this.#lineDone = false
    }
    for (let found = this.#find(text, at); found !== undefined; found = this.#find(text, at)) {
      const start = text.lastIndexOf('\n', found - 1) + 1
      const end = text.indexOf('\n', found)
      this.#line += countNewlines(text, counted, found)
      counted = found
      this.#hit(text, start, end, found, start === 0 ? this.#column : 0)
      if (this.#next !== undefined) return
      at = end
    }
    this.#line += countNewlines(text, counted)
    this.#column = 0
  }

  /** A part of a line whose end is far: searched save for the last bit, which may be the beginning of a hit. */
  #searchOpen(): void {
    const cut = this.#text.length - this.#overlap
    const found = this.#lineDone ? undefined : this.#find(this.#text, 0)
    if (found !== undefined && found < cut) {
      this.#hit(this.#text, 0, this.#text.length, found, this.#column)
      this.#lineDone = true
    }
    this.#text = this.#text.slice(cut)
    this.#column += cut
  }

  #find(text: string, from: number): number | undefined {
    this.#pattern.lastIndex = from
    return this.#pattern.exec(text)?.index
  }

  #hit(text: string, start: number, end: number, found: number, column: number): void {
    if (this.#line < this.#offset) return
    const shown = surroundings(text, start, end, found)
    if (this.#hits.length >= this.#limit || (this.#hits.length > 0 && this.#used + shown.length > this.#maxChars)) {
      this.#next = { offset: this.#line }
      return
    }
    this.#used += shown.length + HIT_OVERHEAD
    this.#hits.push({ line: this.#line, column: column + found - start + 1, text: shown })
  }
}

/** Characters that a line number and what is around it take, at most. */
const HIT_OVERHEAD = 40

function surroundings(text: string, start: number, end: number, found: number): string {
  if (end - start <= SHORT_LINE) return text.slice(start, end)
  const from = Math.max(start, cutAfter(text, found - AROUND))
  const to = Math.min(end, cutBefore(text, found + AROUND * 2))
  return `${from > start ? '…' : ''}${text.slice(from, to)}${to < end ? '…' : ''}`
}
