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
  /** Everything read; `rest` may be the beginning of a closing tag and must come again, with more behind it. */
  | { readonly type: 'more'; readonly rest: string }
  | { readonly type: 'closed' | 'unclosed' | 'overflow'; readonly body: string; readonly rest: string }

/** `start`: only white space. `json`: in an object. `after`: behind one. `elements`: XML form. `lax`: broken, any closing tag ends it. */
type Mode = 'start' | 'json' | 'after' | 'elements' | 'lax'

const NAME_LIMIT = 256

export class TaggedBodyScanner {
  readonly #closing: string
  readonly #limit: number
  #body = ''
  #mode: Mode = 'start'
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
  // The string at depth 1 being read, and what it is.
  #string: string | undefined
  #key = ''
  #isValue = false
  name: string | undefined
  id: string | undefined

  constructor(closing: string, limit: number) {
    this.#closing = closing
    this.#limit = limit
  }

  /** The deepest nesting of JSON seen. */
  get deepest(): number {
    return this.#deepest
  }

  read(text: string, final: boolean): BodyStep {
    let captured = 0
    let at = 0
    for (; at < text.length; at++) {
      // Most of a long call is one string: its plain characters are passed over without a look at the state.
      if (this.#inString && !this.#escaped) at = skipPlain(text, at)
      if (at === text.length) break
      const code = text.charCodeAt(at)
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (code === 0x5c) this.#escaped = true
        else if (code === 0x22) {
          this.#inString = false
          if (this.#string !== undefined) this.#endString(text.slice(captured, at))
        } else if (code === 0x0a && this.#mode === 'json') {
          if (this.#passed !== -1) return this.#backTo(text)
          this.#lax()
        } else if (code === 0x3c) {
          const tag = this.#tagAt(text, at, final)
          if (tag === 'wait') return this.#more(text, at, captured)
          if (tag === 'closing' && this.#passed === -1) this.#passed = this.#body.length + at
        }
        continue
      }
      if (code === 0x3c) {
        const tag = this.#tagAt(text, at, final)
        if (tag === 'wait') return this.#more(text, at, captured)
        if (tag === 'closing') return this.#end(text, at, at + this.#closing.length)
        if (tag === 'opening' && this.#mode !== 'start') return this.#passed === -1 ? this.#end(text, at, at) : this.#backTo(text)
        if (this.#mode === 'json' && this.#passed !== -1) return this.#backTo(text)
        if (this.#mode === 'start') {
          this.#mode = 'elements'
          this.#elements = true
        } else if (this.#mode !== 'elements') this.#lax()
        continue
      }
      if (this.#mode === 'json') {
        if (code === 0x22) {
          this.#inString = true
          if (this.#depth === 1 && this.name === undefined && !this.#elements) {
            this.#string = ''
            captured = at + 1
          }
        } else if (code === 0x7b || code === 0x5b) {
          if (++this.#depth > this.#deepest) this.#deepest = this.#depth
        } else if (code === 0x7d || code === 0x5d) {
          if (--this.#depth === 0) this.#mode = this.#elements ? 'elements' : 'after'
        } else if (this.#depth === 1) {
          if (code === 0x3a) this.#isValue = true
          else if (code === 0x2c) this.#isValue = false
        }
      } else if (this.#mode !== 'lax' && !isJsonSpace(code)) {
        const opens = code === 0x7b && (this.#mode !== 'elements' || this.#afterTag)
        this.#afterTag = code === 0x3e
        if (opens) {
          this.#mode = 'json'
          this.#depth = 1
          this.#isValue = false
        } else if (this.#mode !== 'elements') this.#lax()
      }
    }
    if (final) return this.#finalStep(text)
    return this.#more(text, at, captured)
  }

  #finalStep(text: string): BodyStep {
    if (this.#passed !== -1 && this.#mode === 'json') return this.#backTo(text)
    const type = this.#overflowed ? 'overflow' : 'unclosed'
    return { type, body: this.#body + text, rest: '' }
  }

  /** Broken JSON: strings mean nothing any more. */
  #lax(): void {
    this.#mode = 'lax'
    this.#inString = false
    this.#string = undefined
  }

  #endString(piece: string): void {
    const text = (this.#string ?? '') + piece
    this.#string = undefined
    if (!this.#isValue) this.#key = text
    else if (this.#key === 'name' || this.#key === 'tool' || this.#key === 'tool_name') this.name = unescaped(text)
    else if (this.#key === 'id') this.id = unescaped(text)
  }

  #tagAt(text: string, at: number, final: boolean): 'closing' | 'opening' | 'wait' | undefined {
    if (text.startsWith(this.#closing, at)) return 'closing'
    if (text.startsWith('<tool_use>', at) || text.startsWith('<tool_call>', at)) return 'opening'
    if (final) return undefined
    const rest = text.length - at
    if (rest >= this.#closing.length) return undefined
    const tail = text.slice(at)
    return this.#closing.startsWith(tail) || '<tool_use>'.startsWith(tail) || '<tool_call>'.startsWith(tail) ? 'wait' : undefined
  }

  #more(text: string, at: number, captured: number): BodyStep {
    if (this.#string !== undefined) {
      this.#string += text.slice(captured, at)
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
    this.#lax()
  }

  #end(text: string, at: number, next: number): BodyStep {
    const type = this.#overflowed ? 'overflow' : 'closed'
    return { type, body: this.#overflowed ? this.#body : this.#body + text.slice(0, at), rest: text.slice(next) }
  }

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
    if (code === 0x22 || code === 0x5c || code === 0x0a || code === 0x3c) break
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
