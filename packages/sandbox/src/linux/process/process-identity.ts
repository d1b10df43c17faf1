/**
 * Owns that a signal reaches the process that was meant. A pid is given to another process once its owner is gone; with the start time it
 * is one process for good. Between the last look and the signal some microseconds remain, in which the kernel would have to hand out every
 * other pid first.
 */
import { hasEnded, readProcessStat } from './process-stat.ts'

export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks since the machine started. */
  readonly startTime: number
}

export type SignalOutcome = 'sent' | 'gone' | 'denied'

/** Undefined when there is no such process. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const stat = readProcessStat(pid)
  return stat === undefined ? undefined : { pid, startTime: stat.startTime }
}

/** It is there and runs code; one that ended and waits to be waited for does not. */
export function isRunning(identity: ProcessIdentity): boolean {
  const stat = readProcessStat(identity.pid)
  return stat !== undefined && stat.startTime === identity.startTime && !hasEnded(stat)
}

/** Never throws. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): SignalOutcome {
  if (!isRunning(identity)) return 'gone'
  try {
    process.kill(identity.pid, signal)
    return 'sent'
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH' ? 'gone' : 'denied'
  }
}
