/**
 * Owns how many may do something at once, and that the others wait in the order in which they came. When too many wait already the next one is
 * refused: better told at once than kept for minutes. Whoever gives up leaves the queue. In memory; synchronous.
 */
import { AdjutantError } from '@adjutant/core/contract'

export class Turns {
  readonly #atOnce: number
  readonly #mayWait: number
  readonly #what: string
  readonly #waiting = new Set<() => void>()
  #active = 0

  /** @param what for the message, e.g. `runs in boxes` */
  constructor(what: string, atOnce: number, mayWait: number) {
    this.#what = what
    this.#atOnce = atOnce
    this.#mayWait = mayWait
  }

  get active(): number {
    return this.#active
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** A turn, to be given back by calling what it gives; twice is harmless. @throws AdjutantError OVERLOADED, CANCELLED */
  async take(signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted === true) throw cancelled()
    if (this.#active < this.#atOnce) this.#active += 1
    else await this.#wait(signal)
    let held = true
    return () => {
      if (!held) return
      held = false
      // The place goes to the next one without becoming free between: nobody overtakes.
      const [next] = this.#waiting
      if (next === undefined) this.#active -= 1
      else next()
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#mayWait)
      throw new AdjutantError('OVERLOADED', `${this.#active} ${this.#what} are going on and ${this.#waiting.size} wait`)
    return new Promise((resolve, reject) => {
      const admitted = (): void => {
        this.#waiting.delete(admitted)
        signal?.removeEventListener('abort', gaveUp)
        resolve()
      }
      const gaveUp = (): void => {
        this.#waiting.delete(admitted)
        reject(cancelled())
      }
      this.#waiting.add(admitted)
      signal?.addEventListener('abort', gaveUp, { once: true })
    })
  }
}

function cancelled(): AdjutantError {
  return new AdjutantError('CANCELLED', 'it was stopped before its turn came')
}
