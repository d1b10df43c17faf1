import type { Clock } from '@adjutant/core/contract'
import type { ChangeBell, HeardOptions } from './change-bell.ts'

/** Heard in this process only. */
export class LocalBell implements ChangeBell {
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Somebody waits. */
  get awaited(): boolean {
    return this.#waiting.size > 0
  }

  ring(topic: string): void {
    for (const wake of [...(this.#waiting.get(topic) ?? [])]) wake()
  }

  heard(topic: string, { signal, maxMs }: HeardOptions): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(topic) ?? new Set()
      const wake = (): void => {
        disarm()
        signal.removeEventListener('abort', wake)
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiting.get(topic) === waiting) this.#waiting.delete(topic)
        resolve()
      }
      const disarm = this.#clock.after(maxMs, wake)
      signal.addEventListener('abort', wake, { once: true })
      waiting.add(wake)
      this.#waiting.set(topic, waiting)
      if (signal.aborted) wake()
    })
  }

  /** Everybody who waits looks again. */
  ringAll(): void {
    for (const topic of [...this.#waiting.keys()]) this.ring(topic)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ringAll()
  }
}
