/**
 * Owns going through, and removing, a tree of folders that somebody hostile may still change. Never follows a link; holds at most one
 * open folder a level; counts what it sees and stops at a limit instead of growing with what it reads.
 */
import { randomBytes } from 'node:crypto'
import { lstat, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import type { SandboxFile } from '@adjutant/core/contract'
import type { Anchor, EntryName } from './anchor.ts'
import { systemCode, tooLarge } from './failures.ts'
import { MAX_DEPTH, shown } from './path-parts.ts'

/** Levels that are open at once while a tree is removed; what is deeper is moved up first. */
const REMOVAL_DEPTH = 24
/** Ten million entries. */
const REMOVAL_BATCHES = 10_000
/** Whoever still writes while we remove is beaten or the removal fails. */
const REMOVAL_ROUNDS = 20

export interface WalkLimits {
  readonly maxEntries: number
}

/**
 * Every entry below `folder`, folders before what they hold, each folder's in order of name. What vanishes meanwhile is left out.
 *
 * @throws AdjutantError TOO_LARGE beyond `maxEntries`, or deeper than {@link MAX_DEPTH}
 */
export async function listTree(folder: Anchor, prefix: string, limits: WalkLimits): Promise<readonly SandboxFile[]> {
  const found: SandboxFile[] = []
  await walk(folder, prefix, 0, limits, found)
  return found
}

async function walk(folder: Anchor, prefix: string, depth: number, limits: WalkLimits, found: SandboxFile[]): Promise<void> {
  if (depth > MAX_DEPTH) throw tooLarge(`the workspace has folders more than ${MAX_DEPTH} deep at ${shown(prefix)}`)
  const room = limits.maxEntries - found.length
  const names = await namesOf(folder, room)
  if (names.length > room) throw tooLarge(`the workspace holds more than ${limits.maxEntries} files`)
  for (const name of names.sort()) {
    const path = prefix === '' ? name : `${prefix}/${name}`
    const stats = await lstat(folder.at(name)).catch(vanished)
    if (stats === undefined) continue
    const folderHere = stats.isDirectory()
    // A name that is not text comes with replacement characters: it is shown, and cannot be asked for.
    const plain = stats.isFile() && stats.nlink === 1 && !name.includes('\uFFFD')
    if (found.length >= limits.maxEntries) throw tooLarge(`the workspace holds more than ${limits.maxEntries} files`)
    found.push({
      path,
      type: folderHere ? 'folder' : plain ? 'file' : 'other',
      bytes: folderHere ? 0 : stats.size,
      modifiedAt: Math.trunc(stats.mtimeMs),
    })
    if (!folderHere) continue
    const next = await folder.down(name).catch(vanished)
    if (next === undefined) continue
    try {
      await walk(next, path, depth + 1, limits, found)
    } finally {
      await next.close()
    }
  }
}

/** The names in a folder; one more than `limit` says that there are too many. */
async function namesOf(folder: Anchor, limit: number): Promise<string[]> {
  const names: string[] = []
  const entries = await opendir(folder.at(), { bufferSize: 256 })
  for await (const entry of entries) {
    names.push(entry.name)
    if (names.length > limit) break
  }
  return names
}

/** Gone, swapped for something else, or locked by the code in the box: not ours to list. */
function vanished(error: unknown): undefined {
  const code = systemCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'EACCES') return undefined
  throw error
}

/** Removes the entry `name` of `folder` with all that is in it; nothing there is fine. @throws what the system said */
export async function removeTree(folder: Anchor, name: EntryName): Promise<void> {
  const deep: EntryName[] = [name]
  for (let next = deep.pop(); next !== undefined; next = deep.pop()) await removeEntry(folder, next, 0, folder, deep)
}

async function removeEntry(folder: Anchor, name: EntryName, depth: number, top: Anchor, deep: EntryName[]): Promise<void> {
  for (let round = 0; ; round += 1) {
    try {
      await unlink(folder.at(name))
      return
    } catch (error) {
      const code = systemCode(error)
      if (code === 'ENOENT') return
      // Linux says EISDIR for a folder, POSIX EPERM.
      if (code !== 'EISDIR' && code !== 'EPERM') throw error
    }
    try {
      await emptyFolder(folder, name, depth, top, deep)
      await rmdir(folder.at(name))
      return
    } catch (error) {
      const code = systemCode(error)
      if (code === 'ENOENT') return
      const again = code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR' || code === 'ELOOP'
      if (!again || round >= REMOVAL_ROUNDS) throw error
    }
  }
}

async function emptyFolder(parent: Anchor, name: EntryName, depth: number, top: Anchor, deep: EntryName[]): Promise<void> {
  await unlock(parent, name)
  if (depth >= REMOVAL_DEPTH) {
    // Moved up and removed later: a chain of ten thousand folders must not take ten thousand descriptors.
    const moved = `.adjutant-gone-${randomBytes(9).toString('base64url')}`
    await rename(parent.at(name), top.at(moved))
    deep.push(moved)
    return
  }
  const here = await parent.down(name)
  try {
    for (let batch = 0; batch < REMOVAL_BATCHES; batch += 1) {
      const names = await rawNames(here)
      if (names.length === 0) return
      for (const entry of names) await removeEntry(here, entry, depth + 1, top, deep)
    }
  } finally {
    await here.close()
  }
}

async function unlock(parent: Anchor, name: EntryName): Promise<void> {
  await parent.unlock(name).catch((error: unknown) => {
    // Not ours to change; perhaps it opens all the same.
    if (systemCode(error) !== 'EPERM') throw error
  })
}

/** A handful at a time, so that a folder of a million names is removed in little memory. */
async function rawNames(folder: Anchor): Promise<readonly Buffer[]> {
  const names: Buffer[] = []
  const entries = await opendir(folder.at(), { encoding: 'latin1', bufferSize: 256 })
  for await (const entry of entries) {
    names.push(Buffer.from(entry.name, 'latin1'))
    if (names.length >= 1_000) break
  }
  return names
}
