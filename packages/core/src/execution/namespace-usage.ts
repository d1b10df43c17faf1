/** Owns saying how much all sessions below a root keep. Follows no link, changes nothing, and stops counting where it would take too long. */
import { lstat, opendir } from 'node:fs/promises'
import { type HeldFolder, hasCode, holdRoot, LinkInTheWay } from './namespace-folder.ts'
import { TENANT, USER } from './namespace-key.ts'
import { MARKER } from './namespace-removal.ts'

export interface NamespacesUsage {
  readonly sessions: number
  readonly bytes: number
  /** Files and folders. */
  readonly files: number
  /** Milliseconds since 1970: of the session that was made first. Absent when there is none. */
  readonly oldestAt?: number
  /** There was more than was counted. */
  readonly more: boolean
}

const MOST_FILES = 200_000
/** Deeper than anybody works. */
const MOST_DEPTH = 24

interface Count {
  sessions: number
  bytes: number
  files: number
  oldestAt: number | undefined
  more: boolean
}

/**
 * What the sessions below `root` keep. A root that is not there keeps nothing.
 *
 * @param options.maxFiles counted at most. Default 200 000
 * @example
 * ```ts
 * const { sessions, bytes } = await namespacesUsage('.adjutant/sessions')
 * ```
 */
export async function namespacesUsage(root: string, options: { readonly maxFiles?: number } = {}): Promise<NamespacesUsage> {
  const count: Count = { sessions: 0, bytes: 0, files: 0, oldestAt: undefined, more: false }
  try {
    await using top = await holdRoot(root, false)
    await countSessions(top, count, { maxFiles: options.maxFiles ?? MOST_FILES, level: 'root' })
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
  const { oldestAt, ...rest } = count
  return oldestAt === undefined ? rest : { ...rest, oldestAt }
}

async function countSessions(
  parent: HeldFolder,
  count: Count,
  { maxFiles, level }: { readonly maxFiles: number; readonly level: 'root' | 'tenant' | 'user' },
): Promise<void> {
  for await (const entry of await opendir(parent.at('.'), { bufferSize: 256, encoding: 'latin1' })) {
    if (!entry.isDirectory()) continue
    const name = Buffer.from(entry.name, 'latin1')
    const isOwners = level === 'root' ? entry.name.startsWith(TENANT) : level === 'tenant' && entry.name.startsWith(USER)
    try {
      await using folder = await parent.down(name)
      if (isOwners) await countSessions(folder, count, { maxFiles, level: level === 'root' ? 'tenant' : 'user' })
      else if (level !== 'tenant') {
        const marker = await lstat(folder.at(MARKER)).catch(() => undefined)
        if (marker?.isFile() !== true) continue
        count.sessions += 1
        count.oldestAt = Math.min(count.oldestAt ?? Number.POSITIVE_INFINITY, marker.mtimeMs)
        await countFiles(folder, count, { maxFiles, depth: 0 })
      }
    } catch (error) {
      // Gone meanwhile, or not to be read by us.
      if (!(error instanceof LinkInTheWay) && !hasCode(error, 'ENOENT', 'EACCES')) throw error
    }
  }
}

async function countFiles(
  folder: HeldFolder,
  count: Count,
  { maxFiles, depth }: { readonly maxFiles: number; readonly depth: number },
): Promise<void> {
  for await (const entry of await opendir(folder.at('.'), { bufferSize: 256, encoding: 'latin1' })) {
    if (count.files >= maxFiles) {
      count.more = true
      return
    }
    count.files += 1
    const name = Buffer.from(entry.name, 'latin1')
    if (!entry.isDirectory()) count.bytes += (await lstat(folder.at(name)).catch(() => ({ size: 0 }))).size
    else if (depth >= MOST_DEPTH) count.more = true
    else {
      await using below = await folder.down(name)
      await countFiles(below, count, { maxFiles, depth: depth + 1 })
    }
  }
}
