import { LRUCache } from 'lru-cache'
import type { AdmittedCall } from '../contract/call.ts'
import type { Digest } from '../contract/ids.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { Clock } from '../contract/ports.ts'
import type { Principal } from '../contract/principal.ts'
import type { CacheSubject, SharedCache } from '../contract/shared-cache.ts'
import { ToolOutput } from '../contract/tool.ts'
import { CacheChanges } from './cache-changes.ts'
import { type KeptValue, keepValue } from './cache-value.ts'
import { type CallResources, overlaps, resourcesOf } from './resource-keys.ts'

/**
 * Owns results of reads that their tools allow to be given again for a while (`limits.cacheTtlMs`, E20), for all sessions that get this object. A result
 * only ever goes to the principal that got it first (see cache-key.ts). Bounded in entries and bytes: what was used longest ago goes first. In memory; no timer: age is looked at when a call comes.
 *
 * A call that changes something drops what it may have changed: results with the resources that it says it writes; and where one of the two does not
 * say, all results of its origin and tenant. Those on the way are not kept either. With a shared cache the same holds for what other processes change.
 */
export interface ResultCacheOptions {
  readonly clock: Clock
  /** Default 1 000. */
  readonly maxEntries?: number
  /** Of all results together. Default 32 MiB. */
  readonly maxBytes?: number
  /**
   * Shared with other processes: results are given again only after asking it whether something was changed, and results of tools with a
   * `limits.cacheScope` in every process. Default: this process is alone.
   */
  readonly shared?: SharedCache
}

const DEFAULT_ENTRIES = 1_000
const DEFAULT_BYTES = 32 * 1_024 * 1_024
/** One result may take this part of the whole at most, so that one does not drive out all others. */
const LARGEST_PART = 8

/** What a kept or coming result rests on. */
interface CacheBasis {
  readonly resources: CallResources | undefined
  readonly origin: string
  readonly scope: string | undefined
  readonly tenantId: string
}

/** The one execution that equal calls wait for. */
export interface Flight extends CacheBasis {
  /** Something was changed meanwhile: its result is given to those who wait and not kept. */
  stale: boolean
  readonly startedAt: number
  readonly waiters: Set<FlightWaiter>
}

/** One of several equal calls that waits for the execution of the first. */
export interface FlightWaiter {
  landed(end: FlightEnd): void
}

/** How an execution ended for those who waited for it. */
export type FlightEnd =
  | { readonly type: 'value'; readonly value: KeptValue }
  | { readonly type: 'failed'; readonly outcome: RawOutcome }
  /** It was stopped for a reason that is its own: one of the waiters may start another, and the rest wait for that. */
  | { readonly type: 'stopped' }
  /** What it gave cannot be given twice: each for itself. */
  | { readonly type: 'not-shareable' }

interface Entry extends CacheBasis {
  readonly value: KeptValue
  /** Of the shared cache, before it was read. */
  readonly stamp: number
}

export class ResultCache {
  readonly #clock: Clock
  readonly #entries: LRUCache<Digest, Entry>
  readonly #flights = new Map<Digest, Flight>()
  readonly #largest: number
  /** With other processes; absent: there are none. */
  readonly changes: CacheChanges | undefined

  /** @throws TypeError unless both bounds are whole numbers above 0 */
  constructor(options: ResultCacheOptions) {
    const { clock, maxEntries = DEFAULT_ENTRIES, maxBytes = DEFAULT_BYTES } = options
    this.#clock = clock
    this.changes = options.shared === undefined ? undefined : new CacheChanges(options.shared, clock)
    this.#largest = Math.max(1, Math.floor(maxBytes / LARGEST_PART))
    this.#entries = new LRUCache({
      max: maxEntries,
      maxSize: maxBytes,
      sizeCalculation: (entry) => Math.max(1, entry.value.bytes),
      perf: { now: () => this.#now() },
      // Otherwise it reads the time only once in a while, and a timer of the machine says when.
      ttlResolution: 0,
      allowStale: false,
    })
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Digest): KeptValue | undefined {
    return this.#entries.get(key)?.value
  }

  /** What this process has itself, with what must be asked before it is given again. */
  own(key: Digest): { readonly value: KeptValue; readonly stamp: number; readonly about: CacheSubject } | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined ? undefined : { value: entry.value, stamp: entry.stamp, about: keptSubject(entry) }
  }

  /** A value of another process. @returns `undefined` when it is too large to be given from here */
  keepable(output: unknown): KeptValue | undefined {
    return keepValue(output, this.#largest)
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#clock.now()
  }

  flight(key: Digest): Flight | undefined {
    return this.#flights.get(key)
  }

  depart(key: Digest, call: AdmittedCall, principal: Principal): Flight {
    const flight: Flight = { ...basisOf(call, principal), stale: false, startedAt: this.#now(), waiters: new Set() }
    this.#flights.set(key, flight)
    return flight
  }

  /** The execution is over. @param ttlMs how long its result may be given again */
  land(key: Digest, flight: Flight, outcome: RawOutcome, ttlMs: number, stamp = 0): void {
    const end = endOf(outcome, this.#largest)
    // As old as what it was read from may be, so counted from the start.
    const ttl = Math.floor(Math.min(ttlMs, Number.MAX_SAFE_INTEGER))
    if (end.type === 'value' && !flight.stale && ttl > 0 && !saysThatItFailed(outcome)) {
      const { resources, origin, tenantId, scope } = flight
      this.#entries.set(key, { value: end.value, resources, origin, tenantId, scope, stamp }, { ttl, start: flight.startedAt })
    }
    this.end(key, flight, end)
  }

  /** The flight is over, and nothing of it is kept. */
  end(key: Digest, flight: Flight, end: FlightEnd): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
    for (const waiter of flight.waiters) waiter.landed(end)
  }

  /** A call that changes something begins or ends: to be told both times, because it may take effect at any time between. */
  changed(call: AdmittedCall, principal: Principal): void {
    if (this.#entries.size === 0 && this.#flights.size === 0) return
    const change = basisOf(call, principal)
    for (const [key, entry] of [...this.#entries]) if (mayChange(change, entry)) this.#entries.delete(key)
    for (const [key, flight] of [...this.#flights]) {
      if (!mayChange(change, flight)) continue
      flight.stale = true
      this.#flights.delete(key)
    }
  }

  /** Never 0, which the map underneath takes for "no time given". */
  #now(): number {
    return this.#clock.monotonic() + 1
  }
}

function endOf(outcome: RawOutcome, largest: number): FlightEnd {
  if (outcome.status === 'succeeded') {
    const value = keepValue(outcome.output, largest)
    return value === undefined ? { type: 'not-shareable' } : { type: 'value', value }
  }
  // Whether somebody can be asked is a matter of the session, not of the call.
  const isItsOwn = outcome.status === 'cancelled' || outcome.error.code === 'QUESTION_UNANSWERED'
  return isItsOwn ? { type: 'stopped' } : { type: 'failed', outcome }
}

/** True when a tool ran and says in its result that it failed. */
export function saysThatItFailed(outcome: RawOutcome): boolean {
  try {
    return outcome.status === 'succeeded' && outcome.output instanceof ToolOutput && outcome.output.isError
  } catch {
    // A proxy that lets nobody look at it says nothing.
    return false
  }
}

/** What a call may change, for other processes. */
export function changeSubject(call: AdmittedCall, principal: Principal): CacheSubject {
  const { resources, ...basis } = basisOf(call, principal)
  return subject(basis, resources?.writes)
}

export function keptSubject({ resources, ...basis }: CacheBasis): CacheSubject {
  return subject(basis, resources === undefined ? undefined : [...resources.reads, ...resources.writes])
}

function subject({ origin, scope }: Pick<CacheBasis, 'origin' | 'scope'>, keys: readonly string[] | undefined): CacheSubject {
  return { origin, ...(scope === undefined ? {} : { scope }), ...(keys === undefined || keys.length === 0 ? {} : { keys }) }
}

function basisOf(call: AdmittedCall, principal: Principal): CacheBasis {
  const { kind, from } = call.tool.origin
  return { resources: resourcesOf(call), origin: `${kind}:${from}`, scope: call.tool.limits?.cacheScope, tenantId: principal.tenantId }
}

function mayChange(change: CacheBasis, kept: CacheBasis): boolean {
  const written = change.resources?.writes ?? []
  const read = kept.resources === undefined ? [] : [...kept.resources.reads, ...kept.resources.writes]
  if (written.length > 0 && read.length > 0) return overlaps(written, read)
  return change.origin === kept.origin && change.tenantId === kept.tenantId
}
