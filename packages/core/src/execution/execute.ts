import type { AdmittedCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { Clock } from '../contract/ports.ts'
import type { CallContext, Execution } from '../contract/tool.ts'
import { CallScope, type ExecutionHost, type StopListener, type StopReason } from './call-scope.ts'

/**
 * Runs one released call once and says truthfully what became of it. Never rejects. A tool that ignores its signal is left
 * behind after {@link STOP_GRACE_MS}; what it gives back later is dropped. A call that may have changed the world and was
 * stopped on the way is `unknown`, not failed: nobody can say whether it took effect.
 */

/** How long a stopped tool may take to end by itself: an abort has to be through within a second. */
const STOP_GRACE_MS = 900

/** Milliseconds for one attempt where the tool sets no limit: the default of MCP clients. */
export const DEFAULT_TIMEOUT_MS = 60_000

export interface RunningCall {
  /** Resolves with the outcome; never rejects. */
  readonly outcome: Promise<RawOutcome>
  /** Aborts the call. */
  cancel(): void
}

type Work = (call: AdmittedCall, cx: CallContext) => Promise<unknown>

/**
 * Starts a call.
 *
 * @param timeoutMs for one attempt when the tool sets none
 */
export function execute(call: AdmittedCall, host: ExecutionHost, timeoutMs: number): RunningCall {
  return new SupervisedCall(call, host, timeoutMs, invoke)
}

/** Starts the tool's own business rule (E4). A succeeded outcome means that it holds; a tool without one is not asked. */
export function checkRule(call: AdmittedCall, host: ExecutionHost, timeoutMs: number): RunningCall {
  // A rule changes nothing, so a stopped one leaves nothing unknown.
  return new SupervisedCall({ ...call, effect: 'read' }, host, timeoutMs, check)
}

/** Asks a tool what became of a call that ran when its process died. A succeeded outcome has the answer as its output. */
export function reconcile(call: AdmittedCall, host: ExecutionHost, timeoutMs: number): RunningCall {
  // Looking changes nothing.
  return new SupervisedCall({ ...call, effect: 'read' }, host, timeoutMs, lookBack)
}

class SupervisedCall implements RunningCall, StopListener {
  readonly outcome: Promise<RawOutcome>
  readonly #call: AdmittedCall
  readonly #clock: Clock
  readonly #limit: number
  readonly #scope: CallScope
  #resolve: ((outcome: RawOutcome) => void) | undefined
  #stopped: StopReason | undefined
  #dropGrace: (() => void) | undefined

  constructor(call: AdmittedCall, host: ExecutionHost, timeoutMs: number, work: Work) {
    this.#call = call
    this.#clock = host.clock
    this.#limit = call.tool.limits?.timeoutMs ?? timeoutMs
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#scope = new CallScope(host, call.call.id, call.tool.name, this.#limit, this)
    work(call, this.#scope).then(
      // A tool that finished although it was told to stop has finished.
      (output) => this.#finish({ status: 'succeeded', output }),
      (error: unknown) => this.#finish(this.#failure(error)),
    )
  }

  cancel(): void {
    this.#scope.stop('cancel')
  }

  stopped(reason: StopReason): void {
    this.#stopped = reason
    this.#dropGrace = this.#clock.after(STOP_GRACE_MS, () => this.#finish(stoppedOutcome(this.#call, reason, this.#limit, false)))
  }

  #failure(error: unknown): RawOutcome {
    return this.#stopped === undefined
      ? failedOutcome(this.#call, error)
      : stoppedOutcome(this.#call, this.#stopped, this.#limit, true, error)
  }

  #finish(outcome: RawOutcome): void {
    this.#dropGrace?.()
    this.#scope.close()
    this.#resolve?.(outcome)
  }
}

async function check(call: AdmittedCall, cx: CallContext): Promise<void> {
  try {
    await call.tool.check?.(call.input, cx)
  } catch (error) {
    throw AdjutantError.from(error, 'RULE_VIOLATED')
  }
}

async function lookBack(call: AdmittedCall, cx: CallContext): Promise<unknown> {
  return call.tool.reconcile?.(call.input, cx)
}

async function invoke(call: AdmittedCall, cx: CallContext): Promise<unknown> {
  const execution = call.tool.execute(call.input, cx)
  if (!isGenerator(execution)) return execution
  // Stepped by hand: `for await` would lose the generator's return value, which is the tool's output.
  for (;;) {
    const step = await execution.next()
    if (step.done) return step.value
    cx.progress(step.value)
    if (cx.signal.aborted) {
      await execution.return(undefined)
      throw cx.signal.reason
    }
  }
}

function isGenerator(value: Execution): value is Extract<Execution, AsyncGenerator> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function failedOutcome(call: AdmittedCall, thrown: unknown): RawOutcome {
  const error = AdjutantError.from(thrown, 'TOOL_FAILED')
  if (error.outcome === 'unknown') return { status: 'unknown', error }
  if (error.message.length > 0) return { status: 'failed', error }
  return { status: 'failed', error: new AdjutantError('TOOL_FAILED', `${call.tool.name} failed without saying why`, { cause: thrown }) }
}

const UNKNOWN_HINT = 'It had started and may have taken effect; look before doing it again.'

function stoppedOutcome(call: AdmittedCall, reason: StopReason, limit: number, ended: boolean, thrown?: unknown): RawOutcome {
  const harmless = call.effect === 'read' || call.tool.repeatable === true
  // A tool that says of itself what became of the call is believed.
  const own = AdjutantError.isInstance(thrown) && thrown.code !== 'CANCELLED' && thrown.code !== 'TIMEOUT' ? thrown.outcome : undefined
  const outcome = own ?? (harmless ? 'failed' : 'unknown')
  const left = ended ? '' : ' It did not react to being stopped and was left behind.'
  const options = { outcome, cause: thrown, ...(outcome === 'unknown' ? { hint: UNKNOWN_HINT } : {}) } as const
  return reason === 'timeout'
    ? { status: 'timed-out', error: new AdjutantError('TIMEOUT', `${call.tool.name} was stopped after ${limit} ms.${left}`, options) }
    : { status: 'cancelled', error: new AdjutantError('CANCELLED', `${call.tool.name} was cancelled while it ran.${left}`, options) }
}
