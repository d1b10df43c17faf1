/**
 * Owns which tools a term is found in. One number each: 20 bits for the tool, 7 for how strongly, 5 for the fields. The numbers of a
 * term lie side by side and ascend, so that a query reads memory in order; a term that outgrows its place moves to the end with twice
 * the room, and the gaps are closed when they are a quarter of the whole.
 */
import { longer32 } from './word-table.ts'

export const MOST_TOOLS = 1 << 20

const STRENGTHS = 128
const WEAKEST = 0.02
const STRONGEST = 2.2
const STEP = (STRONGEST / WEAKEST) ** (1 / (STRENGTHS - 1))
const PER_STEP = 1 / Math.log(STEP)

/** What each of the 128 strengths stands for: equal ratios, 3.8 % apart. */
export const STRENGTH: Float32Array = Float32Array.from({ length: STRENGTHS }, (_, index) => WEAKEST * STEP ** index)

export function pack(tool: number, strength: number, fields: number): number {
  const index = Math.round(Math.log(strength / WEAKEST) * PER_STEP)
  return ((tool << 12) | (Math.min(STRENGTHS - 1, Math.max(0, index)) << 5) | fields) >>> 0
}

export interface PostingsState {
  readonly lengths: Uint32Array
  readonly pool: Uint32Array
}

export class Postings {
  #pool = new Uint32Array(1 << 14)
  #starts = new Uint32Array(1 << 10)
  #lengths = new Uint32Array(1 << 10)
  #rooms = new Uint32Array(1 << 10)
  #end = 0
  #wasted = 0

  constructor(state?: PostingsState) {
    if (state === undefined) return
    this.#pool = Uint32Array.from(state.pool)
    this.#lengths = Uint32Array.from(state.lengths)
    this.#rooms = Uint32Array.from(state.lengths)
    this.#starts = new Uint32Array(this.#lengths.length)
    for (const [term, length] of this.#lengths.entries()) {
      this.#starts[term] = this.#end
      this.#end += length
    }
  }

  get pool(): Uint32Array {
    return this.#pool
  }

  start(term: number): number {
    return this.#starts[term] ?? 0
  }

  /** In how many tools the term is. */
  length(term: number): number {
    return this.#lengths[term] ?? 0
  }

  append(term: number, posting: number): void {
    if (term >= this.#starts.length) this.#growTerms(term)
    const length = this.#lengths[term] ?? 0
    if (length === this.#rooms[term]) this.#move(term, length)
    this.#pool[(this.#starts[term] ?? 0) + length] = posting
    this.#lengths[term] = length + 1
  }

  /** Closes the gaps when they are worth it. */
  settle(terms: number, completely = false): void {
    if (completely || this.#wasted + this.#slack(terms) > this.#end / 4) this.#rewrite(terms, (term) => term, undefined)
  }

  /**
   * Leaves out tools that `tools` maps to -1 and renames the others, which keep their order.
   *
   * @param termOf the new number of a term, or -1 where it is not used any more
   */
  renumber(terms: number, tools: Int32Array, termOf: (term: number) => number): void {
    this.#rewrite(terms, termOf, tools)
  }

  /** For keeping; only after {@link settle} or {@link renumber} without gaps. */
  get state(): PostingsState {
    const last = this.#lengths.findLastIndex((length) => length > 0)
    return { lengths: this.#lengths.slice(0, last + 1), pool: this.#pool.slice(0, this.#end) }
  }

  #slack(terms: number): number {
    let slack = 0
    for (let term = 0; term < terms; term++) slack += (this.#rooms[term] ?? 0) - (this.#lengths[term] ?? 0)
    return slack
  }

  #growTerms(term: number): void {
    const size = Math.max(term + 1, this.#starts.length * 2)
    this.#starts = longer32(this.#starts, size)
    this.#lengths = longer32(this.#lengths, size)
    this.#rooms = longer32(this.#rooms, size)
  }

  #move(term: number, length: number): void {
    const room = length === 0 ? 1 : length * 2
    if (this.#end + room > this.#pool.length)
      this.#pool = longer32(this.#pool, Math.max(this.#end + room, Math.ceil(this.#pool.length * 1.5)))
    const from = this.#starts[term] ?? 0
    this.#pool.copyWithin(this.#end, from, from + length)
    this.#starts[term] = this.#end
    this.#rooms[term] = room
    this.#end += room
    this.#wasted += length
  }

  #rewrite(terms: number, termOf: (term: number) => number, tools: Int32Array | undefined): void {
    let total = 0
    for (let term = 0; term < terms; term++) total += this.length(term)
    const pool = new Uint32Array(total)
    const starts = new Uint32Array(terms)
    const lengths = new Uint32Array(terms)
    let end = 0
    for (let term = 0; term < terms; term++) {
      const to = termOf(term)
      if (to < 0) continue
      const from = this.start(term)
      starts[to] = end
      for (let at = from; at < from + this.length(term); at++) {
        const posting = this.#pool[at] ?? 0
        if (tools === undefined) pool[end++] = posting
        else {
          const tool = tools[posting >>> 12] ?? -1
          if (tool >= 0) pool[end++] = ((tool << 12) | (posting & 0xfff)) >>> 0
        }
      }
      lengths[to] = end - (starts[to] ?? 0)
    }
    this.#pool = end === total ? pool : pool.slice(0, end)
    this.#starts = starts
    this.#lengths = lengths
    this.#rooms = lengths.slice()
    this.#end = end
    this.#wasted = 0
  }
}
