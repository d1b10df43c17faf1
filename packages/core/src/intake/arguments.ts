import type { CallArguments } from '../contract/call.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { isJsonObject, type JsonValue } from '../contract/json.ts'
import { findJsonFault } from './json-fault.ts'
import { nestingOf, skipJsonSpace } from './json-scanner.ts'

/**
 * Owns the step from what a model sent as arguments to {@link CallArguments}: absent, `null`, `""` and `{}` are an empty object; an
 * object stays as it is; anything else is kept as raw text with a problem that says where it goes wrong. Nothing is repaired here:
 * a guess about what was meant would run as if it had been asked for.
 */

/**
 * Levels of nesting that arguments may have. The rooms after this one walk them by recursion (validation, digests); 1 000 is far more
 * than any schema asks for and far less than what overflows a stack.
 */
export const MAX_DEPTH = 1_000

/** Characters of raw text kept of arguments that are too large to keep whole. */
const RAW_KEPT = 8_192

export function broken(raw: string, problem: string, code: ErrorCode = 'INVALID_JSON'): CallArguments {
  return { ok: false, raw, problem, code }
}

/** What is said of arguments that outgrew `limit` characters. Only their beginning is kept. */
export function tooLarge(raw: string, limit: number): CallArguments {
  return broken(raw.slice(0, RAW_KEPT), `the arguments are longer than ${limit} characters; the rest was not kept`, 'TOO_LARGE')
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'an array'
  if (value === null) return 'null'
  return `a ${typeof value}`
}

/** The nesting of a value, by a list of its own instead of recursion; stops counting above `limit`. */
function isDeeperThan(value: JsonValue, limit: number): boolean {
  let level: readonly JsonValue[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    const next: JsonValue[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const member of Object.values(item)) if (typeof member === 'object' && member !== null) next.push(member)
    }
    level = next
  }
  return false
}

const TOO_DEEP = `the arguments are nested deeper than ${MAX_DEPTH} levels`

/**
 * Reads arguments that came as text.
 * @param deepest the nesting, where a scanner has already counted it
 *
 * @example
 * ```ts
 * parseArguments('{"city":"Oslo"}') // { ok: true, value: { city: 'Oslo' } }
 * parseArguments('')                // { ok: true, value: {} }
 * parseArguments("{'city':1}").ok   // false, with the position of the single quote
 * ```
 */
export function parseArguments(raw: string, deepest?: number): CallArguments {
  if (skipJsonSpace(raw) === raw.length) return { ok: true, value: {} }
  // Two characters is the least that a level takes, so short text needs no counting. Counted before parsing: see parse-json.ts.
  if (raw.length > 2 * MAX_DEPTH && (deepest ?? nestingOf(raw)) > MAX_DEPTH) return broken(raw.slice(0, RAW_KEPT), TOO_DEEP)
  let value: JsonValue
  try {
    value = JSON.parse(raw)
  } catch {
    const fault = findJsonFault(raw)
    if (fault === undefined) return broken(raw, 'the arguments are no JSON')
    const place =
      fault.line === 1 ? `position ${fault.position}` : `position ${fault.position} (line ${fault.line}, column ${fault.column})`
    return broken(raw, `the arguments are no JSON: at ${place} ${fault.message}`)
  }
  if (value === null) return { ok: true, value: {} }
  if (!isJsonObject(value)) return broken(raw, `the arguments are ${kindOf(value)}, not a JSON object`)
  return { ok: true, value }
}

/** Reads arguments that came as a JSON value: an object, text with an object in it, or nothing. */
export function argumentsOf(value: JsonValue | undefined): CallArguments {
  if (value === undefined || value === null) return { ok: true, value: {} }
  if (typeof value === 'string') return parseArguments(value)
  if (isDeeperThan(value, MAX_DEPTH)) return broken('', TOO_DEEP)
  if (!isJsonObject(value)) return broken(JSON.stringify(value), `the arguments are ${kindOf(value)}, not a JSON object`)
  return { ok: true, value }
}
