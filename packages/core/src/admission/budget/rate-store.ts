import type { Clock } from '../../contract/ports.ts'

export interface RateTaken {
  readonly taken: boolean
  /** When not taken: milliseconds until something is free again. */
  readonly waitMs: number
}

/**
 * Where calls are counted. A window begins with the first call of its key and lasts `perMs`; in it at most `calls` are taken.
 * Taking is atomic: of two that take the last place at once, one gets it.
 */
export interface RateStore {
  /** May answer at once. Rejects (or throws) when nobody can say. @param tenantId whose it is; part of `key` as well */
  take(key: string, calls: number, perMs: number, tenantId: string): RateTaken | Promise<RateTaken>
  /** A place that was taken and not used. */
  giveBack(key: string, calls: number, perMs: number, tenantId: string): void | Promise<void>
}

interface Window {
  taken: number
  endsAt: number
}

const FIRST_SWEEP = 1_024

/**
 * Counts in this process, by the injected clock's monotonic time. Answers at once; sets no timers: what is over is swept away when as many windows came new as were left by the sweep before.
 * Gone when the process ends.
 */
export class MemoryRateStore implements RateStore {
  readonly #clock: Clock
  readonly #windows = new Map<string, Window>()
  #sweepAt = FIRST_SWEEP

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Windows that are kept. */
  get size(): number {
    return this.#windows.size
  }

  take(key: string, calls: number, perMs: number): RateTaken {
    const now = this.#clock.monotonic()
    const window = this.#windows.get(key)
    if (window !== undefined && window.endsAt > now) {
      if (window.taken >= calls) return { taken: false, waitMs: Math.ceil(window.endsAt - now) }
      window.taken++
      return { taken: true, waitMs: 0 }
    }
    if (this.#windows.size >= this.#sweepAt) this.#sweep(now)
    this.#windows.set(key, { taken: 1, endsAt: now + perMs })
    return { taken: true, waitMs: 0 }
  }

  giveBack(key: string): void {
    const window = this.#windows.get(key)
    if (window !== undefined && window.taken > 0) window.taken--
  }

  #sweep(now: number): void {
    for (const [key, window] of this.#windows) if (window.endsAt <= now) this.#windows.delete(key)
    this.#sweepAt = Math.max(FIRST_SWEEP, this.#windows.size * 2)
  }
}
