/**
 * Owns reading and replacing one file of an open folder. Reads only a plain file with one name; replaces by a new file and a rename, so
 * that nothing that exists is ever written into and a link in its place is replaced, not followed.
 */
import { randomBytes } from 'node:crypto'
import { constants, type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import type { Anchor, Owner } from './anchor.ts'
import { notPlain, systemCode, tooLarge } from './failures.ts'
import { shown } from './path-parts.ts'

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
const MAKE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const CHUNK = 1 << 20

/** What a name is, in a sentence. */
function describeEntry(stats: Entry): string {
  if (stats.isFile()) return stats.nlink === 1 ? 'a plain file' : 'a file with more than one name (a hard link)'
  if (stats.isDirectory()) return 'a folder'
  if (stats.isSymbolicLink()) return 'a link'
  if (stats.isFIFO()) return 'a pipe'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}

interface Entry {
  readonly nlink: number
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}

/** @throws AdjutantError PATH_OUTSIDE_WORKSPACE, TOO_LARGE; what the system said */
export async function readPlain(folder: Anchor, name: string, path: string, maxBytes: number): Promise<Uint8Array> {
  const handle = await open(folder.at(name), READ)
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.nlink !== 1) throw notPlain(path, describeEntry(stats))
    // A file from outside has one name again when its second one was removed just now; then it is no longer to be found here.
    const named = await lstat(folder.at(name))
    if (named.ino !== stats.ino || named.dev !== stats.dev || named.nlink !== 1) throw notPlain(path, 'changing while it is read')
    await folder.check()
    if (stats.size > maxBytes) throw tooLarge(`${shown(path)} has ${stats.size} bytes; at most ${maxBytes} are read`)
    return await readAtMost(handle, path, stats.size, maxBytes)
  } finally {
    await handle.close()
  }
}

/** The size is only what it was a moment ago: the file may grow for as long as it is read. */
async function readAtMost(handle: FileHandle, path: string, size: number, maxBytes: number): Promise<Uint8Array> {
  let bytes = new Uint8Array(Math.min(size, maxBytes) + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(bytes, length, Math.min(CHUNK, bytes.length - length), length)
    if (bytesRead === 0) return bytes.subarray(0, length)
    length += bytesRead
    if (length > maxBytes) throw tooLarge(`${shown(path)} has more than ${maxBytes} bytes and grows while it is read`)
    if (length === bytes.length) {
      const wider = new Uint8Array(Math.min(maxBytes + 1, length * 2))
      wider.set(bytes)
      bytes = wider
    }
  }
}

/** Puts `bytes` where `name` is, whole or not at all. @throws what the system said */
export async function replacePlain(folder: Anchor, name: string, bytes: Uint8Array, owner: Owner | undefined): Promise<void> {
  const draft = `.adjutant-${randomBytes(9).toString('base64url')}`
  await folder.check()
  const handle = await open(folder.at(draft), MAKE, 0o644)
  try {
    try {
      await folder.check()
      await handle.writeFile(bytes)
      if (owner !== undefined) await handle.chown(owner.uid, owner.gid)
    } finally {
      await handle.close()
    }
    await rename(folder.at(draft), folder.at(name))
  } catch (error) {
    await unlink(folder.at(draft)).catch((second: unknown) => {
      if (systemCode(second) !== 'ENOENT') throw error
    })
    throw error
  }
}
