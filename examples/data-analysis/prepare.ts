/**
 * Owns the folders of a run, and the look whether this machine can do it. `data/` keeps session records and is made anew each time; `out/` is the
 * model's workspace, where only what an earlier run of this example wrote is removed.
 */
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AdjutantError, randomIds, systemClock } from '@adjutant/core'
import { openSandboxes } from '@adjutant/sandbox'
import { STRIKES_FILE } from './strikes-data.ts'
import { DATA_NAME, PICTURE_NAME } from './task.ts'

const HERE = import.meta.dirname

export const FOLDERS = {
  data: join(HERE, 'data'),
  sessions: join(HERE, 'data', 'sessions'),
  out: join(HERE, 'out'),
  picture: join(HERE, 'out', PICTURE_NAME),
} as const

export async function prepare(): Promise<void> {
  await rm(FOLDERS.data, { recursive: true, force: true })
  await mkdir(FOLDERS.sessions, { recursive: true })
  await mkdir(FOLDERS.out, { recursive: true })
  await rm(FOLDERS.picture, { force: true })
  await copyFile(STRIKES_FILE, join(FOLDERS.out, DATA_NAME))
}

export interface MachineNeeds {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Backends of boxes. Default: all, in the usual order. */
  readonly order?: readonly string[]
  /** Python's name of what draws. */
  readonly library?: string
}

/** One line for a person, or nothing when a box that can draw can be had. */
export async function whatIsMissing({ library = 'matplotlib.pyplot', ...where }: MachineNeeds = {}): Promise<string | undefined> {
  await using sandboxes = openSandboxes({ clock: systemClock, ids: randomIds, ...where })
  try {
    await using box = await sandboxes.open({}, 'python')
    const tried = await box.run({ lang: 'python', code: `import ${library}`, env: { MPLBACKEND: 'Agg', MPLCONFIGDIR: '/tmp' } })
    if (tried.exitCode === 0) return undefined
    const reason = Buffer.from(tried.stderr).toString().trim().split('\n').at(-1) ?? ''
    return `Python in the box cannot draw (${reason}): install matplotlib, e.g. apt-get install python3-matplotlib`
  } catch (error) {
    if (!AdjutantError.isInstance(error)) throw error
    return `No box for Python on this machine: install bubblewrap and python3, e.g. apt-get install bubblewrap python3; "adjutant sandbox doctor" says more (${error.code})`
  }
}
