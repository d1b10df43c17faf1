/**
 * Owns how workers on a SQLite file hear of jobs: those of this process at once, those of others by looking often, which costs one read of two indexes.
 */
import type { JobCarrier } from '../job-carrier.ts'

const POLL_MS = 100

export class LocalCarrier implements JobCarrier {
  readonly pollMs = POLL_MS
  readonly #ears = new Set<() => Promise<void>>()

  async ready(): Promise<void> {}

  /** The row is all there is. */
  async send(): Promise<void> {}

  sent(): void {
    for (const look of this.#ears) void look()
  }

  listen(_kinds: readonly string[], look: () => Promise<void>): AsyncDisposable {
    const ear = (): Promise<void> => look()
    this.#ears.add(ear)
    return {
      [Symbol.asyncDispose]: async () => {
        this.#ears.delete(ear)
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ears.clear()
  }
}
