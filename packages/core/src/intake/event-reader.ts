import type { JsonObject, JsonValue } from '../contract/json.ts'
import { isPlace, type Place, placesOf } from './event-places.ts'
import { type EventShape, isNumberKey, isPunctuation, withoutBlanks } from './event-shape.ts'

/** A value that is different in each event of a shape. */
interface Hole {
  readonly key: string
  readonly place: Place
  readonly isNumber: boolean
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

/** A longer slice is a view that keeps all of its text in memory, for as long as the arguments grow; what is parsed is a text of its own. */
const COPIED = 13

/** Reads the events of one shape, into one object. */
export class EventReader {
  readonly shape: EventShape
  /** Which of the shape's values are read anew in each event; the others are part of what is compared. */
  readonly varying: readonly boolean[]
  /** The event that was read last. */
  readonly value: JsonObject
  readonly #parts: readonly string[]
  /** The last part without its blanks, where they mean nothing. */
  readonly #loose: string | undefined
  readonly #holes: readonly Hole[]
  readonly #found: JsonValue[]

  private constructor(shape: EventShape, varying: readonly boolean[], parts: readonly string[], value: JsonObject, holes: readonly Hole[]) {
    this.shape = shape
    this.varying = varying
    this.value = value
    const last = parts.at(-1) ?? ''
    this.#parts = parts
    this.#loose = isPunctuation(last) ? withoutBlanks(last) : undefined
    this.#holes = holes
    this.#found = holes.map(() => '')
  }

  /** Undefined when the same object must not be used again, or when something does not come out where it went in. */
  static learn(shape: EventShape, varying: readonly boolean[]): EventReader | undefined {
    const parts: string[] = []
    const fillings: string[] = []
    const keys: string[] = []
    let part = ''
    for (const [at, key] of shape.keys.entries()) {
      part += shape.parts[at] ?? ''
      if (varying[at] !== true) {
        part += shape.values[at] ?? ''
        continue
      }
      parts.push(part)
      part = ''
      keys.push(key)
      fillings.push(isNumberKey(key) ? `${987_654_321 + at}` : `\uF8FF${at}\uF8FE`)
    }
    parts.push(part + (shape.parts.at(-1) ?? ''))
    if (keys.length === 0) return undefined
    const root = parsedWith(parts, fillings)
    if (root === undefined) return undefined
    const holes: Hole[] = []
    const places = placesOf(root)
    for (const [at, key] of keys.entries()) {
      const place = places.find((candidate) => Object.hasOwn(candidate, key) && String(candidate[key]) === fillings[at])
      if (place === undefined) return undefined
      holes.push({ key, place, isNumber: isNumberKey(key) })
    }
    return new EventReader(shape, varying, parts, root, holes)
  }

  /** Reads the event at `from`; gives where it ends, or -1 when it is another. */
  read(text: string, from: number): number {
    const holes = this.#holes
    const found = this.#found
    let at = from
    for (let next = 0; next < holes.length; next++) {
      const part = this.#parts[next] ?? ''
      if (!standsAt(text, part, at)) return -1
      at += part.length
      at = holes[next]?.isNumber === true ? this.#number(text, at, next) : this.#text(text, at, next)
      if (at === -1) return -1
    }
    const end = this.#last(text, at)
    if (end === -1) return -1
    for (let next = 0; next < holes.length; next++) {
      const hole = holes[next]
      const value = found[next]
      if (hole !== undefined && value !== undefined) hole.place[hole.key] = value
    }
    return end
  }

  /** A text up to its closing quote. */
  #text(text: string, from: number, next: number): number {
    let at = from
    let escaped = false
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) break
      if (code < SPACE) return -1
      if (code === BACKSLASH) {
        escaped = true
        at++
      }
    }
    if (at >= text.length) return -1
    if (!escaped && at - from < COPIED) {
      this.#found[next] = text.slice(from, at)
      return at
    }
    try {
      this.#found[next] = JSON.parse(text.slice(from - 1, at + 1))
      return at
    } catch {
      return -1
    }
  }

  #number(text: string, from: number, next: number): number {
    let at = from
    let value = 0
    for (; at < text.length; at++) {
      const digit = text.charCodeAt(at) - 0x30
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    const length = at - from
    if (length === 0 || length > 15 || (length > 1 && text.charAt(from) === '0')) return -1
    this.#found[next] = value
    return at
  }

  #last(text: string, from: number): number {
    const loose = this.#loose
    if (loose === undefined) {
      const part = this.#parts.at(-1) ?? ''
      return standsAt(text, part, from) ? from + part.length : -1
    }
    let at = from
    for (let next = 0; next < loose.length; at++) {
      const code = text.charCodeAt(at)
      if (code === loose.charCodeAt(next)) next++
      // A line of blanks is no empty line.
      else if (code !== SPACE || next === loose.length - 1) return -1
    }
    return at
  }
}

/** A slice is a view, and comparing two texts of one length is many times as fast as `startsWith`. */
function standsAt(text: string, part: string, at: number): boolean {
  return text.slice(at, at + part.length) === part
}

function parsedWith(parts: readonly string[], fillings: readonly string[]): Place | undefined {
  const block = parts.map((part, at) => part + (fillings[at] ?? '')).join('')
  try {
    const root: JsonValue = JSON.parse(block.slice(block.indexOf('{')))
    return isPlace(root) ? root : undefined
  } catch {
    return undefined
  }
}
