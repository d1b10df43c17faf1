import type { Clock } from '../contract/ports.ts'
import { holdProcess } from '../util/hold-process.ts'

/** Waits `ms` and keeps the process alive meanwhile. False when `signal` ended the wait. */
export async function waited(ms: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  const release = holdProcess()
  try {
    return await new Promise<boolean>((resolve) => {
      const onAbort = (): void => {
        stop()
        resolve(false)
      }
      const stop = clock.after(ms, () => {
        signal.removeEventListener('abort', onAbort)
        resolve(true)
      })
      signal.addEventListener('abort', onAbort, { once: true })
    })
  } finally {
    release()
  }
}
