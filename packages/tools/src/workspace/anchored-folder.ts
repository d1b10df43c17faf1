/**
 * Owns a folder that is held open while files are made in it. On Linux every name is reached through the open handle
 * (`/proc/self/fd/N/name`), and the way down from the root is opened part by part without following links: whoever swaps a
 * part for a link meanwhile gets an error, not our bytes. Elsewhere the plain path is used after a second look at where it leads.
 */
import { constants, type FileHandle, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { AdjutantError } from '@adjutant/core/contract'
import { systemCode } from './system-error.ts'
import { isInside, openFailure, outside, shown, type Workspace } from './workspace-path.ts'

export interface AnchoredFolder extends AsyncDisposable {
  /** A path to the entry `name` of this folder, good while the folder is held. */
  at(name: string): string
  /** Makes sure that what was renamed or made here is on the disk. */
  sync(): Promise<void>
}

/**
 * Opens the folder `real` (absolute, inside the workspace, links resolved) and makes what is missing of it.
 *
 * @throws AdjutantError CONFLICT when a part of the way is a file, PATH_OUTSIDE_WORKSPACE when one turned into a link
 */
export async function openFolder(workspace: Workspace, real: string, given: string): Promise<AnchoredFolder> {
  const way = relative(workspace.root, real)
  const parts = way === '' ? [] : way.split(sep)
  return process.platform === 'linux' ? descend(workspace.root, parts, given) : byPath(workspace, real, given)
}

async function descend(root: string, parts: readonly string[], given: string): Promise<AnchoredFolder> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  let handle = await open(root, flags)
  try {
    for (const part of parts) {
      const next = await openOrMake(`/proc/self/fd/${handle.fd}/${part}`, flags, given)
      await handle.close()
      handle = next
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    sync: () => syncFolder(handle),
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** Some file systems cannot sync a folder and say so; the rename in it is atomic all the same. */
async function syncFolder(handle: FileHandle): Promise<void> {
  await handle.sync().catch((error: unknown) => {
    const code = systemCode(error)
    if (code !== 'EINVAL' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS' && code !== 'EROFS') throw error
  })
}

async function openOrMake(path: string, flags: number, given: string): Promise<FileHandle> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await open(path, flags)
    } catch (error) {
      const code = systemCode(error)
      // Linux says ENOTDIR for a link too when only folders are to be opened.
      if (code === 'ELOOP' || (code === 'ENOTDIR' && (await isLink(path)))) throw outside(given)
      if (code === 'ENOTDIR') throw partIsFile(given)
      if (code !== 'ENOENT' || attempt > 0) throw openFailure(error, given)
    }
    await mkdir(path).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw openFailure(error, given)
    })
  }
}

function isLink(path: string): Promise<boolean> {
  return readlink(path).then(
    () => true,
    () => false,
  )
}

async function byPath(workspace: Workspace, real: string, given: string): Promise<AnchoredFolder> {
  try {
    await mkdir(real, { recursive: true })
  } catch (error) {
    const code = systemCode(error)
    throw code === 'EEXIST' || code === 'ENOTDIR' ? partIsFile(given) : openFailure(error, given)
  }
  const now = await realpath(real)
  if (now !== real || !isInside(workspace.root, now)) throw outside(given)
  return {
    at: (name) => join(real, name),
    // Folders cannot be opened for syncing on every system; the rename itself is still atomic.
    sync: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}

function partIsFile(given: string): AdjutantError {
  return new AdjutantError('CONFLICT', `${shown(given)} cannot be made: a part of the path before its end is a file`, {
    hint: 'Choose another folder; list_directory shows what is there.',
  })
}
