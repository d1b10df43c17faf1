/**
 * Owns that each session which root starts has a user of its own: boxes of two sessions cannot signal each other, read each other's files or
 * use up each other's limits, and nothing in a box is the host's root. An ordinary user's boxes are its own.
 *
 * A user is taken by a symbolic link whose target says who took it: made whole or not at all, so that processes need no lock. One whose owner
 * is gone is taken over by whoever first makes the lock named after that very link; it is looked at again under the lock. A process that dies
 * in that moment makes one user unusable until the folder is emptied, at the latest when the machine starts anew.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { AdjutantError } from '@adjutant/core/contract'
import { boxName, isLeftover, thisOwner } from './cgroup/box-name.ts'
import { allPids } from './process/pid-namespace.ts'

export interface UidRange {
  readonly first: number
  readonly last: number
}

export interface SessionUidOptions {
  /** Default 200000 to 265535. Users of `/etc/passwd`, groups of `/etc/group` and ranges of `/etc/subuid` and `/etc/subgid` in it are left out. */
  readonly range?: UidRange
  /** Where it is kept who has which; only for this machine, gone when it starts anew. Default `/run/adjutant/uids`. */
  readonly folder?: string
  /** Where to begin; default anywhere. */
  readonly begin?: number
  /** Folder of passwd, group, subuid and subgid. Default `/etc`. */
  readonly etc?: string
}

export interface UidLease {
  readonly uid: number
  /** The group of the same number. */
  readonly gid: number
  /** Gives it back. False, and nothing is given back, while a process of this user runs. Safe to call twice. */
  release(): boolean
}

/** Options of `spawn` that decide whose the process is. */
export interface SpawnUser {
  readonly uid?: number
  readonly gid?: number
}

export type UidProbe =
  | { readonly ok: true; readonly root: boolean; readonly detail: string }
  | { readonly ok: false; readonly root: true; readonly detail: string; readonly fix: string }

const DEFAULT_RANGE: UidRange = { first: 200_000, last: 265_535 }
const DEFAULT_FOLDER = '/run/adjutant/uids'

/** The users of one range. One object for each process is enough; several agree by the folder. */
export class SessionUids {
  readonly #range: UidRange
  readonly #folder: string
  readonly #taken: readonly UidRange[]
  #next: number

  /** @throws AdjutantError CONFIG_INVALID when the range is none or has root in it; SANDBOX_UNAVAILABLE when the folder is not ours alone */
  constructor(options: SessionUidOptions = {}) {
    const { range = DEFAULT_RANGE, folder = DEFAULT_FOLDER, etc = '/etc' } = options
    const { first, last } = range
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || first < 1000 || last < first || last > 0xffff_fffd) {
      throw new AdjutantError('CONFIG_INVALID', `the users of sessions must lie in a range from 1000 on, not ${first} to ${last}`)
    }
    this.#range = range
    this.#folder = folder
    this.#taken = takenRanges(etc)
    this.#next = options.begin ?? randomInt(first, last + 1)
    openFolder(folder)
  }

  /** @throws AdjutantError SANDBOX_UNAVAILABLE when none is left */
  claim(): UidLease {
    const { first, last } = this.#range
    for (let tries = last - first; tries >= 0; tries--) {
      const uid = this.#next >= first && this.#next <= last ? this.#next : first
      // The next session gets another one, and one that was given back comes again last.
      this.#next = uid + 1
      if (this.#taken.some((range) => uid >= range.first && uid <= range.last)) continue
      const mark = this.#take(uid)
      if (mark !== undefined) return this.#lease(uid, mark)
    }
    throw new AdjutantError('SANDBOX_UNAVAILABLE', `every user from ${first} to ${last} is taken by a session (${this.#folder})`, {
      hint: 'End other sessions, or give the sandbox a larger range of users.',
    })
  }

  /** What the link says now that it is ours; undefined when it is somebody's. */
  #take(uid: number): string | undefined {
    const path = `${this.#folder}/${uid}`
    const owner = thisOwner()
    if (owner === undefined) throw new AdjutantError('SANDBOX_UNAVAILABLE', '/proc does not show this process')
    const mark = boxName(owner, 'uid')
    if (link(mark, path)) return mark
    const before = readLink(path)
    if (before === undefined || !isLeftover(before, owner.pidNamespace) || hasProcesses(uid)) return undefined
    const lock = `${path}.${before}`
    if (!link(mark, lock)) return undefined
    try {
      // Whoever had the lock before us may have taken it over already.
      if (readLink(path) !== before) return undefined
      unlinkSync(path)
      return link(mark, path) ? mark : undefined
    } finally {
      unlinkSync(lock)
    }
  }

  #lease(uid: number, mark: string): UidLease {
    const path = `${this.#folder}/${uid}`
    let held = true
    return {
      uid,
      gid: uid,
      release: () => {
        if (!held) return true
        if (hasProcesses(uid)) return false
        held = false
        if (readLink(path) === mark) unlinkSync(path)
        return true
      },
    }
  }
}

/** Whether processes started here are the host's root unless told otherwise. */
export function isRoot(): boolean {
  return process.geteuid?.() === 0
}

/**
 * Whose a box's first process must be: the session's user when root starts it, else ours. Node drops all other groups by itself.
 *
 * @throws AdjutantError INTERNAL when root would start it as root
 * @example
 * ```ts
 * spawn('/usr/bin/bwrap', args, { env: {}, ...dropFor(isRoot(), lease) })
 * ```
 */
export function dropFor(root: boolean, lease?: Pick<UidLease, 'uid' | 'gid'>): SpawnUser {
  if (!root) return {}
  if (lease === undefined || !(lease.uid > 0) || !(lease.gid > 0)) {
    throw new AdjutantError('INTERNAL', 'a box was about to be started as root: it needs a user of its session')
  }
  return { uid: lease.uid, gid: lease.gid }
}

/** Tries to start a process as a session's user. Never rejects. */
export async function probeUids(options: SessionUidOptions = {}): Promise<UidProbe> {
  if (!isRoot()) return { ok: true, root: false, detail: `boxes belong to this user (${process.getuid?.()})` }
  try {
    const { first, last } = options.range ?? DEFAULT_RANGE
    const lease = new SessionUids(options).claim()
    try {
      await run('/bin/true', dropFor(true, lease))
    } finally {
      lease.release()
    }
    return { ok: true, root: true, detail: `each session has a user of its own (${first} to ${last})` }
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    const fix = 'Start it as an ordinary user, or where root may become any user (CAP_SETUID, CAP_SETGID, and the range in the uid map).'
    return { ok: false, root: true, detail: `root cannot become a session's user: ${said}`, fix }
  }
}

function run(command: string, user: SpawnUser): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [], { stdio: 'ignore', env: {}, cwd: '/', ...user })
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`))))
  })
}

/** False when there is one already. */
function link(mark: string, path: string): boolean {
  try {
    symlinkSync(mark, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw AdjutantError.from(error, 'SANDBOX_UNAVAILABLE', `the user of a session cannot be noted in ${path}`)
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Looks at every process of the machine: a user is given back once for each session. */
function hasProcesses(uid: number): boolean {
  return allPids().some((pid) => {
    const status = read(`/proc/${pid}/status`)
    // One that has ended and only waits for init does nothing any more.
    if (/^State:\tZ/m.test(status)) return false
    const [, ...ids] = /^Uid:\t(\d+)\t(\d+)\t(\d+)\t(\d+)$/m.exec(status) ?? []
    return ids.some((id) => Number(id) === uid)
  })
}

function openFolder(folder: string): void {
  // One by one: Node's recursive way never ends where the kernel says ENOENT beneath a folder that is there, as in /proc.
  for (const path of [dirname(dirname(folder)), dirname(folder), folder]) {
    try {
      mkdirSync(path, { mode: path === folder ? 0o700 : 0o755 })
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue
      throw AdjutantError.from(error, 'SANDBOX_UNAVAILABLE', `the folder ${folder} cannot be made`)
    }
  }
  const stat = lstatSync(folder)
  if (!stat.isDirectory() || stat.uid !== process.geteuid?.() || (stat.mode & 0o022) !== 0) {
    throw new AdjutantError('SANDBOX_UNAVAILABLE', `${folder} must be a folder that only this user can change`, {
      hint: 'Remove it, or name another one.',
    })
  }
}

/** Users and groups that somebody has, and ranges that were given to somebody for boxes of their own. */
function takenRanges(etc: string): readonly UidRange[] {
  const ranges: UidRange[] = []
  for (const name of ['passwd', 'group']) {
    for (const [, id] of read(`${etc}/${name}`).matchAll(/^[^:\n]*:[^:\n]*:(\d{1,10})(?::|$)/gm))
      ranges.push({ first: Number(id), last: Number(id) })
  }
  for (const name of ['subuid', 'subgid']) {
    for (const [, first, count] of read(`${etc}/${name}`).matchAll(/^[^:\n]*:(\d{1,10}):(\d{1,10})$/gm)) {
      ranges.push({ first: Number(first), last: Number(first) + Number(count) - 1 })
    }
  }
  return ranges
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
