/**
 * Owns what `/proc/PID/stat` says. Reads synchronously: a proc file costs microseconds and is read for every process of a box several times
 * a second. Refuses nothing: a process that is gone, or a text that is none of the kernel's, is undefined.
 */
import { readFileSync } from 'node:fs'

export interface ProcessStat {
  readonly pid: number
  /** One letter: `R` running, `S` sleeping, `Z` ended and not yet waited for, `X` dead … */
  readonly state: string
  readonly parent: number
  /** Clock ticks (1/100 s) of its own threads, those that ended included. */
  readonly cpuTicks: number
  /** Clock ticks of children that ended and were waited for, and of theirs. */
  readonly childCpuTicks: number
  readonly threads: number
  /** Clock ticks since the machine started. With the pid it names one process for good. */
  readonly startTime: number
  /** Addresses in use, whether or not there is memory behind them. */
  readonly virtualBytes: number
  /** Pages of 4 KiB (or what the machine has) in memory, shared ones too. */
  readonly residentPages: number
}

/** USER_HZ: what the kernel counts in for programs, on x86-64 and arm64 always. */
export const TICKS_PER_SECOND = 100

/** @param proc where the proc file system is; default `/proc` */
export function readProcessStat(pid: number, proc = '/proc'): ProcessStat | undefined {
  let text: string
  try {
    text = readFileSync(`${proc}/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  return parseProcessStat(text)
}

/** The name of a program may hold anything, also spaces, brackets and line ends: what counts begins after the last bracket. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 0 || close < open) return undefined
  const pid = Number(text.slice(0, open))
  const fields = text.slice(close + 2).split(' ', 22)
  // Numbered as in proc_pid_stat(5), where the state is 3.
  const field = (number: number): number => Number(fields[number - 3])
  const stat: ProcessStat = {
    pid,
    state: fields[0] ?? '',
    parent: field(4),
    cpuTicks: field(14) + field(15),
    childCpuTicks: field(16) + field(17),
    threads: field(20),
    startTime: field(22),
    virtualBytes: field(23),
    residentPages: field(24),
  }
  // The last field that is read: one that is there has all before it.
  const { state, startTime, residentPages } = stat
  return pid > 0 && state.length === 1 && Number.isFinite(startTime) && Number.isFinite(residentPages) ? stat : undefined
}

/** It runs no more code. One whose first thread has ended is listed as `Z` too while its other threads go on: that one has not. */
export function hasEnded(stat: ProcessStat): boolean {
  return stat.state === 'X' || stat.state === 'x' || (stat.state === 'Z' && stat.threads <= 1)
}
