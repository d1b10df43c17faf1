import { sameBinding } from '../admission/approval.ts'
import type { AdmittedCall, CallBinding } from '../contract/call.ts'
import type { CallId } from '../contract/ids.ts'
import type { PolicyDecision } from '../contract/policy.ts'
import type { ApprovalDecision } from '../contract/ports.ts'

/** An answer that was given to one call's question and holds for another as well. */
export type SharedAnswer = Extract<ApprovalDecision, { readonly type: 'approve' | 'deny' }>

/** A held call and what was said of it when it was held. */
export interface HeldEntry {
  readonly call: AdmittedCall
  readonly binding: CallBinding
  readonly reason: string
  readonly decision: PolicyDecision
}

interface Held extends HeldEntry {
  answer: SharedAnswer | undefined
}

/**
 * Owns the held calls of one turn that nobody has decided on yet, and the answers that one question gave to several of them. An answer is
 * bound to the very call it was given to, is taken at most once, and never reaches a call that was not shown with the question.
 * In memory, for one turn.
 */
export class PendingApprovals {
  readonly #held = new Map<CallId, Held>()

  hold(entry: HeldEntry): void {
    this.#held.set(entry.call.call.id, { ...entry, answer: undefined })
  }

  /** Those that nobody has decided on, in the order in which they were held. */
  waiting(): readonly HeldEntry[] {
    return [...this.#held.values()].filter(({ answer }) => answer === undefined)
  }

  /** The call has been decided on, or will never be. */
  release(id: CallId): void {
    this.#held.delete(id)
  }

  /** Others that ask for the very same: tool, arguments, principal, rule. */
  identical(to: AdmittedCall, binding: CallBinding, rule: string): readonly AdmittedCall[] {
    return this.#others(to, (held) => held.decision.rule === rule && held.call.effect === to.effect && sameBinding(held.binding, binding))
  }

  /** Others of the same tool definition, effect and rule, whatever their arguments. */
  matching(to: AdmittedCall, rule: string): readonly AdmittedCall[] {
    return this.#others(to, ({ call, decision }) => decision.rule === rule && call.tool === to.tool && call.effect === to.effect)
  }

  /** Gives calls that were shown with a question the same answer. What has been decided on meanwhile stays as it was. */
  answer(calls: readonly AdmittedCall[], answer: SharedAnswer): void {
    for (const { call } of calls) {
      const held = this.#held.get(call.id)
      if (held !== undefined) held.answer ??= answer
    }
  }

  /** Takes the answer that was given to this call, if there is one and the call is still the same. */
  take(call: AdmittedCall, binding: CallBinding): SharedAnswer | undefined {
    const held = this.#held.get(call.call.id)
    if (held?.answer === undefined || !sameBinding(held.binding, binding)) return undefined
    this.#held.delete(call.call.id)
    return held.answer
  }

  #others(to: AdmittedCall, fits: (held: Held) => boolean): readonly AdmittedCall[] {
    const found: AdmittedCall[] = []
    for (const held of this.#held.values()) {
      if (held.call.call.id !== to.call.id && held.answer === undefined && fits(held)) found.push(held.call)
    }
    return found
  }
}
