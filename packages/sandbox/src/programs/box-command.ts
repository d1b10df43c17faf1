/** Owns which program waits in a box for code of which language, and what it is told of its limits. Pure. */
import { AdjutantError, type SandboxLanguage, type SandboxLimits } from '@adjutant/core/contract'
import type { BoxMount } from '../runs/box-mount.ts'
import { ONCE_BASH } from './once-bash.ts'
import { ONCE_JS } from './once-js.ts'
import { ONCE_PYTHON } from './once-python.ts'
import { SESSION_BASH } from './session-bash.ts'
import { SESSION_PYTHON } from './session-python.ts'

/** `once`: runs one piece of code and ends. `session`: runs one after the other. */
export type BoxKind = 'once' | 'session'

/** Programs, under their paths in a box. */
export interface BoxPrograms {
  readonly bash?: string
  readonly python?: string
  readonly js?: { readonly node: string; readonly prlimit: string; readonly mounts: readonly BoxMount[] }
}

export interface BoxCommand {
  readonly command: readonly string[]
  readonly mounts: readonly BoxMount[]
  /** Rough, in MB, while it waits: measured with Node 24 and Python 3.11. */
  readonly waitingMB: number
}

/** What Node starts before it does anything, with the box's own first process. */
const NODE_THREADS = 12

/** @param memoryHeld the kernel holds the memory of all processes together @throws AdjutantError UNSUPPORTED */
export function boxCommand(
  kind: BoxKind,
  lang: SandboxLanguage,
  programs: BoxPrograms,
  limits: SandboxLimits,
  memoryHeld: boolean,
): BoxCommand {
  const fileKB = limits.diskMB * 1024
  // One process alone; all together are held elsewhere, and more exactly: there a full memory is told as such.
  const dataKB = (memoryHeld ? limits.memoryMB * 2 + 256 : limits.memoryMB) * 1024
  // Node reserves so much before it does anything.
  const nodeKB = (limits.memoryMB + 768) * 1024
  const numbers = [limits.processes, fileKB, dataKB].map(String)
  switch (lang) {
    case 'bash': {
      if (programs.bash === undefined) throw missing(lang)
      const program = kind === 'once' ? ONCE_BASH : SESSION_BASH
      return { command: [programs.bash, '-c', program, 'bash', ...numbers], mounts: [], waitingMB: 1 }
    }
    case 'python': {
      if (programs.python === undefined) throw missing(lang)
      const program = kind === 'once' ? ONCE_PYTHON : SESSION_PYTHON
      return { command: [programs.python, '-I', '-S', '-X', 'utf8', '-c', program, ...numbers], mounts: [], waitingMB: 6 }
    }
    case 'js': {
      if (programs.js === undefined) throw missing(lang)
      if (kind === 'session')
        throw new AdjutantError('UNSUPPORTED', 'JavaScript does not run in a session here', { hint: 'Run it without session.' })
      if (limits.processes < NODE_THREADS)
        throw new AdjutantError('CONFIG_INVALID', `limits.processes is ${limits.processes}; threads count, and Node has ${NODE_THREADS}`)
      const { node, prlimit, mounts } = programs.js
      const held = ['--core=0', '--nofile=256', `--nproc=${limits.processes}`, `--fsize=${fileKB * 1024}`, `--data=${nodeKB * 1024}`]
      return { command: [prlimit, ...held, '--', node, '-e', ONCE_JS], mounts, waitingMB: 14 }
    }
    case 'sql':
      throw missing(lang)
    default:
      lang satisfies never
      throw missing(lang)
  }
}

function missing(lang: string): AdjutantError {
  return new AdjutantError('UNSUPPORTED', `boxes here do not run ${lang} on this machine`)
}
