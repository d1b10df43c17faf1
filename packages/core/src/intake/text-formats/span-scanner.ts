import { isJsonSpace } from '../json-scanner.ts'
import { mayBegin } from './format.ts'
import { NameFinder } from './name-finder.ts'

/**
 * Owns the search for the end of one call's body over any number of pieces: of JSON, of Python's literals, of the elements `<name>` and
 * `<arguments>`. In a string a closing mark is text; but where the body is broken (a raw line break in a JSON string, a `<` where no
 * string is) the first closing mark counts, also one that was already passed: then what came after it is given back to be read again.
 * Models forget quotes; one forgotten quote must not swallow the rest of the answer.
 *
 * Each character is looked at once, and at most once more after it was given back: what is given back begins behind the mark at which
 * the body ended, and quotes that were inside are outside then.
 *
 * Also finds the tool's name while the arguments still arrive.
 */

export interface SpanOptions {
  /** Marks that end the body. Empty: it ends where its brackets do. */
  readonly closings: readonly string[]
  /** Marks that begin another call: the body was never closed. */
  readonly openings: readonly string[]
  /** It ends where its brackets do, closing marks or not. */
  readonly endsWithBrackets?: boolean
  /** Python: single quotes, parentheses, line breaks in strings. */
  readonly python?: boolean
  /**
   * Tries whether the body up to a closing mark is whole. Where that is given, the rest of a body is only searched for marks, and scanned
   * when one was found that does not end it: that is, once more at most.
   */
  readonly accepts?: (body: string) => boolean
  /** The body may be a list. */
  readonly lists?: boolean
  /** Look for the name and the id among the members of the outermost object. */
  readonly named?: boolean
}

export type SpanStep = 'more' | 'closed' | 'unclosed' | 'overflow'

const START = 0
/** Inside the brackets. */
const INSIDE = 1
/** Behind them. */
const AFTER = 2
const ELEMENTS = 3
/** Broken: any closing mark ends it. */
const LAX = 4

const QUOTE = 0x22
const SINGLE = 0x27
const BACKSLASH = 0x5c
const LINE_BREAK = 0x0a
const LESS_THAN = 0x3c
const GREATER_THAN = 0x3e
const COLON = 0x3a
const COMMA = 0x2c

export class SpanScanner {
  readonly #options: SpanOptions
  readonly #marks: readonly string[]
  readonly #limit: number
  readonly #ends: boolean
  #body = ''
  #rest = ''
  #mode = START
  /** The body is in XML form, and JSON in it is the content of an element. */
  #elements = false
  #overflowed = false
  #depth = 0
  #deepest = 1
  #members = 0
  /** The quote that ends the string we are in; 0 outside strings. */
  #quote = 0
  #escaped = false
  /** The last character that is no white space was `>`: a `{` now begins the JSON of an element. */
  #afterTag = false
  /** Where in the body the first closing mark inside a string is, and which. */
  #passed = -1
  #passedMark = ''
  readonly #found = new NameFinder()
  /** Only marks are looked for. */
  #searching = false
  #searched = false

  constructor(options: SpanOptions, limit: number) {
    this.#options = options
    this.#marks = [...options.closings, ...options.openings]
    this.#limit = limit
    this.#ends = options.endsWithBrackets ?? options.closings.length === 0
  }

  /** The tool's name, as soon as it was read. */
  get name(): string | undefined {
    return this.#found.name
  }

  /** The call's own id, if it was written before the name. */
  get id(): string | undefined {
    return this.#found.id
  }

  /** What was counted, for the parser; nothing where the brackets mean nothing. */
  get measure(): { readonly deepest?: number; readonly members?: number } {
    return this.#mode === LAX ? {} : { deepest: this.#deepest, members: this.#members }
  }

  /** What was read, without the closing mark. */
  get body(): string {
    return this.#body
  }

  /** After a step: what must come again, or what follows the body. */
  get rest(): string {
    return this.#rest
  }

  /** @param final no more text will come */
  read(text: string, final: boolean): SpanStep {
    if (this.#searching) return this.#search(text, final)
    this.#rest = ''
    this.#found.piece()
    const length = text.length
    for (let at = 0; at < length; at++) {
      if (this.#mode === INSIDE) {
        at = this.#pass(text, at)
        if (at >= length) break
      }
      const code = text.charCodeAt(at)
      let step: SpanStep | undefined
      if (this.#quote !== 0) step = this.#readString(text, at, code, final)
      else if (code === LESS_THAN) step = this.#readMark(text, at, final)
      else if (this.#mode === INSIDE) step = this.#readInside(text, at, code)
      else if (this.#mode !== LAX && !isJsonSpace(code)) step = this.#readOther(text, at, code)
      if (step !== undefined) return step
    }
    if (!final) return this.#more(text, length)
    if (this.#passed !== -1 && this.#mode === INSIDE) return this.#backTo(text)
    if (!this.#overflowed) this.#body += text
    return this.#overflowed ? 'overflow' : 'unclosed'
  }

  /**
   * Passes over what lies inside the brackets and means nothing to the end of the body. Most of a long call does, so the state is in
   * local variables here. Gives the position of the first character that needs more, or the length.
   */
  #pass(text: string, from: number): number {
    const { length } = text
    const python = this.#options.python === true
    const found = this.#found
    const names = this.#options.named === true && !this.#elements
    let quote = this.#quote
    let depth = this.#depth
    let deepest = this.#deepest
    let members = this.#members
    let at = from
    if (this.#escaped) {
      this.#escaped = false
      at++
    }
    for (; at < length; at++) {
      let code = text.charCodeAt(at)
      if (quote !== 0) {
        // Plain characters of strings come first: they are by far the most, and most of them are letters.
        while (code > BACKSLASH || (code !== quote && code !== BACKSLASH && code !== LESS_THAN && code !== LINE_BREAK)) {
          if (++at === length) break
          code = text.charCodeAt(at)
        }
        if (at === length) break
        if (code === BACKSLASH) {
          at++
          this.#escaped = at === length
        } else if (code === quote) {
          quote = 0
          found.stringEnds(text, at)
        } else if (code === LESS_THAN ? this.#passed === -1 && !this.#overflowed : !python) break
      } else if (code === QUOTE || (code === SINGLE && python)) {
        quote = code
        if (depth === 1 && names && found.name === undefined) found.stringBegins(at + 1)
      } else if (code === COLON) {
        members++
        if (depth === 1) found.colon()
      } else if (code === COMMA) {
        if (depth === 1) found.comma()
      } else if (code === LESS_THAN || code === BACKSLASH) {
        break
      } else if (opens(code, python)) {
        if (++depth > deepest) deepest = depth
      } else if (closes(code, python)) {
        if (depth === 1) break
        depth--
      }
    }
    this.#quote = quote
    this.#depth = depth
    this.#deepest = deepest
    this.#members = members
    return at
  }

  /** A line break or a `<` in a string. */
  #readString(text: string, at: number, code: number, final: boolean): SpanStep | undefined {
    if (code === LINE_BREAK) {
      if (this.#passed !== -1) return this.#backTo(text)
      this.#goLax()
      return undefined
    }
    const mark = this.#markAt(text, at, final)
    if (mark === 'wait') return this.#more(text, at)
    if (mark !== undefined && this.#options.closings.includes(mark)) {
      this.#passed = this.#body.length + at
      this.#passedMark = mark
    }
    return undefined
  }

  #readMark(text: string, at: number, final: boolean): SpanStep | undefined {
    const mark = this.#markAt(text, at, final)
    if (mark === 'wait') return this.#more(text, at)
    if (mark !== undefined && this.#options.closings.includes(mark)) return this.#end(text, at, at + mark.length)
    if (this.#mode === INSIDE && this.#passed !== -1) return this.#backTo(text)
    // Another call begins: this one was never closed.
    if (mark !== undefined && this.#mode !== START) return this.#end(text, at, at)
    this.#afterTag = false
    if (this.#mode === START) {
      this.#mode = ELEMENTS
      this.#elements = true
    } else if (this.#mode !== ELEMENTS) this.#goLax()
    return undefined
  }

  /** The last closing bracket, or a backslash where no string is. */
  #readInside(text: string, at: number, code: number): SpanStep | undefined {
    if (code === BACKSLASH) {
      // Right in no form; and a quote behind it would be escaped or not, depending on where reading began.
      this.#goLax()
      return undefined
    }
    this.#depth = 0
    if (this.#ends) return this.#end(text, at + 1, at + 1)
    this.#mode = this.#elements ? ELEMENTS : AFTER
    return undefined
  }

  /** Outside brackets. */
  #readOther(text: string, at: number, code: number): SpanStep | undefined {
    const list = this.#options.python === true || (this.#options.lists === true && this.#mode === START)
    const begins = list ? opens(code, this.#options.python === true) : code === 0x7b && (this.#mode !== ELEMENTS || this.#afterTag)
    this.#afterTag = code === GREATER_THAN
    if (begins) {
      // A second object: the bodies of several calls may follow each other.
      if (this.#mode === AFTER && this.#ends) return this.#end(text, at, at)
      this.#mode = INSIDE
      this.#depth = 1
      this.#found.restart()
    } else if (this.#mode !== ELEMENTS) this.#goLax()
    return undefined
  }

  /** Broken: strings mean nothing any more. */
  #goLax(): void {
    this.#mode = LAX
    this.#quote = 0
    this.#found.drop()
  }

  #markAt(text: string, at: number, final: boolean): string | 'wait' | undefined {
    for (const mark of this.#marks) if (text.startsWith(mark, at)) return mark
    return !final && mayBegin(text, at, this.#marks) ? 'wait' : undefined
  }

  /** Looks for the next mark; at one that may be the end, whether the body is whole. */
  #search(text: string, final: boolean): SpanStep {
    for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
      const mark = this.#markAt(text, at, final)
      if (mark === undefined) continue
      if (mark === 'wait') {
        this.#body += text.slice(0, at)
        this.#rest = text.slice(at)
        return 'more'
      }
      const body = this.#body + text.slice(0, at)
      if (!this.#options.closings.includes(mark) || body.length > this.#limit || this.#options.accepts?.(body) !== true)
        return this.#again(text, final)
      this.#body = body
      this.#rest = text.slice(at + mark.length)
      return 'closed'
    }
    if (final || this.#body.length + text.length > this.#limit) return this.#again(text, final)
    this.#body += text
    this.#rest = ''
    return 'more'
  }

  /** The search found no end: scans everything from the beginning, and goes on scanning. */
  #again(text: string, final: boolean): SpanStep {
    const whole = this.#body + text
    this.#searching = false
    this.#searched = true
    this.#body = ''
    this.#mode = START
    this.#depth = 0
    this.#deepest = 1
    this.#members = 0
    this.#quote = 0
    this.#escaped = false
    this.#found.restart()
    return this.read(whole, final)
  }

  #more(text: string, at: number): SpanStep {
    this.#found.pieceEnds(text, at)
    this.#keep(at === text.length ? text : text.slice(0, at))
    this.#rest = text.slice(at)
    this.#searching = this.#maySearch()
    return 'more'
  }

  /** The name is known, and nothing is wrong yet. */
  #maySearch(): boolean {
    if (this.#options.accepts === undefined || this.#searched || this.#overflowed) return false
    return (
      this.#mode === INSIDE && !this.#elements && this.#passed === -1 && (this.#options.named !== true || this.#found.name !== undefined)
    )
  }

  #keep(text: string): void {
    if (this.#overflowed) return
    this.#body += text
    if (this.#body.length <= this.#limit) return
    this.#overflowed = true
    // From here on only the end is looked for, and there is nothing to go back to.
    this.#body = this.#body.slice(0, this.#limit)
    this.#passed = -1
    this.#found.drop()
  }

  #end(text: string, at: number, next: number): SpanStep {
    this.#rest = text.slice(next)
    if (this.#overflowed) return 'overflow'
    this.#body += text.slice(0, at)
    return 'closed'
  }

  /** To the closing mark that was passed inside what seemed to be a string. */
  #backTo(text: string): SpanStep {
    const body = this.#body
    const inText = this.#passed - body.length
    const after = this.#passed + this.#passedMark.length
    // Without joining what need not be: the text may be long, and hold many calls.
    this.#body = inText >= 0 ? body + text.slice(0, inText) : body.slice(0, this.#passed)
    this.#rest = after >= body.length ? text.slice(after - body.length) : body.slice(after) + text
    return 'closed'
  }
}

function opens(code: number, python: boolean): boolean {
  return code === 0x7b || code === 0x5b || (code === 0x28 && python)
}

function closes(code: number, python: boolean): boolean {
  return code === 0x7d || code === 0x5d || (code === 0x29 && python)
}
