import type { Admission } from '../admission/admit.ts'
import type { ApprovalMemory } from '../admission/approval.ts'
import type { AdmittedCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { EventSink } from '../contract/events.ts'
import type { ApprovalId, SessionId } from '../contract/ids.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { PolicyKeeper } from '../contract/policy.ts'
import type { ApprovalDecision, Approver, Clock, IdSource } from '../contract/ports.ts'
import type { Principal } from '../contract/principal.ts'
import type { Redactor } from '../contract/redact.ts'
import type { InteractionLock } from '../dispatch/interaction-lock.ts'
import type { GateDesk } from './durable/gate-desk.ts'

/** What a held call needs on its way past whoever decides. */
export interface GateEnvironment {
  readonly sessionId: SessionId
  readonly principal: Principal
  readonly admission: Admission
  readonly approvals: ApprovalMemory
  readonly approver: Approver
  /** Keeps answers for always; absent: there is nowhere to keep them. */
  readonly keeper: PolicyKeeper | undefined
  readonly interaction: InteractionLock
  readonly ids: IdSource
  readonly clock: Clock
  /** How long a question stays open; `undefined`: as long as it takes. */
  readonly approvalTimeoutMs: number | undefined
  /** Takes secrets out of what is shown; absent: nothing is taken out. */
  readonly redactor: Redactor | undefined
  /** Where questions outlive the process; absent: they do not. */
  readonly desk: GateDesk | undefined
  readonly emit: EventSink | undefined
  at(): number
}

export type GateResult =
  /** `rule`: what asked, and is answered with this. */
  | { readonly type: 'pass'; readonly call: AdmittedCall; readonly edited: boolean; readonly rule: string }
  | { readonly type: 'stop'; readonly outcome: RawOutcome }
  /** Nobody is waited for: the session goes on when this is decided. */
  | { readonly type: 'wait'; readonly approvalId: ApprovalId }

export function stop(status: 'denied' | 'refused' | 'expired', error: AdjutantError): GateResult {
  return { type: 'stop', outcome: { status, error } }
}

export function stopped(held: AdmittedCall): GateResult {
  return { type: 'stop', outcome: cancelledBeforeRun(held) }
}

export function expired(held: AdmittedCall, reason: string): GateResult {
  return stop('expired', new AdjutantError('APPROVAL_EXPIRED', `${held.tool.name}: ${reason}`))
}

export function deniedError(held: AdmittedCall, decision: Extract<ApprovalDecision, { type: 'deny' }>): AdjutantError {
  const said = decision.reason === undefined || decision.reason === '' ? '' : `: ${decision.reason}`
  return decision.by === 'policy'
    ? new AdjutantError('DENIED_BY_POLICY', `${held.tool.name} was not allowed${said}`)
    : new AdjutantError('DENIED_BY_PERSON', `the person said no to ${held.tool.name}${said}`)
}

export function notAsked(held: AdmittedCall, error: unknown): RawOutcome {
  const said = error instanceof Error ? error.message : String(error)
  return {
    status: 'denied',
    error: new AdjutantError('DENIED_BY_POLICY', `nobody could be asked about ${held.tool.name}: ${said}`, { cause: error }),
  }
}

/** The outcome of a call that was stopped before it started. */
export function cancelledBeforeRun(call: { readonly call: { readonly name: string } }): RawOutcome {
  return { status: 'cancelled', error: new AdjutantError('CANCELLED', `${call.call.name} was not run: the run was stopped before it`) }
}
