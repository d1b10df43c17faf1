import type { JsonValue } from '../../../contract/json.ts'

/**
 * Says in what way a value is too much: deeper than `depth` or longer than about `size` letters of JSON. Undefined when it is
 * not. Stops at the limit and does not recurse, so that a hostile value costs no more than an honest one.
 */
export function measureJson(value: JsonValue, limits: { readonly size: number; readonly depth: number }): string | undefined {
  let size = 0
  let level: JsonValue[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.depth) return `nested deeper than ${limits.depth}`
    const next: JsonValue[] = []
    for (const item of level) {
      if (typeof item === 'string') size += item.length + 2
      else if (typeof item !== 'object' || item === null) size += 5
      else {
        for (const [key, member] of Object.entries(item)) {
          size += Array.isArray(item) ? 1 : key.length + 4
          next.push(member)
          if (size > limits.size) break
        }
      }
      if (size > limits.size) return `longer than ${limits.size} letters`
    }
    level = next
  }
  return undefined
}
