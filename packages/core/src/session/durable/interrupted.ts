import type { Admission, Verdict } from '../../admission/admit.ts'
import { bindingOf } from '../../admission/approval.ts'
import type { ToolCall } from '../../contract/call.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { ToolLookup } from '../../contract/lookup.ts'
import type { RawOutcome } from '../../contract/outcome.ts'
import type { Principal } from '../../contract/principal.ts'
import type { AnsweredStep, StartedStep } from './open-batch.ts'

/** A call that had begun to run when its process died, and may not simply be run again. */
export interface Interrupted {
  readonly type: 'interrupted'
  readonly started: StartedStep
  /** What would be run, for a tool that can say what became of it; absent when it is not there, or not the same, any more. */
  readonly verdict: Exclude<Verdict, { type: 'refused' }> | undefined
}

/**
 * Decides what is to be done about a call that was running: a read, or what may be repeated, goes the way of any other call and gets the idempotency
 * key it had; all else is only looked back at. A definition that has changed meanwhile is another tool: nothing of it is repeated.
 */
export function interruptedBy(
  started: StartedStep,
  answered: AnsweredStep | undefined,
  call: ToolCall,
  lookup: ToolLookup,
  cx: { readonly admission: Admission; readonly principal: Principal; readonly background: unknown },
): Exclude<Verdict, { type: 'refused' }> | Interrupted {
  const verdict = edited(cx.admission.admit(call, lookup), answered, cx.admission)
  if (verdict.type === 'refused') return { type: 'interrupted', started, verdict: undefined }
  const binding = bindingOf(verdict.call, cx.principal)
  if (binding.tool !== started.binding.tool || binding.arguments !== started.binding.arguments) {
    return { type: 'interrupted', started, verdict: undefined }
  }
  const { effect, tool } = verdict.call
  // The same call makes the same job.
  const harmless = effect === 'read' || tool.repeatable === true || (tool.background === true && cx.background !== undefined)
  return harmless ? verdict : { type: 'interrupted', started, verdict }
}

/** A person may have changed the arguments before it ran. */
function edited(verdict: Verdict, answered: AnsweredStep | undefined, admission: Admission): Verdict {
  if (verdict.type === 'refused' || answered?.decision?.type !== 'edit') return verdict
  return admission.readmit(verdict.call, answered.decision.input)
}

/** What the model and the person are told of a call whose end nobody heard. */
export function lostOutcome(started: StartedStep, ran: 'ran' | 'not-run' | 'unknown'): RawOutcome {
  const what = `the process that ran ${started.name} died before it heard the end`
  return {
    status: 'unknown',
    error:
      ran === 'ran'
        ? new AdjutantError('OUTCOME_UNKNOWN', `${what}; the tool says that it took effect, what it gave back is lost`, {
            hint: 'It took effect: do not do it again. Look up what you need of its result.',
          })
        : new AdjutantError('OUTCOME_UNKNOWN', `${what}, and nobody can say whether it took effect`),
  }
}
