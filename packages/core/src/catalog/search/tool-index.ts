/**
 * Owns the index of a catalogue of tools: adds and removes one at a time, and answers requests in plain words. Synchronous throughout, so
 * two uses never mix. The answer depends on what is in the index, not on how it came there; the same request gets the same answer.
 */
import { AdjutantError } from '../../contract/errors.ts'
import { Lexicon, TermBuffer } from './lexicon.ts'
import { reasonsOf } from './match-reasons.ts'
import { MOST_TOOLS, Postings, pack } from './postings.ts'
import { type Clause, readQuery } from './query.ts'
import { DEFAULT_RANKING, type Ranking } from './ranking.ts'
import { Scorer } from './scorer.ts'
import type { SearchDocument } from './search-document.ts'
import type { SearchHit, SearchOptions } from './search-hit.ts'
import { selectedNames } from './select-form.ts'
import { type IndexState, readIndexState, writeIndexState } from './stored-index.ts'
import { ToolReader } from './tool-reader.ts'
import { everything, partOf, type Visibility } from './visibility.ts'
import { longer32 } from './word-table.ts'

const DEFAULT_LIMIT = 5
const MOST_HITS = 1_000
/** Share by which a tool that always did well comes before one that never did. */
const PRIOR_SHARE = 0.05
/** Terms that no tool has any more are forgotten when there are this many, and more than are in use. */
const MANY_DEAD_TERMS = 4_096

export interface ToolIndexOptions {
  /** Other numbers than the tuned ones. */
  readonly ranking?: Partial<Ranking>
}

export class ToolIndex {
  readonly #ranking: Ranking
  readonly #scorer: Scorer
  readonly #reader: ToolReader
  #lexicon: Lexicon
  #postings: Postings
  #ids: string[] = []
  #names: string[] = []
  #numbers = new Map<string, number>()
  /** By tool: the server's number; 0 is none. */
  #serverOf = new Uint32Array(64)
  #serverNumbers = new Map<string, number>()
  #nameStarts = new Uint32Array(65)
  #nameTerms = new Uint32Array(256)
  readonly #buffer = new TermBuffer()
  #dead = 0
  #settled = true
  #all: Visibility | undefined
  #parts = new WeakMap<(id: string) => boolean, Visibility>()

  constructor(options: ToolIndexOptions = {}) {
    this.#ranking = { ...DEFAULT_RANKING, ...options.ranking }
    this.#scorer = new Scorer(this.#ranking)
    this.#reader = new ToolReader(this.#ranking)
    this.#lexicon = new Lexicon()
    this.#postings = new Postings()
  }

  /** Tools in the index. */
  get size(): number {
    return this.#numbers.size
  }

  has(id: string): boolean {
    return this.#numbers.has(id)
  }

  /**
   * Adds a tool, or puts it in the place of the one with the same id. About 30 µs.
   *
   * @throws AdjutantError TOO_LARGE at 1 048 576 tools
   */
  add(document: SearchDocument): void {
    this.remove(document.id)
    if (this.#ids.length >= MOST_TOOLS) {
      this.#sweep()
      if (this.#ids.length >= MOST_TOOLS) {
        throw new AdjutantError('TOO_LARGE', `an index holds at most ${MOST_TOOLS} tools`, { hint: 'Divide the catalogue.' })
      }
    }
    const tool = this.#ids.length
    this.#ids.push(document.id)
    this.#names.push(document.name)
    this.#numbers.set(document.id, tool)
    this.#noteServer(tool, document.server)
    this.#read(tool, document)
    this.#changed()
  }

  addAll(documents: Iterable<SearchDocument>): void {
    for (const document of documents) this.add(document)
  }

  /** True when it was there. The room it took is given back before the next search. */
  remove(id: string): boolean {
    const tool = this.#numbers.get(id)
    if (tool === undefined) return false
    this.#numbers.delete(id)
    this.#dead++
    this.#changed()
    return true
  }

  /**
   * The tools that fit a request best, best first; equal ones by name. Any text is a request: an empty one has no answer.
   * `select:name,name` asks for tools by their exact names, in that order.
   *
   * @example
   * ```ts
   * const index = new ToolIndex()
   * index.add({ id: 'get_weather', name: 'get_weather', description: 'Weather forecast for a city.' })
   * index.search('will it rain in Oslo? I need the forecast', { limit: 5 })
   * ```
   */
  search(query: string, options: SearchOptions = {}): readonly SearchHit[] {
    const limit = Math.min(Math.max(0, Math.floor(options.limit ?? DEFAULT_LIMIT)), MOST_HITS)
    if (limit === 0) return []
    this.#settle()
    const named = selectedNames(query)
    if (named !== undefined) return this.#select(named, limit, options.filter)
    const visible = this.#visibility(options.filter)
    const clauses = readQuery(query, this.#lexicon, this.#ranking, this.#buffer, (term) => visible.count(term) > 0)
    if (clauses.length === 0) return []
    const found = this.#scorer.run(
      clauses,
      {
        lexicon: this.#lexicon,
        postings: this.#postings,
        tools: this.#ids.length,
        serverOf: this.#serverOf,
        nameStarts: this.#nameStarts,
        nameTerms: this.#nameTerms,
      },
      visible,
      limit,
    )
    const { prior } = options
    if (prior !== undefined)
      for (const each of found) each.score *= 1 + PRIOR_SHARE * Math.min(1, Math.max(0, prior(this.#ids[each.tool] ?? '')))
    found.sort((a, b) => b.score - a.score || this.#before(a.tool, b.tool))
    return found.slice(0, limit).map(({ tool, score }) => this.#hit(tool, score, clauses, visible))
  }

  /** Name and id of a tool that is in the index. */
  nameOf(id: string): string | undefined {
    const tool = this.#numbers.get(id)
    return tool === undefined ? undefined : this.#names[tool]
  }

  /** The index as bytes, for {@link ToolIndex.load}. */
  serialise(): Uint8Array<ArrayBuffer> {
    this.#settle()
    this.#postings.settle(this.#lexicon.size, true)
    const servers: string[] = []
    for (const [server, number] of this.#serverNumbers) servers[number - 1] = server
    return writeIndexState({
      ranking: this.#ranking,
      ids: this.#ids,
      names: this.#names,
      servers,
      lexicon: this.#lexicon.state,
      postings: this.#postings.state,
      serverOf: this.#serverOf.slice(0, this.#ids.length),
      nameStarts: this.#nameStarts.slice(0, this.#ids.length + 1),
      nameTerms: this.#nameTerms.slice(0, this.#nameStarts[this.#ids.length]),
    })
  }

  /** @throws AdjutantError CONFLICT when the bytes are of another version or ranking, or not whole: build the index anew then */
  static load(bytes: Uint8Array, options: ToolIndexOptions = {}): ToolIndex {
    const index = new ToolIndex(options)
    index.#restore(readIndexState(bytes, index.#ranking))
    return index
  }

  #restore(state: IndexState): void {
    this.#lexicon = new Lexicon(state.lexicon)
    this.#postings = new Postings(state.postings)
    this.#ids = [...state.ids]
    this.#names = [...state.names]
    this.#numbers = new Map(state.ids.map((id, tool) => [id, tool]))
    this.#serverOf = Uint32Array.from(state.serverOf)
    this.#serverNumbers = new Map(state.servers.map((server, at) => [server, at + 1]))
    this.#nameStarts = Uint32Array.from(state.nameStarts)
    this.#nameTerms = Uint32Array.from(state.nameTerms)
    this.#changed()
  }

  #noteServer(tool: number, server: string | undefined): void {
    if (tool >= this.#serverOf.length) this.#serverOf = longer32(this.#serverOf, tool * 2)
    let number = 0
    if (server !== undefined && server !== '') {
      number = this.#serverNumbers.get(server) ?? this.#serverNumbers.size + 1
      this.#serverNumbers.set(server, number)
    }
    this.#serverOf[tool] = number
  }

  #read(tool: number, document: SearchDocument): void {
    const name = this.#reader.read(document, this.#lexicon, (term, strength, fields) =>
      this.#postings.append(term, pack(tool, strength, fields)),
    )
    const start = this.#nameStarts[tool] ?? 0
    const end = start + name.length
    if (tool + 2 > this.#nameStarts.length) this.#nameStarts = longer32(this.#nameStarts, tool * 2 + 2)
    if (end > this.#nameTerms.length) this.#nameTerms = longer32(this.#nameTerms, end * 2)
    this.#nameTerms.set(name, start)
    this.#nameStarts[tool + 1] = end
  }

  #changed(): void {
    this.#settled = false
    this.#all = undefined
    this.#parts = new WeakMap()
  }

  #settle(): void {
    if (this.#settled) return
    if (this.#dead > 0) this.#sweep()
    this.#postings.settle(this.#lexicon.size)
    this.#settled = true
  }

  /** Takes removed tools out for good; the others keep their order. */
  #sweep(): void {
    const tools = new Int32Array(this.#ids.length).fill(-1)
    const [ids, names]: [string[], string[]] = [[], []]
    let nameEnd = 0
    for (const [tool, id] of this.#ids.entries()) {
      if (this.#numbers.get(id) !== tool) continue
      const to = ids.length
      tools[tool] = to
      ids.push(id)
      names.push(this.#names[tool] ?? '')
      this.#serverOf[to] = this.#serverOf[tool] ?? 0
      const [from, until] = [this.#nameStarts[tool] ?? 0, this.#nameStarts[tool + 1] ?? 0]
      this.#nameTerms.copyWithin(nameEnd, from, until)
      this.#nameStarts[to] = nameEnd
      nameEnd += until - from
      this.#nameStarts[to + 1] = nameEnd
      this.#numbers.set(id, to)
    }
    if (ids.length === 0) this.#nameStarts[0] = 0
    this.#ids = ids
    this.#names = names
    this.#dead = 0
    this.#postings.renumber(this.#lexicon.size, tools, (term) => term)
    this.#forgetServers()
    this.#forgetTerms()
  }

  #forgetServers(): void {
    const used = new Set(this.#serverOf.subarray(0, this.#ids.length))
    const numbers = new Uint32Array(this.#serverNumbers.size + 1)
    const kept = new Map<string, number>()
    for (const [server, number] of this.#serverNumbers) {
      if (!used.has(number)) continue
      kept.set(server, kept.size + 1)
      numbers[number] = kept.size
    }
    this.#serverNumbers = kept
    for (let tool = 0; tool < this.#ids.length; tool++) this.#serverOf[tool] = numbers[this.#serverOf[tool] ?? 0] ?? 0
  }

  #forgetTerms(): void {
    const size = this.#lexicon.size
    let unused = 0
    for (let term = 0; term < size; term++) if (this.#postings.length(term) === 0) unused++
    if (unused < MANY_DEAD_TERMS || unused * 2 < size) return
    const numbers = this.#lexicon.keep((term) => this.#postings.length(term) > 0)
    const same = Int32Array.from({ length: this.#ids.length }, (_, tool) => tool)
    this.#postings.renumber(size, same, (term) => numbers[term] ?? -1)
    const end = this.#nameStarts[this.#ids.length] ?? 0
    for (let at = 0; at < end; at++) this.#nameTerms[at] = numbers[this.#nameTerms[at] ?? 0] ?? 0
  }

  #visibility(filter: ((id: string) => boolean) | undefined): Visibility {
    const servers = this.#serverNumbers.size + 1
    if (filter === undefined) {
      this.#all ??= everything(this.#postings, this.#ids.length, this.#serverOf, servers)
      return this.#all
    }
    let part = this.#parts.get(filter)
    if (part === undefined) {
      part = partOf(this.#postings, this.#ids, this.#serverOf, servers, filter)
      this.#parts.set(filter, part)
    }
    return part
  }

  #select(names: readonly string[], limit: number, filter: ((id: string) => boolean) | undefined): readonly SearchHit[] {
    const wanted = new Map<string, string[]>(names.map((name) => [name, []]))
    for (const [tool, name] of this.#names.entries()) {
      const id = this.#ids[tool] ?? ''
      if (filter === undefined || filter(id)) wanted.get(name)?.push(id)
    }
    const hits = [...wanted].flatMap(([name, ids]) => ids.sort().map((id): SearchHit => ({ id, name, score: 1, why: [] })))
    return hits.slice(0, limit)
  }

  #hit(tool: number, score: number, clauses: readonly Clause[], visible: Visibility): SearchHit {
    return {
      id: this.#ids[tool] ?? '',
      name: this.#names[tool] ?? '',
      score,
      why: reasonsOf(tool, clauses, this.#postings, this.#lexicon, visible),
    }
  }

  #before(a: number, b: number): number {
    return compare(this.#names[a] ?? '', this.#names[b] ?? '') || compare(this.#ids[a] ?? '', this.#ids[b] ?? '')
  }
}

/** By code units: the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
