import type { JsonObject, JsonValue } from '../contract/json.ts'
import { setOwn } from '../util/set-own.ts'
import { isSuspect, parseExactly } from './arguments.ts'
import { membersOf } from './check-value.ts'
import type { MemberSink } from './json-scanner.ts'

/**
 * Owns reading the members of one object while it arrives: each is parsed once, from its own text, when it is complete, so that the
 * whole need not be parsed again. Strict: at the first member that is not plain JSON, stands twice or has a number that would be rounded
 * it gives up, and whoever asked reads the whole text instead, which is kept here: every piece is appended once.
 */
export class MemberReader implements MemberSink {
  readonly #found: (name: string, value: JsonValue) => void
  readonly #members: { [key: string]: JsonValue } = {}
  #key: string | undefined
  /** All before the part that is being read. */
  #done = ''
  #text = ''
  #size = 0
  /** Members of all objects, as far as they are in the values. */
  #counted = 0
  #regular = true
  #closed = false

  constructor(found: (name: string, value: JsonValue) => void) {
    this.#found = found
  }

  /**
   * The whole object; undefined until it is closed, and when it has to be read another way.
   * @param members as many as the text has: fewer in the values, and a key stands twice somewhere inside
   */
  objectOf(members: number): JsonObject | undefined {
    return this.#closed && this.#regular && this.#counted === members ? this.#members : undefined
  }

  /** All text that came, from the beginning to the closing brace. */
  get raw(): string {
    return this.#done + this.#text
  }

  open(text: string, from: number, to: number): void {
    this.#done = from === 0 && to === text.length ? text : text.slice(from, to)
  }

  part(text: string, from: number, to: number): void {
    if (from === 0 && to === text.length) this.#text += text
    else if (from < to) this.#text += text.slice(from, to)
  }

  colon(): void {
    const text = this.#take()
    if (!this.#regular) return
    const key = this.#key === undefined ? keyOf(text) : undefined
    if (key === undefined || Object.hasOwn(this.#members, key)) this.#regular = false
    else this.#key = key
  }

  end(last: boolean): void {
    // The scanner counts brackets and does not tell them apart.
    this.#regular &&= this.#text.endsWith(last ? '}' : ',')
    const text = this.#take()
    this.#closed = last
    if (this.#regular) this.#member(text, last)
  }

  /** The part that was read; from now on the next one is. */
  #take(): string {
    const text = this.#text
    this.#done += text
    this.#text = ''
    return text.slice(0, -1)
  }

  #member(text: string, last: boolean): void {
    const key = this.#key
    if (key === undefined) {
      // The end of an empty object; else a comma too many.
      this.#regular = last && this.#size === 0 && text.trim() === ''
      return
    }
    const value = parsed(text)
    if (value === undefined) {
      this.#regular = false
      return
    }
    this.#key = undefined
    this.#size++
    this.#counted += typeof value === 'object' && value !== null ? 1 + membersOf(value) : 1
    setOwn(this.#members, key, value)
    this.#found(key, value)
  }
}

/** A key without escapes, as almost all are, need not be parsed. */
const PLAIN_KEY = /^\s*"([^"\\\x00-\x1f]*)"$/

function keyOf(text: string): string | undefined {
  const plain = PLAIN_KEY.exec(text)?.[1]
  if (plain?.isWellFormed() === true) return plain
  const key = parsed(text)
  return typeof key === 'string' ? key : undefined
}

/** Undefined for what is no JSON, or is not kept exactly by a number or a text. */
function parsed(text: string): JsonValue | undefined {
  if (isSuspect(text)) {
    const exact = parseExactly(text)
    return exact?.repairs.length === 0 ? exact.value : undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
