import type { AdmittedCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { Digest } from '../contract/ids.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { Principal } from '../contract/principal.ts'
import type { FlightEnd, FlightWaiter, ResultCache } from './cache.ts'
import type { KeptValue } from './cache-value.ts'
import type { CallRun } from './retry-run.ts'

export interface CachedCall {
  readonly cache: ResultCache
  readonly key: Digest
  readonly call: AdmittedCall
  readonly principal: Principal
  readonly ttlMs: number
  /** Starts the call itself. */
  start(): CallRun
}

/**
 * A call that may be answered from the cache. Equal calls at the same time are one execution: the first runs, the others wait for it. Each can be cancelled by
 * itself: a waiter just goes; when the first is cancelled its execution ends (it runs in that call's name, for its session), and
 * the next of the waiters starts its own. A failure is shared, else a tool that hangs would hang once for each of them, one after the other.
 */
export class CacheRun implements CallRun, FlightWaiter {
  readonly outcome: Promise<RawOutcome>
  readonly #given: CachedCall
  #inner: CallRun | undefined
  #resolve: ((outcome: RawOutcome | Promise<RawOutcome>) => void) | undefined
  #cached = false

  constructor(given: CachedCall) {
    this.#given = given
    this.outcome = this.#begin()
  }

  get attempts(): number {
    return this.#inner?.attempts ?? 0
  }

  get cached(): boolean {
    return this.#cached
  }

  cancel(): void {
    this.#inner?.cancel()
    const resolve = this.#resolve
    if (resolve === undefined) return
    this.#resolve = undefined
    const { cache, key, call } = this.#given
    cache.flight(key)?.waiters.delete(this)
    const message = `${call.tool.name} was cancelled while it waited for an equal call.`
    resolve({ status: 'cancelled', error: new AdjutantError('CANCELLED', message, { outcome: 'not-run' }) })
  }

  /** The execution that this call waited for is over. */
  landed(end: FlightEnd): void {
    const resolve = this.#resolve
    if (resolve === undefined) return
    this.#resolve = undefined
    switch (end.type) {
      case 'value':
        resolve(this.#answer(end.value))
        return
      case 'failed':
        this.#cached = true
        resolve(end.outcome)
        return
      case 'stopped':
        resolve(this.#begin())
        return
      case 'not-shareable':
        this.#inner = this.#given.start()
        resolve(this.#inner.outcome)
        return
      default:
        end satisfies never
    }
  }

  #begin(): Promise<RawOutcome> {
    const { cache, key } = this.#given
    const kept = cache.get(key)
    if (kept !== undefined) return Promise.resolve(this.#answer(kept))
    const flight = cache.flight(key)
    if (flight === undefined) return this.#lead()
    flight.waiters.add(this)
    return new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  async #lead(): Promise<RawOutcome> {
    const { cache, key, call, principal, ttlMs } = this.#given
    this.#inner = this.#given.start()
    const flight = cache.depart(key, call, principal)
    const outcome = await this.#inner.outcome
    cache.land(key, flight, outcome, ttlMs)
    return outcome
  }

  #answer(value: KeptValue): RawOutcome {
    this.#cached = true
    return { status: 'succeeded', output: value.copy() }
  }
}
