import type { Verdict } from '../admission/admit.ts'
import type { AdmittedCall, ToolCall } from '../contract/call.ts'
import type { CallState } from '../contract/call-state.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { ApprovalId } from '../contract/ids.ts'
import type { ToolLookup } from '../contract/lookup.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { ToolResult } from '../contract/result.ts'
import { type BatchStrategy, planBatch } from '../dispatch/plan-batch.ts'
import { type BatchWork, type Gate, runBatch } from '../dispatch/run-batch.ts'
import { type GraphCall, runGraph } from '../dispatch/run-graph.ts'
import { type BuildResultContext, buildResult } from '../response/build-result.ts'
import { OrderBarrier } from '../response/order-barrier.ts'
import { AdoptionPool } from './adoption.ts'
import { builtFrom, finalState, SETTLED } from './call-ends.ts'
import { CallLedger } from './call-ledger.ts'
import { ADMITTED, type Carried, Carrier, type CarrierEnvironment, QUEUED, type Released } from './carrier.ts'
import { type Interrupted, interruptedBy, lostOutcome } from './durable/interrupted.ts'
import type { OpenBatch } from './durable/open-batch.ts'
import { SessionPaused } from './durable/session-paused.ts'
import { EarlyStarter } from './early-starter.ts'

/** How a batch is ordered: by waves of what its calls do, or by what they declare to touch. */
export type TurnStrategy = BatchStrategy | 'resources'

/** What one batch needs: lent by the session, the same for the whole turn even if the registry changes meanwhile. */
export interface TurnEnvironment extends CarrierEnvironment {
  /** What a call stands for, and among which tools it is looked up: `use_tool` names another one. */
  resolve(call: ToolCall): { readonly call: ToolCall; readonly lookup: ToolLookup }
  /** What the run as a whole says to a call before anything else does: that it goes round in circles, or that a budget is used up. */
  halt(call: ToolCall, lookup: ToolLookup): AdjutantError | undefined
  readonly strategy: TurnStrategy
  /** Reads in flight at once. */
  readonly concurrency: number
  /** Whether a complete read may start before the batch is complete. */
  readonly earlyStart: boolean
  readonly results: BuildResultContext
  /** Told each result as soon as it is settled. `admitted`: what was called with which arguments, where it came to that. */
  settled(call: ToolCall, result: ToolResult, admitted: AdmittedCall | undefined): void
}

/** What is to be done with one call: what admission says, or what is left to do of a batch that another process began. */
type Course = Verdict | Interrupted | { readonly type: 'restored' }

/**
 * Carries out one batch: the one place that joins the rooms. Calls are added as intake completes them; reads may start at once, as long as
 * nothing before them is a write. `complete` carries out the rest and gives every call exactly one result, in call order, whatever
 * happened to it. Never rejects for a reason that lies in a call.
 *
 * Of a batch that another process had begun, what has its result keeps it; what was running is asked about, and is run again only where that
 * does no harm; the rest is judged anew.
 */
export class Turn {
  readonly #cx: TurnEnvironment
  readonly #carrier: Carrier
  readonly #ledger: CallLedger
  readonly #barrier = new OrderBarrier(0)
  readonly #early: EarlyStarter
  /** Calls whose turn in the model's order has not come: an earlier one is still being written. */
  readonly #ahead = new Map<number, ToolCall>()
  readonly #calls: ToolCall[] = []
  readonly #verdicts: Course[] = []
  readonly #released: (Released | undefined)[] = []
  readonly #seen = new Set<string>()
  readonly #refusals: (Promise<void> | undefined)[] = []
  readonly #open: OpenBatch | undefined
  readonly #waiting: ApprovalId[] = []

  /** @param open what is known of the batch from a process that began it */
  constructor(cx: TurnEnvironment, signal: AbortSignal, adopt = new AdoptionPool(), open?: OpenBatch) {
    this.#cx = cx
    this.#open = open
    this.#ledger = new CallLedger(cx.at, cx.emit)
    this.#carrier = new Carrier(cx, signal, this.#ledger, adopt)
    this.#early = new EarlyStarter(cx.strategy === 'strict' ? 1 : cx.concurrency, (index) => {
      this.#ledger.move(index, QUEUED)
      return this.#run(index).then(() => {})
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

  /** Takes in a whole batch: it is judged as of one moment. */
  addAll(calls: readonly ToolCall[]): void {
    this.#cx.admission.together(() => {
      for (let position = 0; position < calls.length; position += 1) {
        const call = calls[position]
        if (call !== undefined) this.add(call, position)
      }
    })
  }

  /**
   * The model has finished: carries out what has not run and waits for all.
   *
   * @throws SessionPaused when calls are left that a person must decide on and nobody waits for
   */
  async complete(): Promise<readonly ToolResult[]> {
    // Admission: may each run, as asked?
    for (const [, call] of [...this.#ahead].sort(([a], [b]) => a - b)) this.#admit(call)
    this.#ahead.clear()
    this.#stopEarly()
    // By number: an entry for each call would be made otherwise.
    for (let index = 0; index < this.#verdicts.length; index += 1) {
      if (this.#verdicts[index]?.type === 'admitted' && !this.#early.has(index)) this.#ledger.move(index, QUEUED)
    }
    // Dispatch: when, and beside whom? Execution: each by itself, within its limits.
    if (this.#cx.strategy === 'resources') await runGraph(this.#verdicts.map(graphCallOf), this.#cx.concurrency, this.#work)
    else await runBatch(planBatch(this.#verdicts.map(effectOf), this.#cx.strategy), this.#cx.concurrency, this.#work)
    // Response: wait for all, hand back in call order.
    await Promise.all(this.#refusals)
    if (this.#waiting.length > 0) throw new SessionPaused(this.#waiting)
    return this.#barrier.results()
  }

  /** The answer broke off: nothing more starts; what ran is left to the answer that comes instead. */
  leave(): AdoptionPool {
    this.#early.close()
    return this.#carrier.leave()
  }

  /** The turn is over: stops what still runs, waits for it, and lets go of the signal. */
  async close(): Promise<void> {
    this.#early.close()
    this.#carrier.cancelAll()
    await this.#early.settled()
    this.#carrier.close()
  }

  #stopEarly(): void {
    this.#early.close()
    this.#carrier.complete()
  }

  #admit(call: ToolCall): void {
    const index = this.#ledger.receive(call)
    this.#calls.push(call)
    this.#barrier.expect(index + 1)
    const verdict = this.#course(call, index)
    this.#seen.add(call.id)
    this.#verdicts.push(verdict)
    switch (verdict.type) {
      case 'restored':
      case 'interrupted':
        return
      case 'refused':
        this.#cx.emit?.({ type: 'refused', call, error: verdict.error, at: this.#cx.at() })
        this.#refusals.push(this.#settle(index, { status: 'refused', error: verdict.error }))
        if (this.#open !== undefined) this.#refusals.push(this.#cx.desk?.withdraw(call.id, verdict.error.message))
        return
      case 'held':
        this.#cx.emit?.({ type: 'judged', call: verdict.call, decision: verdict.decision, at: this.#cx.at() })
        this.#carrier.hold(verdict)
        this.#ledger.move(index, { status: 'held', reason: verdict.reason })
        this.#stopEarly()
        return
      case 'admitted': {
        const at = this.#cx.at()
        this.#cx.emit?.({ type: 'judged', call: verdict.call, decision: verdict.decision, at })
        this.#released[index] = { call: verdict.call, answered: undefined, epoch: this.#cx.admission.epoch, at }
        this.#ledger.move(index, ADMITTED)
        // A write ends it: what comes after must wait for it.
        if (verdict.call.effect !== 'read') this.#stopEarly()
        else if (this.#cx.earlyStart) this.#early.offer(index)
        return
      }
      default:
        verdict satisfies never
    }
  }

  #course(call: ToolCall, index: number): Course {
    const kept = this.#open?.results[index]
    if (kept !== undefined) {
      this.#ledger.move(index, RESTORED)
      this.#ledger.move(index, SETTLED[kept.outcome])
      this.#barrier.put(index, kept)
      return { type: 'restored' }
    }
    if (this.#seen.has(call.id)) return duplicateId(call)
    const started = this.#open?.started(call.id)
    if (started === undefined) return this.#asked(this.#judge(call))
    const asked = this.#cx.resolve(call)
    return interruptedBy(started, this.#open?.answered(call.id), asked.call, asked.lookup, this.#cx)
  }

  /** What was asked about stays asked about: a person may have said no to what a rule allows now. */
  #asked(verdict: Verdict): Verdict {
    if (verdict.type !== 'admitted') return verdict
    const asked = this.#open?.asked(verdict.call.call.id)
    return asked === undefined ? verdict : { type: 'held', call: verdict.call, reason: asked.reason, decision: verdict.decision }
  }

  #judge(call: ToolCall): Verdict {
    const asked = this.#cx.resolve(call)
    const halt = this.#cx.halt(asked.call, asked.lookup)
    return halt === undefined ? this.#cx.admission.admit(asked.call, asked.lookup) : { type: 'refused', error: halt }
  }

  readonly #work: BatchWork = {
    gate: (index) => {
      const verdict = this.#verdicts[index]
      if (verdict?.type === 'held') return this.#gate(index, verdict)
      return verdict?.type === 'interrupted' ? this.#recover(index, verdict) : undefined
    },
    run: (index) => this.#early.started(index)?.then(NOTHING) ?? this.#run(index),
  }

  async #gate(index: number, verdict: Extract<Verdict, { type: 'held' }>): Promise<Gate> {
    const gate = await this.#carrier.gate(verdict)
    if ('waits' in gate) {
      this.#waiting.push(gate.waits)
      return 'waits'
    }
    if ('outcome' in gate) {
      await this.#finish(index, gate)
      return 'settled'
    }
    this.#released[index] = gate
    this.#ledger.move(index, ADMITTED)
    this.#ledger.move(index, QUEUED)
    return 'open'
  }

  /** A call that ran when its process died. */
  async #recover(index: number, { started, verdict }: Interrupted): Promise<Gate> {
    const call = verdict?.call
    const ran = call === undefined ? 'unknown' : await this.#carrier.lookBack(call)
    if (ran === 'not-run' && verdict?.type === 'held') {
      this.#carrier.hold(verdict)
      this.#ledger.move(index, { status: 'held', reason: verdict.reason })
      return this.#gate(index, verdict)
    }
    this.#ledger.move(index, ADMITTED)
    this.#ledger.move(index, QUEUED)
    if (ran === 'not-run' && call !== undefined) {
      this.#released[index] = { call, answered: undefined, epoch: -1, at: 0 }
      return 'open'
    }
    this.#ledger.move(index, { status: 'running', attempt: started.attempt })
    await this.#settle(index, lostOutcome(started, ran))
    return 'settled'
  }

  /** Not async, as every call passes here. */
  #run(index: number): Promise<'waits' | undefined> {
    const released = this.#released[index]
    if (released === undefined) return DONE
    return this.#carrier.run(index, released).then((carried) => {
      if ('outcome' in carried) return this.#finish(index, carried)?.then(NOTHING)
      this.#waiting.push(carried.waits)
      return 'waits'
    })
  }

  #finish(index: number, carried: Carried): Promise<void> | undefined {
    return this.#settle(index, carried.outcome, carried)
  }

  /** Gives the call its one result. Synchronous unless something has to be written first: most results are small. */
  #settle(index: number, outcome: RawOutcome, carried?: Carried): Promise<void> | undefined {
    const built = buildResult(builtFrom(this.#call(index), outcome, carried), this.#cx.results)
    if (built instanceof Promise) return built.then((result) => this.#put(index, outcome, result, carried))
    this.#put(index, outcome, built, carried)
    return undefined
  }

  #put(index: number, outcome: RawOutcome, result: ToolResult, carried: Carried | undefined): void {
    this.#ledger.move(index, finalState(outcome, result))
    this.#ledger.move(index, SETTLED[result.outcome])
    this.#barrier.put(index, result)
    this.#cx.settled(this.#call(index), result, carried?.call)
  }

  #call(index: number): ToolCall {
    const call = this.#calls[index]
    if (call === undefined) throw new AdjutantError('INTERNAL', `the batch has no call ${index}`)
    return call
  }
}

const NOTHING = (): undefined => undefined
const DONE = Promise.resolve(undefined)
const RESTORED: CallState = Object.freeze({ status: 'restored' })
/** `undefined`: it will not run. */
function callOf(course: Course): AdmittedCall | undefined {
  switch (course.type) {
    case 'refused':
    case 'restored':
      return undefined
    case 'interrupted':
      return course.verdict?.call
    case 'held':
    case 'admitted':
      return course.call
    default:
      return course satisfies never
  }
}

function effectOf(course: Course): AdmittedCall['effect'] | undefined {
  // What nobody knows any more was no read.
  return course.type === 'interrupted' ? (course.verdict?.call.effect ?? 'dangerous') : callOf(course)?.effect
}

function graphCallOf(course: Course): GraphCall {
  const call = callOf(course)
  if (call === undefined) return { effect: effectOf(course), claims: undefined }
  const { tool, effect, input } = call
  try {
    return { effect, claims: tool.resources?.(input) }
  } catch {
    // It cannot say what it touches: anything.
    return { effect, claims: undefined }
  }
}

function duplicateId(call: ToolCall): Verdict {
  return {
    type: 'refused',
    error: new AdjutantError('DUPLICATE_CALL_ID', `the id ${JSON.stringify(call.id)} is used by an earlier call of this batch`),
  }
}
