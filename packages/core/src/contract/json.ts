/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object. Look-ups go through {@link Object.hasOwn}: keys come from a model and may be `__proto__`. */
export type JsonObject = { readonly [key: string]: JsonValue }

/** A JSON Schema, draft 2020-12: an object, or `true`/`false`. */
export type JsonSchema = JsonObject | boolean

/** True for a plain JSON object (not an array, not null). Does not look inside. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads an own property. Model output decides the key, so inherited names (`constructor`, `__proto__`) must not be found.
 *
 * @example
 * ```ts
 * ownValue({ a: 1 }, 'a') // 1
 * ownValue({ a: 1 }, 'constructor') // undefined
 * ```
 */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
