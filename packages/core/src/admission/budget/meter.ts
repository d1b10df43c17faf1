import type { Outcome } from '../../contract/call-state.ts'
import type { AgentTool } from '../../contract/tool.ts'

/** What one call used of something that is counted: the body of a `metered` event. */
export interface Metered {
  readonly units: number
  /** e.g. `call`, `query`, `page`. */
  readonly unit: string
  /** Price of the call, in millionths of the host's currency. */
  readonly microPrice: number
}

export interface MeteredOutcome {
  readonly outcome: Outcome
  /** Answered with an earlier result: nothing was used. */
  readonly cached?: boolean | undefined
}

/**
 * What a call used, by what its tool says that one costs (`limits.cost`); a tool that says nothing uses one `call` at no price. Undefined for a call
 * that did not run, or was answered from what was known. A call that failed, or whose end is unknown, ran and counts. However many attempts it took, it
 * is one call.
 *
 * @example
 * ```ts
 * meterOf(tool, { outcome: 'ok' }) // { units: 1, unit: 'query', microPrice: 5_000 }
 * meterOf(tool, { outcome: 'not-run' }) // undefined
 * ```
 */
export function meterOf(tool: AgentTool, { outcome, cached }: MeteredOutcome): Metered | undefined {
  if (outcome === 'not-run' || cached === true) return undefined
  const cost = tool.limits?.cost
  return { units: cost?.units ?? 1, unit: cost?.unit ?? 'call', microPrice: cost?.microPrice ?? 0 }
}
