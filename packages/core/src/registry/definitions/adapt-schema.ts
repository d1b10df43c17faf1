import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue, ownValue } from '../../contract/index.ts'
import { flattenRoot } from './flatten-root.ts'
import { firstToken, mergeBeside, resolveRef, without } from './schema-refs.ts'

/**
 * Owns what a provider's API accepts as the schema of a tool's arguments. One schema that it refuses makes it refuse the whole
 * request, so every schema is brought into its form before it is sent. The input is never changed.
 */

export interface SchemaRule {
  /** What may not stand at the root, beside the `type: "object"` that all of them want there. */
  readonly rootRefuses: ReadonlySet<string>
  /**
   * `keep`: references stay as they are. `defs-alone`: only `{"$ref": "#/$defs/…"}` with nothing beside it; anything else is
   * replaced by what it points at.
   */
  readonly refs: 'keep' | 'defs-alone'
  /** An array without `items` is refused. */
  readonly wantsItems: boolean
  /** `const` is not known there: it is written as an `enum` of one. */
  readonly constAsEnum?: boolean
  /** What a property at the root may be called; others are left out and named in the note. */
  readonly propertyName?: RegExp
}

export interface AdaptedSchema {
  readonly schema: JsonObject
  /** What the schema could not say in this form, for the tool's description. */
  readonly note?: string
}

/** A schema of this many nodes costs more to send than any tool is worth; what lies beyond is shown as "anything". */
const MAX_NODES = 20_000
const MAX_DEPTH = 100

/**
 * Makes the adapter of one provider. Results are kept for as long as the schema object lives, as the same definitions are sent
 * with every request.
 */
export function schemaAdapter(rule: SchemaRule): (schema: JsonSchema) => AdaptedSchema {
  const known = new WeakMap<JsonObject, AdaptedSchema>()
  return (schema) => {
    if (typeof schema === 'boolean') return schema ? ANYTHING : NOTHING
    let adapted = known.get(schema)
    if (adapted === undefined) {
      adapted = adapt(schema, rule)
      known.set(schema, adapted)
    }
    return adapted
  }
}

const ANYTHING: AdaptedSchema = { schema: { type: 'object', properties: {} } }
const NOTHING: AdaptedSchema = { schema: { type: 'object', properties: {}, additionalProperties: false } }

function adapt(root: JsonObject, rule: SchemaRule): AdaptedSchema {
  const flat = flattenRoot(root, rule.rootRefuses)
  const walker = new Walker(root, rule, flat.removed)
  const walked = walker.walk(without(flat.schema, ROOT_ONLY), 0)
  const named = nameProperties({ type: 'object', properties: {}, ...(isJsonObject(walked) ? walked : {}) }, rule.propertyName)
  const notes = [flat.note, named.note].filter((note) => note !== undefined)
  const schema: JsonObject = { ...named.schema, type: 'object' }
  return notes.length === 0 ? { schema } : { schema, note: notes.join(' ') }
}

/** `$schema` names a dialect that the provider does not look up, or refuses. */
const ROOT_ONLY: ReadonlySet<string> = new Set(['$schema'])

function nameProperties(schema: JsonObject, allowed: RegExp | undefined): AdaptedSchema {
  const properties = ownValue(schema, 'properties')
  if (!isJsonObject(properties)) return { schema: { ...schema, properties: {} } }
  if (allowed === undefined) return { schema }
  const refused = Object.entries(properties).filter(([name]) => !allowed.test(name))
  if (refused.length === 0) return { schema }
  const names = new Set(refused.map(([name]) => name))
  const required = ownValue(schema, 'required')
  const rest = without(schema, new Set(['additionalProperties', 'required']))
  return {
    schema: {
      ...rest,
      properties: without(properties, names),
      ...(Array.isArray(required) ? { required: required.filter((name) => typeof name === 'string' && !names.has(name)) } : {}),
    },
    note: `It also takes these arguments: ${clip(JSON.stringify(Object.fromEntries(refused)))}.`,
  }
}

function clip(text: string): string {
  return text.length <= 1_000 ? text : `${text.slice(0, 1_000).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const ONE_SCHEMA: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
])
const LIST_OF_SCHEMAS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const MAP_OF_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const REF: ReadonlySet<string> = new Set(['$ref'])

/** One pass over one schema; a new one for each, as it counts nodes and remembers which references are open. */
class Walker {
  readonly #root: JsonObject
  readonly #rule: SchemaRule
  readonly #removed: ReadonlySet<string>
  readonly #open = new Set<string>()
  #nodes = 0

  constructor(root: JsonObject, rule: SchemaRule, removed: ReadonlySet<string>) {
    this.#root = root
    this.#rule = rule
    this.#removed = removed
  }

  walk(node: JsonValue, depth: number): JsonValue {
    if (typeof node === 'boolean') return this.#rule.refs === 'keep' || !node ? node : {}
    if (!isJsonObject(node) || ++this.#nodes > MAX_NODES || depth > MAX_DEPTH) return {}
    const ref = ownValue(node, '$ref')
    if (typeof ref === 'string' && !this.#mayStay(node, ref)) return this.#inline(node, ref, depth)
    const out: [string, JsonValue][] = []
    for (const [key, value] of Object.entries(modern(node))) {
      if (key !== 'const' || this.#rule.constAsEnum !== true || Object.hasOwn(node, 'enum'))
        out.push([key, this.#member(key, value, depth)])
    }
    const fixed = this.#rule.constAsEnum === true && !Object.hasOwn(node, 'enum') ? ownValue(node, 'const') : undefined
    if (fixed !== undefined) out.push(['enum', [fixed]])
    if (this.#rule.wantsItems && allowsArray(node) && !Object.hasOwn(node, 'items')) out.push(['items', {}])
    return Object.fromEntries(out)
  }

  #member(key: string, value: JsonValue, depth: number): JsonValue {
    if (ONE_SCHEMA.has(key)) return typeof value === 'boolean' ? value : this.walk(value, depth + 1)
    if (LIST_OF_SCHEMAS.has(key) && Array.isArray(value)) return value.map((one) => this.walk(one, depth + 1))
    if (MAP_OF_SCHEMAS.has(key) && isJsonObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.walk(one, depth + 1)]))
    }
    return value
  }

  #mayStay(node: JsonObject, ref: string): boolean {
    const first = firstToken(ref)
    if (first !== undefined && this.#removed.has(first)) return false
    if (this.#rule.refs === 'keep') return true
    return first === '$defs' && Object.keys(node).every((key) => key.startsWith('$')) && resolveRef(this.#root, ref) !== undefined
  }

  #inline(node: JsonObject, ref: string, depth: number): JsonValue {
    const rest = without(node, REF)
    const target = resolveRef(this.#root, ref)
    if (this.#open.has(ref) || !isJsonObject(target)) {
      // A schema inside itself cannot be written out. Alone, a definition may be pointed at; else it is shown as "anything".
      const alone = this.#open.has(ref) && firstToken(ref) === '$defs'
      return alone ? { $ref: ref } : this.walk(rest, depth + 1)
    }
    this.#open.add(ref)
    const inlined = this.walk(mergeBeside(target, rest), depth + 1)
    this.#open.delete(ref)
    return inlined
  }
}

/** Older drafts' spellings in that of 2020-12: lists of `items`, and bounds that were switched on by a boolean. */
function modern(node: JsonObject): JsonObject {
  const list = Array.isArray(node.items) ? node.items : undefined
  const bounds = [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const
  const old = bounds.filter(([exclusive]) => typeof node[exclusive] === 'boolean')
  if (list === undefined && old.length === 0) return node
  const changed = new Map<string, JsonValue>(Object.entries(node))
  if (list !== undefined) {
    changed.set('prefixItems', list)
    changed.set('items', node.additionalItems ?? {})
    changed.delete('additionalItems')
  }
  for (const [exclusive, plain] of old) {
    const limit = node[plain]
    changed.delete(exclusive)
    if (node[exclusive] === true && typeof limit === 'number') {
      changed.delete(plain)
      changed.set(exclusive, limit)
    }
  }
  return Object.fromEntries(changed)
}

function allowsArray(node: JsonObject): boolean {
  return node.type === 'array' || (Array.isArray(node.type) && node.type.includes('array'))
}
