/**
 * Owns writing a file whole or not at all: the bytes go to a new file beside it, which then takes its name. A crash leaves the
 * old content (and at worst a `.adjutant-….tmp` beside it), never half of the new. Keeps the permission bits of what it replaces.
 */
import { randomBytes } from 'node:crypto'
import { constants, link, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { AdjutantError } from '@adjutant/core/contract'
import { openFolder } from './anchored-folder.ts'
import type { FileState } from './read-log.ts'
import { systemCode } from './system-error.ts'
import { openFailure, shown, type Workspace, type WorkspacePath } from './workspace-path.ts'

export interface ReplaceOptions {
  /** What is expected to be there, checked once more right before the new file takes the name; undefined: nothing may be there. */
  readonly expected: FileState | undefined
  readonly signal: AbortSignal
}

/** What the file system says of a file, for {@link FileState}. */
export interface WrittenFile {
  readonly mtimeNs: bigint
  readonly size: bigint
  readonly inode: bigint
}

/**
 * @throws AdjutantError CONFLICT when the file changed, appeared or went since `expected`; the reason of a failed write otherwise
 */
export async function replaceFile(
  workspace: Workspace,
  path: WorkspacePath,
  bytes: Uint8Array,
  options: ReplaceOptions,
): Promise<WrittenFile> {
  const name = basename(path.real)
  await using folder = await openFolder(workspace, dirname(path.real), path.given)
  const target = folder.at(name)
  const before = await look(target, path.given)
  const temporary = folder.at(`.adjutant-${randomBytes(6).toString('hex')}.tmp`)
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
    const handle = await open(temporary, flags, before?.mode ?? 0o666)
    let written: WrittenFile
    try {
      await handle.writeFile(bytes, { signal: options.signal })
      // The mode given to open is cut by the umask; an existing file keeps exactly what it had.
      if (before !== undefined) await handle.chmod(before.mode)
      await handle.sync()
      const stats = await handle.stat({ bigint: true })
      written = { mtimeNs: stats.mtimeNs, size: stats.size, inode: stats.ino }
    } finally {
      await handle.close()
    }
    options.signal.throwIfAborted()
    await takeName(temporary, target, path.given, options.expected)
    await folder.sync()
    return written
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    if (options.signal.aborted) throw new AdjutantError('CANCELLED', `writing ${shown(path.given)} was stopped; the file is as it was`)
    throw openFailure(error, path.given)
  }
}

async function takeName(temporary: string, target: string, given: string, expected: FileState | undefined): Promise<void> {
  const now = await look(target, given)
  if (expected !== undefined) {
    if (now === undefined) throw changed(given, 'was removed')
    if (now.mtimeNs !== expected.mtimeNs || now.size !== expected.size || now.inode !== expected.inode) throw changed(given, 'changed')
    await rename(temporary, target)
    return
  }
  if (now !== undefined) throw changed(given, 'appeared')
  try {
    // Unlike rename, link fails when somebody was faster.
    await link(temporary, target)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST') throw changed(given, 'appeared')
    // A file system without hard links: rename, a moment less strict.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS' && code !== 'EMLINK') throw error
    await rename(temporary, target)
    return
  }
  await rm(temporary, { force: true })
}

async function look(target: string, given: string) {
  try {
    const stats = await lstat(target, { bigint: true })
    if (!stats.isFile()) throw new AdjutantError('CONFLICT', `${shown(given)} is not a plain file any more`)
    return { mode: Number(stats.mode & 0o7777n), mtimeNs: stats.mtimeNs, size: stats.size, inode: stats.ino }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function changed(given: string, how: string): AdjutantError {
  return new AdjutantError('CONFLICT', `${shown(given)} ${how} since it was read; nothing was written`, {
    hint: 'Read it again with read_file, then repeat the change on what is there now.',
  })
}
