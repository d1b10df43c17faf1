import type { JsonValue } from '../contract/json.ts'
import { setOwn } from '../util/set-own.ts'

/**
 * Owns the look at arguments that a provider sent as a value inside its own JSON. Their digits were read by `JSON.parse` before anybody
 * knew what they are, so a number that may have lost some cannot be made whole any more: it is refused.
 */

export interface ValueCheck {
  readonly tooDeep: boolean
  /** A number that may have been rounded, or text with half a character. */
  readonly unclean: boolean
}

/** True for what a double may have made of another number. */
function mayBeRounded(value: number): boolean {
  if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) return false
  // Below 10^21 numbers are written with all their digits, so an id would look like this. Above, fifteen digits are always kept.
  return Math.abs(value) < 1e21 || !Number.isFinite(value) || (/^-?([\d.]+)/.exec(String(value))?.[1] ?? '').length > 16
}

function isUnclean(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value) && mayBeRounded(value)
  return typeof value === 'string' && !value.isWellFormed()
}

/** Walks a value by a list of its own instead of recursion. */
export function checkValue(value: JsonValue, limit: number): ValueCheck {
  let level: readonly JsonValue[] = [value]
  let unclean = false
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return { tooDeep: true, unclean }
    const next: JsonValue[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      if (!Array.isArray(item)) unclean ||= Object.keys(item).some((key) => !key.isWellFormed())
      for (const member of Object.values(item)) {
        if (typeof member === 'object' && member !== null) next.push(member)
        else if (!unclean) unclean = isUnclean(member)
      }
    }
    level = next
  }
  return { tooDeep: false, unclean }
}

/** Whether a value is nested deeper than `limit` levels. By a list of its own instead of recursion. */
export function isDeeper(value: JsonValue, limit: number): boolean {
  let level: readonly JsonValue[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= limit) return true
    const next: JsonValue[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const member of Object.values(item)) if (typeof member === 'object' && member !== null) next.push(member)
    }
    level = next
  }
  return false
}

/** Members of all objects in a value: fewer than the text has colons when a key stands twice. */
export function membersOf(value: JsonValue): number {
  let members = 0
  const waiting: JsonValue[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const inside = Object.values(next)
    if (!Array.isArray(next)) members += inside.length
    for (const member of inside) if (typeof member === 'object' && member !== null) waiting.push(member)
  }
  return members
}

/** What {@link cleanValue} found, by JSON Pointer. */
export interface Uncleanness {
  /** The first number whose digits are not certain. */
  number?: string
  halfCharacters: number
}

/** A copy with whole characters; what could not be cleaned is in `found`. Recursive: the nesting was checked before. */
export function cleanValue(value: JsonValue, pointer: string, found: Uncleanness): JsonValue {
  if (typeof value === 'number') {
    if (isUnclean(value)) found.number ??= pointer
    return value
  }
  if (typeof value === 'string') return whole(value, found)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: JsonValue, index) => cleanValue(item, `${pointer}/${index}`, found))
  const copy: { [key: string]: JsonValue } = {}
  for (const [key, member] of Object.entries(value)) {
    setOwn(copy, whole(key, found), cleanValue(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, found))
  }
  return copy
}

function whole(text: string, found: Uncleanness): string {
  if (text.isWellFormed()) return text
  found.halfCharacters++
  return text.toWellFormed()
}
