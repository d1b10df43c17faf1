import { cutBefore } from '../cut-point.ts'
import { plural } from './gap.ts'
import type { JsonContainer, JsonLeaf, JsonMember, JsonNode } from './json-members.ts'

/**
 * Owns: writing a skimmed JSON text (json-skim.ts) with less detail, as JSON again: long arrays with their first and last items
 * and how many more there are, long strings with their length, what is too deep with what it is. Stops as soon as it is too long.
 */

export interface JsonDetail {
  /** Items of an array. */
  readonly items: number
  /** Members of an object. */
  readonly keys: number
  /** Characters of a string. */
  readonly string: number
  readonly depth: number
}

export interface JsonRendered {
  readonly text: string
  /** Places of the original text that are not shown, in their order. */
  readonly gaps: readonly (readonly [from: number, to: number])[]
}

/** The text in this detail with `note` in it; `undefined` when it is longer than `limit`. */
export function renderJson(source: string, root: JsonNode, detail: JsonDetail, limit: number, note: string): JsonRendered | undefined {
  const renderer = new Renderer(source, detail, limit)
  renderer.root(root, note)
  return renderer.text.length <= limit ? { text: renderer.text, gaps: renderer.gaps } : undefined
}

class Renderer {
  readonly #source: string
  readonly #detail: JsonDetail
  readonly #limit: number
  readonly gaps: [number, number][] = []
  text = ''

  constructor(source: string, detail: JsonDetail, limit: number) {
    this.#source = source
    this.#detail = detail
    this.#limit = limit
  }

  /** The outermost members stand on lines of their own. */
  root(node: JsonNode, note: string): void {
    if (!('cost' in node)) {
      this.text += node.kind === 'string' ? this.#cutString(node, this.#detail.string, note === '' ? '' : `; ${note}`) : this.#leaf(node)
      return
    }
    const lines = node.kind === 'lines'
    const [open, between, close] = lines ? ['', '\n', ''] : node.kind === 'array' ? ['[\n', ',\n', '\n]'] : ['{\n', ',\n', '\n}']
    this.text += open
    if (note !== '') this.text += (node.kind === 'object' ? `${this.#freeKey(node)}:` : '') + JSON.stringify(`… ${note}`) + between
    this.#members(node, 1, between)
    this.text += close
  }

  #members(node: JsonContainer, depth: number, between: string): void {
    const most = node.kind === 'object' ? this.#detail.keys : this.#detail.items
    const { head, tail, gap } = select(node, most)
    let first = true
    for (const member of head) {
      if (this.text.length > this.#limit) return
      if (!first) this.text += between
      first = false
      this.#member(member, depth)
    }
    if (gap > 0) {
      const end = head.at(-1)?.node.to ?? node.from + 1
      // The line end behind the last line shown belongs to that line.
      const before = node.kind === 'lines' ? this.#source.indexOf('\n', end) + 1 : end
      const after = tail[0] === undefined ? node.to - 1 : startOf(tail[0])
      this.gaps.push([before, Math.max(before, after)])
      if (!first) this.text += between
      first = false
      const more = `${gap} more ${node.kind === 'object' ? 'key' : node.kind === 'array' ? 'item' : 'line'}${gap === 1 ? '' : 's'}`
      this.text += node.kind === 'object' ? `${this.#freeKey(node, '…')}:"${more}"` : `"… ${more}"`
    }
    for (const member of tail) {
      if (this.text.length > this.#limit) return
      if (!first) this.text += between
      first = false
      this.#member(member, depth)
    }
  }

  #member(member: JsonMember, depth: number): void {
    const { keyFrom, keyTo, node } = member
    if (keyFrom !== -1) {
      const key: JsonLeaf = { kind: 'string', from: keyFrom, to: keyTo, chars: keyTo - keyFrom - 2 }
      this.text += `${this.#cutString(key, Math.max(80, this.#detail.string), '')}:`
    }
    if (!('cost' in node)) {
      this.text += this.#leaf(node)
      return
    }
    const [open, close] = node.kind === 'object' ? ['{', '}'] : ['[', ']']
    if (node.count === 0) this.text += open + close
    else if (depth >= this.#detail.depth) {
      this.gaps.push([node.from, node.to])
      this.text += node.kind === 'object' ? `"… object with ${plural(node.count, 'key')}"` : `"… array of ${plural(node.count, 'item')}"`
    } else {
      this.text += open
      this.#members(node, depth + 1, ',')
      this.text += close
    }
  }

  #leaf(leaf: JsonLeaf): string {
    switch (leaf.kind) {
      case 'string':
        return this.#cutString(leaf, this.#detail.string, '')
      case 'deep':
        this.gaps.push([leaf.from, leaf.to])
        return '"… nested too deep to show"'
      case 'scalar':
        if (leaf.to - leaf.from <= Math.max(40, this.#detail.string)) return this.#source.slice(leaf.from, leaf.to)
        this.gaps.push([leaf.from, leaf.to])
        return `"… a number of ${leaf.to - leaf.from} characters"`
      default:
        return leaf.kind satisfies never
    }
  }

  /** A string as it was written, or its beginning with its length; never cut inside an escape or a character. */
  #cutString(leaf: JsonLeaf, most: number, note: string): string {
    const raw = leaf.to - leaf.from - 2
    if (raw <= most + 40 && note === '') return this.#source.slice(leaf.from, leaf.to)
    const start = leaf.from + 1
    const kept = safeCut(this.#source.slice(start, start + Math.min(raw, most + LOOK_AHEAD)), Math.min(most, raw))
    this.gaps.push([start + kept, leaf.to - 1])
    const said = JSON.stringify(`… (${plural(leaf.chars, 'character')} in all${note})`).slice(1, -1)
    return `"${this.#source.slice(start, start + kept)}${said}"`
  }

  /** A key that no shown member has, so that what reads the text does not lose one of them. */
  #freeKey(node: JsonContainer, wanted = '… shortened'): string {
    const taken = new Set([...node.first, ...node.last].map(({ keyFrom, keyTo }) => this.#source.slice(keyFrom + 1, keyTo - 1)))
    let key = wanted
    while (taken.has(key)) key += '…'
    return `"${key}"`
  }
}

/** Characters behind a cut that are looked at to find whether it is inside of one. */
const LOOK_AHEAD = 64

function startOf({ keyFrom, node }: JsonMember): number {
  return keyFrom === -1 ? node.from : keyFrom
}

/** Two thirds of the members from the beginning, the others from the end. */
function select(
  node: JsonContainer,
  most: number,
): { readonly head: readonly JsonMember[]; readonly tail: readonly JsonMember[]; readonly gap: number } {
  const { first, last, count } = node
  const kept = first.length + last.length
  if (kept === count && count <= most) return { head: [...first, ...last], tail: [], gap: 0 }
  const wanted = Math.min(most, kept)
  const head = first.slice(0, Math.max(1, Math.ceil((wanted * 2) / 3)))
  const others = last.length > 0 ? last : first.slice(head.length)
  const tailCount = Math.min(others.length, Math.max(0, wanted - head.length))
  const tail = tailCount === 0 ? [] : others.slice(-tailCount)
  return { head, tail, gap: count - head.length - tail.length }
}

/** The greatest place at or before `at` in the inside of a JSON string that is between two characters, none of them an escape's. */
function safeCut(body: string, at: number): number {
  let cut = cutBefore(body, at)
  for (let next = body.indexOf('\\'); next !== -1 && next < cut; ) {
    const end = next + (body[next + 1] === 'u' ? 6 : 2)
    // Half of a pair that is written as two escapes would read as a broken character.
    const pair = HIGH_ESCAPE.test(body.slice(next, end)) ? end + 6 : end
    if (pair > cut) cut = next
    next = body.indexOf('\\', end)
  }
  return cut
}

const HIGH_ESCAPE = /^\\u[dD][89abAB]/
