/**
 * Owns what this machine has for making boxes: programs, how its system folders look, what children of this host would inherit. Looks, and changes
 * nothing; whether a box can really be made is tried elsewhere.
 */
import { accessSync, constants, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** How a system folder looks on this machine, beside `/usr`. */
export type SystemFolder = { readonly path: string; readonly linkTo: string } | { readonly path: string; readonly host: string }

const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin']

/** Absolute path of a program in the system's folders; a PATH may be anybody's. */
export function findProgram(name: string): string | undefined {
  return PROGRAM_FOLDERS.map((folder) => `${folder}/${name}`).find(isProgram)
}

/** One that is there inside of a box as well, where only `/usr` is seen. */
export function findBoxProgram(...names: readonly string[]): string | undefined {
  return names.flatMap((name) => [`/usr/bin/${name}`, `/usr/local/bin/${name}`]).find(isProgram)
}

/** `/bin` and its like: links into `/usr` on most systems, folders of their own on others. */
export function systemFolders(): readonly SystemFolder[] {
  return ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap((path): readonly SystemFolder[] => {
    try {
      const there = lstatSync(path)
      if (there.isSymbolicLink()) return [{ path, linkTo: readlinkSync(path) }]
      return there.isDirectory() ? [{ path, host: path }] : []
    } catch {
      return []
    }
  })
}

/**
 * Descriptors above the standard ones that a child of this process would get without being asked: whoever started this host left them open.
 * Node closes its own in children, and of these only the first ones.
 */
export function inheritedDescriptors(): readonly number[] {
  const CLOSE_ON_EXEC = 0o2000000
  return readdirSync('/proc/self/fd').flatMap((name) => {
    const number = Number(name)
    if (number <= 2) return []
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'latin1'))?.[1]
      return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0 ? [] : [number]
    } catch {
      // The one that the folder was read with.
      return []
    }
  })
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return lstatSync(path, { throwIfNoEntry: true }) !== undefined
  } catch {
    return false
  }
}
