import type { Outcome } from '../../contract/call-state.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Principal } from '../../contract/principal.ts'
import type { AgentTool } from '../../contract/tool.ts'

/** What one call used of something that is counted. */
export interface MeterRecord {
  /** When the call ended, in the time of whoever measured. */
  readonly at: number
  readonly tenantId: string
  readonly userId: string
  readonly sessionId: SessionId
  readonly tool: string
  /** e.g. `call`, `query`, `page`. */
  readonly unit: string
  readonly units: number
  /** Price of the call, in millionths of the host's currency. */
  readonly microPrice: number
  readonly outcome: Outcome
}

/** Takes records. @throws when it cannot keep one */
export interface MeterSink {
  record(record: MeterRecord): void | Promise<void>
}

export interface MeteredCall {
  readonly tool: AgentTool
  readonly principal: Principal
  readonly sessionId: SessionId
  readonly at: number
}

export interface MeteredOutcome {
  readonly outcome: Outcome
  /** Answered with an earlier result: nothing was used. */
  readonly cached?: boolean | undefined
}

/**
 * The record of a call by what its tool says that a call costs (`limits.cost`); a tool that says nothing uses one `call` at no price. Undefined for a call that did
 * not run, or was answered from what was known. A call that failed, or whose end is unknown, ran and counts. However many attempts it took it is one call.
 */
export function meterOf(call: MeteredCall, { outcome, cached }: MeteredOutcome): MeterRecord | undefined {
  if (outcome === 'not-run' || cached === true) return undefined
  const cost = call.tool.limits?.cost
  const { tenantId, userId } = call.principal
  return {
    at: call.at,
    tenantId,
    userId,
    sessionId: call.sessionId,
    tool: call.tool.name,
    unit: cost?.unit ?? 'call',
    units: cost?.units ?? 1,
    microPrice: cost?.microPrice ?? 0,
    outcome,
  }
}
