import { AdjutantError } from '../../../contract/errors.ts'
import type { Clock } from '../../../contract/ports.ts'

/** A time by which something has to be done, or a signal (not yet aborted) that it is no longer wanted, whichever comes first. */
export class Deadline {
  readonly ms: number
  readonly #clock: Clock
  readonly #controller = new AbortController()
  readonly #release: () => void
  #takeBack: () => void
  #suspended = 0
  #disposed = false

  constructor(clock: Clock, ms: number, signal?: AbortSignal) {
    this.ms = ms
    this.#clock = clock
    const onAbort = (): void => this.#controller.abort(new AdjutantError('CANCELLED', 'cancelled'))
    this.#takeBack = this.#arm()
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#release = () => {
      this.#takeBack()
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

  /** Lets the time stand still while a person does their part; afterwards it starts anew. */
  readonly suspend = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    this.#suspended++
    this.#takeBack()
    try {
      return await work()
    } finally {
      if (--this.#suspended === 0 && !this.#disposed) this.#takeBack = this.#arm()
    }
  }

  #arm(): () => void {
    return this.#clock.after(this.ms, () => this.#controller.abort(new AdjutantError('TIMEOUT', `not done within ${this.ms} ms`)))
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
    this.#disposed = true
    this.#release()
  }
}
