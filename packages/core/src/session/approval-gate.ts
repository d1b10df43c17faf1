import { deniedByPolicy } from '../admission/admit.ts'
import type { AdmittedCall } from '../contract/call.ts'
import { approvalId } from '../contract/ids.ts'
import type { PolicyDecision } from '../contract/policy.ts'
import { askApprover } from './ask-approver.ts'
import { passDesk } from './durable/desk-gate.ts'
import { deniedError, expired, type GateEnvironment, type GateResult, notAsked, stop, stopped } from './gate-environment.ts'
import { HeldCall } from './held-call.ts'
import type { PendingApprovals } from './pending-approvals.ts'

/**
 * Freezes one held call until somebody decides, and lets through exactly what was decided on. The question is asked with the interaction
 * lock held. What was answered meanwhile is honoured without asking again: an earlier answer that was given to this call as well, a grant of
 * the session, a rule that was saved. The approval is bound to the arguments, the tool definition and the principal; they are compared when
 * the call goes on. Where there is a desk, the question and its answer outlive the process.
 */
export async function passGate(
  call: AdmittedCall,
  asked: { readonly reason: string; readonly decision: PolicyDecision },
  cx: GateEnvironment,
  pending: PendingApprovals,
  signal: AbortSignal,
): Promise<GateResult> {
  const held = new HeldCall(call, asked, cx, pending)
  if (cx.desk !== undefined) return passDesk(held, cx, cx.desk, pending, signal)
  const gate = new Gate(held, cx, pending)
  try {
    return (
      gate.known() ??
      (await cx.interaction.run(async () => {
        if (signal.aborted) return stopped(call)
        return gate.known() ?? (await gate.ask(signal))
      }, signal))
    )
  } catch (error) {
    return signal.aborted ? stopped(call) : { type: 'stop', outcome: notAsked(call, error) }
  } finally {
    pending.release(call.call.id)
  }
}

class Gate {
  readonly #held: HeldCall
  readonly #cx: GateEnvironment
  readonly #pending: PendingApprovals

  constructor(held: HeldCall, cx: GateEnvironment, pending: PendingApprovals) {
    this.#held = held
    this.#cx = cx
    this.#pending = pending
  }

  /** What was said already, of this call or of all like it. */
  known(): GateResult | undefined {
    const held = this.#held
    const now = this.#cx.admission.decide(held.call)
    if (now.effect === 'deny') return stop('refused', deniedByPolicy(held.call, now))
    const answer = this.#pending.take(held.call, held.binding)
    if (answer !== undefined || now.effect === 'allow') {
      held.asks(now)
      if (answer === undefined) return held.pass()
      this.#cx.emit?.({ type: 'approval-answered', request: held.request(this.#newId()), decision: answer, at: this.#cx.at() })
      return answer.type === 'deny' ? stop('denied', deniedError(held.call, answer)) : held.pass()
    }
    held.asks(now)
    return held.covered ? held.pass() : undefined
  }

  async ask(signal: AbortSignal): Promise<GateResult> {
    const { emit, at, clock, approver, approvalTimeoutMs } = this.#cx
    const held = this.#held
    const alike = held.alike()
    const request = await held.shown(held.request(this.#newId(), alike))
    emit?.({ type: 'approval-asked', request, at: at() })
    const asked = await askApprover(approver, request, { clock, timeoutMs: approvalTimeoutMs }, signal)
    switch (asked.type) {
      case 'stopped':
        return stopped(held.call)
      case 'failed':
        return { type: 'stop', outcome: notAsked(held.call, asked.error) }
      case 'expired': {
        const reason = `nobody answered within ${asked.afterMs} ms`
        emit?.({ type: 'approval-answered', request, decision: { type: 'deny', by: 'policy', reason }, at: at() })
        return expired(held.call, reason)
      }
      case 'decided':
        emit?.({ type: 'approval-answered', request, decision: asked.decision, at: at() })
        return held.follow(asked.decision, alike, (calls, answer) => this.#pending.answer(calls, answer))
      default:
        return asked satisfies never
    }
  }

  #newId(): ReturnType<typeof approvalId> {
    return approvalId(this.#cx.ids.next('approval'))
  }
}
