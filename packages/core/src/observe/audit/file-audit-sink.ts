import { constants, fstatSync } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { AuditHead, AuditRecord, AuditSafety, AuditSink, SealedAuditRecord } from '../../contract/audit.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Clock } from '../../contract/ports.ts'
import { type FileLock, takeLock } from '../../util/file-lock.ts'
import { splitLines } from '../../util/split-lines.ts'
import { systemClock } from '../../util/system-clock.ts'
import { type AuditTail, readTail } from './audit-tail.ts'
import { readRecord } from './read-record.ts'
import { follows, notFollowing, notOpen, takenError } from './sink-errors.ts'
import { writeRecords } from './write-records.ts'

/** A planted link would lead the log elsewhere. Not there on Windows. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW

interface OpenChain {
  readonly path: string
  readonly file: FileHandle
  readonly lock: FileLock
  head: AuditHead
  /** Bytes of whole records. */
  size: number
  /** Bytes of whole records that are known to be on the disk itself. */
  durable: number
  dropTimer: (() => void) | undefined
  /** Records that were taken could not be made durable: said to whoever writes next, or closes. */
  failure: AdjutantError | undefined
  /** A write failed, and what it left may still be there. */
  dirty: boolean
}

/**
 * When a chain is made durable. `always`: with each batch. `changes`: with the batches that it is asked for; the rest within a second, with the
 * next such batch, or at the end. `never`: when the system does so by itself.
 */
export type AuditSync = 'always' | 'changes' | 'never'

const SYNCS: readonly AuditSync[] = ['always', 'changes', 'never']

export interface FileAuditOptions {
  /** Default `changes`. */
  readonly sync?: AuditSync
  /** Default: the machine's. */
  readonly clock?: Clock
}

/** What was written is made durable after so many milliseconds at most. */
const DURABLE_WITHIN_MS = 1_000

/** The file of a session's chain. */
export function auditFile(folder: string, sessionId: SessionId): string {
  return join(folder, `${sessionId}.jsonl`)
}

/**
 * Keeps each chain as JSON lines: `<folder>/<session id>.jsonl`, mode 0600, opened for appending only. One process writes it at a time; a lock file
 * says which. Each batch is one write and, where it is to be durable at once, one fdatasync. What a failed write left behind is cut off before the next; what somebody else added
 * meanwhile is not written over: `append` refuses. The beginning of a record that a crash cut off is kept in
 * `<session id>.<bytes before it>.torn` and said in a record of its own. Where records that were taken cannot be made durable later, the next `append`
 * or `close` rejects.
 */
export class FileAuditSink implements AuditSink {
  readonly folder: string
  readonly #open = new Map<SessionId, OpenChain>()

  readonly #sync: AuditSync
  readonly #clock: Clock

  /**
   * @param folder made when missing, readable by its owner only
   * @throws AdjutantError CONFIG_INVALID for another word than the three of `sync`
   */
  constructor(folder: string, { sync = 'changes', clock = systemClock }: FileAuditOptions = {}) {
    if (!SYNCS.includes(sync)) {
      throw new AdjutantError('CONFIG_INVALID', `audit: sync is ${JSON.stringify(sync)}; it is one of ${SYNCS.join(', ')}`)
    }
    this.folder = resolve(folder)
    this.#sync = sync
    this.#clock = clock
  }

  async open(sessionId: SessionId): Promise<AuditHead> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const path = auditFile(this.folder, sessionId)
    const lock = await takeLock(`${path}.lock`)
    if (typeof lock === 'string') {
      throw takenError(sessionId, lock, `Wait until it is done. If you know that it is gone, remove ${path}.lock.`)
    }
    let file: FileHandle | undefined
    try {
      file = await openFile(path)
      const tail = await readTail(file, path)
      const recovered = await this.#putAside(file, path, tail)
      await syncFolder(this.folder)
      const head = { seq: tail.seq, hash: tail.hash }
      const { size } = tail
      this.#open.set(sessionId, { path, file, lock, head, size, durable: size, dropTimer: undefined, failure: undefined, dirty: false })
      return recovered === undefined ? head : { ...head, recovered }
    } catch (error) {
      await file?.close()
      await lock.release()
      throw error
    }
  }

  async append(sessionId: SessionId, records: readonly SealedAuditRecord[], safety: AuditSafety = 'durable'): Promise<void> {
    const chain = this.#open.get(sessionId)
    if (chain === undefined) throw notOpen(sessionId)
    sayFailure(chain)
    const last = records.at(-1)
    if (last === undefined) return
    if (!follows(chain.head, records)) throw notFollowing(sessionId, chain.head.seq)
    let written = 0
    try {
      // All or nothing: half a batch would be taken for a crash, or written twice.
      if (chain.dirty) await chain.file.truncate(chain.size)
      const { size } = fstatSync(chain.file.fd)
      if (size !== chain.size) throw changedMeanwhile(chain, size)
      chain.dirty = true
      written = await writeRecords(chain.file, records)
      const durable = this.#sync === 'always' || (this.#sync === 'changes' && safety === 'durable')
      if (durable) await chain.file.datasync()
      chain.dirty = false
      if (durable) {
        chain.durable = chain.size + written
        chain.dropTimer?.()
        chain.dropTimer = undefined
      } else if (this.#sync === 'changes') this.#syncSoon(chain)
    } catch (cause) {
      if (AdjutantError.isInstance(cause)) throw cause
      await cutBack(chain)
      throw new AdjutantError('TOOL_FAILED', `${chain.path}: ${records.length} audit records could not be written: ${messageOf(cause)}`, {
        hint: 'Make room on the disk or correct its rights; the records are kept and written with the next ones.',
        cause,
      })
    }
    chain.size += written
    chain.head = { seq: last.seq, hash: last.hash }
  }

  async *read(sessionId: SessionId): AsyncGenerator<AuditRecord, void, void> {
    const path = auditFile(this.folder, sessionId)
    const file = await open(path, constants.O_RDONLY | NO_FOLLOW).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined
      throw error
    })
    if (file === undefined) return
    let number = 0
    for await (const line of splitLines(file.createReadStream())) {
      number += 1
      if (!line.complete) return
      const read = readRecord(line.text)
      if (!read.ok) {
        const hint = `See adjutant audit verify ${path}.`
        throw new AdjutantError('CONFIG_INVALID', `${path}:${number} ${read.problem}`, { hint })
      }
      yield read.record
    }
  }

  async close(sessionId: SessionId): Promise<void> {
    const chain = this.#open.get(sessionId)
    if (chain === undefined) return
    this.#open.delete(sessionId)
    chain.dropTimer?.()
    try {
      try {
        if (this.#sync === 'changes') await makeDurable(chain)
      } finally {
        await chain.file.close()
      }
    } finally {
      await chain.lock.release()
    }
    sayFailure(chain)
  }

  /** Once for all batches until then. */
  #syncSoon(chain: OpenChain): void {
    chain.dropTimer ??= this.#clock.after(DURABLE_WITHIN_MS, () => {
      chain.dropTimer = undefined
      void makeDurable(chain)
    })
  }

  /** First kept elsewhere, then cut off: a crash in between loses nothing. */
  async #putAside(file: FileHandle, path: string, tail: AuditTail): Promise<AuditHead['recovered']> {
    if (tail.torn.length === 0) return undefined
    const aside = await keepTorn(path.slice(0, -'.jsonl'.length), tail)
    await file.truncate(tail.size)
    await file.datasync()
    return { bytes: tail.torn.length, keptIn: basename(aside) }
  }
}

/** Never rejects: what fails is said to whoever comes next. */
async function makeDurable(chain: OpenChain): Promise<void> {
  const { size, path } = chain
  if (chain.durable >= size) return
  try {
    await chain.file.datasync()
    chain.durable = Math.max(chain.durable, size)
  } catch (cause) {
    // Closed meanwhile: closing has made it durable.
    if (hasCode(cause, 'EBADF')) return
    chain.failure = new AdjutantError('TOOL_FAILED', `${path}: the end of the audit log may not be on the disk: ${messageOf(cause)}`, {
      hint: `Make a copy of the file, and look at the disk. Check it with adjutant audit verify ${path}.`,
      cause,
    })
  }
}

/** @throws AdjutantError once for each failure */
function sayFailure(chain: OpenChain): void {
  const { failure } = chain
  chain.failure = undefined
  if (failure !== undefined) throw failure
}

/** Takes away what a failed write left, where the disk lets us; else the next one tries again. */
async function cutBack(chain: OpenChain): Promise<void> {
  if (!chain.dirty) return
  try {
    await chain.file.truncate(chain.size)
    chain.dirty = false
  } catch {
    // Said already: the write has failed.
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, APPEND, 0o600)
  } catch (cause) {
    if (!hasCode(cause, 'ELOOP')) throw cause
    throw new AdjutantError('CONFIG_INVALID', `${path} is a symbolic link; an audit log is a file of its own`, {
      hint: 'Find out who put it there, and remove it.',
      cause,
    })
  }
}

/** Never over what an earlier crash left. */
async function keepTorn(stem: string, { size, torn }: AuditTail): Promise<string> {
  for (let number = 1; ; number += 1) {
    const aside = `${stem}.${size}${number === 1 ? '' : `.${number}`}.torn`
    try {
      await writeFile(aside, torn, { mode: 0o600, flush: true, flag: 'wx' })
      return aside
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      if ((await readFile(aside)).equals(torn)) return aside
    }
  }
}

/** A new file's name is durable only when its folder is. Windows has no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function changedMeanwhile(chain: OpenChain, size: number): AdjutantError {
  return new AdjutantError('CONFLICT', `${chain.path} has ${size} bytes instead of ${chain.size}: somebody else changed it`, {
    hint: `Nothing was written over it. Look at it with adjutant audit verify ${chain.path}.`,
  })
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
