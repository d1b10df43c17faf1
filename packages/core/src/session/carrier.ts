import { deniedByPolicy, type Verdict } from '../admission/admit.ts'
import { bindingOf } from '../admission/approval.ts'
import type { AdmittedCall } from '../contract/call.ts'
import type { CallState } from '../contract/call-state.ts'
import type { AdjutantError } from '../contract/errors.ts'
import type { ApprovalId, CallId } from '../contract/ids.ts'
import type { RawOutcome, RunTimes } from '../contract/outcome.ts'
import type { CallRunner } from '../execution/call-runner.ts'
import type { ExecutionHost } from '../execution/call-scope.ts'
import { checkRule, type RunningCall, reconcile } from '../execution/execute.ts'
import type { CallRun } from '../execution/retry-run.ts'
import type { AdoptionPool, EarlyRun } from './adoption.ts'
import { passGate } from './approval-gate.ts'
import type { CallLedger } from './call-ledger.ts'
import { cancelledBeforeRun, type GateEnvironment } from './gate-environment.ts'
import { PendingApprovals } from './pending-approvals.ts'

export interface CarrierEnvironment extends GateEnvironment {
  readonly host: ExecutionHost
  readonly runner: CallRunner
  readonly timeoutMs: number
  /** What must be had before a call may run: a place within its rate. */
  take(call: AdmittedCall): AdjutantError | undefined | Promise<AdjutantError | undefined>
  /** Keeps that a call which may change something is about to run. Absent: nothing of this session outlives the process. */
  readonly starting: ((call: AdmittedCall) => Promise<void>) | undefined
  /** Makes a job of a call that goes on behind the session. Absent: there is no queue, it runs like any other. */
  readonly background: ((call: AdmittedCall) => Promise<RawOutcome>) | undefined
}

/** What came of one released call. */
export interface Carried {
  readonly call: AdmittedCall
  readonly outcome: RawOutcome
  readonly times?: RunTimes
  readonly cached?: boolean
  /** The call of a broken answer whose execution this is. */
  readonly from?: CallId
}

/**
 * Carries out the released calls of one turn, each by itself: business rule, human gate, what may run decided once more, execution. Holds
 * what is in flight, so that an abort reaches it. A call's failure is its own; nothing here rejects for a reason that lies in a call.
 */
export class Carrier {
  readonly #cx: CarrierEnvironment
  readonly #signal: AbortSignal
  readonly #ledger: CallLedger
  readonly #adopt: AdoptionPool
  readonly #pending = new PendingApprovals()
  readonly #running = new Set<RunningCall>()
  /** What ran for an answer that may still break off. */
  readonly #ran: EarlyRun[] = []
  #listening = false
  /** The answer broke off: what has not begun to run must not, or the answer that comes instead would run it twice. */
  #left = false
  /** The answer is complete: nothing can be left any more. */
  #whole = false

  constructor(cx: CarrierEnvironment, signal: AbortSignal, ledger: CallLedger, adopt: AdoptionPool) {
    this.#cx = cx
    this.#signal = signal
    this.#ledger = ledger
    this.#adopt = adopt
  }

  /** A call waits for a person; others that are alike are shown with its question. */
  hold(verdict: Extract<Verdict, { type: 'held' }>): void {
    const { call, reason, decision } = verdict
    this.#pending.hold({ call, reason, decision, binding: bindingOf(call, this.#cx.principal) })
  }

  /** Business rule and human gate of a held call. Gives what may run now, or what came of it instead. */
  async gate(verdict: Extract<Verdict, { type: 'held' }>): Promise<Released | Carried | Waits> {
    const { call } = verdict
    if (this.#signal.aborted) return this.#unasked(call)
    const broken = await this.#rule(call)
    if (broken !== undefined) {
      this.#pending.release(call.call.id)
      await this.#cx.desk?.withdraw(call.call.id, 'the rule of the tool does not hold')
      return { call, outcome: broken }
    }
    return this.#ask(call, verdict)
  }

  /** Asks the tool what became of a call that ran when its process died. Where it cannot say, nobody can. */
  async lookBack(call: AdmittedCall): Promise<'ran' | 'not-run' | 'unknown'> {
    if (call.tool.reconcile === undefined || this.#signal.aborted) return 'unknown'
    const running = reconcile(call, this.#cx.host, this.#cx.timeoutMs)
    this.#watch(running)
    const outcome = await running.outcome
    this.#running.delete(running)
    const said = outcome.status === 'succeeded' ? outcome.output : undefined
    return said === 'ran' || said === 'not-run' ? said : 'unknown'
  }

  /** One released call, to its end. A read that nothing has to be asked about starts at once, without what waiting would take. */
  run(index: number, released: Released): Promise<Carried | Waits> {
    const { call } = released
    const plain = call.tool.check === undefined && this.#adopt.size === 0 && !this.#left && !this.#signal.aborted
    const now = plain ? this.#cx.at() : 0
    if (!plain || !this.#isFresh(released, now)) return this.#runStepwise(index, released)
    try {
      const taken = this.#cx.take(call)
      if (taken === undefined) return this.#start(index, call, now)
      return this.#taken(index, call, taken)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async #runStepwise(index: number, released: Released): Promise<Carried | Waits> {
    let { call, answered } = released
    if (this.#signal.aborted) return { call, outcome: cancelledBeforeRun(call) }
    if (answered === undefined) {
      const taken = this.#adopt.take(call)
      const over = taken === undefined ? undefined : await this.#takeOver(index, call, taken)
      if (over !== undefined) return over
      const broken = call.tool.check === undefined ? undefined : await this.#rule(call)
      if (broken !== undefined) return { call, outcome: broken }
    }
    const now = this.#isFresh(released, this.#cx.at()) ? ALLOWED : this.#cx.admission.decide(call)
    if (now.effect === 'deny') return { call, outcome: { status: 'refused', error: deniedByPolicy(call, now) } }
    if (now.effect === 'ask' && now.rule !== answered && !this.#cx.approvals.covers(call, this.#cx.principal, now.rule)) {
      // What was read meanwhile made a rule ask that said nothing before.
      this.#ledger.move(index, { status: 'held', reason: now.reason })
      const asked = await this.#ask(call, { reason: now.reason, decision: now })
      if (!('answered' in asked)) return asked
      ;({ call, answered } = asked)
      this.#ledger.move(index, ADMITTED)
      this.#ledger.move(index, QUEUED)
    }
    return this.#taken(index, call, this.#cx.take(call))
  }

  /** @param taken what asking for a place within its rate gave */
  async #taken(index: number, call: AdmittedCall, taken: ReturnType<CarrierEnvironment['take']>): Promise<Carried> {
    const refused = taken instanceof Promise ? await taken : taken
    if (refused !== undefined) return { call, outcome: { status: 'refused', error: refused } }
    if (this.#left || this.#signal.aborted) return { call, outcome: cancelledBeforeRun(call) }
    return this.#start(index, call, this.#cx.at())
  }

  #start(index: number, call: AdmittedCall, startedAt: number): Promise<Carried> {
    if (call.effect === 'read') return this.#started(index, call, startedAt)
    this.#cx.admission.writes()
    const kept = this.#cx.starting?.(call)
    if (kept === undefined) return this.#started(index, call, startedAt)
    return kept.then(() => (this.#signal.aborted ? { call, outcome: cancelledBeforeRun(call) } : this.#started(index, call, this.#cx.at())))
  }

  #started(index: number, call: AdmittedCall, startedAt: number): Promise<Carried> {
    const { host, runner, timeoutMs, background } = this.#cx
    this.#ledger.move(index, RUNNING)
    if (call.tool.background === true && background !== undefined) {
      return background(call).then((outcome) => ({ call, outcome, times: { startedAt, endedAt: this.#cx.at(), attempts: 1 } }))
    }
    const running = runner.run(call, host, timeoutMs, (attempt) => {
      if (attempt > 1) this.#ledger.move(index, { status: 'running', attempt })
    })
    this.#watch(running)
    if (!this.#whole) this.#leavable(call, running, startedAt)
    return running.outcome.then((outcome) => {
      this.#running.delete(running)
      return { call, outcome, times: { startedAt, endedAt: this.#cx.at(), attempts: running.attempts }, cached: running.cached }
    })
  }

  /** The answer is complete. */
  complete(): void {
    this.#whole = true
  }

  /** The answer broke off: what ran is left to the answer that comes instead. */
  leave(): AdoptionPool {
    this.#left = true
    for (const run of this.#ran) this.#adopt.put(run)
    return this.#adopt
  }

  /** Forwards an abort of the turn to every call in flight. One listener for all of them, from the first on. */
  readonly cancelAll = (): void => {
    for (const running of this.#running) running.cancel()
  }

  close(): void {
    this.cancelAll()
    this.#signal.removeEventListener('abort', this.cancelAll)
  }

  async #ask(
    call: AdmittedCall,
    asked: Pick<Extract<Verdict, { type: 'held' }>, 'reason' | 'decision'>,
  ): Promise<Released | Carried | Waits> {
    const gate = await passGate(call, asked, this.#cx, this.#pending, this.#signal)
    if (gate.type === 'wait') return { waits: gate.approvalId }
    if (gate.type === 'stop') return { call, outcome: gate.outcome }
    if (gate.edited) {
      const broken = await this.#rule(gate.call)
      if (broken !== undefined) return { call: gate.call, outcome: broken }
    }
    return this.#signal.aborted
      ? { call: gate.call, outcome: cancelledBeforeRun(call) }
      : { call: gate.call, answered: gate.rule, epoch: -1, at: 0 }
  }

  async #unasked(call: AdmittedCall): Promise<Carried> {
    this.#pending.release(call.call.id)
    await this.#cx.desk?.withdraw(call.call.id, 'the run was stopped')
    return { call, outcome: cancelledBeforeRun(call) }
  }

  /**
   * True for a read that was let through a moment ago, when nothing that a decision rests on has changed since: of a batch of a thousand reads
   * each path need not be looked up twice. Writes are always decided on again.
   */
  #isFresh({ call, answered, epoch, at }: Released, now: number): boolean {
    return call.effect === 'read' && answered === undefined && epoch === this.#cx.admission.epoch && now - at < FRESH_MS
  }

  /** Takes over what an answer that broke off had started; nothing when it was stopped before it came to anything. */
  async #takeOver(index: number, call: AdmittedCall, run: EarlyRun): Promise<Carried | undefined> {
    this.#ledger.move(index, { status: 'adopted', from: run.from })
    if (!this.#whole) this.#ran.push(run)
    const { outcome, times, cached } = await run.done
    if (outcome.status === 'cancelled' && !this.#signal.aborted) return undefined
    return { call, outcome, times, cached, from: run.from }
  }

  #leavable(call: AdmittedCall, running: CallRun, startedAt: number): void {
    const done = running.outcome.then((outcome) => ({
      outcome,
      times: { startedAt, endedAt: this.#cx.at(), attempts: running.attempts },
      cached: running.cached,
    }))
    this.#ran.push({ from: call.call.id, call, done })
  }

  /** Lets an abort of the turn reach the call. */
  #watch(running: RunningCall): void {
    if (!this.#listening) this.#signal.addEventListener('abort', this.cancelAll, { once: true })
    this.#listening = true
    this.#running.add(running)
    if (this.#signal.aborted) running.cancel()
  }

  /** The outcome that ends the call when its rule does not hold. */
  async #rule(call: AdmittedCall): Promise<RawOutcome | undefined> {
    if (call.tool.check === undefined) return undefined
    const running = checkRule(call, this.#cx.host, this.#cx.timeoutMs)
    this.#watch(running)
    const outcome = await running.outcome
    this.#running.delete(running)
    if (outcome.status === 'succeeded') return undefined
    return outcome.status === 'cancelled' ? cancelledBeforeRun(call) : { status: 'refused', error: outcome.error }
  }
}

/** Nobody decides now: the call stays held. */
export interface Waits {
  readonly waits: ApprovalId
}

/** A call that may run. `answered`: the rule that asked about it and has its answer. */
export interface Released {
  readonly call: AdmittedCall
  readonly answered: string | undefined
  /** When it was decided on, and how the world was then: see Admission.epoch. */
  readonly epoch: number
  readonly at: number
}

/** As long as a batch may take to get to a call without anybody noticing. */
const FRESH_MS = 1_000
const ALLOWED = { effect: 'allow', rule: '' } as const

export const ADMITTED: CallState = Object.freeze({ status: 'admitted' })
export const QUEUED: CallState = Object.freeze({ status: 'queued' })
const RUNNING: CallState = Object.freeze({ status: 'running', attempt: 1 })
