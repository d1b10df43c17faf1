import { posix } from 'node:path'
import type { ResourceClaim } from '../contract/tool.ts'

/**
 * Owns which claims of two calls are about the same thing. `file:` and an absolute path: a folder has to do with all that lies in it, at any
 * depth, since a listing of the one changes with the other. Any other key: only with itself. Paths are compared without regard to case and to
 * the form of composed letters, because some disks do so; two files that only differ in that count as one, which costs a wait or a read and
 * never gives an old answer. Pure; never throws. A second name of a file (a link) is not seen here.
 */

const FILE = 'file:'
const WINDOWS_PATH = /^(?:\/?[A-Za-z]:|\\\\)/

/** The form in which keys are compared by {@link sameResource}. */
export function comparableKey(key: string): string {
  if (!key.startsWith(FILE)) return key
  const written = key.slice(FILE.length)
  const path = posix.normalize(WINDOWS_PATH.test(written) ? written.replaceAll('\\', '/') : written)
  // Without the last slash, so that the root of all is the empty path and everything is below it.
  return FILE + (path.endsWith('/') ? path.slice(0, -1) : path).normalize('NFC').toLowerCase()
}

/**
 * @param a and `b` as {@link comparableKey} gives them
 * @example
 * ```ts
 * sameResource('file:/work/src', 'file:/work/src/a.ts') // true
 * sameResource('file:/work/src', 'file:/work/srcx') // false
 * ```
 */
export function sameResource(a: string, b: string): boolean {
  return a === b || isBelow(a, b) || isBelow(b, a)
}

/** True when at least one of the two writes what the other touches. */
export function claimsConflict(a: readonly ResourceClaim[], b: readonly ResourceClaim[]): boolean {
  return a.some((one) =>
    b.some((other) => (one.mode === 'write' || other.mode === 'write') && sameResource(comparableKey(one.key), comparableKey(other.key))),
  )
}

function isBelow(folder: string, key: string): boolean {
  return folder.startsWith(FILE) && key.length > folder.length && key.startsWith(folder) && key[folder.length] === '/'
}
