import type { Clock } from '@adjutant/core/contract'
import type { ChangeBell, HeardOptions } from './change-bell.ts'
import { LocalBell } from './local-bell.ts'

/** How often it is looked whether another process has written, while somebody waits. */
const LOOK_MS = 100

export interface SqliteBellOptions {
  readonly clock: Clock
  /** Changes when another process has committed; a look at memory that all connections share, not at tables. Undefined: it cannot be told now. */
  readonly version: () => number | undefined
}

/**
 * Hears other processes on one file. The file says only that something was written, so everybody who waits looks again; the writes of this process ring
 * by themselves and cause no looking about. Nobody waits: nothing is looked at.
 */
export class SqliteBell implements ChangeBell {
  readonly #local: LocalBell
  readonly #options: SqliteBellOptions
  #seen: number | undefined
  #disarm: (() => void) | undefined

  constructor(options: SqliteBellOptions) {
    this.#options = options
    this.#local = new LocalBell(options.clock)
  }

  ring(topic: string): void {
    this.#local.ring(topic)
  }

  heard(topic: string, options: HeardOptions): Promise<void> {
    const heard = this.#local.heard(topic, options)
    if (this.#disarm === undefined && this.#local.awaited) {
      this.#seen = this.#options.version()
      this.#arm()
    }
    return heard
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disarm?.()
    this.#disarm = undefined
    await this.#local[Symbol.asyncDispose]()
  }

  #arm(): void {
    this.#disarm = this.#options.clock.after(LOOK_MS, () => this.#look())
  }

  #look(): void {
    this.#disarm = undefined
    if (!this.#local.awaited) return
    const version = this.#options.version()
    const changed = version !== this.#seen
    this.#seen = version
    this.#arm()
    if (changed) this.#local.ringAll()
  }
}
