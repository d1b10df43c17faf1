import { isJsonObject, type JsonValue, ownValue } from '../../contract/json.ts'

/**
 * Owns the names that rules give to arguments: `path`, `target.path`, or a JSON Pointer `/items/*\/path` in which `*` is each member.
 * In a pointer `~1` is `/`, `~0` is `~` and `~2` is `*`. Only own members are found, so `__proto__` and `constructor` are names like others.
 */

const EACH = Symbol('each')

export type ArgumentPath = readonly (string | typeof EACH)[]

/** @returns undefined when the text is no name of an argument */
export function readArgumentPath(text: string): ArgumentPath | undefined {
  const tokens = text.startsWith('/') ? text.slice(1).split('/') : text.split('.')
  if (text.includes('\0') || tokens.includes('') || tokens[0] === '*') return undefined
  if (!text.startsWith('/')) return tokens.map((token) => (token === '*' ? EACH : token))
  if (tokens.some((token) => /~(?![012])/.test(token))) return undefined
  return tokens.map((token) => (token === '*' ? EACH : token.replaceAll('~2', '*').replaceAll('~1', '/').replaceAll('~0', '~')))
}

/** How an argument is named so that it is found whatever letters its name has. */
export function writeArgumentPath(name: string): string {
  if (/^[\w-]+$/.test(name)) return name
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('*', '~2')}`
}

export interface Found {
  readonly values: readonly JsonValue[]
  /** Some of what the name stands for is not there. */
  readonly missing: boolean
}

const NOTHING: Found = Object.freeze({ values: [], missing: true })

export function findArgument(root: JsonValue, path: ArgumentPath): Found {
  const [first] = path
  if (path.length === 1 && typeof first === 'string') {
    const value = member(root, first)
    return value === undefined ? NOTHING : { values: [value], missing: false }
  }
  let values: readonly JsonValue[] = [root]
  let missing = false
  for (const token of path) {
    const next: JsonValue[] = []
    for (const value of values) {
      if (token === EACH) {
        const members = typeof value === 'object' && value !== null ? Object.values(value) : []
        if (members.length === 0) missing = true
        for (const one of members) next.push(one)
      } else {
        const found = member(value, token)
        if (found === undefined) missing = true
        else next.push(found)
      }
    }
    values = next
  }
  return { values, missing: missing || values.length === 0 }
}

function member(value: JsonValue, key: string): JsonValue | undefined {
  if (isJsonObject(value)) return ownValue(value, key)
  return isList(value) && /^\d{1,15}$/.test(key) ? value[Number(key)] : undefined
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
