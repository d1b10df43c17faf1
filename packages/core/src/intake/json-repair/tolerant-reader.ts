import type { JsonObject, JsonValue } from '../../contract/json.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { setOwn } from '../../util/set-own.ts'
import { exactNumber, numberAt } from './exact-number.ts'
import { closingQuote, keyAhead, readString, type StringPlace } from './read-string.ts'
import type { RepairLog } from './repair-log.ts'

/**
 * Owns reading one JSON value from text that is almost JSON. Each departure from JSON is written to the log or is a fault; a value is never
 * made up: everything in the result stands in the text. One pass; recursion is bounded by the depth limit.
 */

/** The value could not be read: `fault` says why. */
const NOTHING: unique symbol = Symbol('nothing')
type Read<T extends JsonValue> = T | typeof NOTHING

export interface ReaderOptions {
  /** Levels of nesting. */
  readonly depth: number
  /** The sender said that it had finished: then brackets may be missing at the end. */
  readonly ended: boolean
}

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
])

const WORD = /[A-Za-z_$][\w$-]*/y
/** What may not follow a number or a word directly: then it was something else. */
const GLUED = /[\w$.+-]/
/** A quote that is no apostrophe inside a word. */
const QUOTED = /"|(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/u
const BARE_KEY = /[A-Za-z_$][\w$-]*(?=[ \t\r\n]*:)/y

function shown(text: string): string {
  return JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 40)}…`)
}

export class TolerantReader {
  readonly #text: string
  readonly #log: RepairLog
  readonly #options: ReaderOptions
  #at = 0
  #fault: { readonly message: string; readonly at: number } | undefined
  /** The value read last shows by itself that it is whole: it ends with a quote, a bracket or a word. */
  #selfEnding = false
  #missing = ''
  /** Unescaped quotes in the string that was read last. */
  #inner = 0
  /** How the keys so far are written. */
  #keys: 'quoted' | 'bare' | undefined

  constructor(text: string, log: RepairLog, options: ReaderOptions) {
    this.#text = text
    this.#log = log
    this.#options = options
  }

  get at(): number {
    return this.#at
  }

  get fault(): { readonly message: string; readonly at: number } {
    return this.#fault ?? { message: 'it is no JSON', at: this.#at }
  }

  /** Reads the object that opens at `from`; undefined when it cannot be read. */
  object(from: number): JsonObject | undefined {
    this.#at = from
    const value = this.#object(1)
    if (value === NOTHING) return undefined
    if (this.#missing !== '') this.#log.add('missing-end', this.#text.length, `added the missing ${this.#missing} at the end`)
    return value
  }

  /** Reads any value that opens at `from`. */
  value(from: number): JsonValue | undefined {
    this.#at = from
    this.#skip()
    const value = this.#value(1, 'item')
    return value === NOTHING ? undefined : value
  }

  /** Passes over white space and comments; gives the next position. */
  skip(from: number): number {
    this.#at = from
    this.#skip()
    return this.#at
  }

  #fail(message: string, at = this.#at): typeof NOTHING {
    this.#fault ??= { message, at }
    return NOTHING
  }

  #skip(): void {
    const text = this.#text
    for (;;) {
      const code = text.charCodeAt(this.#at)
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
        this.#at++
        continue
      }
      const comment = this.#commentEnd(code)
      if (comment === undefined) return
      this.#log.add('comment', this.#at, `left out the comment ${shown(text.slice(this.#at, comment))}`)
      this.#at = comment
    }
  }

  /** Where the comment that begins here ends. What has quotes in it may be the rest of a string, and is no comment. */
  #commentEnd(code: number): number | undefined {
    const text = this.#text
    const next = text.charCodeAt(this.#at + 1)
    let end: number
    if (code === 0x23 || (code === 0x2f && next === 0x2f)) {
      const line = text.indexOf('\n', this.#at)
      end = line === -1 ? text.length : line
    } else if (code === 0x2f && next === 0x2a) {
      const close = text.indexOf('*/', this.#at + 2)
      if (close === -1) return undefined
      end = close + 2
    } else return undefined
    return QUOTED.test(text.slice(this.#at, end)) ? undefined : end
  }

  #value(depth: number, place: StringPlace): Read<JsonValue> {
    const text = this.#text
    const sign = text.charAt(this.#at)
    if (sign === '{') return this.#object(depth)
    if (sign === '[') return this.#array(depth)
    if (closingQuote(sign) !== undefined) return this.#string(place)
    const number = numberAt(text, this.#at)
    if (number !== undefined) {
      const at = this.#at
      this.#at += number.length
      if (GLUED.test(text.charAt(this.#at))) return this.#fail('a number is not written as JSON writes it', at)
      this.#selfEnding = false
      return exactNumber(number, at, this.#log)
    }
    return this.#word()
  }

  #word(): Read<JsonValue> {
    WORD.lastIndex = this.#at
    const word = WORD.exec(this.#text)?.[0]
    const value = word === undefined ? undefined : WORDS.get(word)
    if (word === undefined || value === undefined) {
      return this.#fail(this.#at >= this.#text.length ? 'the text ends where a value was expected' : 'a value was expected')
    }
    if (word.charCodeAt(0) < 0x61) this.#log.add('python-literal', this.#at, `read ${word} as ${value}`)
    this.#at += word.length
    this.#selfEnding = true
    return value
  }

  #string(place: StringPlace): Read<string> {
    const at = this.#at
    const read = readString(this.#text, at, place, this.#log)
    if ('fault' in read) return this.#fail(read.fault, read.at)
    const sign = this.#text.charAt(at)
    if (sign === "'") this.#log.add('single-quotes', at, `took single quotes around ${shown(read.value)} for double ones`)
    else if (sign !== '"') this.#log.add('smart-quotes', at, `took typographic quotes around ${shown(read.value)} for plain ones`)
    this.#at = read.end
    this.#inner = read.inner
    this.#selfEnding = true
    if (read.value.isWellFormed()) return read.value
    this.#log.add('lone-surrogate', at, 'put U+FFFD for half a character (a lone surrogate)')
    return read.value.toWellFormed()
  }

  #key(): Read<string> {
    const sign = this.#text.charAt(this.#at)
    if (closingQuote(sign) !== undefined) {
      // One that writes some keys with quotes writes all so; what looks like a bare key is the rest of a string then.
      if (this.#keys === 'bare') return this.#fail('keys with and without quotes are mixed')
      this.#keys = 'quoted'
      return this.#string('key')
    }
    BARE_KEY.lastIndex = this.#at
    const word = BARE_KEY.exec(this.#text)?.[0]
    if (word === undefined)
      return this.#fail(this.#at >= this.#text.length ? 'the text ends where a key was expected' : 'a key was expected')
    if (this.#keys === 'quoted') return this.#fail('keys with and without quotes are mixed')
    this.#keys = 'bare'
    this.#log.add('unquoted-key', this.#at, `put quotes around the key ${word}`)
    this.#at += word.length
    return word
  }

  #object(depth: number): Read<JsonObject> {
    if (depth > this.#options.depth) return this.#fail(`it is nested deeper than ${this.#options.depth} levels`)
    const members: { [key: string]: JsonValue } = {}
    this.#at++
    this.#skip()
    if (this.#closedBy('}')) return members
    for (;;) {
      const at = this.#at
      const key = this.#key()
      if (key === NOTHING) return NOTHING
      this.#skip()
      if (this.#text.charAt(this.#at) !== ':') return this.#fail('":" was expected after a key')
      this.#at++
      this.#skip()
      const value = this.#value(depth + 1, 'member')
      if (value === NOTHING || !this.#put(members, key, value, at)) return NOTHING
      const more = this.#more('}')
      if (more === NOTHING) return NOTHING
      if (!more) return members
    }
  }

  #array(depth: number): Read<readonly JsonValue[]> {
    if (depth > this.#options.depth) return this.#fail(`it is nested deeper than ${this.#options.depth} levels`)
    const items: JsonValue[] = []
    this.#at++
    this.#skip()
    if (this.#closedBy(']')) return items
    for (;;) {
      const at = this.#at
      const value = this.#value(depth + 1, 'item')
      if (value === NOTHING) return NOTHING
      // The comma before it may have stood between two quoted words of one text.
      if (typeof value === 'string' && this.#inner > 0 && items.some((item) => typeof item === 'string')) {
        return this.#fail('where the strings of the list end is not certain', at)
      }
      items.push(value)
      const more = this.#more(']')
      if (more === NOTHING) return NOTHING
      if (!more) return items
    }
  }

  /** What stands twice is taken once if it says the same; else nobody knows which was meant. `__proto__` becomes a property like others. */
  #put(members: { [key: string]: JsonValue }, key: string, value: JsonValue, at: number): boolean {
    if (Object.hasOwn(members, key)) {
      if (members[key] !== value && canonicalJson(members[key]) !== canonicalJson(value)) {
        this.#fail(`the key ${shown(key)} stands twice with different values`, at)
        return false
      }
      this.#log.add('duplicate-key', at, `the key ${shown(key)} stands twice with one value; taken once`)
      return true
    }
    setOwn(members, key, value)
    return true
  }

  #closedBy(bracket: '}' | ']'): boolean {
    if (this.#text.charAt(this.#at) !== bracket) return false
    this.#at++
    this.#selfEnding = true
    return true
  }

  /** After a member or an item: whether another one comes. */
  #more(bracket: '}' | ']'): Read<boolean> {
    this.#skip()
    if (this.#closedBy(bracket)) return false
    const at = this.#at
    if (at >= this.#text.length) return this.#endMissing(bracket)
    if (this.#text.charAt(at) === ',') {
      this.#at++
      this.#skip()
      if (this.#closedBy(bracket)) this.#log.add('trailing-comma', at, `left out the comma before "${bracket}"`)
      else return true
      return false
    }
    const sign = this.#text.charAt(at)
    const next = bracket === '}' ? keyAhead(this.#text, at) || closingQuote(sign) !== undefined : sign === '{' || sign === '['
    if (!next || !' \n\t\r'.includes(this.#text.charAt(at - 1))) return this.#fail(`"," or "${bracket}" was expected`)
    this.#log.add('missing-comma', at, `put a comma between two ${bracket === '}' ? 'members' : 'items'}`)
    return true
  }

  /** A half-written value must not pass for a whole one: only what shows its own end may stand before missing brackets. */
  #endMissing(bracket: '}' | ']'): Read<boolean> {
    if (!this.#options.ended) return this.#fail(`the text ends where "${bracket}" was expected`)
    if (!this.#selfEnding) return this.#fail(`the text ends after a number, which may not be whole`)
    this.#missing += bracket
    return false
  }
}
