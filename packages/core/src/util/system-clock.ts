import type { Clock } from '../contract/ports.ts'

/**
 * The machine's own time. A timer keeps the process alive until it is due or taken back: a call that hangs on nothing must
 * still get its result from its time limit.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
