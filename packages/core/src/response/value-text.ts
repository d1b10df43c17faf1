import { isUtf8 } from 'node:buffer'

/**
 * Owns: the text of whatever value a tool gives back. JSON where it is JSON; for what JSON would drop, empty or refuse (a Map, an
 * Error, a bigint, a cycle, bytes) something that says what it was. Never throws: values come from code nobody here wrote, with
 * getters and `toJSON` of their own.
 */

/** Deeper than any data made for reading; bounds the recursion. */
const MAX_DEPTH = 100

/** What the model reads when there was nothing to give back. */
export const NO_OUTPUT = '(no output)'

/**
 * @param roomy above this many characters JSON is written with a line for each member, so that it can be clipped and paged by lines
 * @example
 * ```ts
 * valueText({ rows: 2n }, 8000) // '{"rows":"2"}'
 * valueText(undefined, 8000) // '(no output)'
 * ```
 */
export function valueText(value: unknown, roomy: number): string {
  switch (typeof value) {
    case 'string':
      return value === '' ? NO_OUTPUT : value
    case 'undefined':
      return NO_OUTPUT
    case 'object':
      return value === null ? NO_OUTPUT : objectText(value, roomy)
    case 'number':
      return Object.is(value, -0) ? '0' : String(value)
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'symbol':
      return `[${String(value)}]`
    case 'function':
      return functionText(value)
    default:
      return NO_OUTPUT
  }
}

function objectText(value: object, roomy: number): string {
  try {
    if (value instanceof Uint8Array) return bytesText(value)
    if (value instanceof Date) return dateText(value)
    if (value instanceof Error) return errorText(value)
    const json = isPlain(value) ? value : jsonable(value, new Set())
    if (typeof json === 'string') return json
    const text = JSON.stringify(json)
    return text.length > roomy ? JSON.stringify(json, undefined, 1) : text
  } catch (error) {
    return `(a value that cannot be written as text: ${reasonOf(error)})`
  }
}

function isPlain(value: object): boolean {
  try {
    return isPlainJson(value, 0)
  } catch {
    // A getter or a proxy that throws: the careful way names the member.
    return false
  }
}

/** True when JSON.stringify gives all of it as it is. Much cheaper than a replacer, and nearly always true. */
function isPlainJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      break
    default:
      return false
  }
  if (value === null) return true
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isPlainJson(item, depth + 1)) return false
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return false
  for (const member of Object.values(value)) if (member !== undefined && !isPlainJson(member, depth + 1)) return false
  return true
}

/** A copy that JSON can carry. `above` holds the objects this one is inside of. */
function jsonable(value: unknown, above: Set<object>): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return String(value)
    case 'symbol':
      return `[${String(value)}]`
    case 'function':
      return functionText(value)
    case 'object':
      break
    default:
      return undefined
  }
  if (value === null) return null
  if (above.has(value)) return '[circular]'
  if (above.size >= MAX_DEPTH) return `[nested deeper than ${MAX_DEPTH}]`
  above.add(value)
  try {
    return objectJsonable(value, above)
  } catch (error) {
    return `[unreadable: ${reasonOf(error)}]`
  } finally {
    above.delete(value)
  }
}

function objectJsonable(value: object, above: Set<object>): unknown {
  if (value instanceof Uint8Array) return bytesText(value)
  if (value instanceof Date) return dateText(value)
  if (value instanceof Error) return errorText(value)
  if (value instanceof Set) return Array.from(value, (item) => jsonable(item, above))
  if (value instanceof Map) return mapJsonable(value, above)
  if (value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.map((item: unknown) => jsonable(item, above) ?? null)
  if (ArrayBuffer.isView(value) && Symbol.iterator in value && typeof value[Symbol.iterator] === 'function') {
    return Array.from(typedArrayItems(value), (item) => jsonable(item, above))
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const json: unknown = value.toJSON()
    if (json !== value) return jsonable(json, above)
  }
  const copy: [string, unknown][] = []
  for (const key of Object.keys(value)) copy.push([key, member(value, key, above)])
  return Object.fromEntries(copy)
}

function* typedArrayItems(view: ArrayBufferView): Iterable<unknown> {
  if (!('length' in view) || typeof view.length !== 'number') return
  for (let index = 0; index < view.length; index++) yield Reflect.get(view, index)
}

function member(value: object, key: string, above: Set<object>): unknown {
  try {
    return jsonable(Reflect.get(value, key), above)
  } catch (error) {
    return `[unreadable: ${reasonOf(error)}]`
  }
}

function mapJsonable(map: ReadonlyMap<unknown, unknown>, above: Set<object>): unknown {
  const keys = [...map.keys()]
  if (keys.every((key) => typeof key === 'string')) {
    return Object.fromEntries(Array.from(map, ([key, item]) => [String(key), jsonable(item, above)]))
  }
  return Array.from(map, ([key, item]) => [jsonable(key, above) ?? null, jsonable(item, above) ?? null])
}

function bytesText(bytes: Uint8Array): string {
  if (bytes.byteLength === 0) return NO_OUTPUT
  if (isUtf8(bytes) && !bytes.includes(0)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return `[${bytes.byteLength} bytes that are not text]`
}

function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'Invalid Date' : date.toISOString()
}

function errorText(error: Error): string {
  return error.message === '' ? error.name : `${error.name}: ${error.message}`
}

function functionText(value: { readonly name: string }): string {
  return value.name === '' ? '[function]' : `[function ${value.name}]`
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it threw something that is no Error'
}
