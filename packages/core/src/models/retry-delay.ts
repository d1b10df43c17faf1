/** Owns how long to wait before asking a provider again. */

/** Milliseconds of the first wait when the provider names none; doubled for the next. */
const FIRST_WAIT = 500
/** A provider that wants longer than this is not waited for: a person should know instead of looking at a still screen. */
export const LONGEST_WAIT = 60_000

/**
 * Milliseconds until attempt `attempt + 1` (0-based), from `retry-after-ms` or `retry-after` (seconds or an HTTP date), else
 * from what the body said (`toldMs`), else 0.5 s, 1 s, … `undefined` when the provider asks for more than a minute.
 */
export function retryDelay(headers: Headers | undefined, attempt: number, now: number, toldMs?: number): number | undefined {
  const told = (headers === undefined ? undefined : toldDelay(headers, now)) ?? toldMs
  if (told === undefined) return FIRST_WAIT * 2 ** attempt
  return told > LONGEST_WAIT ? undefined : told
}

function toldDelay(headers: Headers, now: number): number | undefined {
  const milliseconds = positive(headers.get('retry-after-ms'))
  if (milliseconds !== undefined) return milliseconds
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = positive(value)
  if (seconds !== undefined) return seconds * 1_000
  // An HTTP date starts with its week day; Date.parse alone would take "in 5 minutes" for a day in the year 2001.
  const date = /^\s*[A-Z][a-z]{2,8},/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function positive(value: string | null): number | undefined {
  if (value === null || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined
  return Number(value)
}
