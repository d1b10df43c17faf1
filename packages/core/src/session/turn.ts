import type { Verdict } from '../admission/admit.ts'
import type { AdmittedCall, ToolCall } from '../contract/call.ts'
import type { CallState, Outcome } from '../contract/call-state.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { ToolLookup } from '../contract/lookup.ts'
import type { RawOutcome, RunTimes } from '../contract/outcome.ts'
import type { ToolResult } from '../contract/result.ts'
import { type BatchStrategy, planBatch } from '../dispatch/plan-batch.ts'
import { runBatch } from '../dispatch/run-batch.ts'
import type { ExecutionHost } from '../execution/call-scope.ts'
import { checkRule, execute, type RunningCall } from '../execution/execute.ts'
import { buildResult } from '../response/build-result.ts'
import { OrderBarrier } from '../response/order-barrier.ts'
import { cancelledBeforeRun, type GateEnvironment, passGate } from './approval-gate.ts'
import { CallLedger } from './call-ledger.ts'

/** What one batch needs: lent by the session, the same for the whole turn even if the registry changes meanwhile. */
export interface TurnEnvironment extends GateEnvironment {
  readonly tools: ToolLookup
  readonly host: ExecutionHost
  readonly strategy: BatchStrategy
  /** Reads in flight at once. */
  readonly concurrency: number
  readonly timeoutMs: number
  readonly resultChars: number
  /** Told each result as soon as it is settled. */
  readonly settled: ((call: ToolCall, result: ToolResult) => void) | undefined
}

/**
 * Carries out one batch: the one place that joins the rooms. Every call gets exactly one result, in call order, whatever
 * happens to it; the whole batch is looked at before anything runs. Never rejects for a reason that lies in a call.
 */
export async function runTurn(calls: readonly ToolCall[], cx: TurnEnvironment, signal: AbortSignal): Promise<readonly ToolResult[]> {
  const turn = new Turn(calls, cx, signal)
  // Admission: may each run, as asked?
  const effects = calls.map((_, index) => turn.admit(index))
  // Dispatch: when, and beside whom?
  const plan = planBatch(effects, cx.strategy)
  turn.queueAdmitted()
  const stopListening = turn.cancelOnAbort()
  try {
    // Execution: each by itself, within its limits.
    await runBatch(plan, cx.concurrency, (index) => turn.run(index))
    // Response: wait for all, hand back in call order.
    await turn.refusalsBuilt()
    return turn.barrier.results()
  } finally {
    stopListening()
  }
}

class Turn {
  readonly barrier: OrderBarrier
  readonly #calls: readonly ToolCall[]
  readonly #cx: TurnEnvironment
  readonly #signal: AbortSignal
  readonly #ledger: CallLedger
  readonly #verdicts: Verdict[] = []
  readonly #seen = new Set<string>()
  readonly #running = new Set<RunningCall>()
  readonly #refusals: (Promise<void> | undefined)[] = []

  constructor(calls: readonly ToolCall[], cx: TurnEnvironment, signal: AbortSignal) {
    this.#calls = calls
    this.#cx = cx
    this.#signal = signal
    this.#ledger = new CallLedger(calls, cx.at, cx.emit)
    this.barrier = new OrderBarrier(calls.length)
  }

  /** Looks at one call; gives its effect if it may run. */
  admit(index: number): AdmittedCall['effect'] | undefined {
    const call = this.#call(index)
    const verdict = this.#seen.has(call.id) ? duplicateId(call) : this.#cx.admission.admit(call, this.#cx.tools)
    this.#seen.add(call.id)
    this.#verdicts.push(verdict)
    switch (verdict.type) {
      case 'refused':
        this.#refusals.push(this.#settle(index, { status: 'refused', error: verdict.error }))
        return undefined
      case 'held':
        this.#ledger.move(index, { status: 'held', reason: verdict.reason })
        return verdict.call.effect
      case 'admitted':
        this.#ledger.move(index, ADMITTED)
        return verdict.call.effect
      default:
        return verdict satisfies never
    }
  }

  queueAdmitted(): void {
    for (const [index, verdict] of this.#verdicts.entries()) if (verdict.type === 'admitted') this.#ledger.move(index, QUEUED)
  }

  async refusalsBuilt(): Promise<void> {
    await Promise.all(this.#refusals)
  }

  /** One released call: business rule, human gate, execution, result. Its failure is its own. */
  async run(index: number): Promise<void> {
    const verdict = this.#verdicts[index]
    if (verdict === undefined || verdict.type === 'refused') return
    let call = verdict.call
    if (this.#signal.aborted) return this.#settle(index, cancelledBeforeRun(call), call)
    if (call.tool.check !== undefined) {
      const broken = await this.#rule(call)
      if (broken !== undefined) return this.#settle(index, broken, call)
    }
    if (verdict.type === 'held') {
      const gate = await passGate(call, verdict.reason, this.#cx, this.#signal)
      if (gate.type === 'stop') return this.#settle(index, gate.outcome, call)
      call = gate.call
      if (gate.edited) {
        const broken = call.tool.check === undefined ? undefined : await this.#rule(call)
        if (broken !== undefined) return this.#settle(index, broken, call)
      }
      if (this.#signal.aborted) return this.#settle(index, cancelledBeforeRun(call), call)
      this.#ledger.move(index, ADMITTED)
      this.#ledger.move(index, QUEUED)
    }
    this.#ledger.move(index, RUNNING)
    const startedAt = this.#cx.at()
    const outcome = await this.#supervised(execute(call, this.#cx.host, this.#cx.timeoutMs))
    await this.#settle(index, outcome, call, { startedAt, endedAt: this.#cx.at(), attempts: 1 })
  }

  /** Forwards an abort of the turn to every call in flight. One listener for all of them. */
  cancelOnAbort(): () => void {
    const cancel = (): void => {
      for (const running of this.#running) running.cancel()
    }
    this.#signal.addEventListener('abort', cancel, { once: true })
    return () => this.#signal.removeEventListener('abort', cancel)
  }

  async #supervised(running: RunningCall): Promise<RawOutcome> {
    this.#running.add(running)
    if (this.#signal.aborted) running.cancel()
    const outcome = await running.outcome
    this.#running.delete(running)
    return outcome
  }

  /** The outcome that ends the call when its rule does not hold. */
  async #rule(call: AdmittedCall): Promise<RawOutcome | undefined> {
    const outcome = await this.#supervised(checkRule(call, this.#cx.host, this.#cx.timeoutMs))
    if (outcome.status === 'succeeded') return undefined
    return outcome.status === 'cancelled' ? cancelledBeforeRun(call) : { status: 'refused', error: outcome.error }
  }

  /** Gives the call its one result. Synchronous unless something has to be written first: most results are small. */
  #settle(index: number, outcome: RawOutcome, admitted?: AdmittedCall, times?: RunTimes): Promise<void> | undefined {
    const built = this.#build(this.#call(index), outcome, admitted, times)
    if (built instanceof Promise) return built.then((result) => this.#put(index, outcome, result))
    this.#put(index, outcome, built)
    return undefined
  }

  #put(index: number, outcome: RawOutcome, result: ToolResult): void {
    this.#ledger.move(index, finalState(outcome, result))
    this.#ledger.move(index, SETTLED[result.outcome])
    this.barrier.put(index, result)
    this.#cx.settled?.(this.#call(index), result)
  }

  #build(call: ToolCall, outcome: RawOutcome, admitted?: AdmittedCall, times?: RunTimes): ToolResult | Promise<ToolResult> {
    return buildResult(
      {
        call,
        outcome,
        ...(admitted === undefined ? {} : { tool: admitted.tool, input: admitted.input, conversions: admitted.conversions }),
        ...(times === undefined ? {} : { times }),
      },
      { namespace: this.#cx.host.namespace, resultChars: this.#cx.resultChars },
    )
  }

  #call(index: number): ToolCall {
    const call = this.#calls[index]
    if (call === undefined) throw new AdjutantError('INTERNAL', `the batch has no call ${index}`)
    return call
  }
}

const ADMITTED: CallState = Object.freeze({ status: 'admitted' })
const QUEUED: CallState = Object.freeze({ status: 'queued' })
const RUNNING: CallState = Object.freeze({ status: 'running', attempt: 1 })
const SUCCEEDED: CallState = Object.freeze({ status: 'succeeded' })
const SETTLED: Readonly<Record<Outcome, CallState>> = Object.freeze({
  ok: Object.freeze({ status: 'settled', outcome: 'ok' }),
  failed: Object.freeze({ status: 'settled', outcome: 'failed' }),
  'not-run': Object.freeze({ status: 'settled', outcome: 'not-run' }),
  unknown: Object.freeze({ status: 'settled', outcome: 'unknown' }),
})

function duplicateId(call: ToolCall): Verdict {
  return {
    type: 'refused',
    error: new AdjutantError('DUPLICATE_CALL_ID', `the id ${JSON.stringify(call.id)} is used by an earlier call of this batch`),
  }
}

function finalState(outcome: RawOutcome, result: ToolResult): CallState {
  switch (outcome.status) {
    case 'succeeded':
      // A tool that ran and says itself that it failed.
      return result.outcome === 'failed' ? { status: 'failed', code: result.code ?? 'TOOL_FAILED' } : SUCCEEDED
    case 'failed':
    case 'refused':
    case 'unknown':
      return { status: outcome.status, code: outcome.error.code }
    case 'denied':
      return { status: 'denied', reason: outcome.error.message }
    case 'timed-out':
    case 'cancelled':
    case 'expired':
      return { status: outcome.status }
    default:
      return outcome satisfies never
  }
}
