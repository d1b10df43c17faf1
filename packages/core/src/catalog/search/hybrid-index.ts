/**
 * Owns search by words and by meaning together. Words are always searched; meaning is asked of an embedder, and when that fails the answer
 * is the one by words, with the reason beside it: a search never fails for want of an embedder. Updates run one after another.
 */
import { AdjutantError } from '../../contract/errors.ts'
import type { Embedder } from '../../contract/ports.ts'
import type { SearchDocument } from './search-document.ts'
import type { SearchHit, SearchOptions } from './search-hit.ts'
import { selectedNames } from './select-form.ts'
import { ToolIndex, type ToolIndexOptions } from './tool-index.ts'

export interface HybridAnswer {
  readonly hits: readonly SearchHit[]
  /** Why meaning was left out, where it was. */
  readonly problem?: AdjutantError
}

/** Reciprocal rank fusion: rank r of a list is worth 1 / (60 + r). */
const FUSION = 60
/** Places of each list that are joined. */
const DEPTH = 50
const MOST_CHARACTERS = 1_000

export class HybridIndex {
  readonly #embedder: Embedder
  readonly #words: ToolIndex
  readonly #documents = new Map<string, SearchDocument>()
  readonly #vectors = new Map<string, Float32Array>()

  constructor(embedder: Embedder, options: ToolIndexOptions = {}) {
    this.#embedder = embedder
    this.#words = new ToolIndex(options)
  }

  get size(): number {
    return this.#documents.size
  }

  /** Found by words at once, by meaning after {@link HybridIndex.embed}. */
  add(document: SearchDocument): void {
    this.#words.add(document)
    this.#documents.set(document.id, document)
    this.#vectors.delete(document.id)
  }

  remove(id: string): boolean {
    this.#vectors.delete(id)
    this.#documents.delete(id)
    return this.#words.remove(id)
  }

  /** Asks for the vectors of tools that have none yet. @throws AdjutantError what the embedder throws; what came before is kept */
  async embed(options: { readonly signal: AbortSignal }): Promise<void> {
    const missing = [...this.#documents.values()].filter(({ id }) => !this.#vectors.has(id))
    const vectors = await this.#embedder.embed(missing.map(textOf), options)
    for (const [at, document] of missing.entries()) {
      const vector = vectors[at]
      // It may have been changed or removed meanwhile.
      if (vector !== undefined && this.#documents.get(document.id) === document) this.#vectors.set(document.id, unit(vector))
    }
  }

  async search(query: string, options: SearchOptions & { readonly signal: AbortSignal }): Promise<HybridAnswer> {
    const limit = options.limit ?? 5
    const byWords = this.#words.search(query, { ...options, limit: Math.max(DEPTH, limit) })
    if (this.#vectors.size === 0 || query.trim() === '' || selectedNames(query) !== undefined) return { hits: byWords.slice(0, limit) }
    try {
      const [vector] = await this.#embedder.embed([query.slice(0, MOST_CHARACTERS * 4)], options)
      if (vector === undefined) return { hits: byWords.slice(0, limit) }
      return { hits: this.#fuse(byWords, this.#nearest(unit(vector), options.filter), limit) }
    } catch (error) {
      const problem = AdjutantError.from(error, 'MODEL_UNAVAILABLE')
      if (problem.code === 'CANCELLED') throw problem
      return { hits: byWords.slice(0, limit), problem }
    }
  }

  #nearest(vector: Float32Array, filter: ((id: string) => boolean) | undefined): readonly string[] {
    const near: { readonly id: string; readonly likeness: number }[] = []
    for (const [id, other] of this.#vectors) if (filter === undefined || filter(id)) near.push({ id, likeness: dot(vector, other) })
    return near
      .sort((a, b) => b.likeness - a.likeness || (a.id < b.id ? -1 : 1))
      .slice(0, DEPTH)
      .map(({ id }) => id)
  }

  #fuse(byWords: readonly SearchHit[], byMeaning: readonly string[], limit: number): readonly SearchHit[] {
    const fused = new Map<string, SearchHit>()
    for (const [rank, hit] of byWords.entries()) fused.set(hit.id, { ...hit, score: 1 / (FUSION + rank + 1) })
    for (const [rank, id] of byMeaning.entries()) {
      const score = 1 / (FUSION + rank + 1)
      const known = fused.get(id)
      const name = known?.name ?? this.#documents.get(id)?.name
      if (name !== undefined) fused.set(id, { id, name, why: known?.why ?? [], score: (known?.score ?? 0) + score })
    }
    return [...fused.values()]
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1))
      .slice(0, limit)
  }
}

function textOf({ name, title, description }: SearchDocument): string {
  return `${title ?? name.replaceAll(/[_.-]+/g, ' ')}: ${description}`.slice(0, MOST_CHARACTERS)
}

function unit(vector: Float32Array): Float32Array {
  let square = 0
  for (const value of vector) square += value * value
  return square === 0 ? vector : vector.map((value) => value / Math.sqrt(square))
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
