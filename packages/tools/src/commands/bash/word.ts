/**
 * Owns what a word of the shell says once its quoting is undone: `r\m`, `'r'm`, `"rm"` and `$'\x72m'` are `rm`, `{a,b}` is two words. Reads the
 * text itself, so that it also checks the parser: an unquoted blank or operator in what the parser calls one word is not understood.
 */

import { ansiEscape } from './ansi-escape.ts'
import { expandBraces } from './brace-expansion.ts'
import { MOST_BRACES } from './limits.ts'

/**
 * What is only known when it runs. `environment`: a variable that the command does not set; `script`: what the command itself produces (a variable it sets,
 * the output of a substitution); `number`: arithmetic; `file`: names that a glob or a process substitution stands for.
 */
export type OpenKind = 'environment' | 'script' | 'number' | 'file'

export type Piece =
  | { readonly text: string; readonly quoted: boolean }
  | { readonly open: OpenKind; readonly substitution: boolean; readonly quoted: boolean }

export interface Word {
  readonly start: number
  readonly end: number
  /** The word, if it is known before it runs. */
  readonly text: string | undefined
  /** What it certainly begins with. */
  readonly lead: string
  /** All of it that is known, `\0` where something is not. */
  readonly pattern: string
  readonly opens: readonly OpenKind[]
  /** May become several words, or none: something open in it stands outside quotes. */
  readonly splits: boolean
  /** Has the output of a command in it. */
  readonly substitution: boolean
  /** Spells plain letters as escapes. */
  readonly disguised: boolean
}

/** A part of a word that only the syntax tree knows the end of: an expansion or a substitution. */
export interface Hole {
  readonly start: number
  readonly end: number
  readonly kind: OpenKind
  readonly substitution: boolean
  /** Words that a variable with one known value stands for. */
  readonly value?: string
}

export class WordProblem {
  readonly at: number
  readonly reason: string
  constructor(at: number, reason: string) {
    this.at = at
    this.reason = reason
  }
}

/** @param quotedAlready the text stands in a here-document: only `$`, backticks and backslashes mean something */
export function readWord(source: string, start: number, end: number, holes: readonly Hole[]): readonly Word[] | WordProblem {
  const scanner = new Scanner(source, start, end, holes)
  const problem = scanner.scan()
  if (problem !== undefined) return problem
  const alternatives = expandBraces(scanner.pieces, MOST_BRACES)
  if (alternatives === undefined) return new WordProblem(start, 'becomes too many words')
  return alternatives.map((pieces) => wordOf(pieces, start, end, scanner.disguised))
}

/** Whether every `$` and backtick of the text of a here-document is one that the syntax tree knows. */
export function checkHereDocument(source: string, start: number, end: number, holes: readonly Hole[]): WordProblem | undefined {
  return new Scanner(source, start, end, holes).scanQuoted(end, false)
}

/** A word that is known as it stands, e.g. one of a list that another program takes apart. */
export function plainWord(text: string, at: { readonly start: number; readonly end: number }): Word {
  return { start: at.start, end: at.end, text, lead: text, pattern: text, opens: [], splits: false, substitution: false, disguised: false }
}

/** A word of which nothing is known. */
export function openWord(kind: OpenKind, at: { readonly start: number; readonly end: number }): Word {
  return {
    start: at.start,
    end: at.end,
    text: undefined,
    lead: '',
    pattern: '\0',
    opens: [kind],
    splits: false,
    substitution: kind === 'script',
    disguised: false,
  }
}

function hasGlob(bare: string): boolean {
  return /[*?]/.test(bare) || (bare.includes('[') && bare.lastIndexOf(']') > bare.indexOf('['))
}

function wordOf(pieces: readonly Piece[], start: number, end: number, disguised: boolean): Word {
  const opens: OpenKind[] = []
  let pattern = ''
  let lead: string | undefined
  let substitution = false
  let splits = false
  let bare = ''
  for (const piece of pieces) {
    if ('open' in piece) {
      lead ??= pattern
      pattern += '\0'
      opens.push(piece.open)
      substitution ||= piece.substitution
      splits ||= !piece.quoted
    } else {
      pattern += piece.text
      bare += piece.quoted ? '' : piece.text
    }
  }
  if (hasGlob(bare)) {
    opens.push('file')
    const at = pattern.search(/[*?[]/)
    if (lead === undefined || at < lead.length) lead = pattern.slice(0, at)
  }
  return {
    start,
    end,
    text: opens.length === 0 ? pattern : undefined,
    lead: lead ?? pattern,
    pattern,
    opens,
    splits,
    substitution,
    disguised,
  }
}

const META = /[\s;&|<>()]/
const NAMED = /[A-Za-z0-9_({[@*#?!$'"-]/

class Scanner {
  readonly pieces: Piece[] = []
  disguised = false
  readonly #source: string
  readonly #end: number
  readonly #holes: readonly Hole[]
  #at: number
  #hole = 0

  constructor(source: string, start: number, end: number, holes: readonly Hole[]) {
    this.#source = source
    this.#at = start
    this.#end = end
    this.#holes = holes
  }

  scan(): WordProblem | undefined {
    const source = this.#source
    while (this.#at < this.#end) {
      const at = this.#at
      const char = source.charAt(at)
      if (this.#passHole(false) || this.#passProcessId(false)) continue
      if (char === '\\') {
        if (at + 1 >= this.#end) return new WordProblem(at, 'ends in a backslash')
        if (source[at + 1] !== '\n') this.#say(source.charAt(at + 1), true)
        this.#at += 2
      } else if (char === "'") {
        const close = source.indexOf("'", at + 1)
        if (close === -1 || close >= this.#end) return new WordProblem(at, 'has a quote that does not end')
        this.#say(source.slice(at + 1, close), true)
        this.#at = close + 1
      } else if (char === '"' || (char === '$' && source[at + 1] === '"')) {
        this.#at += char === '"' ? 1 : 2
        this.#say('', true)
        const problem = this.scanQuoted(this.#end, true)
        if (problem !== undefined) return problem
      } else if (char === '$' && source[at + 1] === "'") {
        const problem = this.#scanAnsi()
        if (problem !== undefined) return problem
      } else if (char === '`' || (char === '$' && NAMED.test(source.charAt(at + 1)) && at + 1 < this.#end)) {
        return new WordProblem(at, 'has an expansion that is not understood')
      } else if (META.test(char)) {
        return new WordProblem(at, 'has an operator or a blank that is not understood')
      } else {
        this.#say(char, false)
        this.#at += 1
      }
    }
    return undefined
  }

  /** From inside double quotes to their end, or of a here-document to `end`. */
  scanQuoted(end: number, quotes: boolean): WordProblem | undefined {
    const source = this.#source
    while (this.#at < end) {
      const at = this.#at
      const char = source.charAt(at)
      if (this.#passHole(true) || this.#passProcessId(true)) continue
      if (quotes && char === '"') {
        this.#at += 1
        return undefined
      }
      if (char === '\\' && /[$`"\\\n]/.test(source.charAt(at + 1))) {
        if (source[at + 1] !== '\n') this.#say(source.charAt(at + 1), true)
        this.#at += 2
      } else if (char === '`' || (char === '$' && /[A-Za-z0-9_({[@*#?!$-]/.test(source.charAt(at + 1)))) {
        return new WordProblem(at, 'has an expansion that is not understood')
      } else {
        this.#say(char, true)
        this.#at += 1
      }
    }
    return quotes ? new WordProblem(this.#at, 'has a quote that does not end') : undefined
  }

  #scanAnsi(): WordProblem | undefined {
    const source = this.#source
    const start = this.#at
    this.#at += 2
    while (this.#at < this.#end) {
      const char = source.charAt(this.#at)
      if (char === "'") {
        this.#at += 1
        return undefined
      }
      if (char !== '\\') {
        this.#say(char, true)
        this.#at += 1
        continue
      }
      const read = ansiEscape(source, this.#at)
      if (read.length === 0 || this.#at + read.length > this.#end) break
      if (read.disguised) this.disguised = true
      this.#say(read.text, true)
      this.#at += read.length
    }
    return new WordProblem(start, 'has a quote that does not end')
  }

  /** Some holes begin, in the tree, with the blanks before them. */
  #passHole(quoted: boolean): boolean {
    let hole = this.#holes[this.#hole]
    while (hole !== undefined && hole.end <= this.#at) hole = this.#holes[++this.#hole]
    if (hole === undefined || this.#at < hole.start || !/[$`<>]/.test(this.#source.charAt(this.#at))) return false
    this.#hole += 1
    this.#at = hole.end
    if (hole.value !== undefined && (quoted || !/[\s*?[]/.test(hole.value))) this.#say(hole.value, quoted)
    else this.pieces.push({ open: hole.kind, substitution: hole.substitution, quoted })
    return true
  }

  /** The grammar knows `$$` only in some places. */
  #passProcessId(quoted: boolean): boolean {
    if (!this.#source.startsWith('$$', this.#at)) return false
    this.pieces.push({ open: 'number', substitution: false, quoted })
    this.#at += 2
    return true
  }

  #say(text: string, quoted: boolean): void {
    this.pieces.push({ text, quoted })
  }
}
