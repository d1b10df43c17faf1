import type { ResourceClaim } from '../contract/tool.ts'

/**
 * Whether two calls touch the same thing. Keys of files are paths: a folder and what lies in it are the same thing, since a listing of the
 * one changes with the other. All other keys are compared as they are.
 */

/**
 * @example
 * ```ts
 * sameResource('file:/work/src', 'file:/work/src/a.ts') // true
 * sameResource('file:/work/src', 'file:/work/srcx') // false
 * ```
 */
export function sameResource(a: string, b: string): boolean {
  if (a === b) return true
  if (!a.startsWith(FILE) || !b.startsWith(FILE)) return false
  return isBelow(a, b) || isBelow(b, a)
}

/** True when at least one of the two writes what the other touches. */
export function claimsConflict(a: readonly ResourceClaim[], b: readonly ResourceClaim[]): boolean {
  return a.some((one) => b.some((other) => (one.mode === 'write' || other.mode === 'write') && sameResource(one.key, other.key)))
}

const FILE = 'file:'

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && (folder.endsWith('/') || path.charCodeAt(folder.length) === 0x2f)
}
