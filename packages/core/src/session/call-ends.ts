import type { ToolCall } from '../contract/call.ts'
import type { CallState, Outcome } from '../contract/call-state.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { ToolResult } from '../contract/result.ts'
import type { BuildResultInput } from '../response/build-result.ts'
import type { Carried } from './carrier.ts'

/** How a call ends: its last states, and what its result is built from. Made once, as every call passes here. */

const SUCCEEDED: CallState = Object.freeze({ status: 'succeeded' })

/** The last state of all, by outcome. */
export const SETTLED: Readonly<Record<Outcome, CallState>> = Object.freeze({
  ok: Object.freeze({ status: 'settled', outcome: 'ok' }),
  failed: Object.freeze({ status: 'settled', outcome: 'failed' }),
  'not-run': Object.freeze({ status: 'settled', outcome: 'not-run' }),
  unknown: Object.freeze({ status: 'settled', outcome: 'unknown' }),
})

export function builtFrom(call: ToolCall, outcome: RawOutcome, carried: Carried | undefined): BuildResultInput {
  if (carried === undefined) return { call, outcome }
  const { times, cached, from } = carried
  const { tool, input, conversions } = carried.call
  if (times === undefined) return { call, outcome, tool, input, conversions }
  return from === undefined && cached !== true
    ? { call, outcome, tool, input, conversions, times }
    : { call, outcome, tool, input, conversions, times, ...(cached === true ? { cached } : {}), ...(from === undefined ? {} : { from }) }
}

/** What the call came to, before it is settled. */
export function finalState(outcome: RawOutcome, result: ToolResult): CallState {
  switch (outcome.status) {
    case 'succeeded':
      // A tool that ran and says itself that it failed.
      return result.outcome === 'failed' ? { status: 'failed', code: result.code ?? 'TOOL_FAILED' } : SUCCEEDED
    case 'failed':
    case 'refused':
    case 'unknown':
      return { status: outcome.status, code: outcome.error.code }
    case 'denied':
      return { status: 'denied', reason: outcome.error.message }
    case 'timed-out':
    case 'cancelled':
    case 'expired':
      return { status: outcome.status }
    default:
      return outcome satisfies never
  }
}
