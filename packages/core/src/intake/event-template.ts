import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'

/**
 * Owns the shortest way to read a run of events that differ in nothing but the text that grows: the events around a call's arguments are
 * some three hundred characters for every eight that are new. What stands before and behind the new text is compared, not parsed;
 * where it is the same, so is what parsing would give. Anything else is left to the parser. Holds one shape; reads nothing twice.
 */

type Holder = Record<string, JsonValue>

/** A place in the events of one shape that is different in each. */
interface Hole {
  readonly key: string
  readonly holder: Holder
  readonly isNumber: boolean
}

interface Shape {
  /** What stands before each hole, and behind the last one. The quotes of a text are not in its hole. */
  readonly parts: readonly string[]
  readonly keys: readonly string[]
}

/** Longer events are few: it does not matter how they are read. */
const LONGEST = 4_096

/** So many events in a row that were unlike their neighbours, and only some are looked at. */
const UNLIKE = 8
const LOOKED_AT = 32

/** A longer slice is a view that keeps all of its text in memory, for as long as the arguments grow; what is parsed is a text of its own. */
const COPIED = 13

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

// In JSON that could be parsed, a quote before one of these words and a colon behind it make it a key: a quote in a text is escaped.
const HOLES =
  /"(arguments|partial_json|content|reasoning_content|reasoning|text|thinking|delta|obfuscation)": ?"(?:[^"\\]|\\.)*"|"sequence_number": ?(?:0|[1-9]\d{0,14})(?!\d)/g

function isHolder(value: JsonValue | undefined): value is Holder {
  return isJsonObject(value)
}

/**
 * Where the text may stand in an event that no reader keeps anything of but the text itself. Elsewhere (in arguments that come as an object,
 * in blocks that go back as they came) the same object must not be used twice.
 */
function holderOf(root: Holder, key: string): Holder | undefined {
  if (key === 'obfuscation') return root
  if (Array.isArray(root.choices)) {
    const choice: JsonValue | undefined = root.choices[0]
    const delta = isHolder(choice) && root.choices.length === 1 ? choice.delta : undefined
    if (!isHolder(delta)) return undefined
    if (key === 'content' || key === 'reasoning_content' || key === 'reasoning') return delta
    if (key !== 'arguments' || !Array.isArray(delta.tool_calls)) return undefined
    const call: JsonValue | undefined = delta.tool_calls[0]
    const body = isHolder(call) ? call.function : undefined
    return isHolder(body) ? body : undefined
  }
  const type = root.type
  if (type === 'content_block_delta') {
    const delta = root.delta
    return isHolder(delta) && (key === 'partial_json' || key === 'text' || key === 'thinking') ? delta : undefined
  }
  return typeof type === 'string' && type.endsWith('.delta') && (key === 'delta' || key === 'sequence_number') ? root : undefined
}

function shapeOf(block: string): Shape | undefined {
  const parts: string[] = []
  const keys: string[] = []
  let from = 0
  for (const found of block.matchAll(HOLES)) {
    const key = found[1] ?? 'sequence_number'
    const value = found[0].indexOf(':') + 1
    const begin = found.index + value + (found[0].charCodeAt(value) === SPACE ? 1 : 0) + (found[1] === undefined ? 0 : 1)
    parts.push(block.slice(from, begin))
    keys.push(key)
    from = found.index + found[0].length - (found[1] === undefined ? 0 : 1)
  }
  if (keys.length === 0) return undefined
  parts.push(block.slice(from))
  return { parts, keys }
}

/** Some providers fill their events up with blanks before the last brace, a different number in each. */
function withoutBlanks(part: string): string {
  return part.replaceAll(' ', '')
}

/** Nothing but punctuation: blanks between it mean nothing. */
function isPunctuation(part: string): boolean {
  return /^"[\]},\s]*$/.test(part)
}

function isSameShape(one: Shape, other: Shape): boolean {
  const last = one.parts.length - 1
  if (other.parts.length !== one.parts.length) return false
  return one.parts.every((part, at) => {
    const counterpart = other.parts[at] ?? ''
    return part === counterpart || (at === last && isPunctuation(part) && withoutBlanks(part) === withoutBlanks(counterpart))
  })
}

/** What stands in the holes while the shape is learnt. No part of an event may be the same by chance, so that is looked at. */
function filledWith(shape: Shape): readonly string[] {
  return shape.keys.map((key, at) => (key === 'sequence_number' ? `${987_654_321 + at}` : `\uF8FF${at}\uF8FE`))
}

/** A shape that has been learnt, with the object that its events come as. */
class Learnt {
  readonly #parts: readonly string[]
  /** The last part without its blanks, where they mean nothing. */
  readonly #loose: string | undefined
  readonly #holes: readonly Hole[]
  readonly #found: JsonValue[]
  readonly value: JsonObject

  constructor(shape: Shape, value: JsonObject, holes: readonly Hole[]) {
    const last = shape.parts.at(-1) ?? ''
    this.#parts = shape.parts
    this.#loose = isPunctuation(last) ? withoutBlanks(last) : undefined
    this.#holes = holes
    this.#found = holes.map(() => '')
    this.value = value
  }

  /** Reads the event at `from`; gives where it ends, or -1 when it is another. */
  read(text: string, from: number): number {
    let at = from
    for (let next = 0; next < this.#holes.length; next++) {
      const part = this.#parts[next] ?? ''
      if (!standsAt(text, part, at)) return -1
      at += part.length
      at = this.#holes[next]?.isNumber === true ? this.#number(text, at, next) : this.#text(text, at, next)
      if (at === -1) return -1
    }
    const end = this.#last(text, at)
    if (end === -1) return -1
    for (let next = 0; next < this.#holes.length; next++) {
      const hole = this.#holes[next]
      const found = this.#found[next]
      if (hole !== undefined && found !== undefined) hole.holder[hole.key] = found
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
    while (at < text.length && isDigit(text.charCodeAt(at))) at++
    const length = at - from
    if (length === 0 || length > 15 || (length > 1 && text.charAt(from) === '0')) return -1
    this.#found[next] = Number(text.slice(from, at))
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

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Learns the shape of an event; undefined when the same object must not be used again, or something does not come out as it went in. */
function learn(shape: Shape): Learnt | undefined {
  const fillings = filledWith(shape)
  const block = shape.parts.map((part, at) => part + (fillings[at] ?? '')).join('')
  let root: JsonValue
  try {
    root = JSON.parse(block.slice(block.indexOf('{')))
  } catch {
    return undefined
  }
  if (!isHolder(root)) return undefined
  const holes: Hole[] = []
  for (const [at, key] of shape.keys.entries()) {
    const holder = holderOf(root, key)
    const isNumber = key === 'sequence_number'
    if (holder === undefined || String(holder[key]) !== fillings[at]) return undefined
    holes.push({ key, holder, isNumber })
  }
  return new Learnt(shape, root, holes)
}

/**
 * Reads events by the shape of the ones before.
 *
 * @example
 * ```ts
 * const template = new EventTemplate()
 * template.see('data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
 * template.see('data: {"choices":[{"delta":{"content":"b"}}]}\n\n')
 * template.read('data: {"choices":[{"delta":{"content":"c"}}]}\n\n', 0) // 47: the whole of it
 * template.value                                                        // { choices: [{ delta: { content: 'c' } }] }
 * ```
 */
export class EventTemplate {
  #before: Shape | undefined
  #learnt: Learnt | undefined
  #unlike = 0

  /** The event that was read last. The same object each time, with other text: good until the next is read. */
  get value(): JsonObject | undefined {
    return this.#learnt?.value
  }

  /** Reads the event that begins at `from`. Gives where it ends, its empty line included, or -1 when it is not like the ones before. */
  read(text: string, from: number): number {
    return this.#learnt === undefined ? -1 : this.#learnt.read(text, from)
  }

  /** Shows an event that had to be parsed: its lines, the empty one included. It must have been JSON. */
  see(block: string): void {
    if (block.length > LONGEST) return
    if (this.#unlike >= UNLIKE && ++this.#unlike % LOOKED_AT !== 0) return
    const shape = shapeOf(block)
    const before = this.#before
    this.#before = shape
    const learnt = shape === undefined || before === undefined || !isSameShape(before, shape) ? undefined : learn(shape)
    this.#unlike = learnt === undefined ? this.#unlike + 1 : 0
    this.#learnt = learnt ?? this.#learnt
  }
}
