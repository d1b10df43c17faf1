/**
 * Owns under whom boxes run that write into a folder of the host. Never under root: what root calls a user of its own inside a box is still root to
 * the kernel. A folder of an ordinary user is written as that user; one of root's is given to a user that nobody else has, with what root has in it.
 */
import { chmodSync, lchownSync, lstatSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AdjutantError } from '@adjutant/core/contract'
import type { UidLease } from '../linux/index.ts'
import type { BoxUser, StateFolder } from './state-folder.ts'

/** Deeper folders are a trap, not a workspace. */
const MAX_DEPTH = 200
const ROOT: BoxUser = { uid: 0, gid: 0 }

export interface FolderUser {
  /** Absent: who runs us, which is not root. */
  readonly user?: BoxUser
  /** When it was taken for this, to be given back. */
  readonly lease?: UidLease
}

/** @param folder absolute, links resolved @throws AdjutantError SANDBOX_UNAVAILABLE */
export function userOfFolder(folder: string, state: StateFolder): FolderUser {
  const there = lstatSync(folder)
  if (!there.isDirectory()) throw new AdjutantError('CONFIG_INVALID', `workspace.host: ${folder} is no folder`)
  if (process.geteuid?.() !== 0) return {}
  if (there.uid !== 0) return { user: { uid: there.uid, gid: there.gid === 0 ? there.uid : there.gid } }
  const lease = state.takeUser()
  give(folder, ROOT, lease)
  chmodSync(folder, 0o700)
  return { user: lease, lease }
}

/** Gives back to root what was taken from it, when nothing runs under that user any more. */
export function returnFolder(folder: string, user: BoxUser): void {
  give(folder, user, ROOT)
}

/** May everybody pass through all folders above it? */
export function isReachable(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((lstatSync(folder).mode & 0o001) === 0) return false
    if (folder === '/') return true
  }
}

/** Only what is the first one's and has one name: a second name may be anywhere on the disk. Links are given themselves, never followed. */
function give(path: string, from: BoxUser, to: BoxUser, depth = 0): void {
  const there = lstatSync(path)
  if (there.uid === from.uid && (there.isDirectory() || there.nlink === 1)) lchownSync(path, to.uid, to.gid)
  if (there.isDirectory() && depth < MAX_DEPTH) for (const name of readdirSync(path)) give(`${path}/${name}`, from, to, depth + 1)
}
