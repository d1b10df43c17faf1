import type { JsonObject } from '../contract/json.ts'
import { isJsonArray } from './json-shape.ts'

/**
 * Type words that are no words of JSON Schema but stand in the `type` of published tools, and the JSON type each one means.
 * Compared in lower case. A word that could mean two things is not here: it is refused with its place.
 */
const MEANING: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['str', 'string'],
  ['text', 'string'],
  ['char', 'string'],
  ['date', 'string'],
  ['time', 'string'],
  ['datetime', 'string'],
  ['date-time', 'string'],
  ['uuid', 'string'],
  ['uri', 'string'],
  ['url', 'string'],
  ['email', 'string'],
  ['integer', 'integer'],
  ['int', 'integer'],
  ['int32', 'integer'],
  ['int64', 'integer'],
  ['long', 'integer'],
  ['short', 'integer'],
  ['number', 'number'],
  ['float', 'number'],
  ['double', 'number'],
  ['decimal', 'number'],
  ['boolean', 'boolean'],
  ['bool', 'boolean'],
  ['array', 'array'],
  ['list', 'array'],
  ['arraylist', 'array'],
  ['tuple', 'array'],
  ['object', 'object'],
  ['dict', 'object'],
  ['map', 'object'],
  ['hashmap', 'object'],
  ['null', 'null'],
  ['none', 'null'],
])

/** Words that limit nothing by themselves. */
const ANYTHING: ReadonlySet<string> = new Set(['', 'any', 'enum'])

export type PlainTypes = { readonly type: string | readonly string[] | undefined } | { readonly unknown: unknown }

/**
 * Reads `type` (and OpenAPI's `nullable`) of one schema object.
 *
 * @example
 * ```ts
 * plainTypes({ type: 'dict' }) // { type: 'object' }
 * plainTypes({ type: 'STRING', nullable: true }) // { type: ['string', 'null'] }
 * plainTypes({ type: 'blob' }) // { unknown: 'blob' }
 * ```
 */
export function plainTypes(schema: JsonObject): PlainTypes {
  const written = Object.hasOwn(schema, 'type') ? schema.type : undefined
  if (written === undefined || written === null) return { type: undefined }
  const words = isJsonArray(written) ? written : [written]
  const types = new Set<string>()
  for (const word of words) {
    if (typeof word !== 'string') return { unknown: word }
    // "DATE (YYYY-MM-DD)": the word, then how to write it.
    const plain = word
      .trim()
      .toLowerCase()
      .replace(/ \(.*\)$/, '')
    if (ANYTHING.has(plain)) return { type: undefined }
    const meant = MEANING.get(plain)
    if (meant === undefined) return { unknown: word }
    types.add(meant)
  }
  if (types.size === 0) return { unknown: written }
  if (Object.hasOwn(schema, 'nullable') && schema.nullable === true) types.add('null')
  const [first, ...others] = types
  return { type: others.length === 0 ? first : [...types] }
}
