import type { AdmittedCall } from '../contract/call.ts'
import { comparableKey, sameResource } from '../util/claims-overlap.ts'

/**
 * Owns what a call says that it touches, in a form that can be compared (see util/claims-overlap.ts). Never throws: a tool that does not say, or
 * says it wrongly, touches anything.
 */

/** What one call reads and writes, in a form that {@link overlaps} compares. */
export interface CallResources {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

/** More than this is as good as everything. */
const MAX_CLAIMS = 1_000

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
      if (claim.mode === 'write') writes.push(comparableKey(claim.key))
      else reads.push(comparableKey(claim.key))
    }
    return { reads, writes }
  } catch {
    return undefined
  }
}

/** True when what is done to one of `a` may be seen in one of `b`. */
export function overlaps(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.some((other) => sameResource(one, other)))
}

function isClaim(value: unknown): value is { readonly key: string; readonly mode: 'read' | 'write' } {
  if (typeof value !== 'object' || value === null || !('key' in value) || !('mode' in value)) return false
  return typeof value.key === 'string' && (value.mode === 'read' || value.mode === 'write')
}
