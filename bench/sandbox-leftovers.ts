/** What boxes could leave on the machine, looked at from outside. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Users of boxes that root starts. */
const USERS = { first: 200_000, last: 265_535 }

/** @param mark folder of the boxes' state; its name is in the command lines and mounts of all that is ours */
export function leftovers(mark: string): Readonly<Record<string, readonly string[]>> {
  return {
    processes: processes()
      .filter((pid) => isDescendant(pid) || isBoxUser(pid) || read(`/proc/${pid}/cmdline`).includes(mark))
      .map(String),
    mounts: processes().flatMap((pid) =>
      read(`/proc/${pid}/mountinfo`)
        .split('\n')
        .filter((line) => line.includes(mark)),
    ),
    'control groups': groups('/sys/fs/cgroup', `-${process.pid}-`, 4),
    files: existsSync(mark)
      ? readdirSync(mark, { recursive: true })
          .map(String)
          .filter((name) => !name.startsWith('users'))
      : [],
    users: existsSync(`${mark}/users`) ? readdirSync(`${mark}/users`) : [],
    descriptors: readdirSync('/proc/self/fd'),
  }
}

/** Processes that this one started, and what they started. */
export function descendants(): readonly number[] {
  return processes().filter(isDescendant)
}

function processes(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid)
}

function isDescendant(pid: number): boolean {
  for (let at = parent(pid); at !== undefined && at > 1; at = parent(at)) if (at === process.pid) return true
  return false
}

function parent(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`)
  const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  return stat === '' || !Number.isInteger(ppid) ? undefined : ppid
}

function isBoxUser(pid: number): boolean {
  const status = read(`/proc/${pid}/status`)
  const uid = Number(/^Uid:\t(\d+)/m.exec(status)?.[1])
  // One that has ended and only waits for init is init's.
  return uid >= USERS.first && uid <= USERS.last && !/^State:\tZ/m.test(status)
}

function groups(folder: string, owner: string, depth: number): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => {
        const path = `${folder}/${name}`
        return name.includes(owner) ? [path] : depth > 0 ? groups(path, owner, depth - 1) : []
      })
  } catch {
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
