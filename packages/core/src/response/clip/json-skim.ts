/**
 * Owns: one pass over a JSON text (or JSON lines) that finds its structure, with only as much of it kept as could ever be shown in
 * `room` characters: of each array and object the first and the last members, and how many there are. Values are places in the
 * text, so that numbers and strings are shown as they were written. Strict: what JSON.parse refuses is refused. Time is linear and
 * depth is no danger; memory is bounded by the room, not by the text. Stateless.
 */

export interface JsonLeaf {
  /** `deep`: a container below {@link MOST_DEPTH}, of which only the place is known. */
  readonly kind: 'scalar' | 'string' | 'deep'
  readonly from: number
  readonly to: number
  /** Of a string: its characters. */
  readonly chars: number
}

export interface JsonMember {
  /** Where the key is, with its quotes; both -1 in an array. */
  readonly keyFrom: number
  readonly keyTo: number
  readonly node: JsonNode
}

export interface JsonContainer {
  /** `lines`: JSON values on lines of their own. */
  readonly kind: 'array' | 'object' | 'lines'
  readonly from: number
  readonly to: number
  readonly count: number
  readonly first: readonly JsonMember[]
  readonly last: readonly JsonMember[]
  /** About how many characters its kept members take. */
  readonly cost: number
}

export type JsonNode = JsonLeaf | JsonContainer

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

/** The members of a container that is being read: the first ones and a sliding window of the last. */
class Members {
  readonly #kind: JsonContainer['kind']
  readonly #from: number
  readonly #room: number
  readonly #first: JsonMember[] = []
  #last: JsonMember[] = []
  #lastAt = 0
  #firstCost = 0
  #lastCost = 0
  #count = 0
  /** Of the container itself, in the one around it. */
  keyFrom = -1
  keyTo = -1

  constructor(kind: JsonContainer['kind'], from: number, room: number) {
    this.#kind = kind
    this.#from = from
    this.#room = room
  }

  add(member: JsonMember): void {
    this.#count++
    const cost = costOf(member, this.#room)
    if (this.#first.length === 0 || this.#firstCost < this.#room) {
      this.#first.push(member)
      this.#firstCost += cost
      return
    }
    // An object is known by its keys: they stay for longer than what is below them.
    if (this.#kind === 'object' && this.#firstCost < 3 * this.#room) {
      const bare = { ...member, node: stub(member.node) }
      this.#first.push(bare)
      this.#firstCost += costOf(bare, this.#room)
      return
    }
    this.#last.push(member)
    this.#lastCost += cost
    for (let oldest = this.#last[this.#lastAt]; oldest !== undefined && this.#lastAt < this.#last.length - 1; ) {
      const freed = costOf(oldest, this.#room)
      if (this.#lastCost - freed < this.#room) break
      this.#lastCost -= freed
      oldest = this.#last[++this.#lastAt]
    }
    if (this.#lastAt > 64 && this.#lastAt * 2 > this.#last.length) {
      this.#last = this.#last.slice(this.#lastAt)
      this.#lastAt = 0
    }
  }

  close(to: number): JsonContainer {
    const cost = 4 + this.#firstCost + this.#lastCost
    const last = this.#lastAt === 0 ? this.#last : this.#last.slice(this.#lastAt)
    const whole: JsonContainer = { kind: this.#kind, from: this.#from, to, count: this.#count, first: this.#first, last, cost }
    // What no limit could show goes at once: else containers in containers would add up.
    return cost > 4 * this.#room ? pruned(whole, 2 * this.#room, this.#room) : whole
  }
}

function costOf(member: JsonMember, room: number): number {
  const { keyFrom, keyTo, node } = member
  return Math.min(room, keyTo - keyFrom) + nodeCost(node, room)
}

/** A leaf is always shown short enough. */
function nodeCost(node: JsonNode, room: number): number {
  return 2 + ('cost' in node ? node.cost : Math.min(room, LEAF_COST, node.to - node.from))
}

/** A container of which only the count is kept. */
function stub(node: JsonNode): JsonNode {
  return 'cost' in node && node.cost > STUB_COST ? { ...node, first: [], last: [], cost: STUB_COST } : node
}

const LEAF_COST = 64
const STUB_COST = 30

function pruned(node: JsonContainer, budget: number, room: number): JsonContainer {
  if (node.cost <= budget) return node
  // Else one member on each side of each level would be kept, which doubles with the depth.
  if (budget <= 2 * STUB_COST) return { ...node, first: [], last: [], cost: STUB_COST }
  const share = budget >> 1
  const each = node.kind === 'object' ? Math.floor(budget / (node.first.length + node.last.length)) : undefined
  const first = fill(node.first, share, room, each)
  const others = node.last.length > 0 ? node.last : node.first.slice(first.length)
  const last = fill(others.toReversed(), share, room, each).reverse()
  let cost = 4
  for (const member of first) cost += costOf(member, room)
  for (const member of last) cost += costOf(member, room)
  return { ...node, first, last, cost }
}

function smaller(node: JsonNode, budget: number, room: number): JsonNode {
  if (!('cost' in node) || node.cost <= budget) return node
  return budget > 2 * STUB_COST ? pruned(node, budget, room) : stub(node)
}

/**
 * As many members as fit, at least one: that one is pruned itself.
 *
 * @param each of an object: what one member may cost, so that as many keys as can be are kept
 */
function fill(members: readonly JsonMember[], share: number, room: number, each: number | undefined): JsonMember[] {
  const kept: JsonMember[] = []
  let used = 0
  for (const whole of members) {
    const member = each === undefined ? whole : { ...whole, node: smaller(whole.node, each, room) }
    const cost = costOf(member, room)
    if (used + cost > share) {
      if (used === 0) kept.push({ ...member, node: 'cost' in member.node ? pruned(member.node, share, room) : member.node })
      break
    }
    kept.push(member)
    used += cost
  }
  return kept
}
