import type { Clock } from '../contract/ports.ts'

/**
 * Owns whether an origin is worth calling. Closed: calls go, failures in a row are counted. Open: nothing goes until a time is over. Half open: one call
 * goes as a probe, the others are turned away; its success closes the circuit, its failure opens it for twice as long.
 * What a call brings back only counts for the state in which it went: one that went before the circuit opened neither closes nor opens it later.
 * In memory; no timer of its own: the time is looked at when a call comes.
 */
export interface CircuitOptions {
  /** Failures in a row that open it, 1 or more. Default 5: a call with two further attempts does not open it alone. */
  readonly failures?: number
  /** Milliseconds that it stays open first. Default 30 000. */
  readonly openMs?: number
}

const DEFAULT_FAILURES = 5
const DEFAULT_OPEN_MS = 30_000
/** It is never open for more than this many times the first time: after four minutes somebody may have repaired it. */
const MAX_GROWTH = 8

export class Circuit {
  readonly #clock: Clock
  readonly #limit: number
  readonly #openMs: number
  #failures = 0
  /** Counts the states. A ticket is the number of the state in which a call went. */
  #state = 1
  #openUntil: number | undefined
  #growth = 1
  #probing = false

  constructor(clock: Clock, options: CircuitOptions = {}) {
    this.#clock = clock
    this.#limit = Math.max(1, options.failures ?? DEFAULT_FAILURES)
    this.#openMs = Math.max(0, options.openMs ?? DEFAULT_OPEN_MS)
  }

  /** Nothing failed lately. */
  get healthy(): boolean {
    return this.#failures === 0 && this.#openUntil === undefined
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures
  }

  /** Milliseconds until a call may go, 0 while a probe is out; `undefined`: it may go now. */
  waitMs(): number | undefined {
    if (this.#openUntil === undefined) return undefined
    const left = this.#openUntil - this.#clock.monotonic()
    if (left > 0) return left
    return this.#probing ? 0 : undefined
  }

  /** A call goes; only right after {@link waitMs} gave `undefined`. Gives the ticket that its end is told with. */
  enter(): number {
    if (this.#openUntil !== undefined) {
      this.#probing = true
      this.#state += 1
    }
    return this.#state
  }

  succeeded(ticket: number): void {
    if (this.healthy || ticket !== this.#state) return
    this.#failures = 0
    if (this.#openUntil === undefined) return
    this.#openUntil = undefined
    this.#probing = false
    this.#growth = 1
    this.#state += 1
  }

  failed(ticket: number): void {
    if (ticket !== this.#state) return
    this.#failures += 1
    const wasProbe = this.#probing
    if (!wasProbe && this.#failures < this.#limit) return
    if (wasProbe) this.#growth = Math.min(MAX_GROWTH, this.#growth * 2)
    this.#openUntil = this.#clock.monotonic() + this.#openMs * this.#growth
    this.#probing = false
    this.#state += 1
  }

  /** The call was stopped before it could tell anything: the next one is the probe. */
  stopped(ticket: number): void {
    if (ticket !== this.#state || !this.#probing) return
    this.#probing = false
    this.#state += 1
  }
}
