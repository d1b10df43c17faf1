/**
 * Owns the limits of a box: what holds when nothing is said, and that what is said makes sense. A run may ask for less than its box, never for more.
 */
import { AdjutantError, type SandboxLimits, type SandboxRun } from '@adjutant/core/contract'

export const DEFAULT_LIMITS: SandboxLimits = {
  wallMs: 60_000,
  cpuMs: 30_000,
  memoryMB: 512,
  processes: 64,
  diskMB: 256,
  files: 10_000,
  outputBytes: 10_485_760,
}

/** Below these no interpreter starts; refusing is clearer than a box that ends at once. */
const LEAST: SandboxLimits = { wallMs: 1, cpuMs: 1, memoryMB: 16, processes: 4, diskMB: 1, files: 16, outputBytes: 0 }
/** Numbers that the system's calls and our timers take; more is a mistake of whoever wrote it. */
const MOST: SandboxLimits = {
  wallMs: 2_147_483_647,
  cpuMs: 2_147_483_647,
  memoryMB: 1 << 20,
  processes: 1 << 16,
  diskMB: 1 << 20,
  files: 1 << 26,
  outputBytes: 1 << 30,
}

/** @throws AdjutantError CONFIG_INVALID with the name of the limit */
export function boxLimits(said: Partial<SandboxLimits> = {}): SandboxLimits {
  const limit = (name: keyof SandboxLimits): number => checked(name, said[name] ?? DEFAULT_LIMITS[name])
  return {
    wallMs: limit('wallMs'),
    cpuMs: limit('cpuMs'),
    memoryMB: limit('memoryMB'),
    processes: limit('processes'),
    diskMB: limit('diskMB'),
    files: limit('files'),
    outputBytes: limit('outputBytes'),
  }
}

export type RunLimits = Pick<SandboxLimits, 'wallMs' | 'cpuMs' | 'outputBytes'>

/** @throws AdjutantError CONFIG_INVALID with the name of the limit */
export function runLimits(box: SandboxLimits, said: SandboxRun['limits'] = {}): RunLimits {
  const limit = (name: keyof RunLimits): number => Math.min(box[name], checked(name, said[name] ?? box[name]))
  return { wallMs: limit('wallMs'), cpuMs: limit('cpuMs'), outputBytes: limit('outputBytes') }
}

function checked(name: keyof SandboxLimits, value: number): number {
  if (Number.isFinite(value) && value >= LEAST[name] && value <= MOST[name]) return Math.floor(value)
  throw new AdjutantError('CONFIG_INVALID', `limits.${name} is ${String(value)}`, {
    hint: `Give a number from ${LEAST[name]} to ${MOST[name]}.`,
  })
}
