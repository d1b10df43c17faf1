/**
 * Owns under whom boxes run that write into a folder of the host. Never under root: what root calls a user of its own inside a box is still root to
 * the kernel. A folder of an ordinary user is written as that user; one of root's is given to a user that nobody else has, with what root has in it,
 * and comes back as it was.
 */
import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { AdjutantError } from '@adjutant/core/contract'
import { isRoot, type UidLease } from '../linux/index.ts'
import type { BoxUser } from './box-user.ts'
import type { StateFolder } from './state-folder.ts'

/** Whose the boxes of a sandbox are, until it is given back. */
export interface FolderUser {
  /** Absent: who runs us, which is not root. */
  readonly user?: BoxUser
  /** To be called once, when nothing of the sandbox runs any more. */
  giveBack(): void
}

/** Folders of root's that are lent at the moment: several sandboxes may work in the same one, under the same user. */
export class HostFolders {
  readonly #lent = new Map<string, { readonly lease: UidLease; readonly giveBack: () => void; users: number }>()

  /** @param folder absolute, links resolved @throws AdjutantError CONFIG_INVALID, SANDBOX_UNAVAILABLE */
  take(folder: string, state: StateFolder): FolderUser {
    const there = lstatSync(folder)
    if (!there.isDirectory()) throw new AdjutantError('CONFIG_INVALID', `workspace.host: ${folder} is no folder`)
    if (!isRoot()) return { giveBack: () => undefined }
    const lent = this.#lent.get(folder)
    if (lent !== undefined) {
      lent.users += 1
      return { user: lent.lease, giveBack: () => this.#giveBack(folder) }
    }
    if (there.uid !== 0) return { user: { uid: there.uid, gid: there.gid === 0 ? there.uid : there.gid }, giveBack: () => undefined }
    const lease = state.takeUser()
    try {
      this.#lent.set(folder, { lease, giveBack: state.lend(folder, lease), users: 1 })
    } catch (error) {
      lease.release()
      throw AdjutantError.from(error, 'SANDBOX_UNAVAILABLE', `workspace.host: ${folder} cannot be given to the user of a box`)
    }
    return { user: lease, giveBack: () => this.#giveBack(folder) }
  }

  #giveBack(folder: string): void {
    const lent = this.#lent.get(folder)
    if (lent === undefined || --lent.users > 0) return
    this.#lent.delete(folder)
    lent.giveBack()
    lent.lease.release()
  }
}

/** May everybody pass through all folders above it? */
export function isReachable(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((lstatSync(folder).mode & 0o001) === 0) return false
    if (folder === '/') return true
  }
}
