/**
 * Owns which reads of a batch have started before the batch was complete. They start in the model's order, at most `limit` at a time,
 * until it is closed: by a write, by the end of the answer, by its failure. What was offered and had not started then is left to the plan.
 */
export class EarlyStarter {
  readonly #limit: number
  readonly #start: (index: number) => Promise<void>
  readonly #offered: number[] = []
  readonly #started = new Map<number, Promise<void>>()
  #running = 0
  #closed = false

  /** @param limit 1 where calls of a batch that turns out to have a write must not overlap */
  constructor(limit: number, start: (index: number) => Promise<void>) {
    this.#limit = limit
    this.#start = start
  }

  get closed(): boolean {
    return this.#closed
  }

  offer(index: number): void {
    if (this.#closed) return
    this.#offered.push(index)
    this.#pump()
  }

  has(index: number): boolean {
    return this.#started.has(index)
  }

  /** The run of a call that has started; the plan waits for it in the call's place. */
  started(index: number): Promise<void> | undefined {
    return this.#started.get(index)
  }

  close(): void {
    this.#closed = true
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#started.values())
  }

  #pump(): void {
    while (!this.#closed && this.#running < this.#limit) {
      const index = this.#offered.shift()
      if (index === undefined) return
      this.#running += 1
      const run = this.#start(index).finally(() => {
        this.#running -= 1
        this.#pump()
      })
      // Awaited in its place by the plan; marked handled now, since that may come later.
      run.catch(() => {})
      this.#started.set(index, run)
    }
  }
}
