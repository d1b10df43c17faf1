/**
 * Owns how a process hears that rows have changed. Who changes something rings after it is kept; who waits looks again when it rings, and also now and
 * then without it: a ring that is never heard only delays. Rings of other processes are heard where the database can carry them.
 */
import type { Clock } from '@adjutant/core/contract'

/** How long somebody who waits waits at most before looking again. */
export const LOOK_AGAIN_MS = 2_000

export interface ChangeBell extends AsyncDisposable {
  /** Something of this topic has changed, and is kept. Never throws. */
  ring(topic: string): void
  /** Resolves when it rings, when `signal` aborts, or after `maxMs` at the latest. Begin to wait, then look, then await: nothing is missed between. */
  heard(topic: string, options: { readonly signal: AbortSignal; readonly maxMs: number }): Promise<void>
}

/** Heard in this process only. */
export class LocalBell implements ChangeBell {
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(topic: string): void {
    for (const wake of [...(this.#waiting.get(topic) ?? [])]) wake()
  }

  heard(topic: string, { signal, maxMs }: { readonly signal: AbortSignal; readonly maxMs: number }): Promise<void> {
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

export function sessionTopic(tenantId: string, sessionId: string): string {
  return `session/${tenantId}/${sessionId}`
}

export function approvalTopic(tenantId: string, approvalId: string): string {
  return `approval/${tenantId}/${approvalId}`
}
