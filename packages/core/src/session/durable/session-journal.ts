import type { KeepOptions, SessionHold, StoredSessionState } from '../../contract/durable.ts'
import type { StepRecord } from '../../contract/events.ts'
import type { StepKeeper } from '../kept-steps.ts'
import type { SessionState } from './session-state.ts'

interface Waiting {
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/**
 * Owns the steps of one session on their way into the log that outlives the process. Steps are kept in the order in which they are handed in, many in
 * one transaction: while one is written the next gathers. What must be on disk before something happens is awaited with `append`; the rest follows
 * with it, at the latest at the end of the turn.
 *
 * Refuses nothing; once a write has failed every later one fails with the same error, so that no step is kept whose forerunner is missing.
 */
export class SessionJournal implements StepKeeper {
  readonly #hold: SessionHold
  #gathered: StepRecord[] = []
  #options: KeepOptions = { safety: 'written' }
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #failed: { readonly reason: unknown } | undefined
  /** Steps of calls whose answer is still being read; undefined when there is none. */
  #held: StepRecord[] | undefined

  /** What the session is after every step that was handed in. */
  readonly state: SessionState
  #told: StoredSessionState | undefined
  #paused = false

  /** @param state what it was before */
  constructor(hold: SessionHold, state: SessionState) {
    this.#hold = hold
    this.state = state
  }

  /** Aborts when somebody else has taken the session over. */
  get lost(): AbortSignal {
    return this.#hold.lost
  }

  hold(): void {
    this.#held = []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const step of held) this.#gather(step)
  }

  add(step: StepRecord): void {
    if (this.#held !== undefined) {
      this.#held.push(step)
      return
    }
    // What a change came to is not to be lost to a crash, of the process or of the machine: nobody could say whether it took effect.
    const ends = step.type === 'call' && this.state.open?.started(step.call.id) !== undefined
    this.#gather(step)
    // Whoever writes next is told when this fails.
    if (ends) this.commit([], { safety: 'durable' }).catch(() => {})
  }

  /** Resolves when the steps, and all before them, are durable. */
  append(...steps: readonly StepRecord[]): Promise<void> {
    return this.commit(steps, { safety: 'durable' })
  }

  /** Resolves when the steps, and all before them, are kept. */
  commit(steps: readonly StepRecord[], options: KeepOptions): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed.reason)
    // A checkpoint stands after the steps it was made of: what comes later is written later.
    if (this.#options.checkpoint !== undefined) return (this.#writing ?? Promise.resolve()).then(() => this.commit(steps, options))
    for (const step of steps) {
      this.#gather(step)
      // What ran before the answer was complete is kept after the answer it belongs to.
      if (step.type === 'model') this.release()
    }
    this.#options = {
      ...this.#options,
      ...options,
      safety: options.safety === 'written' && this.#options.safety !== 'durable' ? 'written' : 'durable',
    }
    const kept = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }))
    this.#writing ??= this.#write()
    return kept
  }

  /** Everything handed in so far is kept. */
  async written(): Promise<void> {
    if (this.#gathered.length > 0) await this.commit([], { safety: 'written' })
    else await this.#writing
    if (this.#failed !== undefined) throw this.#failed.reason
  }

  async close(): Promise<void> {
    try {
      await this.written()
    } finally {
      await this.#hold.close()
    }
  }

  #gather(step: StepRecord): void {
    this.state.apply(step)
    if (step.type !== 'tools') this.#paused = step.type === 'paused'
    this.#gathered.push(step)
  }

  /** Told to the store when it changes. */
  get #stored(): StoredSessionState {
    if (this.#paused) return 'waiting'
    return this.state.busy || this.state.open !== undefined ? 'open' : 'idle'
  }

  async #write(): Promise<void> {
    // What is handed in within the same turn of the event loop goes along.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const steps = this.#gathered
      const state = this.#stored
      const options = state === this.#told ? this.#options : { ...this.#options, state }
      const waiting = this.#waiting
      this.#gathered = []
      this.#options = { safety: 'written' }
      this.#waiting = []
      try {
        if (this.#failed !== undefined) throw this.#failed.reason
        await this.#hold.keep(steps, options)
        this.#told = state
        for (const { resolve } of waiting) resolve()
      } catch (reason) {
        this.#failed ??= { reason }
        for (const { reject } of waiting) reject(reason)
      }
    }
    this.#writing = undefined
  }
}
