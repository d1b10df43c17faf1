/**
 * Owns removing namespaces: of a session that is over, and of those that nobody removed. Follows no link and leaves alone what was not made as a
 * namespace. A removal that breaks in the middle is finished by the next sweep.
 */
import { randomBytes } from 'node:crypto'
import { lstat, opendir, readFile, rename, rmdir, unlink } from 'node:fs/promises'
import type { Clock } from '../contract/ports.ts'
import { type HeldFolder, hasCode, holdRoot, LinkInTheWay } from './namespace-folder.ts'
import { TENANT, USER } from './namespace-key.ts'

/** In every namespace, with its key: only what has one is ever swept. No name of a session's own begins with a dot and this. */
export const MARKER = '.adjutant-namespace'
const SESSION = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/
/** Under which a namespace goes away, so that nobody opens half of one. */
const GOING = '.going-'
/** Open at once on the way down; deeper folders are moved up first. */
const MAX_OPEN = 24
const BATCH = 1_000
/** Whoever still writes is beaten, or the removal fails. */
const ROUNDS = 20

export interface SweepOptions {
  /** Milliseconds since anything in it was changed. Longer than any session may rest. */
  readonly olderThanMs: number
  /** Keys of namespaces that are in use, whatever their age: see `namespaceKey`. Default: none. */
  readonly inUse?: ReadonlySet<string>
  /**
   * Asked before one is removed, and held until it is: whoever begins to use it claims it too. Undefined: somebody has it, and it stays. Must not
   * reject. Default: what is old is nobody's.
   */
  readonly claim?: (key: string) => Promise<AsyncDisposable | undefined>
  /** Stops after the one in hand. */
  readonly signal?: AbortSignal
  /** Where to begin, from 0 to 1 of those in one folder: sweeps that are stopped early get round to all. Default 0. */
  readonly start?: number
}

export interface Swept {
  /** Keys of what was removed. */
  readonly removed: readonly string[]
  /** What could not be, and why: the next sweep tries again. */
  readonly failed: readonly { readonly folder: string; readonly reason: string }[]
}

/**
 * Removes namespaces below `root` in which nothing changed for long, with tenants' and users' folders that are empty then. A root that is not
 * there gives nothing. Touches only folders that were made as namespaces.
 *
 * @example
 * ```ts
 * const { removed } = await sweepNamespaces('.adjutant/sessions', { olderThanMs: 7 * 86_400_000 }, systemClock)
 * ```
 */
export async function sweepNamespaces(root: string, options: SweepOptions, clock: Clock): Promise<Swept> {
  const removed: string[] = []
  const failed: { folder: string; reason: string }[] = []
  const before = clock.now() - options.olderThanMs
  const sweep = async (parent: HeldFolder, level: 'root' | 'tenant' | 'user'): Promise<void> => {
    for (const name of fromPlace(await entryNames(parent), options.start ?? 0)) {
      if (options.signal?.aborted === true) return
      try {
        if (name.startsWith(GOING)) await removeTree(parent, name)
        else if (level === 'root' ? name.startsWith(TENANT) : level === 'tenant' && name.startsWith(USER)) {
          await using below = await parent.down(name)
          await sweep(below, level === 'root' ? 'tenant' : 'user')
          await removeEmpty(parent, name)
        } else if (level !== 'tenant' && SESSION.test(name)) {
          const key = await keyOfOld(parent, name, before)
          if (key === undefined || options.inUse?.has(key) === true) continue
          if (options.claim !== undefined) {
            await using claim = await options.claim(key)
            // Used, and let go again, while it was looked at.
            if (claim === undefined || (await keyOfOld(parent, name, before)) === undefined) continue
            await removeNamespace(parent, name)
          } else await removeNamespace(parent, name)
          removed.push(key)
        }
      } catch (error) {
        // Gone meanwhile, or no folder at all: not ours.
        if (error instanceof LinkInTheWay || hasCode(error, 'ENOENT')) continue
        failed.push({ folder: `${parent.path}/${name}`, reason: error instanceof Error ? error.message : String(error) })
      }
    }
  }
  try {
    await using top = await holdRoot(root, false)
    await sweep(top, 'root')
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
  return { removed, failed }
}

function fromPlace(names: readonly string[], start: number): readonly string[] {
  const place = Math.floor(names.length * start)
  return [...names.slice(place), ...names.slice(0, place)]
}

/** Its key when nothing in it is younger than `before`. */
async function keyOfOld(parent: HeldFolder, name: string, before: number): Promise<string | undefined> {
  await using folder = await parent.down(name)
  const marker = await lstat(folder.at(MARKER)).catch(() => undefined)
  if (marker?.isFile() !== true || marker.size > 16_384) return undefined
  if (await hasYounger(folder, before, 0)) return undefined
  return (await readFile(folder.at(MARKER), 'utf8')).trim()
}

async function hasYounger(folder: HeldFolder, before: number, depth: number): Promise<boolean> {
  if ((await lstat(folder.at('.'))).mtimeMs > before) return true
  const entries = await opendir(folder.at('.'), { bufferSize: 256, encoding: 'latin1' })
  for await (const entry of entries) {
    const name = Buffer.from(entry.name, 'latin1')
    const stats = await lstat(folder.at(name)).catch(() => undefined)
    if (stats === undefined) continue
    if (stats.mtimeMs > before) return true
    // What lies deeper than anybody works does not keep a namespace alive.
    if (!stats.isDirectory() || depth >= MAX_OPEN) continue
    await using below = await folder.down(name)
    if (await hasYounger(below, before, depth + 1)) return true
  }
  return false
}

/** Takes the name away first: from then on nobody opens it, and a crash leaves only what a sweep removes. Nothing there is fine. */
export async function removeNamespace(parent: HeldFolder, name: string): Promise<void> {
  const going = `${GOING}${randomBytes(9).toString('base64url')}`
  try {
    await rename(parent.at(name), parent.at(going))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  await removeTree(parent, going)
}

/** Removes a folder when nothing is in it. */
export async function removeEmpty(parent: HeldFolder, name: string): Promise<void> {
  await rmdir(parent.at(name)).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  })
}

async function entryNames(folder: HeldFolder): Promise<readonly string[]> {
  const names: string[] = []
  for await (const entry of await opendir(folder.at('.'))) names.push(entry.name)
  return names
}

async function removeTree(top: HeldFolder, name: string): Promise<void> {
  const waiting: (string | Buffer)[] = [name]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await removeEntry(top, next, 0, top, waiting)
}

async function removeEntry(
  parent: HeldFolder,
  name: string | Buffer,
  depth: number,
  top: HeldFolder,
  waiting: (string | Buffer)[],
): Promise<void> {
  for (let round = 0; ; round += 1) {
    try {
      await unlink(parent.at(name))
      return
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return
      // Linux says EISDIR for a folder, POSIX EPERM.
      if (!hasCode(error, 'EISDIR', 'EPERM')) throw error
    }
    try {
      if (depth < MAX_OPEN) await empty(parent, name, depth, top, waiting)
      else {
        const moved = `${GOING}${randomBytes(9).toString('base64url')}`
        await rename(parent.at(name), top.at(moved))
        waiting.push(moved)
        return
      }
      await rmdir(parent.at(name))
      return
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return
      const again = error instanceof LinkInTheWay || hasCode(error, 'ENOTEMPTY', 'EEXIST')
      if (!again || round >= ROUNDS) throw error
    }
  }
}

async function empty(
  parent: HeldFolder,
  name: string | Buffer,
  depth: number,
  top: HeldFolder,
  waiting: (string | Buffer)[],
): Promise<void> {
  await using here = await parent.down(name)
  for (;;) {
    const names: Buffer[] = []
    for await (const entry of await opendir(here.at('.'), { bufferSize: 256, encoding: 'latin1' })) {
      names.push(Buffer.from(entry.name, 'latin1'))
      if (names.length >= BATCH) break
    }
    if (names.length === 0) return
    for (const entry of names) await removeEntry(here, entry, depth + 1, top, waiting)
  }
}
