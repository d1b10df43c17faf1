import { retryAfterMs } from '../util/retry-after.ts'

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
  const told = (headers === undefined ? undefined : retryAfterMs(headers, now)) ?? toldMs
  if (told === undefined) return FIRST_WAIT * 2 ** attempt
  return told > LONGEST_WAIT ? undefined : told
}
