import type { Clock } from '@adjutant/core/contract'

/** Owns that a connection on which nothing moves ends. One timer for each, set anew only when it falls due: bytes cost a number. */
export class IdleWatch {
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #ended: () => void
  #moved: number
  #cancel: () => void

  constructor(clock: Clock, idleMs: number, ended: () => void) {
    this.#clock = clock
    this.#idleMs = idleMs
    this.#ended = ended
    this.#moved = clock.monotonic()
    this.#cancel = clock.after(idleMs, this.#look)
  }

  /** Something moved. */
  touch(): void {
    this.#moved = this.#clock.monotonic()
  }

  stop(): void {
    this.#cancel()
  }

  readonly #look = (): void => {
    const rest = this.#idleMs - (this.#clock.monotonic() - this.#moved)
    if (rest <= 0) this.#ended()
    else this.#cancel = this.#clock.after(rest, this.#look)
  }
}
