/** Told when its turn has come: it holds a place now and has to give it back with {@link Bulkhead.leave}. */
export interface Waiter {
  admitted(): void
}

/**
 * Owns how many calls of one origin run at once, and who is next: in the order in which they came. Refuses when too many wait already. Whoever gives up
 * waiting leaves its place in the queue at once. In memory; synchronous; no timer.
 */
export class Bulkhead {
  readonly #limit: number
  readonly #queueLimit: number
  /** A Set keeps the order of insertion and forgets one in the middle without looking at the others. */
  readonly #queue = new Set<Waiter>()
  #active = 0
  #isAdmitting = false

  /** @param limit calls at once, 1 or more @param queueLimit calls waiting, 0 or more */
  constructor(limit: number, queueLimit: number) {
    this.#limit = limit
    this.#queueLimit = queueLimit
  }

  get limit(): number {
    return this.#limit
  }

  get active(): number {
    return this.#active
  }

  get waiting(): number {
    return this.#queue.size
  }

  /** `entered`: go now. `queued`: `waiter` is told. `full`: neither. */
  enter(waiter: Waiter): 'entered' | 'queued' | 'full' {
    if (this.#active < this.#limit && this.#queue.size === 0) {
      this.#active += 1
      return 'entered'
    }
    if (this.#queue.size >= this.#queueLimit) return 'full'
    this.#queue.add(waiter)
    return 'queued'
  }

  /** Gives up waiting. Harmless for whoever does not wait. */
  withdraw(waiter: Waiter): void {
    this.#queue.delete(waiter)
  }

  leave(): void {
    this.#active -= 1
    // Whoever is admitted may leave at once; a loop instead of a recursion as deep as the queue is long.
    if (this.#isAdmitting) return
    this.#isAdmitting = true
    for (const waiter of this.#queue) {
      if (this.#active >= this.#limit) break
      this.#queue.delete(waiter)
      this.#active += 1
      waiter.admitted()
    }
    this.#isAdmitting = false
  }
}
