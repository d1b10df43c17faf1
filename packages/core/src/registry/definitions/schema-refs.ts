import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../contract/index.ts'

/**
 * Owns references inside one schema document. Only references into the document itself are followed; nothing is ever fetched.
 */

/**
 * What a reference points at, or undefined: `#`, a JSON Pointer (`#/$defs/x`, `#/properties/x`), or an anchor in `$defs`.
 *
 * @example
 * ```ts
 * resolveRef({ $defs: { day: { type: 'string' } } }, '#/$defs/day') // { type: 'string' }
 * ```
 */
export function resolveRef(root: JsonObject, ref: string): JsonValue | undefined {
  if (ref === '#') return root
  if (!ref.startsWith('#')) return undefined
  if (!ref.startsWith('#/')) return findAnchor(root, ref.slice(1))
  let place: JsonValue = root
  for (const token of ref.slice(2).split('/')) {
    const key = decodeToken(token)
    const next: JsonValue | undefined = Array.isArray(place) ? place[Number(key)] : isJsonObject(place) ? ownValue(place, key) : undefined
    if (next === undefined) return undefined
    place = next
  }
  return place
}

/** The first member a pointer goes through, e.g. `$defs`; undefined for `#`, an anchor, or another document. */
export function firstToken(ref: string): string | undefined {
  return ref.startsWith('#/') ? decodeToken(ref.slice(2).split('/', 1)[0] ?? '') : undefined
}

/** One object that says what both say: the members beside a reference win over its target's, as they stand nearer. */
export function mergeBeside(target: JsonObject, siblings: JsonObject): JsonObject {
  const merged = new Map<string, JsonValue>(Object.entries(target))
  for (const [key, value] of Object.entries(siblings)) {
    const there = merged.get(key)
    if (key === 'properties' && isJsonObject(there) && isJsonObject(value)) {
      merged.set(key, Object.fromEntries([...Object.entries(there), ...Object.entries(value)]))
    } else if (key === 'required' && Array.isArray(there) && Array.isArray(value)) {
      merged.set(key, [...new Set([...there, ...value])])
    } else merged.set(key, value)
  }
  return Object.fromEntries(merged)
}

/** The object without these members. */
export function without(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.has(key)))
}

function findAnchor(root: JsonObject, anchor: string): JsonValue | undefined {
  for (const place of ['$defs', 'definitions']) {
    const definitions = ownValue(root, place)
    if (!isJsonObject(definitions)) continue
    for (const definition of Object.values(definitions)) {
      if (isJsonObject(definition) && ownValue(definition, '$anchor') === anchor) return definition
    }
  }
  return undefined
}

function decodeToken(token: string): string {
  let text = token
  try {
    text = decodeURIComponent(token)
  } catch {
    // A stray percent sign stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
