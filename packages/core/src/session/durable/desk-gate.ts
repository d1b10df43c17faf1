import { deniedByPolicy } from '../../admission/admit.ts'
import { sameBinding } from '../../admission/approval.ts'
import type { AskedApproval, StoredApproval } from '../../contract/durable.ts'
import { AdjutantError } from '../../contract/errors.ts'
import { type ApprovalId, approvalId, type Digest } from '../../contract/ids.ts'
import type { ApprovalDecision } from '../../contract/ports.ts'
import { type Asked, askApprover } from '../ask-approver.ts'
import { expired, type GateEnvironment, type GateResult, notAsked, stop, stopped } from '../gate-environment.ts'
import { type Alike, HeldCall, type Share } from '../held-call.ts'
import type { PendingApprovals } from '../pending-approvals.ts'
import type { GateDesk } from './gate-desk.ts'

/** Who decides where a rule or an earlier answer does. */
const BY_POLICY = 'policy'
const NOBODY_ELSE: Alike = Object.freeze({ identical: Object.freeze([]), matching: Object.freeze([]) })

/**
 * Takes one held call past a desk. The question, and those of the other held calls of the batch, are kept before anybody is told. Whoever answers first
 * decides: the person here or somebody elsewhere; the other question is withdrawn. Where nobody is waited for the call stays where it is.
 *
 * @throws the store's error when a question or an answer could not be kept
 */
export async function passDesk(
  held: HeldCall,
  cx: GateEnvironment,
  desk: GateDesk,
  pending: PendingApprovals,
  signal: AbortSignal,
): Promise<GateResult> {
  const gate = new DeskGate(held, cx, desk, pending)
  const result = await gate.pass(signal)
  if (result.type !== 'wait') pending.release(held.call.call.id)
  return result
}

class DeskGate {
  readonly #held: HeldCall
  readonly #cx: GateEnvironment
  readonly #desk: GateDesk
  readonly #pending: PendingApprovals

  constructor(held: HeldCall, cx: GateEnvironment, desk: GateDesk, pending: PendingApprovals) {
    this.#held = held
    this.#cx = cx
    this.#desk = desk
    this.#pending = pending
  }

  async pass(signal: AbortSignal): Promise<GateResult> {
    const known = await this.#known()
    if (known !== undefined) return known
    if (this.#desk.defers) return this.#leave()
    const waiting = AbortSignal.any([signal, this.#desk.leaving])
    try {
      return await this.#cx.interaction.run(async () => {
        if (signal.aborted) return this.#withdrawn()
        return (await this.#known()) ?? (this.#desk.defers ? this.#leave() : this.#ask(signal))
      }, waiting)
    } catch (error) {
      // The turn at the person was waited for in vain.
      if (signal.aborted) return this.#withdrawn()
      if (this.#desk.defers) return this.#leave()
      throw error
    }
  }

  /** What was said already: before a crash, at the desk, by a rule. */
  async #known(): Promise<GateResult | undefined> {
    const held = this.#held
    const now = this.#cx.admission.decide(held.call)
    const asked = this.#desk.asked(held.call.call.id)
    if (asked !== undefined && !sameBinding(asked.binding, held.binding)) return this.#changed()
    if (now.effect === 'deny') {
      const error = deniedByPolicy(held.call, now)
      await this.#withdraw(error.message)
      return stop('refused', error)
    }
    const taken = this.#desk.taken(held.call.call.id)
    if (taken !== undefined) {
      // Of others that were answered with it the desk knows.
      return taken.decision === undefined
        ? expired(held.call, 'nobody answered in time')
        : held.follow(taken.decision, NOBODY_ELSE, () => {})
    }
    held.asks(now)
    const allowed = now.effect === 'allow' || held.covered
    if (asked === undefined) return allowed ? held.pass() : undefined
    if (allowed) await this.#desk.decide(asked.id, { type: 'approve', scope: 'once' }, BY_POLICY)
    const current = await this.#desk.current(asked.id)
    return current.state === 'pending' ? undefined : this.#follow(current, NOBODY_ELSE)
  }

  /** Asks the person here, and whoever looks at the desk. */
  async #ask(signal: AbortSignal): Promise<GateResult> {
    const { emit, at, clock, approver, principal } = this.#cx
    const id = await this.#keepQuestions()
    const alike = this.#held.alike()
    const request = await this.#held.shown(this.#held.request(id, alike))
    emit?.({ type: 'approval-asked', request, at: at() })
    const over = new AbortController()
    const both = AbortSignal.any([signal, over.signal, this.#desk.leaving])
    const elsewhere = this.#desk.settled(id, both).then(
      (current) => ({ type: 'elsewhere', current }) as const,
      (error: unknown): Asked => (both.aborted ? { type: 'stopped' } : { type: 'failed', error }),
    )
    try {
      const asked = await Promise.race([askApprover(approver, request, { clock, timeoutMs: undefined }, both), elsewhere])
      switch (asked.type) {
        case 'elsewhere':
          return await this.#follow(asked.current, alike)
        case 'decided':
          return await this.#follow(await this.#desk.decide(id, asked.decision, principal.userId), alike)
        case 'failed': {
          const outcome = notAsked(this.#held.call, asked.error)
          await this.#withdraw('nobody could be asked')
          return { type: 'stop', outcome }
        }
        case 'stopped':
        case 'expired':
          return signal.aborted ? await this.#withdrawn() : { type: 'wait', approvalId: id }
        default:
          return asked satisfies never
      }
    } finally {
      over.abort()
    }
  }

  /** Leaves the call to whoever decides later. */
  async #leave(): Promise<GateResult> {
    const id = await this.#keepQuestions()
    const { emit, at } = this.#cx
    emit?.({ type: 'approval-asked', request: await this.#held.shown(this.#held.request(id)), at: at() })
    const current = await this.#desk.current(id)
    return current.state === 'pending' ? { type: 'wait', approvalId: id } : this.#follow(current, NOBODY_ELSE)
  }

  /** Keeps this question and those of the other calls of the batch that wait, so that they can be answered in any order. */
  async #keepQuestions(): Promise<ApprovalId> {
    const { call } = this.#held.call
    const missing: AskedApproval[] = []
    let own = this.#desk.asked(call.id)?.id
    for (const entry of this.#pending.waiting()) {
      if (this.#desk.asked(entry.call.call.id) !== undefined) continue
      const question = await this.#question(
        entry.call === this.#held.call ? this.#held : new HeldCall(entry.call, entry, this.#cx, this.#pending),
      )
      if (question.callId === call.id) own = question.id
      missing.push(question)
    }
    if (own === undefined) {
      const question = await this.#question(this.#held)
      own = question.id
      missing.push(question)
    }
    await this.#desk.ask(missing)
    return own
  }

  async #question(held: HeldCall): Promise<AskedApproval> {
    const { ids, clock, approvalTimeoutMs } = this.#cx
    const id = approvalId(ids.next('approval'))
    const { shown } = await held.shown(held.request(id, NOBODY_ELSE))
    const createdAt = clock.now()
    return {
      id,
      batch: this.#desk.batch,
      callId: held.call.call.id,
      tool: held.call.tool.name,
      effect: held.call.effect,
      shown: shown ?? held.call.input,
      reason: held.reason,
      rule: held.rule,
      binding: held.binding,
      createdAt,
      ...(approvalTimeoutMs === undefined ? {} : { expiresAt: createdAt + approvalTimeoutMs }),
    }
  }

  /** An answer was given: it is taken before anything follows from it. */
  async #follow(current: StoredApproval, alike: Alike): Promise<GateResult> {
    const { emit, at } = this.#cx
    const held = this.#held
    const decision: ApprovalDecision = current.decision ?? { type: 'deny', by: 'policy', reason: `it is ${current.state}` }
    await this.#desk.take(current, this.#grants(decision))
    emit?.({ type: 'approval-answered', request: held.request(current.id, alike), decision, at: at() })
    switch (current.state) {
      case 'expired':
        return expired(held.call, 'nobody answered in time')
      case 'approved':
      case 'edited':
      case 'denied':
      case 'cancelled':
      case 'pending':
        return held.follow(decision, alike, this.#shareBy(current.decidedBy ?? BY_POLICY))
      default:
        return current.state satisfies never
    }
  }

  /** Other calls that were shown with the question have one of their own at the desk: it gets the same answer. */
  #shareBy(by: string): Share {
    return async (calls, answer) => {
      for (const other of calls) {
        const asked = this.#desk.asked(other.call.id)
        if (asked !== undefined) await this.#desk.decide(asked.id, answer, by)
      }
    }
  }

  #grants(decision: ApprovalDecision): readonly Digest[] {
    if (decision.type !== 'approve' || (decision.scope !== 'call' && decision.scope !== 'tool')) return []
    return [this.#cx.approvals.grant(this.#held.call, this.#cx.principal, decision.scope, this.#held.rule)]
  }

  /** What was asked about is not what would run now. */
  async #changed(): Promise<GateResult> {
    const error = new AdjutantError('APPROVAL_MISMATCH', `${this.#held.call.tool.name} is not what was asked about any more`)
    await this.#withdraw(error.message)
    return stop('denied', error)
  }

  /** The run was stopped: nobody is to decide on what will not run. */
  async #withdrawn(): Promise<GateResult> {
    await this.#withdraw('the run was stopped')
    return stopped(this.#held.call)
  }

  #withdraw(reason: string): Promise<void> {
    return this.#desk.withdraw(this.#held.call.call.id, reason)
  }
}
