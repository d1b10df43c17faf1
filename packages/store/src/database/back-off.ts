/** Owns how long is waited before something is tried again, and when it is given up. Time is the clock's. */
import type { Clock } from '@adjutant/core/contract'
import { DriverFault, type Fault } from './driver-fault.ts'

export interface BackOffOptions {
  readonly clock: Clock
  /** Milliseconds from the first failure on, after which the next one is final. */
  readonly limitMs: number
  /** What may be tried again. */
  readonly faults: ReadonlySet<Fault>
}

/** The first wait; each further one is half as long again. */
const FIRST_MS = 1
const LONGEST_MS = 250

/**
 * @param attempt must have left nothing behind when it fails with one of `faults`
 * @throws whatever the last attempt threw
 */
export async function retrying<T>(options: BackOffOptions, attempt: () => T | Promise<T>): Promise<T> {
  let since: number | undefined
  let wait = FIRST_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof DriverFault) || !options.faults.has(error.fault)) throw error
      const now = options.clock.monotonic()
      since ??= now
      if (now - since >= options.limitMs) throw error
      await new Promise<void>((resolve) => options.clock.after(wait, resolve))
      wait = Math.min(LONGEST_MS, wait * 1.5)
    }
  }
}
