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
import { type BuildResultContext, buildResult } from '../response/build-result.ts'
import { OrderBarrier } from '../response/order-barrier.ts'
import { AdoptionPool, type EarlyRun } from './adoption.ts'
import { cancelledBeforeRun, type GateEnvironment, passGate } from './approval-gate.ts'
import { CallLedger } from './call-ledger.ts'
import { EarlyStarter } from './early-starter.ts'

/** What one batch needs: lent by the session, the same for the whole turn even if the registry changes meanwhile. */
export interface TurnEnvironment extends GateEnvironment {
  /** What a call stands for, and among which tools it is looked up: `use_tool` names another one. */
  resolve(call: ToolCall): { readonly call: ToolCall; readonly lookup: ToolLookup }
  readonly host: ExecutionHost
  readonly strategy: BatchStrategy
  /** Reads in flight at once. */
  readonly concurrency: number
  /** Whether a complete read may start before the batch is complete. */
  readonly earlyStart: boolean
  readonly timeoutMs: number
  readonly resultChars: number
  /** Told each result as soon as it is settled. */
  readonly settled: ((call: ToolCall, result: ToolResult) => void) | undefined
}

/**
 * Carries out one batch: the one place that joins the rooms. Calls are added as intake completes them; reads may start at once, as long as
 * nothing before them is a write. `complete` carries out the rest and gives every call exactly one result, in call order, whatever
 * happened to it. Never rejects for a reason that lies in a call.
 */
export class Turn {
  readonly #cx: TurnEnvironment
  readonly #signal: AbortSignal
  readonly #adopt: AdoptionPool
  readonly #ledger: CallLedger
  readonly #barrier = new OrderBarrier(0)
  readonly #resultContext: BuildResultContext
  readonly #early: EarlyStarter
  /** Calls whose turn in the model's order has not come: an earlier one is still being written. */
  readonly #ahead = new Map<number, ToolCall>()
  readonly #calls: ToolCall[] = []
  readonly #verdicts: Verdict[] = []
  readonly #seen = new Set<string>()
  readonly #running = new Set<RunningCall>()
  readonly #refusals: (Promise<void> | undefined)[] = []
  readonly #ran: EarlyRun[] = []
  #listening = false
  /** The answer broke off: what has not begun to run must not, or the answer that comes instead would run it twice. */
  #left = false

  constructor(cx: TurnEnvironment, signal: AbortSignal, adopt = new AdoptionPool()) {
    this.#cx = cx
    this.#signal = signal
    this.#adopt = adopt
    this.#resultContext = { namespace: cx.host.namespace, resultChars: cx.resultChars }
    this.#ledger = new CallLedger(cx.at, cx.emit)
    this.#early = new EarlyStarter(cx.strategy === 'strict' ? 1 : cx.concurrency, (index) => {
      this.#ledger.move(index, QUEUED)
      return this.#run(index)
    })
  }

  /** Takes in one call. @param position in the model's order, from 0; a call is looked at when all before it are there */
  add(call: ToolCall, position: number = call.index): void {
    if (position === this.#calls.length && this.#ahead.size === 0) {
      this.#admit(call)
      return
    }
    this.#ahead.set(position, call)
    for (let next = this.#ahead.get(this.#calls.length); next !== undefined; next = this.#ahead.get(this.#calls.length)) {
      this.#ahead.delete(this.#calls.length)
      this.#admit(next)
    }
  }

  /** The model has finished: carries out what has not run and waits for all. */
  async complete(): Promise<readonly ToolResult[]> {
    // Admission: may each run, as asked?
    for (const [, call] of [...this.#ahead].sort(([a], [b]) => a - b)) this.#admit(call)
    this.#ahead.clear()
    this.#early.close()
    // Dispatch: when, and beside whom?
    const plan = planBatch(this.#verdicts.map(effectOf), this.#cx.strategy)
    for (const [index, verdict] of this.#verdicts.entries()) {
      if (verdict.type === 'admitted' && !this.#early.has(index)) this.#ledger.move(index, QUEUED)
    }
    // Execution: each by itself, within its limits.
    await runBatch(plan, this.#cx.concurrency, (index) => this.#early.started(index) ?? this.#run(index))
    // Response: wait for all, hand back in call order.
    await Promise.all(this.#refusals)
    return this.#barrier.results()
  }

  /** The answer broke off: nothing more starts; what ran is left to the answer that comes instead. */
  leave(): AdoptionPool {
    this.#left = true
    this.#early.close()
    for (const run of this.#ran) this.#adopt.put(run)
    return this.#adopt
  }

  /** The turn is over: stops what still runs, waits for it, and lets go of the signal. */
  async close(): Promise<void> {
    this.#early.close()
    this.#cancelAll()
    await this.#early.settled()
    this.#signal.removeEventListener('abort', this.#cancelAll)
  }

  #admit(call: ToolCall): void {
    const index = this.#ledger.receive(call)
    this.#calls.push(call)
    this.#barrier.expect(index + 1)
    const verdict = this.#seen.has(call.id) ? duplicateId(call) : this.#judge(call)
    this.#seen.add(call.id)
    this.#verdicts.push(verdict)
    switch (verdict.type) {
      case 'refused':
        this.#refusals.push(this.#settle(index, { status: 'refused', error: verdict.error }))
        return
      case 'held':
        this.#ledger.move(index, { status: 'held', reason: verdict.reason })
        this.#early.close()
        return
      case 'admitted':
        this.#ledger.move(index, ADMITTED)
        // A write ends it: what comes after must wait for it.
        if (verdict.call.effect !== 'read') this.#early.close()
        else if (this.#cx.earlyStart) this.#early.offer(index)
        return
      default:
        verdict satisfies never
    }
  }

  #judge(call: ToolCall): Verdict {
    const asked = this.#cx.resolve(call)
    return this.#cx.admission.admit(asked.call, asked.lookup)
  }

  /** One released call: business rule, human gate, execution, result. Its failure is its own. */
  async #run(index: number): Promise<void> {
    const verdict = this.#verdicts[index]
    if (verdict === undefined || verdict.type === 'refused') return
    let call = verdict.call
    if (this.#signal.aborted) return this.#settle(index, cancelledBeforeRun(call), call)
    const taken = this.#adopt.take(call)
    if (taken !== undefined && (await this.#takeOver(index, call, taken))) return
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
    if (this.#left) return this.#settle(index, cancelledBeforeRun(call), call)
    this.#ledger.move(index, RUNNING)
    const startedAt = this.#cx.at()
    const running = execute(call, this.#cx.host, this.#cx.timeoutMs)
    this.#watch(running)
    if (!this.#early.closed) this.#leavable(call, running.outcome, startedAt)
    const outcome = await running.outcome
    this.#running.delete(running)
    await this.#settle(index, outcome, call, { startedAt, endedAt: this.#cx.at(), attempts: 1 })
  }

  /** Takes over what an answer that broke off had started. False when it was stopped before it came to anything. */
  async #takeOver(index: number, call: AdmittedCall, run: EarlyRun): Promise<boolean> {
    this.#ledger.move(index, { status: 'adopted', from: run.from })
    if (!this.#early.closed) this.#ran.push(run)
    const { outcome, times } = await run.done
    if (outcome.status === 'cancelled' && !this.#signal.aborted) return false
    await this.#settle(index, outcome, call, times, run.from)
    return true
  }

  #leavable(call: AdmittedCall, running: Promise<RawOutcome>, startedAt: number): void {
    const done = running.then((outcome) => ({ outcome, times: { startedAt, endedAt: this.#cx.at(), attempts: 1 } }))
    this.#ran.push({ from: call.call.id, call, done })
  }

  /** Forwards an abort of the turn to every call in flight. One listener for all of them, from the first on. */
  readonly #cancelAll = (): void => {
    for (const running of this.#running) running.cancel()
  }

  /** Lets an abort of the turn reach the call. */
  #watch(running: RunningCall): void {
    if (!this.#listening) this.#signal.addEventListener('abort', this.#cancelAll, { once: true })
    this.#listening = true
    this.#running.add(running)
    if (this.#signal.aborted) running.cancel()
  }

  /** The outcome that ends the call when its rule does not hold. */
  async #rule(call: AdmittedCall): Promise<RawOutcome | undefined> {
    const running = checkRule(call, this.#cx.host, this.#cx.timeoutMs)
    this.#watch(running)
    const outcome = await running.outcome
    this.#running.delete(running)
    if (outcome.status === 'succeeded') return undefined
    return outcome.status === 'cancelled' ? cancelledBeforeRun(call) : { status: 'refused', error: outcome.error }
  }

  /** Gives the call its one result. Synchronous unless something has to be written first: most results are small. */
  #settle(
    index: number,
    outcome: RawOutcome,
    admitted?: AdmittedCall,
    times?: RunTimes,
    from?: EarlyRun['from'],
  ): Promise<void> | undefined {
    const built = this.#build(this.#call(index), outcome, admitted, times)
    if (built instanceof Promise) return built.then((result) => this.#put(index, outcome, result, from))
    this.#put(index, outcome, built, from)
    return undefined
  }

  #put(index: number, outcome: RawOutcome, built: ToolResult, from: EarlyRun['from'] | undefined): void {
    const result = from === undefined ? built : { ...built, adoptedFrom: from }
    this.#ledger.move(index, finalState(outcome, result))
    this.#ledger.move(index, SETTLED[result.outcome])
    this.#barrier.put(index, result)
    this.#cx.settled?.(this.#call(index), result)
  }

  #build(call: ToolCall, outcome: RawOutcome, admitted?: AdmittedCall, times?: RunTimes): ToolResult | Promise<ToolResult> {
    if (admitted === undefined) return buildResult({ call, outcome }, this.#resultContext)
    const { tool, input, conversions } = admitted
    return times === undefined
      ? buildResult({ call, outcome, tool, input, conversions }, this.#resultContext)
      : buildResult({ call, outcome, tool, input, conversions, times }, this.#resultContext)
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

function effectOf(verdict: Verdict): AdmittedCall['effect'] | undefined {
  return verdict.type === 'refused' ? undefined : verdict.call.effect
}

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
