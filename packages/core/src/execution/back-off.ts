/**
 * Owns how long to wait before a further attempt when nobody says how long: exponential back-off with full jitter, any time from nothing to the
 * ceiling, so that calls that failed together do not come back together. Of the usual forms it makes the fewest calls to a server
 * that is just coming back: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */

/** Milliseconds: the ceiling of the first wait, doubled for each one after it. */
const FIRST_WAIT_MS = 500
/** Milliseconds: no ceiling grows above this. With three further attempts it never does; kept for who raises their number. */
const LONGEST_WAIT_MS = 30_000

/**
 * Milliseconds to wait after `failures` failed attempts, 1 or more.
 *
 * @param random gives a number from 0 to below 1
 */
export function backOff(failures: number, random: () => number): number {
  return Math.round(random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)))
}

/** Milliseconds to wait when a server said how long: never less, and a little more, by chance, because it told all its callers the same. */
export function toldWait(toldMs: number, random: () => number): number {
  return Math.ceil(toldMs) + Math.round(random() * FIRST_WAIT_MS)
}
