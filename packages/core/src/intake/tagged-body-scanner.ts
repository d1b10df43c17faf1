import { isJsonSpace } from './json-scanner.ts'

/**
 * Owns the search for the end of one tagged call over any number of pieces. In a JSON string a closing tag is text; but where
 * the JSON is broken (a raw line break in a string, a `<` where no string is) the first closing tag counts, also one that was
 * already passed: then what came after it is given back to be read again. Models forget quotes; one forgotten quote must not swallow
 * the rest of the answer.
 *
 * Also finds the tool's name while the arguments still arrive.
 */

export type BodyStep =
  /** Everything read; `rest` may be the beginning of a tag and must come again, with more behind it. */
  | { readonly type: 'more'; readonly rest: string }
  | { readonly type: 'closed' | 'unclosed' | 'overflow'; readonly body: string; readonly rest: string }

/** `start`: only white space. `json`: in an object. `after`: behind one. `elements`: XML form. `lax`: broken, any closing tag ends it. */
type Mode = 'start' | 'json' | 'after' | 'elements' | 'lax'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LINE_BREAK = 0x0a
const LESS_THAN = 0x3c
const GREATER_THAN = 0x3e
const OPENING = ['<tool_use>', '<tool_call>'] as const

/** Longer strings are no tool's name. */
const NAME_LIMIT = 256

export class TaggedBodyScanner {
  readonly #closing: string
  readonly #limit: number
  #body = ''
  #mode: Mode = 'start'
  /** The body is in XML form, and JSON in it is the content of an element. */
  #elements = false
  #overflowed = false
  #depth = 0
  #deepest = 1
  #inString = false
  #escaped = false
  /** The last character that is no white space was `>`: a `{` now begins the JSON of an element. */
  #afterTag = false
  /** Where in the body the first closing tag inside a string is. */
  #passed = -1
  /** What was read of a string at depth 1 in earlier pieces, while it may be the tool's name or the key of it. */
  #string: string | undefined
  /** Where in this piece that string goes on. */
  #stringFrom = 0
  #key = ''
  #isValue = false
  #name: string | undefined
  #id: string | undefined

  /** @param closing the tag that ends the call */
  constructor(closing: string, limit: number) {
    this.#closing = closing
    this.#limit = limit
  }

  /** The tool's name, as soon as it was read. */
  get name(): string | undefined {
    return this.#name
  }

  /** The call's own id, if it was written before the name. */
  get id(): string | undefined {
    return this.#id
  }

  /** The deepest nesting of JSON seen. */
  get deepest(): number {
    return this.#deepest
  }

  /** @param final no more text will come */
  read(text: string, final: boolean): BodyStep {
    this.#stringFrom = 0
    for (let at = 0; at < text.length; at++) {
      // Most of a long call is one string: its plain characters are passed over without a look at the state.
      if (this.#inString && !this.#escaped) at = skipPlain(text, at)
      if (at === text.length) break
      const code = text.charCodeAt(at)
      let step: BodyStep | undefined
      if (this.#inString) step = this.#readString(text, at, code, final)
      else if (code === LESS_THAN) step = this.#readTag(text, at, final)
      else if (this.#mode === 'json') this.#readJson(at, code)
      else if (this.#mode !== 'lax' && !isJsonSpace(code)) this.#readOther(code)
      if (step !== undefined) return step
    }
    if (!final) return this.#more(text, text.length)
    if (this.#passed !== -1 && this.#mode === 'json') return this.#backTo(text)
    return { type: this.#overflowed ? 'overflow' : 'unclosed', body: this.#overflowed ? this.#body : this.#body + text, rest: '' }
  }

  #readString(text: string, at: number, code: number, final: boolean): BodyStep | undefined {
    if (this.#escaped) {
      this.#escaped = false
    } else if (code === BACKSLASH) {
      this.#escaped = true
    } else if (code === QUOTE) {
      this.#inString = false
      if (this.#string !== undefined) this.#endString(text.slice(this.#stringFrom, at))
    } else if (code === LINE_BREAK) {
      if (this.#passed !== -1) return this.#backTo(text)
      this.#goLax()
    } else if (code === LESS_THAN) {
      const tag = this.#tagAt(text, at, final)
      if (tag === 'wait') return this.#more(text, at)
      if (tag === 'closing' && this.#passed === -1) this.#passed = this.#body.length + at
    }
    return undefined
  }

  #readTag(text: string, at: number, final: boolean): BodyStep | undefined {
    const tag = this.#tagAt(text, at, final)
    if (tag === 'wait') return this.#more(text, at)
    if (tag === 'closing') return this.#end(text, at, at + this.#closing.length)
    if (this.#mode === 'json' && this.#passed !== -1) return this.#backTo(text)
    // Another call begins: this one was never closed.
    if (tag === 'opening' && this.#mode !== 'start') return this.#end(text, at, at)
    this.#afterTag = false
    if (this.#mode === 'start') {
      this.#mode = 'elements'
      this.#elements = true
    } else if (this.#mode !== 'elements') this.#goLax()
    return undefined
  }

  #readJson(at: number, code: number): void {
    if (code === QUOTE) {
      this.#inString = true
      if (this.#depth !== 1 || this.#name !== undefined || this.#elements) return
      this.#string = ''
      this.#stringFrom = at + 1
    } else if (code === 0x7b || code === 0x5b) {
      if (++this.#depth > this.#deepest) this.#deepest = this.#depth
    } else if (code === 0x7d || code === 0x5d) {
      if (--this.#depth === 0) this.#mode = this.#elements ? 'elements' : 'after'
    } else if (this.#depth === 1) {
      if (code === 0x3a) this.#isValue = true
      else if (code === 0x2c) this.#isValue = false
    }
  }

  /** Outside JSON. */
  #readOther(code: number): void {
    const begins = code === 0x7b && (this.#mode !== 'elements' || this.#afterTag)
    this.#afterTag = code === GREATER_THAN
    if (begins) {
      this.#mode = 'json'
      this.#depth = 1
      this.#isValue = false
    } else if (this.#mode !== 'elements') this.#goLax()
  }

  /** Broken JSON: strings mean nothing any more. */
  #goLax(): void {
    this.#mode = 'lax'
    this.#inString = false
    this.#string = undefined
  }

  #endString(piece: string): void {
    const text = (this.#string ?? '') + piece
    this.#string = undefined
    if (!this.#isValue) this.#key = text
    else if (this.#key === 'name' || this.#key === 'tool' || this.#key === 'tool_name') this.#name = unescaped(text)
    else if (this.#key === 'id') this.#id = unescaped(text)
  }

  #tagAt(text: string, at: number, final: boolean): 'closing' | 'opening' | 'wait' | undefined {
    if (text.startsWith(this.#closing, at)) return 'closing'
    if (OPENING.some((tag) => text.startsWith(tag, at))) return 'opening'
    if (final || text.length - at >= this.#closing.length) return undefined
    const tail = text.slice(at)
    return this.#closing.startsWith(tail) || OPENING.some((tag) => tag.startsWith(tail)) ? 'wait' : undefined
  }

  #more(text: string, at: number): BodyStep {
    if (this.#string !== undefined) {
      this.#string += text.slice(this.#stringFrom, at)
      if (this.#string.length > NAME_LIMIT) this.#string = undefined
    }
    this.#keep(at === text.length ? text : text.slice(0, at))
    return { type: 'more', rest: text.slice(at) }
  }

  #keep(text: string): void {
    if (this.#overflowed) return
    this.#body += text
    if (this.#body.length <= this.#limit) return
    this.#overflowed = true
    // From here only the closing tag is looked for.
    this.#body = this.#body.slice(0, this.#limit)
    this.#passed = -1
    this.#goLax()
  }

  #end(text: string, at: number, next: number): BodyStep {
    const type = this.#overflowed ? 'overflow' : 'closed'
    return { type, body: this.#overflowed ? this.#body : this.#body + text.slice(0, at), rest: text.slice(next) }
  }

  /** To the closing tag that was passed inside what seemed to be a string. */
  #backTo(text: string): BodyStep {
    const whole = this.#body + text
    return { type: 'closed', body: whole.slice(0, this.#passed), rest: whole.slice(this.#passed + this.#closing.length) }
  }
}

/** The position of the next character that may mean something inside a string: a quote, a backslash, a line break, `<`. */
function skipPlain(text: string, from: number): number {
  let at = from
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE || code === BACKSLASH || code === LINE_BREAK || code === LESS_THAN) break
  }
  return at
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  try {
    const value: unknown = JSON.parse(`"${text}"`)
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}
