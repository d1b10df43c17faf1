import { AdjutantError } from '../contract/errors.ts'
import { isJsonObject, type JsonObject, type JsonSchema, ownValue } from '../contract/json.ts'
import { clippedJson, isJsonArray, isLargerThan, pointerToken } from './json-shape.ts'
import { plainTypes } from './type-names.ts'

/**
 * Owns the reading of schemas as they are found in the world: older drafts, OpenAPI 3.0, generators that write `null` for "not
 * said". Gives a copy in the words of the draft that the schema is written in; the meaning is kept, only what no draft knows
 * is reread, and only where there is one way to read it.
 *
 * Refuses (TOOL_INVALID, with the place): nesting or size beyond the limits, cycles, a type nobody knows.
 * Pure: never touches the schema it is given.
 */

export type SchemaDialect = 'draft-07' | '2019-09' | '2020-12'

/** Levels a schema may be nested. Ours: ten times the deepest tool schema we have met, well inside any stack. */
const MAX_SCHEMA_DEPTH = 256
/** Values one schema may consist of. Ours: a megabyte or two of JSON text; compiling takes about 10 µs for each. */
const MAX_SCHEMA_VALUES = 100_000

export interface NormalisedSchema {
  readonly schema: JsonSchema
  readonly dialect: SchemaDialect
  /** Where each subschema object of `schema` stands, as a JSON Pointer. */
  readonly pointers: WeakMap<object, string>
  /** Alternatives of the `anyOf`/`oneOf` that has most: each may tell of every fault once. */
  readonly widestUnion: number
  /** It refers to a meta-schema of json-schema.org, which must be at hand then. */
  readonly usesMetaSchema: boolean
  /** An object or a list is among the values of a `const` or `enum`. */
  readonly comparesObjects: boolean
}

/** Keywords that hold a map of subschemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords that hold a list of subschemas. */
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
/** Keywords that hold one subschema. */
const SINGLES: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])
/** Values, not schemas: taken as they are. `null` means something in these. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'example'])
/** `$async` would make the compiled check answer with a promise, which is always truthy; `id` and `nullable` are no words of these drafts. */
const DROPPED: ReadonlySet<string> = new Set(['$async', '$schema', 'id', 'nullable'])
/** Annotations and their types: a wrong one harms nobody, so it is left out instead of refused. */
const ANNOTATIONS: Readonly<Record<string, string>> = {
  title: 'string',
  description: 'string',
  $comment: 'string',
  format: 'string',
  contentMediaType: 'string',
  contentEncoding: 'string',
  deprecated: 'boolean',
  readOnly: 'boolean',
  writeOnly: 'boolean',
}

/** Words that only 2019-09 and later have. */
const MODERN =
  /^(?:prefixItems|\$defs|\$anchor|\$dynamicRef|\$dynamicAnchor|dependentSchemas|dependentRequired|unevaluated\w+|minContains|maxContains)$/

/** @throws AdjutantError TOOL_INVALID naming the place */
export function normaliseSchema(schema: JsonSchema): NormalisedSchema {
  const pointers = new WeakMap<object, string>()
  if (typeof schema === 'boolean')
    return { schema, dialect: '2020-12', pointers, widestUnion: 1, usesMetaSchema: false, comparesObjects: false }
  if (!isJsonObject(schema)) throw invalid('', `a schema is an object, true or false, not ${clippedJson(schema)}`)
  if (isLargerThan(schema, MAX_SCHEMA_DEPTH, MAX_SCHEMA_VALUES)) {
    throw invalid('', `it is nested deeper than ${MAX_SCHEMA_DEPTH} levels, has more than ${MAX_SCHEMA_VALUES} values, or contains itself`)
  }
  const dialect = dialectOf(schema)
  const reader = new SchemaReader(dialect, pointers)
  const copy = reader.object(schema, '')
  const { widestUnion, usesMetaSchema, comparesObjects } = reader
  return { schema: copy, dialect, pointers, widestUnion, usesMetaSchema, comparesObjects }
}

export function invalid(pointer: string, problem: string, cause?: unknown): AdjutantError {
  const place = pointer === '' ? 'its inputSchema' : `its inputSchema at ${clippedJson(pointer, 160).slice(1, -1)}`
  return new AdjutantError('TOOL_INVALID', `${place}: ${problem}`, { cause })
}

class SchemaReader {
  readonly #dialect: SchemaDialect
  readonly #pointers: WeakMap<object, string>
  usesMetaSchema = false
  widestUnion = 1
  comparesObjects = false

  constructor(dialect: SchemaDialect, pointers: WeakMap<object, string>) {
    this.#dialect = dialect
    this.#pointers = pointers
  }

  object(schema: JsonObject, pointer: string): JsonObject {
    const entries: [string, unknown][] = []
    for (const [key, value] of Object.entries(this.#reread(schema, pointer))) {
      const kept = this.#keyword(key, value, `${pointer}/${pointerToken(key)}`)
      if (kept !== undefined) entries.push([key, kept])
    }
    // fromEntries defines own members, so a key `__proto__` stays a key.
    const copy: unknown = Object.fromEntries(entries)
    if (!isJsonObject(copy)) throw invalid(pointer, 'it is no object')
    this.#pointers.set(copy, pointer)
    return copy
  }

  #keyword(key: string, value: unknown, pointer: string): unknown {
    if (value === undefined || DROPPED.has(key)) return undefined
    if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
      throw invalid(pointer, `a ${typeof value} cannot stand in a schema`)
    }
    if (VALUES.has(key)) {
      if (key === 'enum' && value === null) return undefined
      if (key === 'const' || (key === 'enum' && isJsonArray(value))) this.comparesObjects ||= holdsObject(key === 'const' ? [value] : value)
      // One example without a list around it.
      if (key === 'examples' && !Array.isArray(value)) return [value]
      return value
    }
    if (value === null) return undefined
    if (Object.hasOwn(ANNOTATIONS, key)) return typeof value === ANNOTATIONS[key] ? value : undefined
    if (key === '$ref' && typeof value === 'string' && /^https?:\/\/json-schema\.org\//.test(value)) this.usesMetaSchema = true
    if (MAPS.has(key)) return this.#map(value, pointer)
    if ((key === 'anyOf' || key === 'oneOf') && isJsonArray(value)) this.widestUnion = Math.max(this.widestUnion, value.length)
    if (LISTS.has(key)) return this.#list(value, pointer)
    if (SINGLES.has(key)) return Array.isArray(value) ? this.#list(value, pointer) : this.#single(value, pointer)
    if (key === 'dependencies') return this.#map(value, pointer)
    return value
  }

  #single(value: unknown, pointer: string): unknown {
    return isJsonObject(value) ? this.object(value, pointer) : value
  }

  #list(value: unknown, pointer: string): unknown {
    return Array.isArray(value) ? value.map((item: unknown, index) => this.#single(item, `${pointer}/${index}`)) : value
  }

  #map(value: unknown, pointer: string): unknown {
    // PHP writes an empty map as an empty list.
    if (Array.isArray(value) && value.length === 0) return {}
    if (!isJsonObject(value)) return value
    const entries: [string, unknown][] = []
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) entries.push([key, this.#single(item, `${pointer}/${pointerToken(key)}`)])
    }
    return Object.fromEntries(entries)
  }

  /** Rereads what older drafts and OpenAPI 3.0 say in other words. */
  #reread(schema: JsonObject, pointer: string): Readonly<Record<string, unknown>> {
    const changed: Record<string, unknown> = { ...schema }
    const types = plainTypes(schema)
    if ('unknown' in types) throw invalid(`${pointer}/type`, `nobody knows the type ${clippedJson(types.unknown)}`)
    changed.type = types.type
    for (const [limit, exclusive] of [
      ['minimum', 'exclusiveMinimum'],
      ['maximum', 'exclusiveMaximum'],
    ] as const) {
      if (typeof changed[exclusive] !== 'boolean') continue
      changed[exclusive] = changed[exclusive] === true && typeof changed[limit] === 'number' ? changed[limit] : undefined
    }
    changed.required = requiredNames(schema)
    if (isJsonArray(changed.enum) && changed.enum.length === 0) {
      // Nothing fits an empty list of choices; the compiler wants it said otherwise.
      changed.enum = undefined
      changed.not = {}
    }
    withReachableProto(schema, changed)
    if (this.#dialect === '2020-12' && Array.isArray(schema.items)) {
      changed.prefixItems = schema.prefixItems ?? schema.items
      changed.items = schema.additionalItems
      changed.additionalItems = undefined
    }
    return changed
  }
}

function holdsObject(values: unknown): boolean {
  return isJsonArray(values) && values.some((value) => typeof value === 'object' && value !== null)
}

/** The compiler looks at no property named `__proto__`; the same name as a pattern it does look at. */
function withReachableProto(schema: JsonObject, changed: Record<string, unknown>): void {
  const properties = ownValue(schema, 'properties')
  const proto = isJsonObject(properties) ? ownValue(properties, '__proto__') : undefined
  if (!isJsonObject(properties) || proto === undefined) return
  const patterns = ownValue(schema, 'patternProperties')
  changed.properties = Object.fromEntries(Object.entries(properties).filter(([name]) => name !== '__proto__'))
  changed.patternProperties = { ...(isJsonObject(patterns) ? patterns : {}), '^__proto__$': proto }
}

/** Also reads `required: true` of draft 3, which stands on the property itself. */
function requiredNames(schema: JsonObject): unknown {
  const own = Object.hasOwn(schema, 'required') ? schema.required : undefined
  const properties = Object.hasOwn(schema, 'properties') ? schema.properties : undefined
  const marked = isJsonObject(properties)
    ? Object.keys(properties).filter((name) => {
        const property = properties[name]
        return isJsonObject(property) && Object.hasOwn(property, 'required') && property.required === true
      })
    : []
  if (Array.isArray(own)) return [...new Set<unknown>([...own, ...marked])]
  if (own === undefined || own === null || typeof own === 'boolean') return marked.length > 0 ? marked : undefined
  return own
}

function dialectOf(schema: JsonObject): SchemaDialect {
  const named = Object.hasOwn(schema, '$schema') ? schema.$schema : undefined
  if (typeof named === 'string') {
    if (/draft-0[3467]/.test(named)) return 'draft-07'
    if (named.includes('2019-09')) return '2019-09'
    if (named.includes('2020-12')) return '2020-12'
  }
  const words = new Set<string>()
  collectWords(schema, words)
  // `definitions` alone says nothing: references into it work in every draft.
  return words.has('items[]') && !words.has('modern') ? 'draft-07' : '2020-12'
}

/** Notes whether a schema that does not name its draft uses words of only some of them. */
function collectWords(value: unknown, words: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectWords(item, words)
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (key === 'items' && Array.isArray(member)) words.add('items[]')
      else if (MODERN.test(key)) words.add('modern')
      if (!VALUES.has(key)) collectWords(member, words)
    }
  }
}
