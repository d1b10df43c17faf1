/**
 * Owns: what is kept of a JSON text that is skimmed (json-skim.ts): of each container the first members and the last ones, as many as
 * could be shown in a number of characters, and how many there are. What no limit could show goes as soon as its container ends, so
 * that containers in containers do not add up.
 */

export interface JsonLeaf {
  /** `deep`: a container below the depth that is kept, of which only the place is known. */
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

/** The members of a container that is being read: the first ones and a sliding window of the last. */
export class Members {
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
