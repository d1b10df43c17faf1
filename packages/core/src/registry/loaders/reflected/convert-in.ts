import { Buffer } from 'node:buffer'
import { AdjutantError, isJsonObject, type JsonObject, type JsonValue } from '../../../contract/index.ts'
import { setOwn } from '../../../util/set-own.ts'
import { type ConversionPlan, DATE_FORM, DIGITS_FORM, type PlanTest } from './conversion-plan.ts'

/**
 * Owns the way from JSON to the values that a typed function takes. The value was validated before; what a schema cannot say
 * (that 30 February is no day) is refused here, with its place. Pure: the JSON value is not changed, and what needs no
 * conversion is handed on as it is.
 */

/** Digits of a whole number that are still converted; reading text as a number takes time that grows faster than its length. */
const MAX_DIGITS = 4_000
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

export type PlanTable = Readonly<Record<string, ConversionPlan>>

/** Branches of choices that are tried in vain for one call; types that look alike at each level would take for ever. */
const MAX_ATTEMPTS = 1_000

interface Conversion {
  readonly table: PlanTable
  attempts: number
}

/** @throws AdjutantError INVALID_ARGUMENTS naming the place as a JSON Pointer */
export function convertIn(plan: ConversionPlan, value: JsonValue, table: PlanTable, path: string): unknown {
  return convert(plan, value, { table, attempts: 0 }, path)
}

function convert(plan: ConversionPlan, value: JsonValue, cx: Conversion, path: string): unknown {
  switch (plan.as) {
    case 'date':
      return dateOf(value, path)
    case 'bigint':
      return bigintOf(value, path)
    case 'bytes':
      return new Uint8Array(bytesOf(value, path))
    case 'buffer':
      return bytesOf(value, path)
    case 'url':
      return urlOf(value, path)
    case 'set':
      return new Set(listOf(value, path).map((item, at) => (plan.items ? convert(plan.items, item, cx, `${path}/${at}`) : item)))
    case 'map':
      return mapOf(plan, value, cx, path)
    case 'list':
      return listOf(value, path).map((item, at) => {
        const own = plan.first !== undefined && at < plan.first.length ? plan.first[at] : plan.items
        return own === undefined || own === null ? item : convert(own, item, cx, `${path}/${at}`)
      })
    case 'object':
      return objectOf(plan, value, cx, path)
    case 'choice':
      return choiceOf(plan, value, cx, path)
    case 'defined': {
      const named = Object.hasOwn(cx.table, plan.name) ? cx.table[plan.name] : undefined
      if (named === undefined) throw new AdjutantError('TOOL_INVALID', `the conversion ${plan.name} is not defined`)
      return convert(named, value, cx, path)
    }
    default:
      return plan satisfies never
  }
}

/** The first branch whose test the value passes and whose conversion succeeds; the fault of the first when none does. */
function choiceOf(plan: ConversionPlan & { readonly as: 'choice' }, value: JsonValue, cx: Conversion, path: string): unknown {
  let fault: unknown
  for (const { when, plan: own } of plan.branches) {
    if (!passes(when, value)) continue
    if (own === null) return value
    try {
      return convert(own, value, cx, path)
    } catch (error) {
      fault ??= error
      cx.attempts += 1
      if (cx.attempts > MAX_ATTEMPTS) break
    }
  }
  if (fault !== undefined) throw fault
  return value
}

function refuse(path: string, wanted: string, value: JsonValue, hint: string): never {
  const shown = JSON.stringify(value) ?? 'nothing'
  const short = shown.length > 80 ? `${shown.slice(0, 80)}…` : shown
  throw new AdjutantError('INVALID_ARGUMENTS', `${path === '' ? 'The arguments' : path}: ${short} is not ${wanted}`, { hint })
}

function dateOf(value: JsonValue, path: string): Date {
  const hint = 'Write it as 2026-01-31T09:30:00Z.'
  if (typeof value !== 'string' || !DATE_FORM.test(value)) refuse(path, 'a date and time', value, hint)
  const date = new Date(value.replace(' ', 'T'))
  if (Number.isNaN(date.getTime()) || !isDay(value)) refuse(path, 'a moment that exists', value, hint)
  return date
}

/** Date takes 30 February for 2 March; who asked meant something else. */
function isDay(text: string): boolean {
  const [, month = '', day = ''] = /^[+-]?\d{4,6}-(\d{2})-(\d{2})/.exec(text) ?? []
  const year = Number(/^[+-]?\d{4,6}/.exec(text)?.[0])
  return Number(day) <= new Date(Date.UTC(year % 400 === 0 ? 2000 : 2000 + (((year % 400) + 400) % 400), Number(month), 0)).getUTCDate()
}

function bigintOf(value: JsonValue, path: string): bigint {
  if (typeof value !== 'string' || value.length > MAX_DIGITS || !/^-?\d+$/.test(value)) {
    refuse(
      path,
      `a whole number of at most ${MAX_DIGITS} digits as text`,
      value,
      'Write it as a string of digits, e.g. "9007199254740993".',
    )
  }
  return BigInt(value)
}

function bytesOf(value: JsonValue, path: string): Buffer<ArrayBuffer> {
  if (typeof value !== 'string' || value.length % 4 !== 0 || !BASE64.test(value)) {
    refuse(path, 'base64', value, 'Send the bytes as base64 with its padding.')
  }
  return Buffer.from(value, 'base64')
}

function urlOf(value: JsonValue, path: string): URL {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url ?? refuse(path, 'an absolute address', value, 'Write it with its scheme, e.g. https://example.com/.')
}

function listOf(value: JsonValue, path: string): readonly JsonValue[] {
  return Array.isArray(value) ? value : refuse(path, 'a list', value, 'Send a list.')
}

function mapOf(plan: ConversionPlan & { readonly as: 'map' }, value: JsonValue, cx: Conversion, path: string): Map<unknown, unknown> {
  if (!isJsonObject(value)) refuse(path, 'an object', value, 'Send an object.')
  const map = new Map<unknown, unknown>()
  for (const [name, item] of Object.entries(value)) {
    const at = `${path}/${token(name)}`
    const key = plan.keys === undefined ? name : plan.keys === 'bigint' ? bigintOf(name, at) : numberOf(name, at)
    map.set(key, plan.values ? convert(plan.values, item, cx, at) : item)
  }
  return map
}

function numberOf(name: string, path: string): number {
  const number = name.trim() === '' ? Number.NaN : Number(name)
  return Number.isFinite(number) ? number : refuse(path, 'a number', name, 'Use numbers as names here.')
}

function objectOf(plan: ConversionPlan & { readonly as: 'object' }, value: JsonValue, cx: Conversion, path: string): object {
  if (!isJsonObject(value)) refuse(path, 'an object', value, 'Send an object.')
  const object: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    const own = plan.properties !== undefined && Object.hasOwn(plan.properties, name) ? plan.properties[name] : plan.others
    setOwn(object, name, own === undefined ? item : convert(own, item, cx, `${path}/${token(name)}`))
  }
  return object
}

function passes(test: PlanTest, value: JsonValue): boolean {
  if (typeOf(value) !== test.type) return false
  if (typeof value === 'string') {
    if (test.equals !== undefined && !test.equals.includes(value)) return false
    return test.form === undefined || (test.form === 'date' ? DATE_FORM : DIGITS_FORM).test(value)
  }
  return isJsonObject(value) ? fits(test, value) : true
}

function fits(test: PlanTest, value: JsonObject): boolean {
  if (test.required?.some((name) => !Object.hasOwn(value, name)) === true) return false
  if (test.known !== undefined) {
    const known = new Set(test.known)
    if (Object.keys(value).some((name) => !known.has(name))) return false
  }
  return Object.entries(test.values ?? {}).every(([name, allowed]) => {
    const item = Object.hasOwn(value, name) ? value[name] : undefined
    return item !== undefined && allowed.includes(item)
  })
}

function typeOf(value: JsonValue): PlanTest['type'] | undefined {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'object' ? type : undefined
}

function token(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
