import { ToolOutput } from '../contract/tool.ts'

/**
 * Owns keeping what a tool gave back so that nobody who gets it can change it for another: a copy is kept and each reader gets a copy of that. Keeps plain
 * data only (JSON values, dates, and {@link ToolOutput}); what is more than its data, such as an instance of a class or a stream, cannot be given twice and is refused.
 */
export interface KeptValue {
  /** About, in memory. */
  readonly bytes: number
  /** A value of its own for this reader. */
  copy(): unknown
}

/** What an object or a member costs beside its content, about. It also bounds how many there are. */
const NODE_BYTES = 16
const MAX_DEPTH = 200

/** @param maxBytes a larger value is not kept @returns `undefined` when it cannot be kept */
export function keepValue(value: unknown, maxBytes: number): KeptValue | undefined {
  try {
    if (value instanceof ToolOutput) {
      if (Object.getPrototypeOf(value) !== ToolOutput.prototype) return undefined
      const left = measure(value.structured, measure(value.parts, maxBytes, 0), 0)
      if (left < 0) return undefined
      const kept = copyOutput(value)
      return { bytes: maxBytes - left + NODE_BYTES, copy: () => copyOutput(kept) }
    }
    const left = measure(value, maxBytes, 0)
    if (left < 0) return undefined
    const bytes = maxBytes - left
    if (typeof value !== 'object' || value === null) return { bytes, copy: () => value }
    const kept: unknown = structuredClone(value)
    return { bytes, copy: () => structuredClone(kept) }
  } catch {
    // A getter or a proxy that throws: not plain data.
    return undefined
  }
}

function copyOutput(output: ToolOutput): ToolOutput {
  const { parts, isError, structured } = output
  return new ToolOutput(structuredClone(parts), {
    isError,
    ...(structured === undefined ? {} : { structured: structuredClone(structured) }),
  })
}

/** What is left of `budget` bytes; below 0 when it is too much or no plain data. */
function measure(value: unknown, budget: number, depth: number): number {
  if (budget < 0 || depth > MAX_DEPTH) return -1
  const left = budget - NODE_BYTES
  switch (typeof value) {
    case 'string':
      return left - 2 * value.length
    case 'number':
    case 'boolean':
    case 'undefined':
    case 'bigint':
      return left
    case 'object':
      break
    default:
      return -1
  }
  if (value === null || isPlainDate(value)) return left
  return isPlain(value) ? measureMembers(value, left, depth) : -1
}

function measureMembers(value: object, budget: number, depth: number): number {
  let left = budget
  const keys = Object.keys(value)
  // A list with gaps or with members beside its items.
  if (Array.isArray(value) && keys.length !== value.length) return -1
  for (const key of keys) {
    left = measure(Reflect.get(value, key), left - (Array.isArray(value) ? 0 : 2 * key.length), depth + 1)
    if (left < 0) return -1
  }
  return left
}

function isPlain(value: object): boolean {
  if (Object.getOwnPropertySymbols(value).length > 0) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || (Array.isArray(value) && prototype === Array.prototype)
}

function isPlainDate(value: object): boolean {
  return value instanceof Date && Object.getPrototypeOf(value) === Date.prototype && Object.keys(value).length === 0
}
