import { hash } from 'node:crypto'
import { type Digest, digest } from '../contract/ids.ts'

/**
 * One text for equal JSON values: keys sorted by UTF-16 code units, no white space, `undefined` members left out
 * (RFC 8785, save that numbers are written by JSON.stringify, which is the same for every finite double).
 * @throws TypeError for a value that is not JSON (a cycle, a bigint, a function)
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0)
}

const MAX_DEPTH = 2_000

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new TypeError(`nested deeper than ${MAX_DEPTH}`)
  if (value === null) return 'null'
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return JSON.stringify(value)
    case 'object':
      break
    default:
      throw new TypeError(`a ${typeof value} is not JSON`)
  }
  if (Array.isArray(value)) return `[${value.map((item) => (item === undefined ? 'null' : write(item, depth + 1))).join(',')}]`
  const members: string[] = []
  for (const [key, member] of Object.entries(value).sort(byKey)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${write(member, depth + 1)}`)
  }
  return `{${members.join(',')}}`
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0
}

/** SHA-256 over {@link canonicalJson}. */
export function digestOf(value: unknown): Digest {
  return digest(`sha256:${hash('sha256', canonicalJson(value))}`)
}
