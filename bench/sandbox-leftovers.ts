/** What boxes could leave on the machine, looked at from outside. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * @param mark folder of the boxes' state; its name is in the command lines and mounts of all that is ours
 * @param nap what code that stays running in boxes waits for: nobody else on this machine has it
 */
export function leftovers(mark: string, nap: string): Readonly<Record<string, readonly string[]>> {
  return {
    processes: processes()
      .filter((pid) => {
        const command = read(`/proc/${pid}/cmdline`)
        return (
          isDescendant(pid) || command.includes(mark) || command.includes(nap) || read(`/proc/${pid}/cgroup`).includes(`-${process.pid}-`)
        )
      })
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
          .filter((name) => !name.startsWith('users') && name !== 'lent')
      : [],
    users: existsSync(`${mark}/users`) ? readdirSync(`${mark}/users`) : [],
    descriptors: readdirSync('/proc/self/fd').flatMap(target),
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

/** e.g. `17 pipe:[123]`; nothing for the one that the folder is read with. */
function target(number: string): readonly string[] {
  try {
    return [`${number} ${readlinkSync(`/proc/self/fd/${number}`)}`]
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
