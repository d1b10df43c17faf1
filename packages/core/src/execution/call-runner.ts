import type { AdmittedCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { Clock } from '../contract/ports.ts'
import type { Principal } from '../contract/principal.ts'
import { changeSubject, type ResultCache } from './cache.ts'
import type { CacheChanges } from './cache-changes.ts'
import { callKey, sharedCallKey } from './cache-key.ts'
import { CacheRun } from './cache-run.ts'
import type { ExecutionHost } from './call-scope.ts'
import type { OriginGuards } from './origins.ts'
import { resourcesOf } from './resource-keys.ts'
import type { ResultMemory } from './result-memory.ts'
import { ResultMemoryRun } from './result-memory-run.ts'
import { type AttemptedCall, type AttemptSettings, type CallRun, type RetryEvent, RetryRun } from './retry-run.ts'

/**
 * Carries out released calls: answers a read from what the session or an equal call has, else runs it with further attempts behind the guard of its origin. From
 * outside in: memory of the session, cache, attempts, circuit, places, one execution.
 * One runner belongs to one session; cache and guards may be shared by the sessions of a process.
 */
export interface CallRunnerOptions {
  readonly clock: Clock
  /** Gives a number from 0 to below 1, for the time between attempts. */
  readonly random: () => number
  /** Default: no result is given to an equal call. */
  readonly cache?: ResultCache
  /** Of this session. Default: nothing is remembered. */
  readonly memory?: ResultMemory
  /** Default: no circuit and no limit of calls at once. */
  readonly origins?: OriginGuards
  readonly defaults?: {
    /** Further attempts of calls whose tool does not say, 0 … 3. Default 2. */
    readonly retries?: number
  }
  /** Told when a further attempt follows. */
  readonly retrying?: (event: RetryEvent) => void
}

export class CallRunner {
  readonly #settings: AttemptSettings
  readonly #cache: ResultCache | undefined
  readonly #memory: ResultMemory | undefined
  readonly #origins: OriginGuards | undefined

  constructor(options: CallRunnerOptions) {
    const { clock, random, cache, memory, origins, defaults, retrying } = options
    this.#settings = { clock, random, retries: defaults?.retries, retrying }
    this.#cache = cache
    this.#memory = memory
    this.#origins = origins
  }

  /**
   * Starts one released call. The run's outcome never rejects.
   *
   * @param timeoutMs for one attempt when the tool sets none
   * @param attemptStarted told before each further attempt, with its number, from 2
   * @example
   * ```ts
   * const run = runner.run(call, host, 60_000)
   * const outcome = await run.outcome
   * console.log(outcome.status, run.attempts, run.cached) // 'succeeded', 1, false
   * ```
   */
  run(call: AdmittedCall, host: ExecutionHost, timeoutMs: number, attemptStarted?: (attempt: number) => void): CallRun {
    const guard = this.#origins?.of(call.tool.origin)
    const attempted: AttemptedCall = { call, host, timeoutMs, guard, attemptStarted }
    if (call.effect !== 'read') return this.#write(attempted)
    const { tool } = call
    if (tool.resources === undefined && tool.limits?.cacheTtlMs === undefined) return new RetryRun(this.#settings, attempted)
    return this.#read(attempted)
  }

  #read(attempted: AttemptedCall): CallRun {
    const { call, host } = attempted
    const memory = this.#memory
    const resources = memory === undefined && this.#cache === undefined ? undefined : resourcesOf(call)
    // It says that it only reads, and also that it writes: what it may have changed counts.
    if (resources !== undefined && resources.writes.length > 0) return this.#write(attempted)
    const start = (): CallRun => this.#cachedOr(attempted)
    const { remember } = call.tool
    if (memory === undefined || remember === undefined || resources === undefined || resources.reads.length === 0) return start()
    const key = callKey(call, host.principal, host.sessionId)
    if (key === undefined) return start()
    return new ResultMemoryRun({ memory, key, call, host, resources: resources.reads, remember, start })
  }

  #cachedOr(attempted: AttemptedCall): CallRun {
    const { call, host } = attempted
    const { principal } = host
    const cache = this.#cache
    const ttlMs = call.tool.limits?.cacheTtlMs ?? 0
    if (cache === undefined || !(ttlMs > 0)) return new RetryRun(this.#settings, attempted)
    const key = callKey(call, principal, '')
    if (key === undefined) return new RetryRun(this.#settings, attempted)
    const sharedKey = cache.changes === undefined ? undefined : sharedCallKey(call, principal)
    return new CacheRun({ cache, key, sharedKey, call, principal, ttlMs, start: () => new RetryRun(this.#settings, attempted) })
  }

  #write(attempted: AttemptedCall): CallRun {
    const { call, host } = attempted
    const memory = this.#memory
    const cache = this.#cache
    if (memory === undefined && cache === undefined) return new RetryRun(this.#settings, attempted)
    if (cache?.changes !== undefined) return new AnnouncedRun(cache, cache.changes, call, host.principal, () => this.#begin(attempted))
    return this.#begin(attempted)
  }

  #begin(attempted: AttemptedCall): WritingRun {
    const { call, host } = attempted
    const memory = this.#memory
    const cache = this.#cache
    cache?.changed(call, host.principal)
    const write = memory?.beginWrite(resourcesOf(call))
    const run = new RetryRun(this.#settings, attempted)
    const ended = (outcome: RawOutcome): RawOutcome => {
      cache?.changed(call, host.principal)
      if (memory !== undefined && write !== undefined) memory.endWrite(write, isOver(outcome))
      return outcome
    }
    return new WritingRun(run, ended)
  }
}

/** Nobody gets the outcome of a write before what it may have changed is forgotten. */
class WritingRun implements CallRun {
  readonly outcome: Promise<RawOutcome>
  readonly cached = false
  readonly #run: RetryRun

  constructor(run: RetryRun, ended: (outcome: RawOutcome) => RawOutcome) {
    this.#run = run
    this.outcome = run.outcome.then(ended)
  }

  get attempts(): number {
    return this.#run.attempts
  }

  cancel(): void {
    this.#run.cancel()
  }
}

/**
 * Other processes are told before the write begins and before anybody gets its outcome: what they keep of it, or read meanwhile, is not given again. When they cannot
 * be told the write runs all the same: what they keep is no older than its tool allows.
 */
class AnnouncedRun implements CallRun {
  readonly outcome: Promise<RawOutcome>
  readonly cached = false
  #run: CallRun | undefined
  #cancelled = false

  constructor(cache: ResultCache, changes: CacheChanges, call: AdmittedCall, principal: Principal, begin: () => CallRun) {
    const change = changeSubject(call, principal)
    const { tenantId } = principal
    // What this process keeps itself goes at once.
    cache.changed(call, principal)
    this.outcome = (async () => {
      await changes.tell(tenantId, change)
      if (this.#cancelled) {
        const message = `${call.tool.name} was cancelled before it began.`
        return { status: 'cancelled', error: new AdjutantError('CANCELLED', message, { outcome: 'not-run' }) } as const
      }
      this.#run = begin()
      const outcome = await this.#run.outcome
      await changes.tell(tenantId, change)
      return outcome
    })()
  }

  get attempts(): number {
    return this.#run?.attempts ?? 0
  }

  cancel(): void {
    this.#cancelled = true
    this.#run?.cancel()
  }
}

/** False for a call that was stopped on the way: what it started may go on. */
function isOver(outcome: RawOutcome): boolean {
  switch (outcome.status) {
    case 'timed-out':
    case 'cancelled':
    case 'unknown':
      return outcome.error.outcome === 'not-run'
    default:
      return true
  }
}
