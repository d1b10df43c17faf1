import type { CallArguments } from '../../contract/call.ts'
import { isJsonObject, type JsonValue } from '../../contract/json.ts'
import { argumentsOf, broken } from '../arguments.ts'

/**
 * Owns one call in Python's notation, `name(key=value, …)`, read after its end was found. Values are literals: strings, numbers, `True`,
 * `None`, lists, tuples, dictionaries (and JSON's words for the same). Nothing is evaluated: a name, an operator or a call in the place of
 * a value is refused, and so is a value without a name, but for one dictionary that is all the arguments.
 */

/** Levels of nesting; no tool's arguments come near, and the reader calls itself. */
const DEEPEST = 200

class Fault extends Error {
  override readonly name = 'Fault'
}

const SPACE = /[\s]*/y
const WORD = /[A-Za-z_]\w*/y
const NUMBER = /[+-]?(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)/y
const CODED = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/y
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '0': '\0',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
}
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
  ['None', null],
  ['null', null],
])

class LiteralReader {
  readonly #text: string
  #at: number

  constructor(text: string, at: number) {
    this.#text = text
    this.#at = at
  }

  /** From the opening parenthesis to the closing one, which must be the end. */
  arguments(): JsonValue {
    this.#take('(')
    const entries: [string, JsonValue][] = []
    if (this.#peek() === '{') {
      const only = this.#value(0)
      this.#space()
      if (this.#peek() === ',') this.#at++
      this.#end()
      return only
    }
    while (this.#peek() !== ')') {
      const key = this.#match(WORD)
      if (key === undefined || this.#peek() !== '=') throw this.#fault('found a value without the name of its argument')
      this.#at++
      entries.push([key, this.#value(0)])
      if (this.#peek() !== ',') break
      this.#at++
    }
    this.#end()
    return Object.fromEntries(entries)
  }

  #end(): void {
    this.#take(')')
    this.#space()
    if (this.#at < this.#text.length) throw this.#fault('found more behind the closing parenthesis')
  }

  #value(depth: number): JsonValue {
    if (depth > DEEPEST) throw this.#fault(`nested deeper than ${DEEPEST} levels`)
    const first = this.#peek()
    if (first === '"' || first === "'") return this.#strings()
    if (first === '[') return this.#list(']', depth)
    if (first === '(') return this.#list(')', depth)
    if (first === '{') return this.#dictionary(depth)
    const number = this.#match(NUMBER)
    if (number !== undefined) return this.#number(number)
    const word = this.#match(WORD)
    if (word === undefined)
      throw this.#fault(first === '' ? 'the text ends where a value should be' : `found ${first} where a value should be`)
    const value = WORDS.get(word)
    if (value !== undefined) return value
    if (/^[rR]$/.test(word) && /["']/.test(this.#text.charAt(this.#at))) return this.#string(true)
    throw this.#fault(`found ${word.slice(0, 40)}, which is no literal`)
  }

  #number(text: string): number {
    const value = Number(text.replaceAll('_', '').replace(/^\+/, ''))
    if (!Number.isFinite(value)) throw this.#fault(`found ${text.slice(0, 40)}, which is no number`)
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && /^[+-]?\d+$/.test(text)) {
      throw this.#fault(`the whole number ${text.slice(0, 40)} is too large to be kept exactly`)
    }
    return value
  }

  #list(close: string, depth: number): JsonValue {
    this.#at++
    const items: JsonValue[] = []
    let commas = 0
    while (this.#peek() !== close) {
      items.push(this.#value(depth + 1))
      if (this.#peek() !== ',') break
      commas++
      this.#at++
    }
    this.#take(close)
    // In parentheses, one value without a comma is that value.
    const [only] = items
    return close === ')' && items.length === 1 && commas === 0 && only !== undefined ? only : items
  }

  #dictionary(depth: number): JsonValue {
    this.#at++
    const entries: [string, JsonValue][] = []
    while (this.#peek() !== '}') {
      const key = this.#value(depth + 1)
      if (typeof key !== 'string' && typeof key !== 'number') throw this.#fault('a key is neither a string nor a number')
      this.#take(':')
      entries.push([String(key), this.#value(depth + 1)])
      if (this.#peek() !== ',') break
      this.#at++
    }
    this.#take('}')
    return Object.fromEntries(entries)
  }

  /** Neighbouring strings are one. */
  #strings(): string {
    let text = this.#string(false)
    while (/["']/.test(this.#peek())) text += this.#string(false)
    return text
  }

  #string(raw: boolean): string {
    const quote = this.#text.charAt(this.#at)
    const end = this.#text.startsWith(quote.repeat(3), this.#at) ? quote.repeat(3) : quote
    const first = quote.charCodeAt(0)
    let from = this.#at + end.length
    let value = ''
    for (let at = from; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at)
      if (code === first && this.#text.startsWith(end, at)) {
        this.#at = at + end.length
        return value + this.#text.slice(from, at)
      }
      if (code !== 0x5c) continue
      if (raw) {
        at++
        continue
      }
      value += this.#text.slice(from, at)
      const [escaped, length] = escapeAt(this.#text, at)
      value += escaped
      at += length - 1
      from = at + 1
    }
    throw this.#fault('a string does not end')
  }

  #space(): void {
    SPACE.lastIndex = this.#at
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0
  }

  #peek(): string {
    this.#space()
    return this.#text.charAt(this.#at)
  }

  #match(pattern: RegExp): string | undefined {
    this.#space()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #take(expected: string): void {
    const found = this.#peek()
    if (found !== expected) throw this.#fault(`found ${found === '' ? 'the end' : found} where ${expected} should be`)
    this.#at++
  }

  #fault(message: string): Fault {
    return new Fault(`at position ${this.#at} ${message}`)
  }
}

/** The character that an escape stands for, and the escape's length. An unknown one is the two characters themselves, as in Python. */
function escapeAt(text: string, at: number): readonly [string, number] {
  const next = text.charAt(at + 1)
  if (Object.hasOwn(ESCAPES, next)) return [ESCAPES[next] ?? '', 2]
  CODED.lastIndex = at
  const coded = CODED.exec(text)?.[0]
  if (coded === undefined) return [text.slice(at, at + 2), 2]
  const point = Number.parseInt(coded.slice(2), 16)
  return [point > 0x10_ff_ff ? '\uFFFD' : String.fromCodePoint(point), coded.length]
}

/**
 * @param text from the opening parenthesis on
 *
 * @example
 * ```ts
 * parsePythonArguments("(city='Oslo', days=3, exact=True)") // { ok: true, value: { city: 'Oslo', days: 3, exact: true } }
 * parsePythonArguments('(now())').ok // false
 * ```
 */
export function parsePythonArguments(text: string): CallArguments {
  try {
    const value = new LiteralReader(text, 0).arguments()
    return isJsonObject(value) ? argumentsOf(value) : broken(text, 'the arguments are no dictionary')
  } catch (error) {
    if (error instanceof Fault) return broken(text, `the arguments are no Python literals: ${error.message}`)
    throw error
  }
}
