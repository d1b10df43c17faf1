/**
 * Owns turns by key within this process: who writes the same file waits for the one before. First come, first served. A waiter
 * whose signal aborts leaves with the signal's reason and does not run.
 */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>()

  async run<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#tails.get(key)
    const mine = Promise.withResolvers<void>()
    const tail = before === undefined ? mine.promise : before.then(() => mine.promise)
    this.#tails.set(key, tail)
    try {
      if (before !== undefined) await untilAborted(before, signal)
      signal.throwIfAborted()
      return await work()
    } finally {
      mine.resolve()
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    }
  }

  /** Keys that are held or waited for. */
  get size(): number {
    return this.#tails.size
  }
}

function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: result, resolve, reject } = Promise.withResolvers<void>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  promise.then(resolve)
  return result.finally(() => signal.removeEventListener('abort', abort))
}
