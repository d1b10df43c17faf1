import type { Clock } from '@adjutant/core/contract'

interface Timer {
  readonly due: number
  readonly order: number
  readonly callback: () => void
}

/**
 * A clock that moves only when a test says so. `advance` runs what falls due, in order of due time, and lets promises settle
 * after each.
 *
 * @example
 * ```ts
 * const clock = new ManualClock()
 * clock.after(100, () => console.log('due'))
 * await clock.advance(100) // due
 * ```
 */
export class ManualClock implements Clock {
  #now: number
  #order = 0
  readonly #start: number
  readonly #timers = new Set<Timer>()

  constructor(start = 1_700_000_000_000) {
    this.#start = start
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now - this.#start
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { due: this.#now + ms, order: this.#order++, callback }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Timers not yet due. */
  get pending(): number {
    return this.#timers.size
  }

  /** Time passes and no timer runs, as in a process that was asleep. What fell due runs with the next `advance`. */
  leap(ms: number): void {
    this.#now += ms
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settle()
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.due)
      next.callback()
      await settle()
    }
    this.#now = Math.max(this.#now, end)
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.due > end) continue
      if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) first = timer
    }
    return first
  }
}

/** Lets every promise that is ready settle: one turn of the event loop. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
