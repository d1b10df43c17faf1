/**
 * Owns the arithmetic of one search, on arrays that are kept from search to search. A tool's score is how well it fits the whole request,
 * mixed with how well it fits its best sentence, and with how much of the request its server's tools cover together; a name whose words
 * are all asked for gains. Not for use by two searches at once; a search never waits, so there are none.
 */
import { type Lexicon, TERM_KIND } from './lexicon.ts'
import { type Postings, STRENGTH } from './postings.ts'
import type { Clause } from './query.ts'
import type { Ranking } from './ranking.ts'
import { rarity, type Visibility } from './visibility.ts'

/** Tools whose names are looked at; more change nothing that reaches the first places. */
const SHORTLIST = 128
/** A request whose terms are found more often than this, all together, is judged by its rarer ones: that bounds the time of the longest. */
const MOST_POSTINGS = 20_000
/** Tools that have less than this share of the best score, and of the best of every sentence, are not looked at further. */
const WORTH_A_LOOK = 0.2

export interface ScoredTool {
  readonly tool: number
  score: number
}

/** What the scorer reads of the index. */
export interface Scorable {
  readonly lexicon: Lexicon
  readonly postings: Postings
  readonly tools: number
  /** 0: none. */
  readonly serverOf: Uint32Array
  readonly nameStarts: Uint32Array
  readonly nameTerms: Uint32Array
}

export class Scorer {
  readonly #ranking: Ranking
  #whole = new Float32Array(0)
  #clause = new Float32Array(0)
  #best = new Float32Array(0)
  #touched = new Uint32Array(0)
  #servers = new Float32Array(0)
  #serverBest = new Uint8Array(0)
  #serversTouched = new Uint32Array(0)
  /** By term: the weight it has in the request, and the request it has it in. */
  #weights = new Float32Array(0)
  #stamps = new Uint32Array(0)
  #stamp = 0
  readonly #heapScores = new Float32Array(1 << 10)
  readonly #heapTools = new Uint32Array(1 << 10)

  constructor(ranking: Ranking) {
    this.#ranking = ranking
  }

  /** The best tools for these clauses, in no particular order; about twice as many as `limit`, 128 at least. */
  run(clauses: readonly Clause[], index: Scorable, visible: Visibility, limit: number): ScoredTool[] {
    this.#prepare(index, visible)
    const top = this.#accumulate(clauses, index, visible)
    const clauseScale = clauses.length > 1 ? top ** this.#ranking.clauseLevel : 0
    const found = this.#shortlist(
      index,
      visible,
      top * WORTH_A_LOOK,
      clauseScale,
      Math.min(this.#heapScores.length, Math.max(SHORTLIST, limit * 2)),
    )
    for (const each of found) each.score *= 1 + this.#ranking.cover * this.#cover(each.tool, index, visible)
    return found
  }

  #prepare({ lexicon, tools }: Scorable, { serverSizes }: Visibility): void {
    if (this.#whole.length < tools) {
      const size = Math.ceil(tools * 1.25)
      this.#whole = new Float32Array(size)
      this.#clause = new Float32Array(size)
      this.#best = new Float32Array(size)
      this.#touched = new Uint32Array(size)
    }
    if (this.#servers.length < serverSizes.length) {
      const size = Math.ceil(serverSizes.length * 1.25)
      this.#servers = new Float32Array(size)
      this.#serverBest = new Uint8Array(size)
      this.#serversTouched = new Uint32Array(size)
    }
    if (this.#weights.length < lexicon.size) {
      const size = Math.ceil(lexicon.size * 1.25)
      this.#weights = new Float32Array(size)
      this.#stamps = new Uint32Array(size)
      this.#stamp = 0
    }
    this.#stamp++
  }

  /** Gives back the highest score for the whole request. */
  #accumulate(clauses: readonly Clause[], index: Scorable, visible: Visibility): number {
    const { postings } = index
    const several = clauses.length > 1
    const pooled = this.#ranking.server > 0 && visible.served
    const mostCommon = commonEnough(clauses, visible)
    for (const each of clauses) {
      let count = 0
      for (const { term, weight } of each) {
        if (visible.count(term) > mostCommon) continue
        const gain = weight * rarity(visible, term)
        if (gain <= 0) continue
        const start = postings.start(term)
        const end = start + postings.length(term)
        if (several) count = this.#addToClause(postings.pool, start, end, gain, visible.mask, count)
        if (this.#stamps[term] === this.#stamp) continue
        this.#stamps[term] = this.#stamp
        this.#weights[term] = weight
        this.#addToWhole(postings.pool, start, end, gain, visible.mask)
        if (pooled) this.#addToServers(postings.pool, start, end, gain, visible.mask, index.serverOf)
      }
      if (several) this.#closeClause(count)
    }
    const whole = this.#whole
    let top = 0
    for (let tool = 0; tool < index.tools; tool++) if ((whole[tool] ?? 0) > top) top = whole[tool] ?? 0
    return top
  }

  #addToWhole(pool: Uint32Array, start: number, end: number, gain: number, mask: Uint8Array | undefined): void {
    const whole = this.#whole
    for (let at = start; at < end; at++) {
      const posting = pool[at] ?? 0
      const tool = posting >>> 12
      if (mask === undefined || mask[tool] === 1) whole[tool] = (whole[tool] ?? 0) + gain * (STRENGTH[(posting >>> 5) & 127] ?? 0)
    }
  }

  #addToClause(pool: Uint32Array, start: number, end: number, gain: number, mask: Uint8Array | undefined, known: number): number {
    const clause = this.#clause
    const touched = this.#touched
    let count = known
    for (let at = start; at < end; at++) {
      const posting = pool[at] ?? 0
      const tool = posting >>> 12
      if (mask !== undefined && mask[tool] === 0) continue
      const before = clause[tool] ?? 0
      if (before === 0) touched[count++] = tool
      clause[tool] = before + gain * (STRENGTH[(posting >>> 5) & 127] ?? 0)
    }
    return count
  }

  /** A server gets the most that one of its tools has of each term. */
  #addToServers(pool: Uint32Array, start: number, end: number, gain: number, mask: Uint8Array | undefined, serverOf: Uint32Array): void {
    const most = this.#serverBest
    const touched = this.#serversTouched
    let count = 0
    for (let at = start; at < end; at++) {
      const posting = pool[at] ?? 0
      const tool = posting >>> 12
      if (mask !== undefined && mask[tool] === 0) continue
      const server = serverOf[tool] ?? 0
      const strength = ((posting >>> 5) & 127) + 1
      const before = most[server] ?? 0
      if (strength <= before) continue
      if (before === 0) touched[count++] = server
      most[server] = strength
    }
    const servers = this.#servers
    for (let at = 0; at < count; at++) {
      const server = touched[at] ?? 0
      servers[server] = (servers[server] ?? 0) + gain * (STRENGTH[(most[server] ?? 1) - 1] ?? 0)
      most[server] = 0
    }
  }

  #closeClause(count: number): void {
    const [clause, best, touched] = [this.#clause, this.#best, this.#touched]
    let most = 0
    for (let at = 0; at < count; at++) most = Math.max(most, clause[touched[at] ?? 0] ?? 0)
    const scale = most === 0 ? 0 : most ** -this.#ranking.clauseLevel
    for (let at = 0; at < count; at++) {
      const tool = touched[at] ?? 0
      const value = (clause[tool] ?? 0) * scale
      if (value > (best[tool] ?? 0)) best[tool] = value
      clause[tool] = 0
    }
  }

  /** Final scores but for the names; leaves the arrays empty for the next request. */
  #shortlist(
    { tools, serverOf }: Scorable,
    { serverSizes, served }: Visibility,
    least: number,
    clauseScale: number,
    size: number,
  ): ScoredTool[] {
    const { clause: clauseShare, server: serverShare, serverSize, lone } = this.#ranking
    const [whole, best, servers] = [this.#whole, this.#best, this.#servers]
    const perServer = served && serverShare > 0
    if (perServer) {
      for (let server = 1; server < serverSizes.length; server++) {
        servers[server] = (servers[server] ?? 0) / (1 + serverSize * Math.log(Math.max(1, serverSizes[server] ?? 1)))
      }
    }
    const [scores, heap] = [this.#heapScores, this.#heapTools]
    let count = 0
    for (let tool = 0; tool < tools; tool++) {
      const own = whole[tool] ?? 0
      if (own === 0 || (own < least && (best[tool] ?? 0) * clauseScale < least)) continue
      let score = own
      if (clauseScale > 0) score = (own + clauseShare * (best[tool] ?? 0) * clauseScale) / (1 + clauseShare)
      if (perServer) {
        const server = serverOf[tool] ?? 0
        score = (score + serverShare * (server === 0 ? own * lone : (servers[server] ?? 0))) / (1 + serverShare)
      }
      if (count < size) {
        siftUp(scores, heap, count++, score, tool)
      } else if (score > (scores[0] ?? 0)) siftDown(scores, heap, count, score, tool)
    }
    whole.fill(0, 0, tools)
    best.fill(0, 0, tools)
    servers.fill(0, 0, serverSizes.length)
    return Array.from({ length: count }, (_, at) => ({ tool: heap[at] ?? 0, score: scores[at] ?? 0 }))
  }

  /** How much of a name is asked for, by rarity of its words: 0 … 1. */
  #cover(tool: number, { nameStarts, nameTerms, lexicon }: Scorable, visible: Visibility): number {
    let all = this.#ranking.coverFloor
    let asked = 0
    for (let at = nameStarts[tool] ?? 0; at < (nameStarts[tool + 1] ?? 0); at++) {
      const term = nameTerms[at] ?? 0
      const kind = lexicon.kindOf(term)
      const rare = rarity(visible, term) * (kind === TERM_KIND.plain ? 1 : kind === TERM_KIND.request ? 0.4 : 0.1)
      all += rare
      if (this.#stamps[term] !== this.#stamp) continue
      asked += rare * Math.min(1, (this.#weights[term] ?? 0) / (kind === TERM_KIND.request ? this.#ranking.request : 1))
    }
    return all === 0 ? 0 : asked / all
  }
}

/** The count above which a term is passed over, so that all others together stay within bounds. */
function commonEnough(clauses: readonly Clause[], visible: Visibility): number {
  let total = 0
  for (const clause of clauses) for (const { term } of clause) total += visible.count(term)
  if (total <= MOST_POSTINGS) return total
  const counts = clauses.flatMap((clause) => clause.map(({ term }) => visible.count(term))).sort((a, b) => a - b)
  let sum = 0
  for (const count of counts) {
    sum += count
    if (sum > MOST_POSTINGS) return Math.max(count - 1, counts[0] ?? 0)
  }
  return total
}

function siftUp(scores: Float32Array, tools: Uint32Array, from: number, score: number, tool: number): void {
  let at = from
  while (at > 0) {
    const parent = (at - 1) >> 1
    if ((scores[parent] ?? 0) <= score) break
    scores[at] = scores[parent] ?? 0
    tools[at] = tools[parent] ?? 0
    at = parent
  }
  scores[at] = score
  tools[at] = tool
}

/** Puts a better one in the place of the worst. */
function siftDown(scores: Float32Array, tools: Uint32Array, count: number, score: number, tool: number): void {
  let at = 0
  for (;;) {
    let child = at * 2 + 1
    if (child >= count) break
    if (child + 1 < count && (scores[child + 1] ?? 0) < (scores[child] ?? 0)) child++
    if ((scores[child] ?? 0) >= score) break
    scores[at] = scores[child] ?? 0
    tools[at] = tools[child] ?? 0
    at = child
  }
  scores[at] = score
  tools[at] = tool
}
