import type { Clock } from '../contract/ports.ts'

/** The machine's own time. Timers do not keep the process alive: what is waited for does. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
