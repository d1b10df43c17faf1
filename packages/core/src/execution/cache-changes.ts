import type { Clock } from '../contract/ports.ts'
import type { CacheEntry, CacheLook, CacheLooked, CacheSubject, SharedCache } from '../contract/shared-cache.ts'
import { overlaps } from './resource-keys.ts'

/**
 * Owns this process's dealings with a cache that several share. What cannot be told is kept and told before anything is asked, so that this process never gives
 * again what it changed itself. While the cache is away nothing is asked for {@link PAUSE_MS}: calls run as if there were none.
 */
export class CacheChanges {
  readonly #shared: SharedCache
  readonly #clock: Clock
  #untold: { readonly tenantId: string; readonly change: CacheSubject }[] = []
  #telling: Promise<void> = Promise.resolve()
  #awayUntil = Number.NEGATIVE_INFINITY

  constructor(shared: SharedCache, clock: Clock) {
    this.#shared = shared
    this.#clock = clock
  }

  /** Never rejects: what is not told now is told later. */
  async tell(tenantId: string, change: CacheSubject): Promise<void> {
    if (this.#untold.length >= MOST_UNTOLD) this.#untold = everything(this.#untold)
    this.#untold.push({ tenantId, change })
    await this.#tellAll()
  }

  /** @returns `undefined` when nobody can say: nothing must be given again then, or kept */
  async look(tenantId: string, look: CacheLook): Promise<CacheLooked | undefined> {
    if (this.#isAway) return undefined
    try {
      await this.#tellAll()
      if (this.#untold.length > 0) return undefined
      return await this.#shared.look(tenantId, look)
    } catch {
      return this.#away()
    }
  }

  /** Never rejects. */
  async keep(tenantId: string, entry: CacheEntry): Promise<void> {
    if (this.#isAway) return
    await this.#shared.keep(tenantId, entry).catch(() => this.#away())
  }

  get #isAway(): boolean {
    return this.#clock.monotonic() < this.#awayUntil
  }

  /** One after the other, in their order. */
  #tellAll(): Promise<void> {
    this.#telling = this.#telling.then(async () => {
      for (let next = this.#untold[0]; next !== undefined && !this.#isAway; next = this.#untold[0]) {
        try {
          await this.#shared.changed(next.tenantId, next.change)
          // It may have become part of another meanwhile.
          if (this.#untold[0] === next) this.#untold.shift()
        } catch {
          this.#away()
        }
      }
    })
    return this.#telling
  }

  #away(): undefined {
    this.#awayUntil = this.#clock.monotonic() + PAUSE_MS
  }
}

/** How long a cache that did not answer is left alone. */
const PAUSE_MS = 10_000
const MOST_UNTOLD = 200

/** Instead of many changes: anything of their tenants. */
function everything<T extends { readonly tenantId: string }>(untold: readonly T[]): { tenantId: string; change: CacheSubject }[] {
  return [...new Set(untold.map(({ tenantId }) => tenantId))].map((tenantId) => ({ tenantId, change: {} }))
}

/**
 * Whether a result may not be what it was any more: the resources that were written and those that it was read from overlap; or, where one of the two does
 * not say, both are of one origin or scope. Both are of one tenant.
 */
export function mayHaveChanged(change: CacheSubject, kept: CacheSubject): boolean {
  if (change.origin === undefined) return true
  if (change.keys !== undefined && change.keys.length > 0 && kept.keys !== undefined && kept.keys.length > 0) {
    return overlaps(change.keys, kept.keys)
  }
  return change.origin === kept.origin || (change.scope !== undefined && change.scope === kept.scope)
}
