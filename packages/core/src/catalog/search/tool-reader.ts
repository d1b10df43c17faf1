/** Owns how much each word counts in one tool: the sum over its fields, saturated. Arrays are kept from tool to tool. */
import { type Lexicon, TermBuffer } from './lexicon.ts'
import { FIELD_BIT, type FieldName, type Ranking } from './ranking.ts'
import { readSchemaText } from './schema-text.ts'
import type { SearchDocument } from './search-document.ts'

/** Characters read of one field of one tool. */
const MOST_FIELD_CHARACTERS = 24_000

export class ToolReader {
  readonly #ranking: Ranking
  readonly #buffer = new TermBuffer()
  readonly #seen = new TermBuffer()
  /** By term, for the tool at hand: strength so far, and fields. */
  #strengths = new Float32Array(1 << 12)
  #fields = new Uint8Array(1 << 12)

  constructor(ranking: Ranking) {
    this.#ranking = ranking
  }

  /**
   * Calls `emit` once for each distinct term of the tool.
   *
   * @returns the distinct terms of its name; valid until the next call
   */
  read(document: SearchDocument, lexicon: Lexicon, emit: (term: number, strength: number, fields: number) => void): Uint32Array {
    const schema = readSchemaText(document.inputSchema)
    const seen = this.#seen
    seen.length = 0
    this.#field('name', [document.name], lexicon)
    const named = seen.length
    this.#field('title', [document.title ?? ''], lexicon)
    this.#field('description', [document.description], lexicon)
    this.#field('parameterNames', schema.names, lexicon)
    this.#field('parameterTexts', schema.texts, lexicon)
    this.#field('choices', schema.choices, lexicon)
    this.#field('server', [document.server ?? ''], lexicon)
    this.#field('serverTexts', [document.serverDescription ?? ''], lexicon)
    const { saturation } = this.#ranking
    for (let at = 0; at < seen.length; at++) {
      const term = seen.terms[at] ?? 0
      const sum = this.#strengths[term] ?? 0
      emit(term, (sum * (saturation + 1)) / (sum + saturation), this.#fields[term] ?? 0)
      this.#strengths[term] = 0
      this.#fields[term] = 0
    }
    return seen.terms.subarray(0, named)
  }

  #field(name: FieldName, texts: readonly string[], lexicon: Lexicon): void {
    const buffer = this.#buffer
    buffer.length = 0
    for (const text of texts) if (text !== '') lexicon.scan(text, buffer, true, MOST_FIELD_CHARACTERS)
    if (buffer.length === 0) return
    if (this.#strengths.length < lexicon.size) this.#grow(lexicon.size)
    const { weight, slope, pivot } = this.#ranking.fields[name]
    const share = weight / (1 - slope + (slope * buffer.length) / pivot)
    const bit = FIELD_BIT[name]
    const [strengths, fields] = [this.#strengths, this.#fields]
    for (let at = 0; at < buffer.length; at++) {
      const term = buffer.terms[at] ?? 0
      const before = fields[term] ?? 0
      if (before === 0) this.#seen.push(term, 0, 0)
      strengths[term] = (strengths[term] ?? 0) + share
      fields[term] = before | bit
    }
  }

  #grow(terms: number): void {
    const size = Math.ceil(terms * 1.5)
    const strengths = new Float32Array(size)
    strengths.set(this.#strengths)
    this.#strengths = strengths
    const fields = new Uint8Array(size)
    fields.set(this.#fields)
    this.#fields = fields
  }
}
