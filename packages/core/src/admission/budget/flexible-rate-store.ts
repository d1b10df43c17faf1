import { LRUCache } from 'lru-cache'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import type { RateStore, RateTaken } from './rate-store.ts'

/**
 * Counts in whatever rate-limiter-flexible has a limiter for (SQLite, PostgreSQL, Redis …), so that several processes share their counts. The host makes the
 * limiters: one for each pair of numbers, since a limiter has its numbers from the start. Its clock and its timers are the library's own and
 * the store's; for one process take MemoryRateStore.
 *
 * @example
 * ```ts
 * import { RateLimiterMemory } from 'rate-limiter-flexible'
 * const store = new FlexibleRateStore(({ points, duration }) => new RateLimiterMemory({ points, duration, keyPrefix: 'adjutant' }))
 * ```
 */
export class FlexibleRateStore implements RateStore {
  readonly #make: (limits: { readonly points: number; readonly duration: number }) => RateLimiterAbstract
  /** More rules than this make limiters anew; the counts are in the store. */
  readonly #limiters = new LRUCache<string, RateLimiterAbstract>({ max: 256 })

  /** @param make `points` calls in `duration` seconds */
  constructor(make: (limits: { readonly points: number; readonly duration: number }) => RateLimiterAbstract) {
    this.#make = make
  }

  async take(key: string, calls: number, perMs: number): Promise<RateTaken> {
    try {
      await this.#limiter(calls, perMs).consume(key, 1)
      return { taken: true, waitMs: 0 }
    } catch (refusal) {
      const waitMs = waitOf(refusal)
      if (waitMs === undefined) throw refusal
      return { taken: false, waitMs }
    }
  }

  async giveBack(key: string, calls: number, perMs: number): Promise<void> {
    const limiter = this.#limiter(calls, perMs)
    // Of a window that is over nothing is left to give back; the library would begin the next one with a place too many.
    const window = await limiter.get(key)
    if (window !== null && window.consumedPoints > 0) await limiter.reward(key, 1)
  }

  #limiter(calls: number, perMs: number): RateLimiterAbstract {
    const numbers = `${calls}/${perMs}`
    const known = this.#limiters.get(numbers)
    if (known !== undefined) return known
    const limiter = this.#make({ points: calls, duration: perMs / 1_000 })
    this.#limiters.set(numbers, limiter)
    return limiter
  }
}

/**
 * The library rejects with its result when nothing is left, and with an error when the store does not answer. Told apart by form: the host's copy of
 * the library need not be this one, and nothing of it is loaded here.
 */
function waitOf(refusal: unknown): number | undefined {
  if (typeof refusal !== 'object' || refusal === null || !('msBeforeNext' in refusal)) return undefined
  const { msBeforeNext } = refusal
  return typeof msBeforeNext === 'number' ? Math.max(0, Math.ceil(msBeforeNext)) : undefined
}
