import { type CallContext, isJsonObject, type JsonObject, ownValue } from '@adjutant/core/contract'
import { type FileState, stateOf } from '../workspace/read-log.ts'
import type { FileToolContext } from './file-tool-context.ts'
import { readHandle } from './read-whole.ts'

/**
 * Owns the word that tells one state of a file from another, so that what a session has read of it may be shown again. It names where the file really lies
 * (a link may lead elsewhere meanwhile) and its state: of a small file the hash of its content, of a larger one its times, size and number.
 *
 * Times alone do not tell two changes within one tick of the file system's clock apart. So a large file has no version until its last change is older than any tick.
 */

/** Bytes up to which a file is hashed: takes no longer than asking for its times. */
const HASHED_BYTES = 65_536
/** Milliseconds: the coarsest clock of file systems in use has ticks of two seconds (FAT). */
const COARSEST_TICK_MS = 2_000
const NANOSECONDS_PER_MS = 1_000_000n

/** @returns `undefined` when nobody can tell; rejects where the file cannot be read */
export async function fileVersion(context: FileToolContext, cx: CallContext, given: string): Promise<string | undefined> {
  const path = await context.workspace.resolve(given)
  if (path.kind !== 'file') return undefined
  const handle = await context.workspace.openForReading(path)
  try {
    const stats = await handle.stat({ bigint: true })
    if (stats.size <= HASHED_BYTES) return versionText(path.real, (await readHandle(handle, given, cx.signal)).state, 0n)
    // Neither tools that set times nor a moved file keep the time of the last change of its entry.
    const { ctimeNs } = stats
    const isSettled = Number(ctimeNs / NANOSECONDS_PER_MS) < context.clock.now() - COARSEST_TICK_MS
    return isSettled ? versionText(path.real, stateOf(stats), ctimeNs) : undefined
  } finally {
    await handle.close()
  }
}

/** A page of the file was shown again: the session has seen this state of it, and may change it. */
export function noteSeenAgain(context: FileToolContext, cx: CallContext, version: string | undefined): void {
  const seen = version === undefined ? undefined : parseVersion(version)
  if (seen !== undefined) context.readLog.note(cx.sessionId, seen.real, seen.state)
}

function versionText(real: string, { mtimeNs, size, inode, sha256 }: FileState, ctimeNs: bigint): string {
  return JSON.stringify({
    real,
    mtimeNs: String(mtimeNs),
    ctimeNs: String(ctimeNs),
    size: String(size),
    inode: String(inode),
    ...(sha256 === undefined ? {} : { sha256 }),
  })
}

function parseVersion(version: string): { readonly real: string; readonly state: FileState } | undefined {
  const value: unknown = JSON.parse(version)
  if (!isJsonObject(value)) return undefined
  const [real, mtimeNs, size, inode] = ['real', 'mtimeNs', 'size', 'inode'].map((name) => textOf(value, name))
  if (real === undefined || mtimeNs === undefined || size === undefined || inode === undefined) return undefined
  const sha256 = textOf(value, 'sha256')
  const state = { mtimeNs: BigInt(mtimeNs), size: BigInt(size), inode: BigInt(inode) }
  return { real, state: sha256 === undefined ? state : { ...state, sha256 } }
}

function textOf(value: JsonObject, name: string): string | undefined {
  const found = ownValue(value, name)
  return typeof found === 'string' ? found : undefined
}
