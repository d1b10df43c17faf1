import { type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { Converted } from './coerce-scalar.ts'

/**
 * Owns the way between a date as text and a count since 1970. Only where the unit is beyond doubt: said by the schema, or plain
 * from the size of the number. A local time without a zone is never converted. Pure.
 */

/** Counts in these bounds are dates from September 2001 to November 2286 in exactly one unit. */
const SECONDS = { least: 1e9, most: 1e10 } as const
const MILLISECONDS = { least: 1e12, most: 1e13 } as const

/**
 * A count as the text that `format` asks for: `date-time` in UTC; `date` only when it is midnight UTC.
 *
 * @example
 * ```ts
 * timestampToDate('date-time', 1_700_000_000) // { value: '2023-11-14T22:13:20.000Z', rule: 'timestamp → date-time' }
 * ```
 */
export function timestampToDate(format: JsonValue | undefined, count: number): Converted | undefined {
  if (format !== 'date-time' && format !== 'date') return undefined
  const milliseconds = within(count, SECONDS) ? count * 1_000 : within(count, MILLISECONDS) ? count : undefined
  // A part of a millisecond would be lost.
  if (milliseconds === undefined || !Number.isInteger(milliseconds)) return undefined
  const text = new Date(milliseconds).toISOString()
  if (format === 'date-time') return { value: text, rule: 'timestamp → date-time' }
  return text.endsWith('T00:00:00.000Z') ? { value: text.slice(0, 10), rule: 'timestamp → date' } : undefined
}

function within(count: number, bounds: { readonly least: number; readonly most: number }): boolean {
  return count >= bounds.least && count < bounds.most
}

/**
 * An ISO 8601 date-time with a zone (or a date alone: midnight UTC) as the count the schema asks for.
 */
export function dateToTimestamp(schema: JsonObject, text: string, type: 'integer' | 'number'): Converted | undefined {
  const unit = unitOf(schema)
  if (unit === undefined) return undefined
  const milliseconds = millisecondsOf(text.trim())
  if (milliseconds === undefined) return undefined
  const count = unit === 'seconds' ? milliseconds / 1_000 : milliseconds
  if (type === 'integer' && !Number.isInteger(count)) return undefined
  return { value: count, rule: `date → timestamp in ${unit}` }
}

const FORMATS: ReadonlyMap<string, 'seconds' | 'milliseconds'> = new Map([
  ['unix-time', 'seconds'],
  ['unixtime', 'seconds'],
  ['unix-timestamp', 'seconds'],
  ['unix-seconds', 'seconds'],
  ['epoch-seconds', 'seconds'],
  ['epoch-second', 'seconds'],
  ['unix-time-ms', 'milliseconds'],
  ['unix-ms', 'milliseconds'],
  ['timestamp-ms', 'milliseconds'],
  ['epoch-ms', 'milliseconds'],
  ['epoch-millis', 'milliseconds'],
  ['epoch-milliseconds', 'milliseconds'],
  ['utc-millisec', 'milliseconds'],
])

/** The unit that the format names, or that the description names beside a word for "count since 1970". */
function unitOf(schema: JsonObject): 'seconds' | 'milliseconds' | undefined {
  const format = ownValue(schema, 'format')
  const byFormat = typeof format === 'string' ? FORMATS.get(format.toLowerCase()) : undefined
  if (byFormat !== undefined) return byFormat
  const description = ownValue(schema, 'description')
  const said = `${typeof format === 'string' ? format : ''} ${typeof description === 'string' ? description : ''}`
  if (!/\b(?:unix|epoch|timestamp)\b/i.test(said)) return undefined
  const milliseconds = /\b(?:milliseconds?|millis|ms)\b/i.test(said)
  const seconds = /\bseconds?\b/i.test(said)
  if (milliseconds !== seconds) return milliseconds ? 'milliseconds' : 'seconds'
  // Unix time without another word is counted in seconds.
  return !milliseconds && /\bunix[ -]?time(?:stamp)?\b/i.test(said) ? 'seconds' : undefined
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?([Zz]|[+-]\d{2}:?\d{2}))?$/

function millisecondsOf(text: string): number | undefined {
  const found = ISO.exec(text)
  if (found === null) return undefined
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', part = '', zone = 'Z'] = found
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    Number(part.padEnd(3, '0')),
  )
  // The 31st of February would quietly become the 3rd of March.
  const read = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  if (Number.isNaN(local) || Number(year) < 100 || !new Date(local).toISOString().startsWith(read)) return undefined
  if (zone === 'Z' || zone === 'z') return local
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return undefined
  return local - (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
