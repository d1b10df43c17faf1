/**
 * Owns reading how long a server wants to be left alone: the header `Retry-After` (seconds, or an HTTP date in each of the three forms that
 * RFC 9110, 5.6.7, has receivers take) and `retry-after-ms`. Takes headers in any form that HTTP libraries hang on their errors. Never throws: what is no such
 * header, and what throws when it is looked at, says nothing.
 */

/** No header of this kind is longer; a longer one is not looked at. */
const MAX_LENGTH = 100
/** A plain object with more members than this is no list of headers. */
const MAX_HEADERS = 500

const NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/
/** `Sun, 06 Nov 1994 08:49:37 GMT` and `Sunday, 06-Nov-94 08:49:37 GMT`. */
const DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/
/** `Sun Nov  6 08:49:37 1994`, which is GMT too. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

/**
 * Milliseconds from `now` on, 0 or more; `undefined` when nothing is said.
 *
 * @param headers a `Headers`, a `Map`, or a plain object with names in any case
 * @param now milliseconds since 1970
 * @example
 * ```ts
 * retryAfterMs({ 'Retry-After': '3' }, Date.now()) // 3000
 * ```
 */
export function retryAfterMs(headers: unknown, now: number): number | undefined {
  try {
    const milliseconds = headerOf(headers, 'retry-after-ms')
    if (milliseconds !== undefined && NUMBER.test(milliseconds)) return Number(milliseconds)
    const value = headerOf(headers, 'retry-after')
    if (value === undefined) return undefined
    if (NUMBER.test(value)) return Number(value) * 1_000
    const date = DATE.test(value) ? Date.parse(value) : ASCTIME.test(value) ? Date.parse(`${value} GMT`) : Number.NaN
    return Number.isNaN(date) ? undefined : Math.max(0, date - now)
  } catch {
    return undefined
  }
}

function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined
  const get: unknown = Reflect.get(headers, 'get')
  if (typeof get === 'function') return textOf(Reflect.apply(get, headers, [name]))
  const names = Object.keys(headers)
  if (names.length > MAX_HEADERS) return undefined
  const found = names.find((candidate) => candidate.length === name.length && candidate.toLowerCase() === name)
  return found === undefined ? undefined : textOf(Reflect.get(headers, found))
}

function textOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (typeof first === 'number') return String(first)
  return typeof first === 'string' && first.length <= MAX_LENGTH ? first.trim() : undefined
}
