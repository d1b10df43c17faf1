/**
 * Owns a disk that is soon full, for one process and what it starts: a file system in memory of a fixed size, in a mount namespace of its own. It is gone
 * with the process. Needs Linux and the right to make namespaces; where it cannot be had, {@link smallDisk} says why.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

export interface SmallDisk {
  /** Goes before a program and its arguments: they run with the disk. */
  readonly command: readonly string[]
  /** Where the disk is, for the program. From outside the folder stays empty. */
  readonly folder: string
}

/** Mounts, then becomes the program: one process, so that signals arrive. */
const SCRIPT = 'mount -t tmpfs -o "size=$1,mode=700" tmpfs "$2" && shift 2 && exec "$@"'

/**
 * @param bytes what fits; rounded up to whole pages
 * @param folder an empty folder to be covered; made when it is not there
 * @returns `{ missing }` with the reason where it cannot be had
 */
export function smallDisk(bytes: number, folder: string): SmallDisk | { readonly missing: string } {
  mkdirSync(folder, { recursive: true })
  const script = ['/bin/sh', '-c', SCRIPT, 'small-disk', String(Math.trunc(bytes)), folder]
  const reasons: string[] = []
  // As root a mount namespace is enough; else one of users makes us root inside.
  for (const flags of [['--mount'], ['--user', '--map-root-user', '--mount']]) {
    const command = ['unshare', ...flags, '--', ...script]
    const [program = 'unshare', ...rest] = command
    try {
      execFileSync(program, [...rest, '/bin/true'], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000 })
      return { command, folder }
    } catch (error) {
      reasons.push(error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error))
    }
  }
  return { missing: `no small disk can be mounted here: ${reasons.join('; ')}` }
}
