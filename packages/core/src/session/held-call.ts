import { bindingOf, sameBinding } from '../admission/approval.ts'
import { repairsOf } from '../admission/repaired.ts'
import type { AdmittedCall, CallBinding } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { ApprovalId } from '../contract/ids.ts'
import { isJsonObject } from '../contract/json.ts'
import type { PolicyDecision, PolicyKeeper } from '../contract/policy.ts'
import type { ApprovalDecision, ApprovalRequest } from '../contract/ports.ts'
import { redactJson } from '../response/redact/redact-json.ts'
import { deniedError, type GateEnvironment, type GateResult, stop } from './gate-environment.ts'
import type { PendingApprovals, SharedAnswer } from './pending-approvals.ts'

/** Gives calls that were shown with a question the same answer. */
export type Share = (calls: readonly AdmittedCall[], answer: SharedAnswer) => void | Promise<void>

/** Other held calls, as they were when the question was asked. */
export interface Alike {
  readonly identical: readonly AdmittedCall[]
  readonly matching: readonly AdmittedCall[]
}

/**
 * Owns one held call: what its approval is bound to, how it is shown, and what follows from an answer. The binding is compared when the answer is
 * followed: what runs is exactly what was asked about. Asks nobody itself.
 */
export class HeldCall {
  readonly call: AdmittedCall
  readonly binding: CallBinding
  readonly #cx: GateEnvironment
  readonly #pending: PendingApprovals
  #reason: string
  #decision: PolicyDecision

  constructor(
    call: AdmittedCall,
    asked: { readonly reason: string; readonly decision: PolicyDecision },
    cx: GateEnvironment,
    pending: PendingApprovals,
  ) {
    this.call = call
    this.binding = bindingOf(call, cx.principal)
    this.#cx = cx
    this.#pending = pending
    this.#reason = asked.reason
    this.#decision = asked.decision
  }

  get reason(): string {
    return this.#reason
  }

  /** What asks. */
  get rule(): string {
    return this.#decision.rule
  }

  get decision(): PolicyDecision {
    return this.#decision
  }

  /** The world went on since admission: another rule may ask now, and then it is that one's question. */
  asks(now: PolicyDecision): void {
    if (now.rule !== this.#decision.rule) this.#reason = now.reason
    this.#decision = now
  }

  /** Allowed by what was said before, to this rule. */
  get covered(): boolean {
    return this.#cx.approvals.covers(this.call, this.#cx.principal, this.#decision.rule)
  }

  alike(): Alike {
    return {
      identical: this.#pending.identical(this.call, this.binding, this.rule),
      matching: this.#pending.matching(this.call, this.rule),
    }
  }

  request(id: ApprovalId, { identical, matching } = this.alike()): ApprovalRequest {
    return {
      id,
      sessionId: this.#cx.sessionId,
      call: this.call,
      reason: this.#reason,
      decision: this.#decision,
      identical: identical.map(({ call }) => call.id),
      matching,
      saveTo: this.#savable(),
    }
  }

  /** The request without the secrets in its arguments. */
  async shown(request: ApprovalRequest): Promise<ApprovalRequest> {
    const { redactor } = this.#cx
    if (redactor === undefined) return request
    const { value, count } = await redactJson(redactor, request.call.input)
    return count === 0 || !isJsonObject(value) ? request : { ...request, shown: value }
  }

  pass(): GateResult {
    return { type: 'pass', call: this.call, edited: false, rule: this.rule }
  }

  async follow(decision: ApprovalDecision, alike: Alike, share: Share): Promise<GateResult> {
    switch (decision.type) {
      case 'approve':
        if (!sameBinding(this.binding, bindingOf(this.call, this.#cx.principal))) {
          return stop('denied', new AdjutantError('APPROVAL_MISMATCH', `${this.call.tool.name} was changed while it was being approved`))
        }
        await this.#approved(decision, alike, share)
        return this.pass()
      case 'edit': {
        const verdict = this.#cx.admission.readmit(this.call, decision.input)
        if (verdict.type === 'refused') return stop('refused', verdict.error)
        return { type: 'pass', call: verdict.call, edited: true, rule: this.rule }
      }
      case 'deny':
        await share(alike.identical, decision)
        return stop('denied', deniedError(this.call, decision))
      default:
        decision satisfies never
        return stop('denied', new AdjutantError('INTERNAL', 'the approver gave no decision', { outcome: 'not-run' }))
    }
  }

  async #approved(decision: Extract<ApprovalDecision, { type: 'approve' }>, { identical, matching }: Alike, share: Share): Promise<void> {
    const { approvals, principal } = this.#cx
    const once: SharedAnswer = { type: 'approve', scope: 'once' }
    switch (decision.scope) {
      case 'once':
        await share(identical, once)
        return
      case 'matching': {
        const all = new Set([...identical, ...matching])
        await share([...all], once)
        return
      }
      case 'call':
      case 'tool':
        approvals.remember(this.call, principal, decision.scope, this.rule)
        return
      case 'always':
        if (!(await this.#save(decision))) approvals.remember(this.call, principal, decision.of, this.rule)
        return
      default:
        decision satisfies never
    }
  }

  /** A yes that could not be kept for always is still a yes: it holds for the session, and the person is told. */
  async #save(decision: Extract<ApprovalDecision, { scope: 'always' }>): Promise<boolean> {
    const { keeper, emit, at } = this.#cx
    const { tool, effect, input } = this.call
    try {
      if (keeper === undefined || !this.#savable().includes(decision.tier)) {
        throw new AdjutantError('CONFLICT', `a rule of the ${decision.tier} policy would not change what ${this.rule} says`)
      }
      await keeper.save({ tool: tool.name, effect, ...(decision.of === 'call' ? { input } : {}) }, decision.tier)
      return this.#cx.admission.decide(this.call).effect === 'allow'
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      emit?.({ type: 'log', level: 'warn', message: `the answer holds for this session only, it could not be kept: ${said}`, at: at() })
      return false
    }
  }

  #savable(): ReturnType<PolicyKeeper['canSave']> {
    // Of a definition that changed, and of arguments that had to be repaired, nobody can say yes for ever.
    if (this.call.tool.pinned !== undefined || repairsOf(this.call.call).length > 0) return []
    return this.#cx.keeper?.canSave(this.#decision) ?? []
  }
}
