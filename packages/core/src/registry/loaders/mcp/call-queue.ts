/** Lets through so many at a time, the rest in the order they came. One who gives up waiting takes no place. */
export class CallQueue {
  readonly #limit: number
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** @throws the signal's reason when it aborts before the work began */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#running < this.#limit) this.#running++
    else await this.#wait(signal)
    try {
      return await work()
    } finally {
      // A place is handed on, not freed and taken: nobody gets in between.
      const [next] = this.#waiting
      if (next === undefined) this.#running--
      else {
        this.#waiting.delete(next)
        next()
      }
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = (): void => {
        this.#waiting.delete(start)
        reject(signal.reason)
      }
      if (signal.aborted) return giveUp()
      this.#waiting.add(start)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }
}
