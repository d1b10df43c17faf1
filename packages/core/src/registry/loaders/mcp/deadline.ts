import { AdjutantError } from '../../../contract/errors.ts'
import type { Clock } from '../../../contract/ports.ts'

/** A time by which something has to be done, or a signal (not yet aborted) that it is no longer wanted, whichever comes first. */
export class Deadline {
  readonly ms: number
  readonly #controller = new AbortController()
  readonly #release: () => void

  constructor(clock: Clock, ms: number, signal?: AbortSignal) {
    this.ms = ms
    const onAbort = (): void => this.#controller.abort(new AdjutantError('CANCELLED', 'cancelled'))
    const takeBack = clock.after(ms, () => this.#controller.abort(new AdjutantError('TIMEOUT', `not done within ${ms} ms`)))
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#release = () => {
      takeBack()
      signal?.removeEventListener('abort', onAbort)
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** `late` or `cancelled` once it is over. */
  get over(): 'late' | 'cancelled' | undefined {
    const reason: unknown = this.signal.reason
    if (!AdjutantError.isInstance(reason)) return undefined
    return reason.code === 'TIMEOUT' ? 'late' : 'cancelled'
  }

  /** The promise's own end, or a rejection when the deadline is over first. */
  async race<Value>(work: Promise<Value>): Promise<Value> {
    const over = Promise.withResolvers<never>()
    over.promise.catch(() => {})
    work.catch(() => {})
    const onAbort = (): void => over.reject(this.signal.reason)
    if (this.signal.aborted) onAbort()
    else this.signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([work, over.promise])
    } finally {
      this.signal.removeEventListener('abort', onAbort)
    }
  }

  dispose(): void {
    this.#release()
  }
}
