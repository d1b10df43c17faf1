import { AsyncLocalStorage } from 'node:async_hooks'
import { AdjutantError } from '../contract/errors.ts'

interface Waiter {
  readonly grant: () => void
}

/**
 * Owns the one terminal and the one person at it: whoever writes progress or asks a question holds this lock meanwhile.
 * Waiters are served in the order they came; a waiter whose signal aborts leaves the queue at once. Work that takes the lock
 * again from inside runs straight away, so a question asked while an approval is shown cannot deadlock.
 * In memory only: it guards one process's terminal.
 */
export class InteractionLock {
  readonly #queue = new Set<Waiter>()
  readonly #inside = new AsyncLocalStorage<object>()
  /** A new object for each holder, so that work which outlives its hold is not taken for the holder. */
  #holder: object | undefined

  get held(): boolean {
    return this.#holder !== undefined
  }

  get waiting(): number {
    return this.#queue.size
  }

  /**
   * Runs `work` as the only holder and gives back what it gives.
   * @throws AdjutantError CANCELLED when `signal` aborts before the lock was got; whatever `work` throws otherwise
   *
   * @example
   * ```ts
   * const lock = new InteractionLock()
   * await lock.run(async () => 'asked')
   * ```
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const within = this.#inside.getStore()
    if (within !== undefined && within === this.#holder) return work()
    if (signal?.aborted) throw leftQueue()
    const holder = {}
    if (this.#holder === undefined) this.#holder = holder
    else await this.#wait(holder, signal)
    try {
      return await this.#inside.run(holder, work)
    } finally {
      this.#release()
    }
  }

  #wait(holder: object, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant: () => {
          signal?.removeEventListener('abort', leave)
          // Handed over, not freed and taken: nobody can slip in between.
          this.#holder = holder
          resolve()
        },
      }
      const leave = (): void => {
        if (this.#queue.delete(waiter)) reject(leftQueue())
      }
      this.#queue.add(waiter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  #release(): void {
    this.#holder = undefined
    for (const next of this.#queue) {
      this.#queue.delete(next)
      next.grant()
      return
    }
  }
}

function leftQueue(): AdjutantError {
  return new AdjutantError('CANCELLED', 'stopped while waiting for the terminal')
}
