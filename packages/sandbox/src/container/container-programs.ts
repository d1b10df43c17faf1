/** Owns which program in a container runs code of which language, and what it is told of its limits. Pure. */
import { AdjutantError, type SandboxLanguage, type SandboxLimits } from '@adjutant/core/contract'
import { ONCE_BASH } from '../programs/once-bash.ts'
import { ONCE_JS } from '../programs/once-js.ts'
import { ONCE_PYTHON } from '../programs/once-python.ts'
import { SESSION_BASH } from '../programs/session-bash.ts'
import { SESSION_PYTHON } from '../programs/session-python.ts'
import type { WardenFacts } from './warden-facts.ts'

export interface ContainerProgram {
  readonly argv: readonly string[]
  /** What it does not set itself, by the kernel's names. */
  readonly limits: Readonly<Record<string, number>>
}

/** Below these a program that waits in advance takes too much of what the box has. */
const SPARE_PROCESSES = 16
const SPARE_MB = 64

/** @throws AdjutantError UNSUPPORTED */
export function containerProgram(lang: SandboxLanguage, stays: boolean, facts: WardenFacts, limits: SandboxLimits): ContainerProgram {
  const fileKB = limits.diskMB * 1024
  // One process alone; all together are held by the container, and more exactly.
  const dataKB = (limits.memoryMB * 2 + 256) * 1024
  const numbers = [facts.nproc, fileKB, dataKB].map(String)
  const { bash, python3, node } = facts.programs
  switch (lang) {
    case 'bash':
      if (bash === undefined) throw missing(lang)
      return { argv: [bash, '-c', stays ? SESSION_BASH : ONCE_BASH, 'bash', ...numbers], limits: {} }
    case 'python':
      if (python3 === undefined) throw missing(lang)
      return { argv: [python3, '-I', '-S', '-X', 'utf8', '-c', stays ? SESSION_PYTHON : ONCE_PYTHON, ...numbers], limits: {} }
    case 'js':
      if (node === undefined) throw missing(lang)
      if (stays) throw new AdjutantError('UNSUPPORTED', 'JavaScript does not run in a session here', { hint: 'Run it without session.' })
      // Node reserves so much before it does anything.
      return {
        argv: [node, '-e', ONCE_JS],
        limits: { NOFILE: 256, FSIZE: fileKB * 1024, DATA: (limits.memoryMB + 768) * 1_048_576 },
      }
    case 'sql':
      throw missing(lang)
    default:
      lang satisfies never
      throw missing(lang)
  }
}

/** Is one to wait for the next run of its kind? */
export function waitsInAdvance(lang: SandboxLanguage, stays: boolean, limits: SandboxLimits): boolean {
  return !stays && (lang === 'bash' || lang === 'python') && limits.processes >= SPARE_PROCESSES && limits.memoryMB >= SPARE_MB
}

function missing(lang: string): AdjutantError {
  return new AdjutantError('UNSUPPORTED', `this container's image has nothing that runs ${lang}`, {
    hint: 'Name an image that has it.',
  })
}
