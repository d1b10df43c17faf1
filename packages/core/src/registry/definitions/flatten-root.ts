import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../contract/index.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { mergeBeside, resolveRef, without } from './schema-refs.ts'

/**
 * Owns the root of a schema for providers that want one plain object there. What the model is shown is wider than the schema,
 * never narrower: admission checks each call against the schema itself, and the note says what was taken out. (A property that
 * only some alternatives describe is shown as they describe it, though the others may have let anything through there: a model
 * is helped by a description, not by "anything".)
 */

export interface FlatRoot {
  readonly schema: JsonObject
  /** For the tool's description: what the plain object no longer says. */
  readonly note?: string
  /** Root members that are gone: references into them must be replaced. */
  readonly removed: ReadonlySet<string>
}

/** Nobody nests alternatives deeper; a chain of references that comes back to itself ends here. */
const MAX_HOPS = 16
const MAX_NOTE = 600

/**
 * Follows a `$ref` at the root and merges the alternatives that a provider refuses there: every property that some alternative
 * knows, required only where all of them require it.
 */
export function flattenRoot(root: JsonObject, refused: ReadonlySet<string>): FlatRoot {
  const followed = follow(root, root)
  const removed = new Set<string>()
  const notes: string[] = []
  let schema = followed
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    const branches = ownValue(schema, keyword)
    if (branches === undefined || !refused.has(keyword)) continue
    removed.add(keyword)
    schema = without(schema, new Set([keyword]))
    if (!Array.isArray(branches)) continue
    const flat = branches.map((branch) => flatBranch(root, branch, MAX_HOPS))
    schema = merge(schema, flat, keyword)
    if (keyword !== 'allOf') notes.push(alternatives(keyword, branches, flat))
  }
  for (const keyword of ['not', 'enum', 'const']) {
    const value = ownValue(schema, keyword)
    if (value === undefined || !refused.has(keyword)) continue
    removed.add(keyword)
    schema = without(schema, new Set([keyword]))
    notes.push(`The arguments must also fit ${clip(JSON.stringify({ [keyword]: value }))}.`)
  }
  return notes.length === 0 ? { schema, removed } : { schema, note: notes.join(' '), removed }
}

function follow(root: JsonObject, node: JsonObject): JsonObject {
  let place = node
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const ref = ownValue(place, '$ref')
    if (typeof ref !== 'string') return place
    const rest = without(place, REF)
    const target = resolveRef(root, ref)
    place = isJsonObject(target) && target !== place ? mergeBeside(target, rest) : rest
  }
  return without(place, REF)
}

const REF: ReadonlySet<string> = new Set(['$ref'])

/** A branch as one plain object; what is no object schema adds nothing. */
function flatBranch(root: JsonObject, branch: JsonValue, hops: number): JsonObject {
  if (!isJsonObject(branch) || hops === 0) return {}
  let flat = follow(root, branch)
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    const inner = ownValue(flat, keyword)
    if (!Array.isArray(inner)) continue
    flat = merge(
      without(flat, new Set([keyword])),
      inner.map((one) => flatBranch(root, one, hops - 1)),
      keyword,
    )
  }
  return flat
}

function merge(base: JsonObject, branches: readonly JsonObject[], keyword: 'allOf' | 'anyOf' | 'oneOf'): JsonObject {
  const properties = new Map<string, JsonValue>(entriesOf(base, 'properties'))
  const shared = new Set<string>()
  for (const branch of branches) {
    for (const [name, schema] of entriesOf(branch, 'properties')) {
      const there = properties.get(name)
      properties.set(name, there === undefined || isTrue(there) ? schema : either(there, schema))
    }
  }
  const lists = branches.map((branch) => requiredOf(branch))
  if (keyword === 'allOf') for (const list of lists) for (const name of list) shared.add(name)
  else for (const name of lists[0] ?? []) if (lists.every((list) => list.includes(name))) shared.add(name)
  const required = [...new Set([...requiredOf(base), ...shared])]
  const closed = branches.length > 0 && branches.every(isClosed)
  const merged = new Map<string, JsonValue>(Object.entries(base))
  // It looked into the branches, which are gone.
  merged.delete('unevaluatedProperties')
  if (properties.size > 0) merged.set('properties', Object.fromEntries(properties))
  if (required.length > 0) merged.set('required', required)
  if (closed && keyword !== 'allOf' && !merged.has('additionalProperties') && !merged.has('patternProperties'))
    merged.set('additionalProperties', false)
  return Object.fromEntries(merged)
}

function isClosed(branch: JsonObject): boolean {
  return ownValue(branch, 'additionalProperties') === false && !Object.hasOwn(branch, 'patternProperties')
}

/** One schema for a property that two branches describe. The marks that tell branches apart (`const`) become one `enum`. */
function either(a: JsonValue, b: JsonValue): JsonValue {
  if (isTrue(b) || canonicalJson(a) === canonicalJson(b)) return a
  const values = [...choicesOf(a), ...choicesOf(b)]
  if (isJsonObject(a) && isJsonObject(b) && choicesOf(a).length > 0 && choicesOf(b).length > 0 && a.type === b.type) {
    const unique = new Map(values.map((value) => [canonicalJson(value), value]))
    return { ...without(a, new Set(['const'])), enum: [...unique.values()] }
  }
  const known = isJsonObject(a) && Object.keys(a).length === 1 && Array.isArray(a.anyOf) ? a.anyOf : [a]
  return known.some((one) => canonicalJson(one) === canonicalJson(b)) ? a : { anyOf: [...known, b] }
}

function choicesOf(schema: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(schema)) return []
  const fixed = ownValue(schema, 'const')
  if (fixed !== undefined) return [fixed]
  const list = ownValue(schema, 'enum')
  return Array.isArray(list) ? list : []
}

function alternatives(keyword: 'anyOf' | 'oneOf', branches: readonly JsonValue[], flat: readonly JsonObject[]): string {
  const sets = flat.map((branch) => requiredOf(branch))
  const many = keyword === 'oneOf' ? 'exactly one' : 'at least one'
  if (sets.length > 0 && sets.every((set) => set.length > 0)) {
    return clip(`Give ${many} of these sets of arguments: ${sets.map((set) => `(${set.join(', ')})`).join(', ')}.`)
  }
  return `The arguments must also fit ${many} of ${clip(JSON.stringify(branches))}.`
}

function requiredOf(schema: JsonObject): readonly string[] {
  const required = ownValue(schema, 'required')
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function entriesOf(schema: JsonObject, key: string): readonly (readonly [string, JsonValue])[] {
  const member = ownValue(schema, key)
  return isJsonObject(member) ? Object.entries(member) : []
}

function isTrue(schema: JsonValue): boolean {
  return schema === true || (isJsonObject(schema) && Object.keys(schema).length === 0)
}

function clip(text: string): string {
  return text.length <= MAX_NOTE ? text : `${text.slice(0, MAX_NOTE).replace(/[\uD800-\uDBFF]$/, '')}…`
}
