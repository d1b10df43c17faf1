import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../contract/json.ts'

/**
 * Small questions about JSON values that every file of admission asks. Nothing here changes a value.
 */

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'

/** The type word a person would use; `integer` for a whole number. */
export function jsonTypeOf(value: unknown): JsonType | 'undefined' {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number'
    case 'boolean':
      return 'boolean'
    case 'object':
      return 'object'
    default:
      return 'undefined'
  }
}

/** True when a value of type `actual` satisfies the schema word `wanted` (an integer is a number). */
export function typeFits(wanted: string, actual: string): boolean {
  return wanted === actual || (wanted === 'number' && actual === 'integer')
}

/** `Array.isArray` that keeps `readonly`. */
export function isJsonArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value)
}

/** The types that the `type` keyword names; empty when it names none. */
export function schemaTypes(schema: JsonObject): readonly string[] {
  const type = Object.hasOwn(schema, 'type') ? schema.type : undefined
  if (typeof type === 'string') return [type]
  return isJsonArray(type) ? type.filter((word) => typeof word === 'string') : []
}

/** One reference token of a JSON Pointer (RFC 6901). */
export function pointerToken(key: string | number): string {
  return typeof key === 'number' ? String(key) : key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The keys of a JSON Pointer, unescaped. */
export function pointerKeys(pointer: string): readonly string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** What a JSON Pointer points at; own members only. `undefined` when there is nothing. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value: unknown = root
  for (const key of pointerKeys(pointer)) {
    if (isJsonArray(value)) value = /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined
    else if (isJsonObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined
    else return undefined
  }
  return value
}

/**
 * Follows a `$ref` inside the schema it stands in (`#` or `#/…`).
 * Gives the schema and its JSON Pointer, or nothing for any other form of reference.
 */
export function followReference(
  root: JsonSchema,
  reference: string,
): { readonly schema: JsonSchema; readonly pointer: string } | undefined {
  if (!reference.startsWith('#')) return undefined
  let pointer = reference.slice(1)
  try {
    pointer = decodeURIComponent(pointer)
  } catch {
    return undefined
  }
  if (pointer !== '' && !pointer.startsWith('/')) return undefined
  const schema = valueAt(root, pointer)
  return isSchema(schema) ? { schema, pointer } : undefined
}

/** True when the value is nested deeper than `depth` levels. Its own recursion never goes deeper than that. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (typeof item === 'object' && item !== null && isDeeperThan(item, depth - 1)) return true
    }
    return false
  }
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && isDeeperThan(member, depth - 1)) return true
  }
  return false
}

/** True when there are more than `limit` values in it, itself included. Call it only on what is not too deep. */
export function hasMoreValuesThan(value: unknown, limit: number): boolean {
  return valuesLeft(value, Number.POSITIVE_INFINITY, limit) < 0
}

/**
 * True when the value is nested deeper than `depth` levels or has more than `limit` values in it. Ends after `limit` steps also
 * for objects that share or contain themselves, where looking at the depth alone could take for ever.
 */
export function isLargerThan(value: unknown, depth: number, limit: number): boolean {
  return valuesLeft(value, depth, limit) < 0
}

function valuesLeft(value: unknown, depth: number, limit: number): number {
  let left = limit - 1
  if (left < 0 || typeof value !== 'object' || value === null) return left
  if (depth === 0) return -1
  for (const member of Object.values(value)) {
    left = valuesLeft(member, depth - 1, left)
    if (left < 0) return left
  }
  return left
}

/** JSON text of at most `limit` characters, for messages; never cuts a surrogate pair. */
export function clippedJson(value: unknown, limit = 80): string {
  if (typeof value === 'string' && value.length > limit) return `${JSON.stringify(cut(value, limit))}… (${value.length} characters)`
  if (isJsonArray(value) && value.length > limit) return `[… ${value.length} items]`
  const text = JSON.stringify(value, boundedReplacer(limit)) ?? String(value)
  return text.length <= limit + 2 ? text : `${cut(text, limit)}…`
}

/** Keeps JSON.stringify from writing megabytes of which a line is shown. */
function boundedReplacer(limit: number): (key: string, value: unknown) => unknown {
  let left = limit
  return (_key, value) => {
    left--
    if (left < 0 && typeof value === 'object' && value !== null) return '…'
    if (typeof value === 'string' && value.length > limit) return `${cut(value, limit)}…`
    if (Array.isArray(value) && value.length > limit) return value.slice(0, limit)
    if (isJsonObject(value)) {
      const keys = Object.keys(value)
      if (keys.length > limit) return Object.fromEntries(keys.slice(0, limit).map((key) => [key, value[key]]))
    }
    return value
  }
}

function cut(text: string, limit: number): string {
  const last = text.charCodeAt(limit - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit)
}
