import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { AdjutantError } from '../../contract/errors.ts'

/**
 * Owns changing a small file of ours whole or not at all: a new file is written beside it, flushed, and takes its name. Two writers are
 * kept apart by a lock file, which a process that ended leaves behind and the next one takes away; besides, what is there is compared with
 * what was read right before it is replaced.
 */

const MODE = 0o600
const FOLDER_MODE = 0o700

/**
 * @param change gets what is there, undefined for nothing, and gives what shall be there
 * @throws AdjutantError CONFLICT when another writer is at it; CONFIG_INVALID when the file system refuses; what `change` throws
 */
export async function changeFile(file: string, change: (before: Buffer | undefined) => Promise<string> | string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE })
    await withLock(`${file}.lock`, file, () => replace(file, change))
  } catch (error) {
    throw AdjutantError.from(error, 'CONFIG_INVALID', file)
  }
}

async function replace(file: string, change: (before: Buffer | undefined) => Promise<string> | string): Promise<void> {
  const before = await readIfThere(file)
  const text = await change(before)
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const mode = before === undefined ? MODE : (await stat(file)).mode & 0o777
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    const now = await readIfThere(file)
    if (before === undefined ? now !== undefined : now === undefined || !now.equals(before)) throw conflict(file, 'changed meanwhile')
    await rename(temporary, file)
    await syncFolder(dirname(file))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function withLock(lock: string, file: string, work: () => Promise<void>): Promise<void> {
  await takeLock(lock, file)
  try {
    await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function takeLock(lock: string, file: string): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const handle = await open(lock, 'wx', MODE)
      await handle.writeFile(`${process.pid} ${hostname()}\n`)
      await handle.close()
      return
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      if (!(await isLeftBehind(lock))) break
      await rm(lock, { force: true })
    }
  }
  throw conflict(file, `is being changed by another process (${lock})`)
}

/** A lock of a process of this machine that runs no more. */
async function isLeftBehind(lock: string): Promise<boolean> {
  const text = (await readIfThere(lock))?.toString('utf8') ?? ''
  const [, pid, host] = /^(\d+) (\S+)\n$/.exec(text) ?? []
  if (pid === undefined || host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return hasCode(error, 'ESRCH')
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Some systems cannot open a folder; there the rename is as durable as it gets.
  const handle = await open(folder, 'r').catch(() => undefined)
  try {
    await handle?.sync().catch(() => {})
  } finally {
    await handle?.close()
  }
}

/** @throws what the file system says, but for a file that is not there */
export async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function conflict(file: string, how: string): AdjutantError {
  return new AdjutantError('CONFLICT', `${file} ${how}; nothing was written`, {
    hint: 'Try again; when no other process is at work, remove the lock file.',
  })
}
