import { posix } from 'node:path'
import type { AdmittedCall } from '../contract/call.ts'

/**
 * Owns which claims of two calls are about the same thing. `file:` and an absolute path: a folder has to do with all that lies in it, at any depth.
 * Any other key: only with itself. Paths are compared without regard to case and to the form of composed letters, because some disks do so; two
 * files that only differ in that count as one, which costs a read and never gives an old one. Pure; never throws.
 *
 * A second name of a file (a link) is not seen here: whoever remembers a read over files that may have several needs a `version`.
 */

/** What one call reads and writes, in a form that {@link overlaps} compares. */
export interface CallResources {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

/** More than this is as good as everything. */
const MAX_CLAIMS = 1_000
const FILE = 'file:'
const WINDOWS_PATH = /^(?:\/?[A-Za-z]:|\\\\)/

/** `undefined`: the tool does not say, or not in a form that can be used. */
export function resourcesOf(call: AdmittedCall): CallResources | undefined {
  const { tool, input } = call
  if (tool.resources === undefined) return undefined
  try {
    const claims: unknown = tool.resources(input)
    if (!Array.isArray(claims) || claims.length > MAX_CLAIMS) return undefined
    const reads: string[] = []
    const writes: string[] = []
    for (const claim of claims) {
      if (!isClaim(claim)) return undefined
      if (claim.mode === 'write') writes.push(comparable(claim.key))
      else reads.push(comparable(claim.key))
    }
    return { reads, writes }
  } catch {
    return undefined
  }
}

/** True when what is done to one of `a` may be seen in one of `b`. */
export function overlaps(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.some((other) => one === other || isBelow(one, other) || isBelow(other, one)))
}

function isBelow(folder: string, key: string): boolean {
  return folder.startsWith(FILE) && key.length > folder.length && key.startsWith(folder) && key[folder.length] === '/'
}

function comparable(key: string): string {
  if (!key.startsWith(FILE)) return key
  const written = key.slice(FILE.length)
  const path = posix.normalize(WINDOWS_PATH.test(written) ? written.replaceAll('\\', '/') : written)
  // Without the last slash, so that the root of all is the empty path and everything is below it.
  return FILE + (path.endsWith('/') ? path.slice(0, -1) : path).normalize('NFC').toLowerCase()
}

function isClaim(value: unknown): value is { readonly key: string; readonly mode: 'read' | 'write' } {
  if (typeof value !== 'object' || value === null || !('key' in value) || !('mode' in value)) return false
  return typeof value.key === 'string' && (value.mode === 'read' || value.mode === 'write')
}
