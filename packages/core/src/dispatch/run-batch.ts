import type { Wave } from './plan-batch.ts'

/** What came of waiting: it may run, it was settled instead, or nobody decides now and it stays as it is. */
export type Gate = 'open' | 'settled' | 'waits'

/** What is done with each call of a batch. Neither function rejects for a reason that lies in a call. */
export interface BatchWork {
  /** Runs one call and settles it; gives `waits` when a rule asked about it at the last moment and nobody decides now. */
  run(index: number): Promise<'waits' | undefined>
  /**
   * Present for a call that waits for somebody before it may run. It takes no place among the calls in flight meanwhile.
   */
  gate?(index: number): Promise<Gate> | undefined
}

/**
 * Runs a plan: waves in order, at most `concurrency` members of a concurrent wave at once, taken in the model's order. A member that waits
 * for a person holds none of the others up: what is approved already runs on, and what is approved later runs then. A member that stays as it is
 * ends the plan after its wave: what comes after it must not run before it. If `work` rejects, the
 * batch takes no new members, waits for what is in flight, and rejects with the first error, so that nothing runs on unobserved.
 *
 * @param concurrency calls in flight at once, 1 or more
 */
export async function runBatch(plan: readonly Wave[], concurrency: number, work: BatchWork): Promise<void> {
  for (const wave of plan) {
    if (wave.concurrent) {
      if ((await runTogether(wave.members, Math.max(1, concurrency), work)) === 'waits') return
      continue
    }
    for (const index of wave.members) {
      const gate = work.gate?.(index)
      const came = gate === undefined ? 'open' : await gate
      if (came === 'waits') return
      if (came === 'open' && (await work.run(index)) === 'waits') return
    }
  }
}

function runTogether(members: readonly number[], concurrency: number, work: BatchWork): Promise<'done' | 'waits'> {
  return new Promise((resolve, reject) => {
    const pool = new Pool(concurrency, work, (error, end) => (error === undefined ? resolve(end) : reject(error.reason)))
    for (const index of members) {
      const gate = work.gate?.(index)
      if (gate === undefined) pool.ready(index)
      else pool.wait(gate, index)
    }
    pool.start()
  })
}

type Ended = (error: { readonly reason: unknown } | undefined, end: 'done' | 'waits') => void

/** Starts what is ready while there are places; ends when nothing runs, waits or is ready. */
class Pool {
  readonly #limit: number
  readonly #work: BatchWork
  readonly #ended: Ended
  readonly #ready: number[] = []
  #next = 0
  #running = 0
  #waiting = 0
  #end: 'done' | 'waits' = 'done'
  #error: { readonly reason: unknown } | undefined

  constructor(limit: number, work: BatchWork, ended: Ended) {
    this.#limit = limit
    this.#work = work
    this.#ended = ended
  }

  ready(index: number): void {
    this.#ready.push(index)
  }

  wait(gate: Promise<Gate>, index: number): void {
    this.#waiting += 1
    gate.then(
      (came) => {
        this.#waiting -= 1
        if (came === 'open') this.#ready.push(index)
        if (came === 'waits') this.#end = 'waits'
        this.start()
      },
      (reason: unknown) => {
        this.#waiting -= 1
        this.#error ??= { reason }
        this.start()
      },
    )
  }

  start(): void {
    while (this.#error === undefined && this.#running < this.#limit) {
      const index = this.#ready[this.#next]
      if (index === undefined) break
      this.#next += 1
      this.#running += 1
      this.#work.run(index).then(this.#freed, this.#failed)
    }
    if (this.#running === 0 && this.#waiting === 0 && (this.#error !== undefined || this.#next === this.#ready.length))
      this.#ended(this.#error, this.#end)
  }

  readonly #freed = (came?: 'waits'): void => {
    if (came === 'waits') this.#end = 'waits'
    this.#running -= 1
    this.start()
  }

  readonly #failed = (reason: unknown): void => {
    this.#error ??= { reason }
    this.#freed()
  }
}
