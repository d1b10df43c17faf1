import type { AdmittedCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { Digest } from '../contract/ids.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { Principal } from '../contract/principal.ts'
import { type Flight, type FlightEnd, type FlightWaiter, keptSubject, type ResultCache, saysThatItFailed } from './cache.ts'
import type { CacheChanges } from './cache-changes.ts'
import type { KeptValue } from './cache-value.ts'
import type { CallRun } from './retry-run.ts'
import { fromSharedText, toSharedText } from './shared-value.ts'

export interface CachedCall {
  readonly cache: ResultCache
  readonly key: Digest
  readonly call: AdmittedCall
  readonly principal: Principal
  readonly ttlMs: number
  /** Under which it may be given again in every process. */
  readonly sharedKey?: Digest | undefined
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
    resolve(cancelledOutcome(call))
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
    // Shared with others: nothing is given again without asking.
    const kept = cache.changes === undefined ? cache.get(key) : undefined
    if (kept !== undefined) return Promise.resolve(this.#answer(kept))
    const flight = cache.flight(key)
    if (flight === undefined) return cache.changes === undefined ? this.#lead() : this.#leadShared(cache.changes)
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

  /** The first of equal calls in this process asks for all of them. */
  #leadShared(changes: CacheChanges): Promise<RawOutcome> {
    const { cache, key, call, principal } = this.#given
    const flight = cache.depart(key, call, principal)
    return new Promise((resolve) => {
      this.#resolve = resolve
      void this.#ask(changes, flight).then((outcome) => {
        this.#resolve = undefined
        resolve(outcome)
      })
    })
  }

  async #ask(changes: CacheChanges, flight: Flight): Promise<RawOutcome> {
    const { cache, key, sharedKey, principal, ttlMs } = this.#given
    const { tenantId } = principal
    const own = cache.own(key)
    const startedAt = cache.now
    const looked = await changes.look(tenantId, {
      ttlMs,
      ...(sharedKey === undefined ? {} : { key: sharedKey }),
      ...(own === undefined ? {} : { own: { stamp: own.stamp, about: own.about } }),
    })
    // Cancelled meanwhile: its outcome is there already.
    if (this.#resolve === undefined) {
      cache.end(key, flight, { type: 'stopped' })
      return cancelledOutcome(this.#given.call)
    }
    const known = looked?.ownIsFresh === true ? own?.value : this.#fromText(looked?.value)
    if (known !== undefined && !flight.stale) {
      cache.end(key, flight, { type: 'value', value: known })
      return this.#answer(known)
    }
    this.#resolve = undefined
    this.#inner = this.#given.start()
    const outcome = await this.#inner.outcome
    const text = looked === undefined || sharedKey === undefined || flight.stale ? undefined : sharedText(outcome)
    if (looked !== undefined && sharedKey !== undefined && text !== undefined) {
      await changes.keep(tenantId, { key: sharedKey, value: text, about: keptSubject(flight), stamp: looked.stamp, startedAt, ttlMs })
    }
    if (looked !== undefined && flight.waiters.size > 0) {
      // Whoever joined may have done so after another process had changed something.
      const own = { stamp: looked.stamp, about: keptSubject(flight) }
      if ((await changes.look(tenantId, { ttlMs, own }))?.ownIsFresh !== true) {
        cache.end(key, flight, { type: 'stopped' })
        return outcome
      }
    }
    cache.land(key, flight, outcome, looked === undefined ? 0 : ttlMs, looked?.stamp)
    return outcome
  }

  #fromText(text: string | undefined): KeptValue | undefined {
    const read = text === undefined ? undefined : fromSharedText(text)
    return read === undefined ? undefined : this.#given.cache.keepable(read.output)
  }

  #answer(value: KeptValue): RawOutcome {
    this.#cached = true
    return { status: 'succeeded', output: value.copy() }
  }
}

function cancelledOutcome(call: AdmittedCall): RawOutcome {
  const message = `${call.tool.name} was cancelled while it waited for an equal call.`
  return { status: 'cancelled', error: new AdjutantError('CANCELLED', message, { outcome: 'not-run' }) }
}

function sharedText(outcome: RawOutcome): string | undefined {
  return outcome.status !== 'succeeded' || saysThatItFailed(outcome) ? undefined : toSharedText(outcome.output)
}
