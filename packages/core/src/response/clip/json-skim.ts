/**
 * Owns: one pass over a JSON text (or JSON lines) that finds its structure, with only as much of it kept as could ever be shown in
 * `room` characters: of each array and object the first and the last members, and how many there are. Values are places in the
 * text, so that numbers and strings are shown as they were written. Strict: what JSON.parse refuses is refused. Time is linear and
 * depth is no danger; memory is bounded by the room, not by the text. Stateless.
 */

import { type JsonLeaf, type JsonNode, Members } from './json-members.ts'

/** Deeper is never shown. */
const MOST_DEPTH = 32
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const OBJECT = 0x7b
const ARRAY = 0x5b

/** The structure of a text; `undefined` when it is not JSON. */
export function skimJson(text: string, room: number): JsonNode | undefined {
  return new Skimmer(text, Math.max(64, room)).skim()
}

class Skimmer {
  readonly #text: string
  readonly #room: number
  readonly #root: Members
  /** What is open: {@link OBJECT} or {@link ARRAY}. */
  readonly #open: number[] = []
  /** Of the open containers, down to the depth that is kept. */
  readonly #members: Members[] = []
  #at = 0
  #keyFrom = -1
  #keyTo = -1
  #deepFrom = 0

  constructor(text: string, room: number) {
    this.#text = text
    this.#room = room
    this.#root = new Members('lines', 0, room)
  }

  skim(): JsonNode | undefined {
    this.#space()
    while (this.#at < this.#text.length) {
      if (!this.#value()) return undefined
      // The end of a value may be the end of those around it.
      const more = this.#afterValue()
      if (more === undefined) return undefined
      if (!more) return this.#result()
    }
    return undefined
  }

  #result(): JsonNode {
    const lines = this.#root.close(this.#text.length)
    const only = lines.count === 1 ? lines.first[0] : undefined
    return only === undefined ? lines : only.node
  }

  /** Reads a scalar, or goes into a container. False for what is no value. */
  #value(): boolean {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === 0x22) {
        const leaf = this.#string()
        if (leaf === undefined) return false
        this.#add(leaf)
        return true
      }
      if (code !== OBJECT && code !== ARRAY) return this.#scalar()
      this.#enter(code)
      this.#space()
      const next = this.#text.charCodeAt(this.#at)
      if (next === code + 2) {
        this.#leave()
        return true
      }
      if (code === OBJECT && !this.#key()) return false
    }
  }

  /** After a value: true when another follows, false at the end of the text, `undefined` where it is no JSON. */
  #afterValue(): boolean | undefined {
    for (;;) {
      const from = this.#at
      this.#space()
      const open = this.#open.at(-1)
      if (open === undefined) {
        if (this.#at >= this.#text.length) return false
        const line = this.#text.indexOf('\n', from)
        return line !== -1 && line < this.#at ? true : undefined
      }
      const code = this.#text.charCodeAt(this.#at)
      if (code === 0x2c) {
        this.#at++
        this.#space()
        return open === ARRAY || this.#key() ? true : undefined
      }
      if (code !== open + 2) return undefined
      this.#leave()
    }
  }

  #enter(code: number): void {
    const depth = this.#open.push(code)
    if (depth <= MOST_DEPTH) {
      const members = new Members(code === OBJECT ? 'object' : 'array', this.#at, this.#room)
      members.keyFrom = this.#keyFrom
      members.keyTo = this.#keyTo
      this.#members.push(members)
    } else if (depth === MOST_DEPTH + 1) this.#deepFrom = this.#at
    this.#keyFrom = -1
    this.#keyTo = -1
    this.#at++
  }

  #leave(): void {
    this.#at++
    const depth = this.#open.length
    this.#open.pop()
    if (depth > MOST_DEPTH + 1) return
    if (depth === MOST_DEPTH + 1) {
      this.#add({ kind: 'deep', from: this.#deepFrom, to: this.#at, chars: 0 })
      return
    }
    const members = this.#members.pop()
    if (members === undefined) return
    this.#keyFrom = members.keyFrom
    this.#keyTo = members.keyTo
    this.#add(members.close(this.#at))
  }

  #add(node: JsonNode): void {
    if (this.#open.length <= MOST_DEPTH) {
      const around = this.#members.at(-1) ?? this.#root
      around.add({ keyFrom: this.#keyFrom, keyTo: this.#keyTo, node })
    }
    this.#keyFrom = -1
    this.#keyTo = -1
  }

  #key(): boolean {
    const leaf = this.#text.charCodeAt(this.#at) === 0x22 ? this.#string() : undefined
    if (leaf === undefined) return false
    this.#keyFrom = leaf.from
    this.#keyTo = leaf.to
    this.#space()
    if (this.#text.charCodeAt(this.#at) !== 0x3a) return false
    this.#at++
    this.#space()
    return true
  }

  #string(): JsonLeaf | undefined {
    const text = this.#text
    const from = this.#at
    let escapes = 0
    for (let at = from + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x22) {
        this.#at = at + 1
        return { kind: 'string', from, to: at + 1, chars: at - from - 1 - escapes }
      }
      if (code < 0x20) return undefined
      if (code !== 0x5c) continue
      ESCAPE.lastIndex = at
      if (!ESCAPE.test(text)) return undefined
      escapes += ESCAPE.lastIndex - at - 1
      at = ESCAPE.lastIndex - 1
    }
    return undefined
  }

  #scalar(): boolean {
    SCALAR.lastIndex = this.#at
    if (!SCALAR.test(this.#text)) return false
    this.#add({ kind: 'scalar', from: this.#at, to: SCALAR.lastIndex, chars: 0 })
    this.#at = SCALAR.lastIndex
    return true
  }

  #space(): void {
    for (; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    }
  }
}
