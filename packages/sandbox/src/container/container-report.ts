/** Owns what is truthfully said of a run: what its first process told and the kernel counted, in the words of the report. */
import { constants } from 'node:os'
import type { SandboxLimitName, SandboxReport } from '@adjutant/core/contract'
import { runReport } from '../runs/run-report.ts'
import type { Measured } from './warden-facts.ts'

export interface RunFacts {
  readonly mode: SandboxReport['mode']
  readonly cpuMsLimit: number
  readonly before: Measured
  readonly after: Measured
  /** What it was ended for by another hand than the host's clock. */
  readonly hit?: SandboxLimitName
  readonly stateLost: boolean
  readonly refused: readonly string[]
}

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))
const NUMBERS: ReadonlyMap<string, number> = new Map(Object.entries(constants.signals))

export function signalName(number: number | undefined): string {
  return NAMES.get(number ?? 9) ?? 'SIGKILL'
}

/** @param said what is known without the kernel */
export function containerReport(said: SandboxReport, facts: RunFacts): SandboxReport {
  const { before, after } = facts
  const more = (name: 'oomKills' | 'refusedForks'): boolean => (after[name] ?? 0) > (before[name] ?? 0)
  const hit = said.limit ?? facts.hit
  const cpuMs = after.cpuMs === undefined || before.cpuMs === undefined ? undefined : Math.max(0, Math.round(after.cpuMs - before.cpuMs))
  const rooms = after.rooms
  const used = rooms.reduce((sum, room) => sum + room.usedBytes, 0)
  const number = said.signal === undefined ? undefined : NUMBERS.get(said.signal)
  const exitCode = hit !== undefined ? undefined : (said.exitCode ?? (number === undefined ? undefined : 128 + number))
  const report = runReport(
    {
      failed: false,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(hit === undefined ? {} : { hit }),
      oom: more('oomKills'),
      refusedForks: more('refusedForks'),
      stdout: said.stdout,
      stderr: said.stderr,
      truncated: said.truncated,
      durationMs: said.durationMs,
      usage: {
        ...(cpuMs === undefined ? {} : { cpuMs }),
        ...(after.memoryBytes === undefined ? {} : { memoryMB: Math.round(after.memoryBytes / 104_857.6) / 10 }),
        ...(after.processes === undefined ? {} : { processes: after.processes }),
      },
    },
    {
      mode: facts.mode,
      cpuMsLimit: facts.cpuMsLimit,
      stateLost: facts.stateLost,
      refused: facts.refused,
      ...(rooms.length === 0
        ? {}
        : {
            room: {
              freeBytes: Math.min(...rooms.map(({ freeBytes }) => freeBytes)),
              freeFiles: Math.min(...rooms.map(({ freeFiles }) => freeFiles)),
              usedMB: Math.round(used / 104_857.6) / 10,
            },
          }),
    },
  )
  // Here it is known whether a number was a signal or only looked like one.
  const { exitCode: _code, signal: _signal, ...rest } = report
  const ended = hit !== undefined || said.signal !== undefined ? { signal: said.signal ?? 'SIGKILL' } : { exitCode: said.exitCode ?? 0 }
  return { ...rest, backend: said.backend, ...ended }
}
