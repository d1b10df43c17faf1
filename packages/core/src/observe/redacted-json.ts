import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Redacted, Redactor } from '../contract/redact.ts'

/**
 * Owns what of texts and values is put on record: the beginning, with every secret taken out. Strings are redacted one by one, as they
 * are: in JSON text a line end is `\n`, and a key of several lines would not be recognised. Names of members are redacted as well.
 * Bounded in time and size whatever comes. Never throws; what a redactor fails on is left out, never let through.
 * Synchronous where the redactor is: what happens to a value afterwards changes nothing.
 */

/** Of one string so much is looked through at most. */
const WINDOW = 32_768

/** A secret that the end of the window cuts is not recognised: that much before the end is dropped. No secret is longer. */
const MARGIN = 8_192

/** Nested deeper than any tool takes. */
const MAX_DEPTH = 200

const LEFT_OUT: Redacted = { text: '[left out: it could not be looked through]', count: 1 }

export interface Excerpt {
  readonly text: string
  /** Secrets that were taken out. */
  readonly redacted: number
  /** It is the beginning of something longer. */
  readonly cut: boolean
}

type Later<T> = T | Promise<T>

/** The first `limit` characters of a text. */
export function excerptOf(text: string, limit: number, redactor: Redactor | undefined): Later<Excerpt> {
  const found = redactBeginning(text, redactor)
  return found instanceof Promise ? found.then((known) => shorten(known, limit)) : shorten(found, limit)
}

/** The first `limit` characters of a value's JSON, keys sorted. */
export function jsonExcerptOf(value: JsonValue, limit: number, redactor: Redactor | undefined): Later<Excerpt> {
  const writer = new Writer(redactor, limit)
  writer.write(value, 0)
  return writer.end()
}

function shorten(excerpt: Excerpt, limit: number): Excerpt {
  if (excerpt.text.length <= limit) return excerpt
  // Not inside a character.
  const last = excerpt.text.charCodeAt(limit - 1)
  return { text: excerpt.text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit), redacted: excerpt.redacted, cut: true }
}

function redactBeginning(text: string, redactor: Redactor | undefined): Later<Excerpt> {
  const cut = text.length > WINDOW
  const looked = cut ? text.slice(0, WINDOW) : text
  if (redactor === undefined) return { text: looked, redacted: 0, cut }
  try {
    const found = redactor.redact(looked)
    return found instanceof Promise
      ? found.then(
          (known) => taken(known, cut),
          () => taken(LEFT_OUT, cut),
        )
      : taken(found, cut)
  } catch {
    return taken(LEFT_OUT, cut)
  }
}

function taken({ text, count }: Redacted, cut: boolean): Excerpt {
  return { text: cut ? text.slice(0, Math.max(0, text.length - MARGIN)) : text, redacted: count, cut }
}

class Writer {
  readonly #redactor: Redactor | undefined
  readonly #limit: number
  /** What is before and between strings that are still being looked through. */
  #pieces: (string | Promise<Excerpt>)[] | undefined
  #text = ''
  #size = 0
  #redacted = 0
  #cut = false

  readonly #names: Map<string, string>

  constructor(redactor: Redactor | undefined, limit: number) {
    this.#redactor = redactor
    this.#names = namesOf(redactor)
    this.#limit = limit
  }

  write(value: JsonValue | undefined, depth: number): void {
    if (this.#size > WINDOW) {
      this.#cut = true
      return
    }
    if (typeof value === 'string') this.#string(value)
    else if (typeof value === 'object' && value !== null) {
      if (depth > MAX_DEPTH) this.#put('"[left out: nested too deep]"')
      else if (isList(value)) this.#array(value, depth)
      else this.#object(value, depth)
    }
    // JSON.stringify writes null for what JSON has no word for.
    else this.#put(JSON.stringify(value) ?? 'null')
  }

  end(): Later<Excerpt> {
    const pieces = this.#pieces
    if (pieces === undefined) return shorten({ text: this.#text, redacted: this.#redacted, cut: this.#cut }, this.#limit)
    pieces.push(this.#text)
    return this.#gather(pieces)
  }

  async #gather(pieces: readonly (string | Promise<Excerpt>)[]): Promise<Excerpt> {
    let text = ''
    for (const piece of pieces) text += typeof piece === 'string' ? piece : this.#quoted(await piece)
    return shorten({ text, redacted: this.#redacted, cut: this.#cut }, this.#limit)
  }

  #quoted(excerpt: Excerpt): string {
    this.#redacted += excerpt.redacted
    if (excerpt.cut) this.#cut = true
    return JSON.stringify(excerpt.text)
  }

  #put(piece: string): void {
    this.#text += piece
    this.#size += piece.length
  }

  #array(value: readonly JsonValue[], depth: number): void {
    let separator = '['
    for (const item of value) {
      this.#put(separator)
      this.write(item, depth + 1)
      if (this.#cut) return
      separator = ','
    }
    this.#put(separator === '[' ? '[]' : ']')
  }

  #object(value: JsonObject, depth: number): void {
    const keys = Object.keys(value)
    sort(keys)
    let separator = '{'
    for (const key of keys) {
      const member = value[key]
      if (member === undefined) continue
      this.#put(separator)
      this.#key(key)
      this.write(member, depth + 1)
      if (this.#cut) return
      separator = ','
    }
    this.#put(separator === '{' ? '{}' : '}')
  }

  /** Names of arguments come with every call: what was harmless once is not looked through again. */
  #key(key: string): void {
    const known = this.#names.get(key)
    if (known !== undefined) {
      this.#put(known)
      return
    }
    const { length } = this.#text
    this.#string(key)
    this.#put(':')
    if (key.length > NAME_CHARS || this.#text.length <= length) return
    const written = `${JSON.stringify(key)}:`
    if (this.#text.slice(length) !== written) return
    if (this.#names.size >= REMEMBERED) this.#names.clear()
    this.#names.set(key, written)
  }

  #string(text: string): void {
    const found = redactBeginning(text, this.#redactor)
    if (found instanceof Promise) {
      this.#pieces ??= []
      this.#pieces.push(this.#text, found)
      this.#text = ''
      this.#size += Math.min(text.length, WINDOW)
    } else this.#put(this.#quoted(found))
  }
}

/** So many names of members are remembered for each redactor, of at most so many characters. */
const REMEMBERED = 256
const NAME_CHARS = 64

const plainNames = new Map<string, string>()
const harmlessNames = new WeakMap<Redactor, Map<string, string>>()

/** As they are written, with their colon. */
function namesOf(redactor: Redactor | undefined): Map<string, string> {
  if (redactor === undefined) return plainNames
  let names = harmlessNames.get(redactor)
  if (names === undefined) {
    names = new Map()
    harmlessNames.set(redactor, names)
  }
  return names
}

/** For so few names sorting in place takes less than preparing to sort. */
const FEW = 16

function sort(names: string[]): void {
  if (names.length > FEW) {
    names.sort()
    return
  }
  for (let at = 1; at < names.length; at += 1) {
    const name = names[at] ?? ''
    let place = at
    for (; place > 0 && (names[place - 1] ?? '') > name; place -= 1) names[place] = names[place - 1] ?? ''
    names[place] = name
  }
}

function isList(value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] {
  return Array.isArray(value)
}
