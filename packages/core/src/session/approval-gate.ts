import { type Admission, deniedByPolicy } from '../admission/admit.ts'
import { type ApprovalMemory, bindingOf, sameBinding } from '../admission/approval.ts'
import { repairsOf } from '../admission/repaired.ts'
import type { AdmittedCall, CallBinding } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { EventSink } from '../contract/events.ts'
import { approvalId, type SessionId } from '../contract/ids.ts'
import { isJsonObject } from '../contract/json.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { PolicyDecision, PolicyKeeper } from '../contract/policy.ts'
import type { ApprovalDecision, ApprovalRequest, Approver, Clock, IdSource } from '../contract/ports.ts'
import type { Principal } from '../contract/principal.ts'
import type { Redactor } from '../contract/redact.ts'
import type { InteractionLock } from '../dispatch/interaction-lock.ts'
import { redactJson } from '../response/redact/redact-json.ts'
import { askApprover } from './ask-approver.ts'
import type { PendingApprovals, SharedAnswer } from './pending-approvals.ts'

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
  readonly emit: EventSink | undefined
  at(): number
}

export type GateResult =
  /** `rule`: what asked, and is answered with this. */
  | { readonly type: 'pass'; readonly call: AdmittedCall; readonly edited: boolean; readonly rule: string }
  | { readonly type: 'stop'; readonly outcome: RawOutcome }

/**
 * Freezes one held call until somebody decides, and lets through exactly what was decided on. The question is asked with the interaction
 * lock held. What was answered meanwhile is honoured without asking again: an earlier answer that was given to this call as well, a grant of
 * the session, a rule that was saved. The approval is bound to the arguments, the tool definition and the principal; they are compared when
 * the call goes on.
 */
export async function passGate(
  held: AdmittedCall,
  asked: { readonly reason: string; readonly decision: PolicyDecision },
  cx: GateEnvironment,
  pending: PendingApprovals,
  signal: AbortSignal,
): Promise<GateResult> {
  const binding = bindingOf(held, cx.principal)
  const gate = new Gate(held, binding, asked, cx, pending)
  try {
    return (
      gate.known() ??
      (await cx.interaction.run(async () => {
        if (signal.aborted) return stopped(held)
        return gate.known() ?? (await gate.ask(signal))
      }, signal))
    )
  } catch (error) {
    return signal.aborted ? stopped(held) : { type: 'stop', outcome: notAsked(held, error) }
  } finally {
    pending.release(held.call.id)
  }
}

class Gate {
  readonly #held: AdmittedCall
  readonly #binding: CallBinding
  readonly #cx: GateEnvironment
  readonly #pending: PendingApprovals
  #reason: string
  #decision: PolicyDecision

  constructor(
    held: AdmittedCall,
    binding: CallBinding,
    asked: { readonly reason: string; readonly decision: PolicyDecision },
    cx: GateEnvironment,
    pending: PendingApprovals,
  ) {
    this.#held = held
    this.#binding = binding
    this.#reason = asked.reason
    this.#decision = asked.decision
    this.#cx = cx
    this.#pending = pending
  }

  /** What was said already, of this call or of all like it. */
  known(): GateResult | undefined {
    const now = this.#cx.admission.decide(this.#held)
    if (now.effect === 'deny') return stop('refused', deniedByPolicy(this.#held, now))
    const answer = this.#pending.take(this.#held, this.#binding)
    if (answer !== undefined) {
      this.#cx.emit?.({ type: 'approval-answered', request: this.#request(now), decision: answer, at: this.#cx.at() })
      return answer.type === 'deny' ? stop('denied', deniedError(this.#held, answer)) : this.#pass(now.rule)
    }
    if (now.effect === 'allow') return this.#pass(now.rule)
    // The world went on since admission: another rule may ask now, and then it is that one's question.
    if (now.rule !== this.#decision.rule) this.#reason = now.reason
    this.#decision = now
    return this.#cx.approvals.covers(this.#held, this.#cx.principal, now.rule) ? this.#pass(now.rule) : undefined
  }

  async ask(signal: AbortSignal): Promise<GateResult> {
    const { emit, at, clock, approver, approvalTimeoutMs } = this.#cx
    const request = await this.#shown(this.#request(this.#decision))
    const identical = this.#pending.identical(this.#held, this.#binding, this.#decision.rule)
    const matching = request.matching ?? []
    emit?.({ type: 'approval-asked', request, at: at() })
    const asked = await askApprover(approver, request, { clock, timeoutMs: approvalTimeoutMs }, signal)
    switch (asked.type) {
      case 'stopped':
        return stopped(this.#held)
      case 'failed':
        return { type: 'stop', outcome: notAsked(this.#held, asked.error) }
      case 'expired': {
        const reason = `nobody answered within ${asked.afterMs} ms`
        emit?.({ type: 'approval-answered', request, decision: { type: 'deny', by: 'policy', reason }, at: at() })
        return {
          type: 'stop',
          outcome: { status: 'expired', error: new AdjutantError('APPROVAL_EXPIRED', `${this.#held.tool.name}: ${reason}`) },
        }
      }
      case 'decided':
        emit?.({ type: 'approval-answered', request, decision: asked.decision, at: at() })
        return this.#follow(asked.decision, identical, matching)
      default:
        return asked satisfies never
    }
  }

  async #follow(decision: ApprovalDecision, identical: readonly AdmittedCall[], matching: readonly AdmittedCall[]): Promise<GateResult> {
    switch (decision.type) {
      case 'approve':
        if (!sameBinding(this.#binding, bindingOf(this.#held, this.#cx.principal))) {
          return stop('denied', new AdjutantError('APPROVAL_MISMATCH', `${this.#held.tool.name} was changed while it was being approved`))
        }
        await this.#remember(decision, identical, matching)
        return this.#pass(this.#decision.rule)
      case 'edit': {
        const verdict = this.#cx.admission.readmit(this.#held, decision.input)
        if (verdict.type === 'refused') return stop('refused', verdict.error)
        return { type: 'pass', call: verdict.call, edited: true, rule: this.#decision.rule }
      }
      case 'deny':
        this.#pending.answer(identical, decision)
        return stop('denied', deniedError(this.#held, decision))
      default:
        decision satisfies never
        return stop('denied', new AdjutantError('INTERNAL', 'the approver gave no decision', { outcome: 'not-run' }))
    }
  }

  async #remember(
    decision: Extract<ApprovalDecision, { type: 'approve' }>,
    identical: readonly AdmittedCall[],
    matching: readonly AdmittedCall[],
  ): Promise<void> {
    const { approvals, principal } = this.#cx
    const once: SharedAnswer = { type: 'approve', scope: 'once' }
    switch (decision.scope) {
      case 'once':
        this.#pending.answer(identical, once)
        return
      case 'matching':
        this.#pending.answer(identical, once)
        this.#pending.answer(matching, once)
        return
      case 'call':
      case 'tool':
        approvals.remember(this.#held, principal, decision.scope, this.#decision.rule)
        return
      case 'always':
        if (!(await this.#save(decision))) approvals.remember(this.#held, principal, decision.of, this.#decision.rule)
        return
      default:
        decision satisfies never
    }
  }

  /** A yes that could not be kept for always is still a yes: it holds for the session, and the person is told. */
  async #save(decision: Extract<ApprovalDecision, { scope: 'always' }>): Promise<boolean> {
    const { keeper, emit, at } = this.#cx
    const { tool, effect, input } = this.#held
    try {
      if (keeper === undefined || !this.#savable().includes(decision.tier)) {
        throw new AdjutantError('CONFLICT', `a rule of the ${decision.tier} policy would not change what ${this.#decision.rule} says`)
      }
      await keeper.save({ tool: tool.name, effect, ...(decision.of === 'call' ? { input } : {}) }, decision.tier)
      return this.#cx.admission.decide(this.#held).effect === 'allow'
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      emit?.({ type: 'log', level: 'warn', message: `the answer holds for this session only, it could not be kept: ${said}`, at: at() })
      return false
    }
  }

  #savable(): ReturnType<PolicyKeeper['canSave']> {
    // Of a definition that changed, and of arguments that had to be repaired, nobody can say yes for ever.
    if (this.#held.tool.pinned !== undefined || repairsOf(this.#held.call).length > 0) return []
    return this.#cx.keeper?.canSave(this.#decision) ?? []
  }

  #request(decision: PolicyDecision): ApprovalRequest {
    return {
      id: approvalId(this.#cx.ids.next('approval')),
      sessionId: this.#cx.sessionId,
      call: this.#held,
      reason: this.#reason,
      decision,
      identical: this.#pending.identical(this.#held, this.#binding, decision.rule).map(({ call }) => call.id),
      matching: this.#pending.matching(this.#held, decision.rule),
      saveTo: this.#savable(),
    }
  }

  async #shown(request: ApprovalRequest): Promise<ApprovalRequest> {
    const { redactor } = this.#cx
    if (redactor === undefined) return request
    const { value, count } = await redactJson(redactor, request.call.input)
    return count === 0 || !isJsonObject(value) ? request : { ...request, shown: value }
  }

  #pass(rule: string): GateResult {
    return { type: 'pass', call: this.#held, edited: false, rule }
  }
}

function stop(status: 'denied' | 'refused', error: AdjutantError): GateResult {
  return { type: 'stop', outcome: { status, error } }
}

function stopped(held: AdmittedCall): GateResult {
  return { type: 'stop', outcome: cancelledBeforeRun(held) }
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
