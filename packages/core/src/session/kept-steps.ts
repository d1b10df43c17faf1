import type { StepRecord } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { SessionStore } from '../contract/ports.ts'

/** Takes the steps of a session as they happen. */
export interface StepKeeper {
  /** An answer of the model is about to be read: what its calls do is kept after it. */
  hold(): void
  /** The answer is over. */
  release(): void
  add(step: StepRecord): void
  /** A step that is awaited by itself. */
  append(step: StepRecord): Promise<void>
  /** @throws the store's error when a step could not be kept */
  written(): Promise<void>
}

/**
 * Owns the steps of one session on their way into its store (E9). Steps of calls that ran while the model's answer was still being read are
 * held until the answer they belong to is kept; writes are awaited at the end of the turn.
 */
export class KeptSteps implements StepKeeper {
  readonly #store: SessionStore
  readonly #id: SessionId
  #pending: Promise<void>[] = []
  /** Steps of calls whose answer is still being read; undefined when there is none. */
  #held: StepRecord[] | undefined

  constructor(store: SessionStore, id: SessionId) {
    this.#store = store
    this.#id = id
  }

  /** An answer is about to be read. */
  hold(): void {
    this.#held = []
  }

  /** Keeps what was held, in its order. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const step of held) this.#keep(step)
  }

  /** A step of a call. */
  add(step: StepRecord): void {
    if (this.#held === undefined) this.#keep(step)
    else this.#held.push(step)
  }

  /** A step that is awaited by itself. */
  async append(step: StepRecord): Promise<void> {
    const written = this.#store.append(this.#id, step)
    // What ran before the answer was complete is kept after the answer it belongs to.
    if (step.type === 'model') this.release()
    await written
  }

  /** @throws the store's error when a step could not be kept */
  async written(): Promise<void> {
    const writes = this.#pending
    this.#pending = []
    await Promise.all(writes)
  }

  #keep(step: StepRecord): void {
    const write = this.#store.append(this.#id, step)
    // Awaited at the end of the turn; marked handled now so that an early failure is not an unhandled rejection.
    write.catch(() => {})
    this.#pending.push(write)
  }
}
