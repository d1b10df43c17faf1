/**
 * Owns what each session has seen of which file, so that a change is never made on a content that nobody looked at. Bounded:
 * the files read longest ago are forgotten first (and have to be read again before a change), as are the sessions.
 * Kept in memory: after a restart a file has to be read again before it is changed.
 */
import { hash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { SessionId } from '@adjutant/core/contract'

/** A file at the moment it was read or written. */
export interface FileState {
  readonly mtimeNs: bigint
  readonly size: bigint
  readonly inode: bigint
  /** Of the whole content, where the whole was read. */
  readonly sha256?: string
}

const MAX_SESSIONS = 256
const MAX_FILES_PER_SESSION = 2_048

export class ReadLog {
  readonly #sessions = new Map<SessionId, Map<string, FileState>>()

  note(session: SessionId, real: string, state: FileState): void {
    const files = this.#sessions.get(session) ?? new Map<string, FileState>()
    // Taken out and put back: a Map keeps the order of insertion, so the first entry is the oldest.
    this.#sessions.delete(session)
    this.#sessions.set(session, files)
    files.delete(real)
    files.set(real, state)
    dropOldest(files, MAX_FILES_PER_SESSION)
    dropOldest(this.#sessions, MAX_SESSIONS)
  }

  seen(session: SessionId, real: string): FileState | undefined {
    return this.#sessions.get(session)?.get(real)
  }
}

/** @param content the whole content, where it was read */
export function stateOf(stats: BigIntStats, content?: Uint8Array): FileState {
  const state = { mtimeNs: stats.mtimeNs, size: stats.size, inode: stats.ino }
  return content === undefined ? state : { ...state, sha256: hash('sha256', content) }
}

/**
 * True when `now` is what was seen. Where both contents are known they decide (a mere touch is no change, and a change within
 * one tick of the file system's clock is one); else time, size and file number do.
 */
export function sameContent(seen: FileState, now: FileState): boolean {
  if (seen.sha256 !== undefined && now.sha256 !== undefined) return seen.sha256 === now.sha256
  return seen.mtimeNs === now.mtimeNs && seen.size === now.size && seen.inode === now.inode
}

function dropOldest<Key, Value>(map: Map<Key, Value>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return
    map.delete(key)
  }
}
