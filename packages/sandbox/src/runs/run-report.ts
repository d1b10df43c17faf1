/**
 * Owns what is truthfully said of a run: what the box, the control group and the memory file system told, put into the words of the report.
 * A limit is named only where it was met: by our own hand, by the kernel's, or because nothing is left of it and the run failed.
 */
import { constants } from 'node:os'
import type { SandboxLimitName, SandboxReport } from '@adjutant/core/contract'
import type { WatchedRun } from './watch-run.ts'

export interface ReportFacts {
  readonly mode: SandboxReport['mode']
  readonly cpuMsLimit: number
  /** Of the box's memory file system after the run; absent where it cannot be asked. */
  readonly room?: { readonly freeBytes: number; readonly freeFiles: number; readonly usedMB: number }
  /** What the session's shell or interpreter knew is lost, before this run or by it. */
  readonly stateLost?: boolean
  /** Connections that were refused meanwhile. */
  readonly refused?: readonly string[]
}

const SIGNAL_NAMES: ReadonlyMap<number, string> = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

export function runReport(watched: WatchedRun, facts: ReportFacts): Omit<SandboxReport, 'backend'> {
  const { usage } = watched
  const ended = how(watched, facts.mode)
  const limit = watched.hit ?? metLimit(watched, ended, facts)
  return {
    mode: facts.mode,
    ...ended,
    timedOut: watched.hit === 'wall',
    oom: watched.oom,
    ...(limit === undefined ? {} : { limit }),
    stdout: watched.stdout,
    stderr: watched.stderr,
    truncated: watched.truncated,
    durationMs: watched.durationMs,
    usage: { ...usage, ...(facts.room === undefined ? {} : { diskMB: facts.room.usedMB }) },
    ...(facts.refused === undefined || facts.refused.length === 0 ? {} : { refused: facts.refused }),
    ...(facts.stateLost === true ? { stateLost: true } : {}),
  }
}

interface Ended {
  readonly exitCode?: number
  readonly signal?: string
}

function how({ exitCode }: WatchedRun, mode: SandboxReport['mode']): Ended {
  if (exitCode === undefined) return { signal: 'SIGKILL' }
  // A shell that stays tells of its commands as shells do; only where the program itself ended is 128 and more its own signal.
  const signal = mode === 'session' ? undefined : SIGNAL_NAMES.get(exitCode - 128)
  return signal === undefined ? { exitCode } : { signal }
}

function metLimit(watched: WatchedRun, ended: Ended, { cpuMsLimit, room }: ReportFacts): SandboxLimitName | undefined {
  if (watched.oom) return 'memory'
  if (ended.exitCode === 0) return undefined
  if (ended.signal === 'SIGXCPU' || (ended.signal === 'SIGKILL' && (watched.usage.cpuMs ?? 0) >= cpuMsLimit)) return 'cpu'
  if (ended.signal === 'SIGXFSZ') return 'disk'
  if (watched.refusedForks) return 'processes'
  if (room !== undefined && room.freeFiles === 0) return 'files'
  if (room !== undefined && room.freeBytes < 4096) return 'disk'
  return undefined
}
