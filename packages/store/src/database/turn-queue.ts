/** Owns who is next: work runs one after the other, in the order in which it was asked for. */

export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` when all before it are done, however they ended. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    try {
      return await work()
    } finally {
      resolve()
    }
  }
}
