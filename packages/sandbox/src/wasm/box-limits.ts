/** Owns the limits of a box and of one run in it: defaults, what is no limit at all, and that a run never gets more than its box. */
import { AdjutantError, type SandboxLimits, type SandboxRun } from '@adjutant/core/contract'

const DEFAULTS: SandboxLimits = {
  wallMs: 60_000,
  cpuMs: 30_000,
  memoryMB: 512,
  processes: 64,
  diskMB: 256,
  files: 10_000,
  outputBytes: 10_485_760,
}

/** Timers cannot wait longer. */
const LONGEST_MS = 2 ** 31 - 1

/** @throws AdjutantError CONFIG_INVALID when one is no positive number */
export function boxLimits(limits: Partial<SandboxLimits> = {}): SandboxLimits {
  return {
    wallMs: checked('wallMs', limits.wallMs, DEFAULTS.wallMs, LONGEST_MS),
    cpuMs: checked('cpuMs', limits.cpuMs, DEFAULTS.cpuMs, LONGEST_MS),
    memoryMB: checked('memoryMB', limits.memoryMB, DEFAULTS.memoryMB),
    processes: checked('processes', limits.processes, DEFAULTS.processes),
    diskMB: checked('diskMB', limits.diskMB, DEFAULTS.diskMB),
    files: checked('files', limits.files, DEFAULTS.files),
    outputBytes: checked('outputBytes', limits.outputBytes, DEFAULTS.outputBytes),
  }
}

/** @throws AdjutantError CONFIG_INVALID */
export function runLimits(box: SandboxLimits, limits: SandboxRun['limits'] = {}): Pick<SandboxLimits, 'wallMs' | 'cpuMs' | 'outputBytes'> {
  return {
    wallMs: checked('wallMs', limits.wallMs, box.wallMs, box.wallMs),
    cpuMs: checked('cpuMs', limits.cpuMs, box.cpuMs, box.cpuMs),
    outputBytes: checked('outputBytes', limits.outputBytes, box.outputBytes, box.outputBytes),
  }
}

function checked(name: string, value: number | undefined, fallback: number, most = Number.POSITIVE_INFINITY): number {
  if (value === undefined) return fallback
  if (typeof value !== 'number' || !(value > 0)) {
    throw new AdjutantError('CONFIG_INVALID', `limits.${name} is ${String(value)} and must be a number above 0`)
  }
  return Math.min(value, most)
}
