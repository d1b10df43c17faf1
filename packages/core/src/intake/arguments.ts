import type { ArgumentRepair, CallArguments } from '../contract/call.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts'
import { checkValue, cleanValue, isDeeper, membersOf, type Uncleanness } from './check-value.ts'
import { findJsonFault } from './json-fault.ts'
import { fromEncodedText, type RepairOutcome, readExactly, repairJson } from './json-repair/repair-json.ts'
import { type JsonMeasure, measureJson, skipJsonSpace } from './json-scanner.ts'

/**
 * Owns the step from what a model sent as arguments to {@link CallArguments}: absent, `null`, `""` and `{}` are an empty object; an
 * object stays as it is; what is almost JSON and can be meant in one way only is repaired, and says so; anything else is kept as raw text
 * with a problem that says where it goes wrong. What `JSON.parse` would change without a word (numbers with more digits than a double
 * keeps, keys that stand twice, halves of characters) is found by a cheap look at the text and only then read slowly.
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

const TOO_DEEP = `the arguments are nested deeper than ${MAX_DEPTH} levels`

export interface ParseHints {
  /** What a scanner has already counted; see {@link JsonMeasure}. */
  readonly deepest?: number | undefined
  readonly members?: number | undefined
  /** The sender said that it had finished by itself: then brackets missing at the end may be added. Default false. */
  readonly ended?: boolean
  /** Nothing is repaired: what is no JSON is refused, without a reason. For trying whether a text is whole yet. Default false. */
  readonly strict?: boolean
}

/** A number that a double may not keep: a run of sixteen digits, or a large exponent. */
const LONG_NUMBER = /\d[\d.]{15}|\d[eE][+-]?\d{3}/
/** The escape of half a character without its other half. */
const LONE_SURROGATE = /\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]/
/** Characters of text that is looked at for repair: reading it takes some 0.3 µs each, and holds up everything else meanwhile. */
const REPAIRED = 4_194_304

/** True where parsing may have changed something without a word. */
export function isSuspect(raw: string): boolean {
  // Too short for any of them.
  if (raw.length < 5) return !raw.isWellFormed()
  return LONG_NUMBER.test(raw) || LONE_SURROGATE.test(raw) || !raw.isWellFormed()
}

/** Text up to this length is parsed before its nesting is known: what a parser takes for it is bounded by its length. */
const PARSED_FIRST = 4_194_304

/** What a scanner has counted; what stands there, for text that is too long to be parsed without a look. */
function measureOf(raw: string, { deepest, members }: ParseHints): JsonMeasure | undefined {
  if (deepest !== undefined && members !== undefined) return { deepest, members }
  return raw.length > PARSED_FIRST ? measureJson(raw) : undefined
}

/** The keys of some object stand more than once in the text, so that a value was lost. */
function hasDoubledKeys(raw: string, value: JsonObject, measure: JsonMeasure | undefined): boolean {
  if (measure !== undefined && measure.members < 2) return false
  const members = membersOf(value)
  if (measure !== undefined) return members !== measure.members
  // At most as many members as quotes before a colon, and at least as many as the value has. Where strings hold such quotes, it is counted.
  if (!SPACED_COLON.test(raw) && members === countOf(raw, '":')) return false
  return members !== measureJson(raw).members
}

const SPACED_COLON = /"[ \t\r\n]+:/

function countOf(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++
  return count
}

function good(value: JsonObject, repairs: readonly ArgumentRepair[]): CallArguments {
  return repairs.length === 0 ? { ok: true, value } : { ok: true, value, repairs }
}

/**
 * Reads arguments that came as text.
 *
 * @example
 * ```ts
 * parseArguments('{"city":"Oslo"}') // { ok: true, value: { city: 'Oslo' } }
 * parseArguments('')                // { ok: true, value: {} }
 * parseArguments("{'city':1}")      // { ok: true, value: { city: 1 }, repairs: [{ rule: 'single-quotes', at: 1, note: … }] }
 * parseArguments('{"city":')        // { ok: false, … } with the position where it ends
 * ```
 */
export function parseArguments(raw: string, hints: ParseHints = {}): CallArguments {
  if (skipJsonSpace(raw) === raw.length) return { ok: true, value: {} }
  const measure = measureOf(raw, hints)
  // Counted before parsing: see parse-json.ts.
  if (measure !== undefined && measure.deepest > MAX_DEPTH) return broken(raw.slice(0, RAW_KEPT), TOO_DEEP)
  let value: JsonValue
  try {
    value = JSON.parse(raw)
  } catch {
    if (hints.strict === true) return broken('', '')
    if (measure === undefined && measureJson(raw).deepest > MAX_DEPTH) return broken(raw.slice(0, RAW_KEPT), TOO_DEEP)
    return repaired(raw, hints.ended ?? false)
  }
  if (value === null) return { ok: true, value: {} }
  if (typeof value === 'string') return unwrapped(raw, value, hints.ended ?? false)
  if (!isJsonObject(value)) return broken(raw, `the arguments are ${kindOf(value)}, not a JSON object`)
  if (measure === undefined && raw.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH)) return broken(raw.slice(0, RAW_KEPT), TOO_DEEP)
  if (!hasDoubledKeys(raw, value, measure) && !isSuspect(raw)) return { ok: true, value }
  const exact = repairJson(raw, { depth: MAX_DEPTH })
  return exact.ok ? good(exact.value, exact.repairs) : broken(raw, `the arguments are not clear: at position ${exact.at} ${exact.message}`)
}

function repaired(raw: string, ended: boolean): CallArguments {
  const repair: RepairOutcome =
    raw.length > REPAIRED
      ? { ok: false, at: 0, message: `they are longer than ${REPAIRED} characters` }
      : repairJson(raw, { depth: MAX_DEPTH, ended })
  if (repair.ok) return good(repair.value, repair.repairs)
  const fault = findJsonFault(raw)
  if (fault === undefined) return broken(raw, 'the arguments are no JSON')
  const place = fault.line === 1 ? `position ${fault.position}` : `position ${fault.position} (line ${fault.line}, column ${fault.column})`
  const why = repair.at === fault.position ? '' : `; they could not be repaired: at position ${repair.at} ${repair.message}`
  return broken(raw, `the arguments are no JSON: at ${place} ${fault.message}${why}`)
}

/** Arguments that were encoded twice: a JSON string with an object in it. */
function unwrapped(raw: string, text: string, ended: boolean): CallArguments {
  const start = skipJsonSpace(text)
  if (text.charAt(start) !== '{' || measureJson(text).deepest > MAX_DEPTH)
    return broken(raw, 'the arguments are a string, not a JSON object')
  const inner = fromEncodedText(text, { depth: MAX_DEPTH, ended })
  return inner.ok ? good(inner.value, inner.repairs) : broken(raw, `the arguments are a string, not a JSON object: ${inner.message}`)
}

/**
 * Reads any JSON text, with its numbers, keys and characters exact.
 * @returns the value and what had to be noted, or undefined when it is not clear
 */
export function parseExactly(raw: string): { readonly value: JsonValue; readonly repairs: readonly ArgumentRepair[] } | undefined {
  const read = readExactly(raw, MAX_DEPTH)
  return read === undefined ? undefined : { value: read.value, repairs: read.log.list() }
}

/** Arguments that stood in a text which had to be repaired itself. */
export function withRepairs(args: CallArguments, repairs: readonly ArgumentRepair[] | undefined): CallArguments {
  if (!args.ok || repairs === undefined || repairs.length === 0) return args
  return good(args.value, [...repairs, ...(args.repairs ?? [])])
}

/** Reads arguments that came as a JSON value: an object, text with an object in it, or nothing. */
export function argumentsOf(value: JsonValue | undefined, hints: { readonly ended?: boolean } = {}): CallArguments {
  if (value === undefined || value === null) return { ok: true, value: {} }
  if (typeof value === 'string') return parseArguments(value, hints)
  const check = checkValue(value, MAX_DEPTH)
  if (check.tooDeep) return broken('', TOO_DEEP)
  if (!isJsonObject(value)) return broken(JSON.stringify(value), `the arguments are ${kindOf(value)}, not a JSON object`)
  return check.unclean ? cleaned(value) : { ok: true, value }
}

function cleaned(value: JsonObject): CallArguments {
  const found: Uncleanness = { halfCharacters: 0 }
  const clean = cleanValue(value, '', found)
  if (found.number !== undefined) {
    const raw = JSON.stringify(value).slice(0, RAW_KEPT)
    return broken(
      raw,
      `the number at ${found.number} has more digits than a number keeps, and which they were is not certain: send it as text`,
    )
  }
  if (!isJsonObject(clean) || membersOf(clean) !== membersOf(value)) return broken('', 'two keys differ only in halves of characters')
  return good(clean, [
    { rule: 'lone-surrogate', at: 0, note: `put U+FFFD for ${found.halfCharacters} halves of characters (lone surrogates)` },
  ])
}
