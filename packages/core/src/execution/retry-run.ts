import type { AdmittedCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { SessionEvent } from '../contract/events.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { Clock } from '../contract/ports.ts'
import type { Waiter } from './bulkhead.ts'
import type { ExecutionHost } from './call-scope.ts'
import type { Circuit } from './circuit.ts'
import { execute, type RunningCall } from './execute.ts'
import type { OriginGuard } from './origins.ts'
import { decideRetry, type FailedOutcome, isEnvironmentFailure, retriesOf } from './retry.ts'

/**
 * Owns the attempts of one call: one after the other, each past the guard of its origin. From outside in: further attempts, circuit, places, the attempt
 * with its time limit. Never rejects. It is always in one of three phases, and a cancel ends each: waiting for a place or for the next attempt it
 * ends at once, a running attempt ends as `execute` has it. When the outcome is there, nothing is armed and no place is held.
 */

/** A call on its way, possibly through several attempts or through none. */
export interface CallRun extends RunningCall {
  /** How often the tool was started; 0 when the call was answered without it. For good when the outcome is there. */
  readonly attempts: number
  /** Answered with the result of an earlier equal call. For good when the outcome is there. */
  readonly cached: boolean
}

export type RetryEvent = Omit<Extract<SessionEvent, { readonly type: 'retry' }>, 'at'>

/** What all calls of a runner share. */
export interface AttemptSettings {
  readonly clock: Clock
  /** Gives a number from 0 to below 1. */
  readonly random: () => number
  /** Further attempts where the tool does not say. */
  readonly retries: number | undefined
  readonly retrying: ((event: RetryEvent) => void) | undefined
}

export interface AttemptedCall {
  readonly call: AdmittedCall
  readonly host: ExecutionHost
  readonly timeoutMs: number
  readonly guard: OriginGuard | undefined
  /** Told before each further attempt, with its number, from 2. */
  readonly attemptStarted: ((attempt: number) => void) | undefined
}

export class RetryRun implements CallRun, Waiter {
  readonly outcome: Promise<RawOutcome>
  readonly cached = false
  attempts = 0
  readonly #settings: AttemptSettings
  readonly #given: AttemptedCall
  /** The running attempt. */
  #running: RunningCall | undefined
  /** Waiting for a place or for the next attempt: ends the wait. */
  #resolve: ((outcome: RawOutcome | Promise<RawOutcome>) => void) | undefined
  #dropTimer: (() => void) | undefined
  #cancelled = false
  /** Of the attempt before. */
  #failure: FailedOutcome | undefined
  #ticket = 0
  #startedAt = 0
  #ranMs = 0
  #waitedMs = 0

  constructor(settings: AttemptSettings, given: AttemptedCall) {
    this.#settings = settings
    this.#given = given
    this.outcome = given.guard === undefined ? this.#start() : this.#enter(given.guard)
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    if (this.#running !== undefined) this.#running.cancel()
    else if (this.#resolve !== undefined) this.#endWait(this.#cancelledOutcome())
  }

  /** A place has become free: the call holds it now. */
  admitted(): void {
    const { guard } = this.#given
    const waitMs = guard?.circuit?.waitMs()
    if (guard === undefined || waitMs === undefined) {
      this.#endWait(() => this.#start())
      return
    }
    // The circuit opened while it waited.
    guard.bulkhead?.leave()
    this.#endWait(this.#turnedAway(unavailable(guard, waitMs)))
  }

  #enter(guard: OriginGuard): Promise<RawOutcome> {
    const waitMs = guard.circuit?.waitMs()
    if (waitMs !== undefined) return Promise.resolve(this.#turnedAway(unavailable(guard, waitMs)))
    switch (guard.bulkhead?.enter(this)) {
      case undefined:
      case 'entered':
        return this.#start()
      case 'full':
        return Promise.resolve(this.#turnedAway(overloaded(guard, 'as many as may wait are waiting already')))
      case 'queued': {
        const limitMs = this.#limitMs
        // As long as an attempt may take; who waits longer than that gets nothing that is worth it.
        return this.#wait(limitMs, () => {
          guard.bulkhead?.withdraw(this)
          this.#endWait(this.#turnedAway(overloaded(guard, `its turn did not come within ${limitMs} ms`)))
        })
      }
    }
  }

  #start(): Promise<RawOutcome> {
    const { call, host, timeoutMs, guard, attemptStarted } = this.#given
    this.attempts += 1
    if (this.attempts > 1) attemptStarted?.(this.attempts)
    if (guard?.circuit !== undefined) this.#ticket = guard.circuit.enter()
    this.#startedAt = this.#settings.clock.monotonic()
    this.#running = execute(call, host, timeoutMs)
    return this.#running.outcome.then(this.#ended)
  }

  /** An arrow, because it is what the outcome of each attempt is handed to. */
  readonly #ended = (outcome: RawOutcome): RawOutcome | Promise<RawOutcome> => {
    this.#running = undefined
    const { guard } = this.#given
    if (guard !== undefined) this.#leave(guard, outcome)
    if (outcome.status === 'succeeded' || this.#cancelled) return outcome
    this.#ranMs += this.#settings.clock.monotonic() - this.#startedAt
    return this.#failed(outcome)
  }

  #leave({ circuit, bulkhead }: OriginGuard, outcome: RawOutcome): void {
    if (circuit !== undefined) this.#tell(circuit, outcome)
    // Last: whoever comes next looks at the circuit.
    bulkhead?.leave()
  }

  #tell(circuit: Circuit, outcome: RawOutcome): void {
    if (outcome.status === 'succeeded') circuit.succeeded(this.#ticket)
    else if (outcome.status === 'cancelled' || outcome.error.code === 'CANCELLED') circuit.stopped(this.#ticket)
    else if (isEnvironmentFailure(outcome, this.#settings.clock.now())) circuit.failed(this.#ticket)
    // It answered, whatever it said.
    else circuit.succeeded(this.#ticket)
  }

  #failed(outcome: FailedOutcome): RawOutcome | Promise<RawOutcome> {
    const { call, guard } = this.#given
    const { clock, random, retries, retrying } = this.#settings
    const decision = decideRetry({
      outcome,
      repeatable: call.tool.repeatable ?? call.effect === 'read',
      attempts: this.attempts,
      retries: retriesOf(call.tool.limits?.retries ?? retries),
      ranMs: this.#ranMs,
      limitMs: this.#limitMs,
      waitedMs: this.#waitedMs,
      now: clock.now(),
      random,
    })
    if (!decision.again) return decision.note === undefined ? outcome : withNote(outcome, decision.note)
    const { delayMs } = decision
    this.#failure = outcome
    const closedMs = guard?.circuit?.waitMs() ?? 0
    // It would be turned away: better told now than after the wait.
    if (guard !== undefined && closedMs > delayMs) return this.#turnedAway(unavailable(guard, closedMs))
    this.#waitedMs += delayMs
    retrying?.({ type: 'retry', id: call.call.id, name: call.tool.name, attempt: this.attempts + 1, delayMs, code: outcome.error.code })
    return this.#wait(delayMs, () => this.#endWait(() => (guard === undefined ? this.#start() : this.#enter(guard))))
  }

  #wait(ms: number, over: () => void): Promise<RawOutcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (Number.isFinite(ms)) this.#dropTimer = this.#settings.clock.after(ms, over)
    })
  }

  #endWait(next: RawOutcome | (() => Promise<RawOutcome>)): void {
    this.#given.guard?.bulkhead?.withdraw(this)
    this.#dropTimer?.()
    this.#dropTimer = undefined
    const resolve = this.#resolve
    this.#resolve = undefined
    try {
      resolve?.(typeof next === 'function' ? next() : next)
    } catch (error) {
      // Only a listener of further attempts can throw here; the call still gets its outcome.
      resolve?.({ status: 'failed', error: AdjutantError.from(error, 'INTERNAL') })
    }
  }

  /** Not let through by the guard. What an attempt before it came to is the truth about the call; that there is no other one is added. */
  #turnedAway(error: AdjutantError): RawOutcome {
    if (this.#failure === undefined) return { status: 'failed', error }
    return withNote(this.#failure, `It was not tried again: ${error.message}`)
  }

  #cancelledOutcome(): RawOutcome {
    const before = this.#failure?.error
    const { name } = this.#given.call.tool
    const message =
      before === undefined
        ? `${name} was cancelled while it waited for its turn.`
        : `${name} was cancelled before attempt ${this.attempts + 1}; the one before it failed: ${before.message}`
    return {
      status: 'cancelled',
      error: new AdjutantError('CANCELLED', message, { outcome: before?.outcome ?? 'not-run', cause: before }),
    }
  }

  get #limitMs(): number {
    return this.#given.call.tool.limits?.timeoutMs ?? this.#given.timeoutMs
  }
}

function unavailable(guard: OriginGuard, waitMs: number): AdjutantError {
  const when = waitMs > 0 ? `it is tried again in ${Math.ceil(waitMs / 1_000)} s` : 'it is being tried right now'
  const failures = guard.circuit?.failures ?? 0
  const often = failures === 1 ? '' : ` ${failures} times in a row`
  return new AdjutantError('ORIGIN_UNAVAILABLE', `${guard.name} did not answer${often} and is left alone; ${when}.`)
}

function overloaded(guard: OriginGuard, why: string): AdjutantError {
  return new AdjutantError('OVERLOADED', `${guard.name} runs ${guard.bulkhead?.limit ?? 0} calls at once, and ${why}.`)
}

function withNote(outcome: FailedOutcome, note: string): FailedOutcome {
  const { code, message, hint, grade, outcome: became } = outcome.error
  const said = /[.!?]\s*$/.test(message) ? message.trimEnd() : `${message}.`
  const error = new AdjutantError(code, `${said} ${note}`, { hint, grade, outcome: became, cause: outcome.error })
  return { status: outcome.status, error }
}
