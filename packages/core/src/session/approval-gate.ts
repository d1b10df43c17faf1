import type { Admission } from '../admission/admit.ts'
import { type ApprovalMemory, bindingOf, sameBinding } from '../admission/approval.ts'
import type { AdmittedCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { EventSink } from '../contract/events.ts'
import { approvalId, type SessionId } from '../contract/ids.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { ApprovalDecision, ApprovalRequest, Approver, IdSource } from '../contract/ports.ts'
import type { Principal } from '../contract/principal.ts'
import type { InteractionLock } from '../dispatch/interaction-lock.ts'

export interface GateEnvironment {
  readonly sessionId: SessionId
  readonly principal: Principal
  readonly admission: Admission
  readonly approvals: ApprovalMemory
  readonly approver: Approver
  readonly interaction: InteractionLock
  readonly ids: IdSource
  readonly emit: EventSink | undefined
  at(): number
}

export type GateResult =
  | { readonly type: 'pass'; readonly call: AdmittedCall; readonly edited: boolean }
  | { readonly type: 'stop'; readonly outcome: RawOutcome }

/**
 * Freezes one held call until somebody decides, and lets through exactly what was decided on. The question is asked with the
 * interaction lock held; a grant that an earlier question gave meanwhile is honoured without asking again. The approval is bound to
 * the arguments, the tool definition and the principal; they are compared when the call goes on.
 */
export async function passGate(held: AdmittedCall, reason: string, cx: GateEnvironment, signal: AbortSignal): Promise<GateResult> {
  if (cx.approvals.covers(held, cx.principal)) return { type: 'pass', call: held, edited: false }
  const binding = bindingOf(held, cx.principal)
  const request: ApprovalRequest = { id: approvalId(cx.ids.next('approval')), sessionId: cx.sessionId, call: held, reason }
  let decision: ApprovalDecision | 'covered'
  try {
    decision = await cx.interaction.run(async () => {
      if (cx.approvals.covers(held, cx.principal)) return 'covered'
      cx.emit?.({ type: 'approval-asked', request, at: cx.at() })
      const answer = await cx.approver.decide(request, { signal })
      cx.emit?.({ type: 'approval-answered', request, decision: answer, at: cx.at() })
      return answer
    }, signal)
  } catch (error) {
    return { type: 'stop', outcome: signal.aborted ? cancelledBeforeRun(held) : notAsked(held, error) }
  }
  if (decision === 'covered') return { type: 'pass', call: held, edited: false }
  switch (decision.type) {
    case 'approve':
      if (!sameBinding(binding, bindingOf(held, cx.principal))) {
        return stop('denied', new AdjutantError('APPROVAL_MISMATCH', `${held.tool.name} was changed while it was being approved`))
      }
      if (decision.scope !== 'once') cx.approvals.remember(held, cx.principal, decision.scope)
      return { type: 'pass', call: held, edited: false }
    case 'edit': {
      const verdict = cx.admission.readmit(held, decision.input)
      if (verdict.type === 'refused') return stop('refused', verdict.error)
      return { type: 'pass', call: verdict.call, edited: true }
    }
    case 'deny':
      return stop('denied', deniedError(held, decision))
    default:
      decision satisfies never
      return stop('denied', new AdjutantError('INTERNAL', 'the approver gave no decision', { outcome: 'not-run' }))
  }
}

function stop(status: 'denied' | 'refused', error: AdjutantError): GateResult {
  return { type: 'stop', outcome: { status, error } }
}

function deniedError(held: AdmittedCall, decision: Extract<ApprovalDecision, { type: 'deny' }>): AdjutantError {
  const said = decision.reason === undefined || decision.reason === '' ? '' : `: ${decision.reason}`
  return decision.by === 'policy'
    ? new AdjutantError('DENIED_BY_POLICY', `${held.tool.name} was not allowed${said}`)
    : new AdjutantError('DENIED_BY_PERSON', `the person said no to ${held.tool.name}${said}`)
}

function notAsked(held: AdmittedCall, error: unknown): RawOutcome {
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
