import type { Clock } from '@adjutant/core/contract'

export interface JumpingClock extends Clock {
  /** The time of day is set forward or, below 0, back. What measures durations, and what was armed, goes on as it was. */
  jump(ms: number): void
}

/** What an operator does most often by mistake, in milliseconds. */
export const ONE_DAY_MS = 86_400_000

/**
 * A clock that somebody sets, over another one: `now()` leaps, `monotonic()` and timers do not, as on a real machine.
 *
 * @example
 * ```ts
 * const clock = jumpingClock(systemClock)
 * clock.jump(-ONE_DAY_MS)
 * ```
 */
export function jumpingClock(clock: Clock): JumpingClock {
  let ahead = 0
  return {
    now: () => clock.now() + ahead,
    monotonic: () => clock.monotonic(),
    after: (ms, callback) => clock.after(ms, callback),
    jump: (ms) => {
      ahead += ms
    },
  }
}
