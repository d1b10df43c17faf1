import { constants } from 'node:fs'
import { type FileHandle, link, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AdjutantError } from '../contract/errors.ts'
import type { Namespace } from '../contract/ports.ts'
import type { SpillRef } from '../contract/result.ts'
import { RESULT_SUFFIX, RESULTS_FOLDER, spillIdOf } from './spill-id.ts'

/**
 * Owns: the files of whole results in a session's namespace, and how much they may take: {@link SPILL_LIMITS}. The oldest are
 * removed when a new one needs the room; one result that is larger than all the room is refused. A file appears under its name
 * only when it is complete (written beside it, then linked), with mode 0600; a crash leaves at most a `.tmp` that a later
 * process removes. Changes of one namespace are done one after the other; a namespace is used by one process.
 */

export interface SpillLimits {
  /** All kept results of one session together. */
  readonly totalBytes: number
  readonly files: number
}

/** 1 GiB and 1 000 results for a session. */
export const SPILL_LIMITS: SpillLimits = Object.freeze({ totalBytes: 1_073_741_824, files: 1_000 })

interface Kept {
  readonly id: string
  readonly path: string
  readonly bytes: number
}

interface Store {
  readonly folder: string
  /** Oldest first. */
  readonly kept: Kept[]
  bytes: number
  /** The end of the last change. */
  queue: Promise<unknown>
}

const stores = new WeakMap<Namespace, Promise<Store>>()
let temporaries = 0

/** The store of a namespace, read from disk the first time. */
function storeOf(namespace: Namespace): Promise<Store> {
  const known = stores.get(namespace)
  if (known !== undefined) return known
  const opening = openStore(namespace)
  stores.set(namespace, opening)
  // A failed opening (full disk, no rights) may go better the next time.
  opening.catch(() => stores.delete(namespace))
  return opening
}

async function openStore(namespace: Namespace): Promise<Store> {
  const folder = dirname(await namespace.path(`${RESULTS_FOLDER}/x${RESULT_SUFFIX}`))
  const found: (Kept & { readonly time: number })[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(folder, entry.name)
    if (entry.name.endsWith('.tmp')) {
      if (isLeftOver(entry.name)) await rm(path, { force: true })
    } else if (entry.name.endsWith(RESULT_SUFFIX)) {
      const { size, mtimeMs } = await stat(path)
      found.push({ id: basename(entry.name, RESULT_SUFFIX), path, bytes: size, time: mtimeMs })
    }
  }
  found.sort((a, b) => a.time - b.time)
  return { folder, kept: found, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0), queue: Promise.resolve() }
}

/** The name tells the process that writes it; one that still runs may be about to finish it. */
function isLeftOver(name: string): boolean {
  const pid = Number(/\.(\d+)\.\d+\.tmp$/.exec(name)?.[1])
  if (!Number.isSafeInteger(pid) || pid === 0) return true
  try {
    return pid !== process.pid && !process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'ESRCH')
  }
}

/** Ids of what is kept now, newest last. */
export async function keptIds(namespace: Namespace): Promise<readonly string[]> {
  return (await storeOf(namespace)).kept.map(({ id }) => id)
}

/** One result on its way to disk. Exactly one of `commit` and `abandon` is to be called. */
export class SpillFile {
  readonly #store: Store
  readonly #limits: SpillLimits
  readonly #callId: string
  readonly #temporary: string
  readonly #handle: FileHandle
  #bytes = 0

  private constructor(store: Store, limits: SpillLimits, callId: string, temporary: string, handle: FileHandle) {
    this.#store = store
    this.#limits = limits
    this.#callId = callId
    this.#temporary = temporary
    this.#handle = handle
  }

  /** @throws AdjutantError NAMESPACE_ESCAPE; an Error of the file system (full, no rights) */
  static async open(namespace: Namespace, callId: string, limits: SpillLimits = SPILL_LIMITS): Promise<SpillFile> {
    const store = await storeOf(namespace)
    const temporary = join(store.folder, `${spillIdOf(callId)}.${process.pid}.${++temporaries}.tmp`)
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0)
    return new SpillFile(store, limits, callId, temporary, await open(temporary, flags, 0o600))
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Writes all of these pieces in one go. @throws AdjutantError TOO_LARGE past the limit of all results */
  async write(pieces: readonly Uint8Array[]): Promise<void> {
    let size = 0
    for (const piece of pieces) size += piece.byteLength
    if (this.#bytes + size > this.#limits.totalBytes) {
      throw new AdjutantError('TOO_LARGE', `a result of more than ${this.#limits.totalBytes} bytes is not kept`)
    }
    const { bytesWritten } = await this.#handle.writev([...pieces])
    if (bytesWritten < size) await this.#writeRest(pieces, bytesWritten)
    this.#bytes += size
  }

  /** A short write (a disk nearly full, a signal) goes on where it stopped, until it is all or an error. */
  async #writeRest(pieces: readonly Uint8Array[], written: number): Promise<void> {
    const rest = Buffer.concat(pieces).subarray(written)
    for (let at = 0; at < rest.length; ) {
      const { bytesWritten } = await this.#handle.write(rest, at)
      if (bytesWritten === 0) throw new AdjutantError('TOO_LARGE', 'the disk takes no more')
      at += bytesWritten
    }
  }

  /** Puts it under its name, making room first. A repeated call id gets a number behind it; nothing is overwritten. */
  async commit(lines: number): Promise<SpillRef> {
    try {
      await this.#handle.close()
      const kept = await inTurn(this.#store, async () => {
        await makeRoom(this.#store, this.#bytes, this.#limits)
        const placed = await place(this.#store, this.#temporary, spillIdOf(this.#callId))
        const entry: Kept = { ...placed, bytes: this.#bytes }
        this.#store.kept.push(entry)
        this.#store.bytes += entry.bytes
        return entry
      })
      return { id: kept.id, path: kept.path, bytes: kept.bytes, lines }
    } catch (error) {
      await rm(this.#temporary, { force: true })
      throw error
    }
  }

  /** Removes what was written. Never throws: it is called where something else already failed. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined)
    await rm(this.#temporary, { force: true }).catch(() => undefined)
  }
}

function inTurn<T>(store: Store, work: () => Promise<T>): Promise<T> {
  const turn = store.queue.then(work, work)
  store.queue = turn.catch(() => undefined)
  return turn
}

async function makeRoom(store: Store, bytes: number, limits: SpillLimits): Promise<void> {
  while (store.kept.length > 0 && (store.bytes + bytes > limits.totalBytes || store.kept.length + 1 > limits.files)) {
    const oldest = store.kept.shift()
    if (oldest === undefined) return
    store.bytes -= oldest.bytes
    await rm(oldest.path, { force: true })
  }
}

async function place(store: Store, temporary: string, wanted: string): Promise<{ readonly id: string; readonly path: string }> {
  for (let copy = 1; ; copy++) {
    const id = copy === 1 ? wanted : `${wanted}-${copy}`
    const path = join(store.folder, `${id}${RESULT_SUFFIX}`)
    if (store.kept.some((entry) => entry.id === id)) continue
    try {
      await link(temporary, path)
      await rm(temporary, { force: true })
      return { id, path }
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue
      if (!hasCode(error, 'EPERM') && !hasCode(error, 'ENOTSUP') && !hasCode(error, 'ENOSYS')) throw error
      // A file system without hard links: the names of this session are known to this process, so a rename is as good.
      await rename(temporary, path)
      return { id, path }
    }
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
