/** Owns the log of what was tried: an event for each attempt, and the list of what was refused, each once, bounded. */

/** One attempt to reach something. */
export interface NetworkAttempt {
  /** `CONNECT`, or `HTTP` for a request that is passed on. */
  readonly way: 'CONNECT' | 'HTTP'
  /** `example.com:443`; what was no host is given as it was written, cut at 300 characters. */
  readonly target: string
  readonly outcome: 'passed' | 'refused' | 'failed'
  /** Absent when it was passed. */
  readonly reason?: string
  /** The address that was connected to. */
  readonly address?: string
}

const MAX_REFUSED = 200
const MAX_TARGET = 300

export class Attempts {
  readonly #refused = new Set<string>()
  readonly #tried: ((event: NetworkAttempt) => void) | undefined

  constructor(tried: ((event: NetworkAttempt) => void) | undefined) {
    this.#tried = tried
  }

  get refused(): readonly string[] {
    return [...this.#refused]
  }

  note(attempt: NetworkAttempt): void {
    // What the box writes is shown to people: nothing in it may move a cursor.
    const target = attempt.target.slice(0, MAX_TARGET).replace(/[^\x21-\x7e]/g, '?')
    if (attempt.outcome === 'refused' && this.#refused.size < MAX_REFUSED) this.#refused.add(target)
    try {
      this.#tried?.({ ...attempt, target })
    } catch {
      // Whoever listens cannot stop what is passed on.
    }
  }
}
