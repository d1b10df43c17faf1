/** What an open box takes while it waits: the share of memory of all its processes, or what our own process takes more for it. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Sandbox, SandboxBackend, SandboxLanguage } from '@adjutant/core/contract'
import { wait } from './sandbox-contenders.ts'
import type { Row } from './table.ts'

const BOXES = 6
/** Until what is made in advance is there. */
const SETTLE_MS = 700

export interface MemoryKind {
  readonly backend: Pick<SandboxBackend, 'open' | 'name'>
  readonly lang: SandboxLanguage
  readonly code: string
}

/** Name, MB of its processes, MB of this process. */
export async function takenByBoxes({ backend, lang, code }: MemoryKind): Promise<Row> {
  const opened: Sandbox[] = []
  const open = async (): Promise<void> => {
    const box = await backend.open({})
    opened.push(box)
    await box.run({ lang, code, session: true })
  }
  // The first one makes what all share.
  await open()
  await wait(SETTLE_MS)
  const before = shares()
  for (let count = 0; count < BOXES; count += 1) await open()
  await wait(SETTLE_MS)
  const after = shares()
  await Promise.all(opened.map((box) => box.close()))
  return [`${backend.name}, ${lang}`, (after.processes - before.processes) / BOXES, (after.own - before.own) / BOXES]
}

/** Of this process, and of all that it started. */
function shares(): { readonly own: number; readonly processes: number } {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = read(`/proc/${name}/stat`)
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    if (Number.isInteger(parent)) parents.set(Number(name), parent)
  }
  const isOurs = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) if (at === process.pid) return true
    return false
  }
  const processes = [...parents.keys()].filter(isOurs).reduce((sum, pid) => sum + share(pid), 0)
  return { own: share(process.pid), processes }
}

function share(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1_024
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // It ended meanwhile.
    return ''
  }
}
