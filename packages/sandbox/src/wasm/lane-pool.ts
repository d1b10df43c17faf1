/**
 * Owns the workers that wait for runs: made in advance, at most `size`, each lent to one run at a time and replaced in the background when
 * it was ended, broke, or has served long enough. One that nobody used for a time is ended; it is made again when somebody comes. Whoever
 * finds none free waits in line. After `close` there is no worker left.
 */
import { AdjutantError } from '@adjutant/core/contract'
import type { WorkerLane } from './worker-lane.ts'

/** Runs after which a worker is replaced, so that nothing that it collects lasts. */
const MAX_RUNS = 250
const IDLE_MS = 120_000

export interface LanePoolOptions {
  readonly size: number
  readonly make: () => WorkerLane
  /** Calls back after so many milliseconds; gives what takes it back. Should keep no process alive. */
  readonly after: (ms: number, callback: () => void) => () => void
  /** Milliseconds that a worker waits for a run before it is ended. Default 120 000. */
  readonly idleMs?: number
}

interface Waiting {
  readonly give: (lane: WorkerLane) => void
  readonly fail: (error: AdjutantError) => void
}

export class LanePool {
  readonly #options: LanePoolOptions
  /** All of this pool, lent or not. */
  readonly #lanes = new Set<WorkerLane>()
  /** Nobody's at the moment, each with what stops its time. */
  readonly #idle = new Map<WorkerLane, () => void>()
  readonly #waiting = new Set<Waiting>()
  /** Workers on their way out. */
  readonly #ending = new Set<Promise<void>>()
  #closed = false

  constructor(options: LanePoolOptions) {
    this.#options = options
  }

  /** Workers of this pool that are not ended yet. */
  get size(): number {
    return this.#lanes.size + this.#ending.size
  }

  /** Starts as many as there may be. */
  fill(): void {
    while (!this.#closed && this.#lanes.size < this.#options.size) this.#start()
  }

  /**
   * The one that is ready, else one that will be soonest.
   *
   * @throws AdjutantError CANCELLED when the signal aborts or the pool is closed meanwhile
   */
  acquire(signal: AbortSignal): Promise<WorkerLane> {
    if (this.#closed) return Promise.reject(closed())
    if (signal.aborted) return Promise.reject(cancelled())
    this.fill()
    let best: WorkerLane | undefined
    for (const lane of this.#idle.keys()) {
      if (best === undefined || (lane.ready && !best.ready)) best = lane
    }
    if (best !== undefined) {
      this.#lend(best)
      return Promise.resolve(best)
    }
    const wait = Promise.withResolvers<WorkerLane>()
    const onAbort = (): void => waiting.fail(cancelled())
    const leave = (): void => {
      signal.removeEventListener('abort', onAbort)
      this.#waiting.delete(waiting)
    }
    const waiting: Waiting = {
      give: (lane) => {
        leave()
        wait.resolve(lane)
      },
      fail: (error) => {
        leave()
        wait.reject(error)
      },
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.add(waiting)
    return wait.promise
  }

  /** @param reusable nothing of the run is left in it and it was not ended */
  release(lane: WorkerLane, reusable: boolean): void {
    if (!this.#lanes.has(lane)) return
    if (reusable && !lane.gone && !this.#closed && lane.runs < MAX_RUNS) {
      this.#rest(lane)
      this.#serve()
      return
    }
    this.#drop(lane)
    this.fill()
  }

  /** Takes a lent worker out: whoever has it ends it. Another is made in its place. */
  detach(lane: WorkerLane): void {
    if (this.#lanes.delete(lane)) this.fill()
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const waiting of [...this.#waiting]) waiting.fail(closed())
    for (const lane of [...this.#lanes]) this.#drop(lane)
    await Promise.all(this.#ending)
  }

  #start(): void {
    const lane = this.#options.make()
    this.#lanes.add(lane)
    this.#rest(lane)
    // One that breaks while nobody has it is not replaced at once: what ended it would end the next one, too.
    lane.onChange(() => {
      if (lane.gone && this.#idle.has(lane)) this.#drop(lane)
    })
    this.#serve()
  }

  #serve(): void {
    for (const lane of this.#idle.keys()) {
      const [next] = this.#waiting
      if (next === undefined) return
      this.#lend(lane)
      next.give(lane)
    }
  }

  #rest(lane: WorkerLane): void {
    const forget = this.#options.after(this.#options.idleMs ?? IDLE_MS, () => this.#drop(lane))
    this.#idle.set(lane, forget)
  }

  #lend(lane: WorkerLane): void {
    this.#idle.get(lane)?.()
    this.#idle.delete(lane)
  }

  #drop(lane: WorkerLane): void {
    this.#lanes.delete(lane)
    this.#lend(lane)
    const ending: Promise<void> = lane.terminate().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }
}

function cancelled(): AdjutantError {
  return new AdjutantError('CANCELLED', 'the run was stopped before it began')
}

function closed(): AdjutantError {
  return new AdjutantError('CANCELLED', 'the backend was closed before the run began')
}
