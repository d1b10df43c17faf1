/**
 * Owns the folder in which this host keeps what its boxes need beside them: pipes, input of runs, mount points, notes of what was lent. One for each
 * host process, named by its number, its start time and whose numbers these are, so that whoever comes later knows what belongs to nobody any more and
 * removes it; what is of a host that cannot be seen from here stays. Nothing is mounted there in the host's own namespace; removing files is all there
 * is to do.
 */
import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { AdjutantError } from '@adjutant/core/contract'
import { isLeftover, thisOwner } from '../linux/cgroup/box-name.ts'
import { isRunning, pidNamespaceOf, SessionUids, type UidLease } from '../linux/index.ts'
import type { BoxUser } from './box-user.ts'
import { giveBackNoted, lendFolder } from './lent-folder.ts'

let made = 0
/** Folders that a process which ends without closing takes with it; the boxes end by themselves. */
const open = new Set<StateFolder>()

function removeAll(): void {
  for (const folder of open) attempt(() => folder.remove())
}

/** Where boxes of this user's hosts are kept when nobody says otherwise. */
export function defaultStateRoot(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const uid = process.geteuid?.() ?? 0
  if (uid === 0) return '/run/adjutant-sandbox'
  const runtime = env.XDG_RUNTIME_DIR
  return runtime?.startsWith('/') === true && isOurs(runtime) ? `${runtime}/adjutant-sandbox` : `${tmpdir()}/adjutant-sandbox-${uid}`
}

export class StateFolder {
  readonly path: string
  readonly #root: string
  readonly #owner: string
  #uids: SessionUids | undefined

  /** Also removes what hosts that ended left. @throws AdjutantError SANDBOX_UNAVAILABLE when the folder is not safe to use */
  constructor(root: string) {
    this.#root = root
    const owner = ownerName()
    this.#owner = owner
    try {
      mkdirSync(root, { recursive: true, mode: 0o711 })
      if (!isOurs(root))
        throw new AdjutantError('SANDBOX_UNAVAILABLE', `${root} belongs to another user or others may write in it`, {
          hint: 'Remove it, or name another folder for the state of boxes.',
        })
      for (const name of ['users', 'lent']) mkdirSync(`${root}/${name}`, { recursive: true, mode: 0o700 })
      sweep(root)
      this.path = `${root}/host-${owner}-${made++}`
      // Whoever runs a box must be able to pass through, not to look.
      mkdirSync(this.path, { mode: 0o711 })
      for (const name of ['pipes', 'input', 'dens', 'gates']) mkdirSync(`${this.path}/${name}`, { mode: 0o711 })
      if (open.size === 0) process.on('exit', removeAll)
      open.add(this)
    } catch (error) {
      throw AdjutantError.from(error, 'SANDBOX_UNAVAILABLE', `the folder of boxes ${root} cannot be made`)
    }
  }

  /** A user that nobody else has, of any host here. @throws AdjutantError SANDBOX_UNAVAILABLE when there is none left */
  takeUser(): UidLease {
    this.#uids ??= new SessionUids({ folder: `${this.#root}/users` })
    return this.#uids.claim()
  }

  /** Gives a folder of root's to the user of a box, until what comes back is called; should we be killed, the next host gives it back. */
  lend(folder: string, to: BoxUser): () => void {
    return lendFolder(folder, to, `${this.#root}/lent/${this.#owner}-${made++}`)
  }

  remove(): void {
    if (open.delete(this) && open.size === 0) process.off('exit', removeAll)
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  }
}

/** Removes what hosts that ended left behind. Never throws: what cannot be removed now is tried again by the next one. */
function sweep(root: string): void {
  for (const name of names(root)) {
    const owner = /^host-(\d+-\d+-\d+)-\d+$/.exec(name)?.[1]
    if (owner !== undefined && !isAlive(owner)) attempt(() => rmSync(`${root}/${name}`, { recursive: true, force: true }))
  }
  // Before its user is anybody's again.
  for (const name of names(`${root}/lent`)) {
    const owner = /^(\d+-\d+-\d+)-\d+$/.exec(name)?.[1]
    if (owner !== undefined && !isAlive(owner)) giveBackNoted(`${root}/lent/${name}`)
  }
  for (const name of names(`${root}/users`)) {
    const path = `${root}/users/${name}`
    attempt(() => {
      if (isLeftover(readlinkSync(path), pidNamespaceOf('self') ?? 0)) unlinkSync(path)
    })
  }
}

function ownerName(): string {
  const owner = thisOwner()
  if (owner === undefined) throw new AdjutantError('SANDBOX_UNAVAILABLE', '/proc does not show this process')
  return `${owner.pid}-${owner.startTime}-${owner.pidNamespace}`
}

/** True while the host `<pid>-<start time>-<pid namespace>` runs, and where that cannot be seen: another container may have the same folder. */
function isAlive(owner: string): boolean {
  const [pid, startTime, pidNamespace] = owner.split('-').map(Number)
  if (pid === undefined || startTime === undefined || pidNamespace !== pidNamespaceOf('self')) return true
  return isRunning({ pid, startTime })
}

function isOurs(path: string): boolean {
  try {
    const there = lstatSync(path)
    return there.isDirectory() && there.uid === process.geteuid?.() && (there.mode & 0o022) === 0
  } catch {
    return false
  }
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function attempt(action: () => void): void {
  try {
    action()
  } catch {
    // Somebody else was quicker, or it is still in use.
  }
}
