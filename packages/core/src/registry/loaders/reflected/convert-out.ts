import { Buffer } from 'node:buffer'
import { AdjutantError, ToolOutput } from '../../../contract/index.ts'
import { setOwn } from '../../../util/set-own.ts'

/**
 * Owns the way back: what a typed function gave becomes what JSON can carry. Date → ISO 8601, bigint → digits, bytes → base64,
 * URL → its address, Set → list, Map → object. Anything else is handed on as it is, and what holds nothing to change is not
 * copied.
 *
 * @throws AdjutantError TOOL_FAILED for a result that holds itself, or is nested deeper than {@link MAX_DEPTH}
 */
export function convertOut(value: unknown): unknown {
  return convert(value, 0, new Set())
}

/** As deep as arguments may be. */
const MAX_DEPTH = 256

function convert(value: unknown, depth: number, above: Set<object>): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null || value instanceof ToolOutput) return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
  if (value instanceof URL) return value.href
  if (depth > MAX_DEPTH || above.has(value)) {
    throw new AdjutantError('TOOL_FAILED', above.has(value) ? 'the result holds itself' : `the result is nested deeper than ${MAX_DEPTH}`, {
      hint: 'The function has to give back plain data.',
    })
  }
  above.add(value)
  const converted = inside(value, depth + 1, above)
  above.delete(value)
  return converted
}

function inside(value: object, depth: number, above: Set<object>): unknown {
  if (value instanceof Set) return Array.from(value, (item) => convert(item, depth, above))
  if (value instanceof Map) {
    const object: Record<string, unknown> = {}
    for (const [key, item] of value) setOwn(object, nameOf(key), convert(item, depth, above))
    return object
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => convert(item, depth, above))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object of a class knows itself how it is written.
  if ('toJSON' in value && typeof value.toJSON === 'function' && prototype !== Object.prototype) return value
  let changed = false
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const converted = convert(item, depth, above)
    changed ||= converted !== item
    return [name, converted]
  })
  if (!changed) return value
  const object: Record<string, unknown> = {}
  for (const [name, item] of entries) setOwn(object, name, item)
  return object
}

function nameOf(key: unknown): string {
  if (key instanceof Date) return key.toISOString()
  return typeof key === 'object' && key !== null ? JSON.stringify(key) : String(key)
}
