import { constants } from 'node:fs'
import { type FileHandle, link, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AdjutantError } from '../contract/errors.ts'
import type { Namespace } from '../contract/ports.ts'
import type { SpillRef } from '../contract/result.ts'
import type { StoredResult } from '../contract/result-store.ts'
import { holdsSecrets, withoutSecrets } from './spill-clean.ts'
import { RESULT_SUFFIX, RESULTS_FOLDER, spillIdOf } from './spill-id.ts'
import { type RemovalReason, RemovedResults } from './spill-removed.ts'
import { type SpillLimits, type SpillSettings, spillSettings } from './spill-settings.ts'

/**
 * Owns: the files of whole results in a session's namespace, and how much they may take (spill-settings.ts). The oldest are removed
 * when a new one needs the room or when they are too old, which is written down; one result that is larger than all the room is
 * refused, as are several that are written at once and together are. A file appears under its name only when it is complete (written
 * beside it, then linked) and has no secrets in it, with mode 0600; a crash leaves at most a `.tmp` that a later process removes. Changes of one namespace are done
 * one after the other; a namespace is used by one process.
 */

interface Kept {
  readonly id: string
  readonly path: string
  readonly bytes: number
  /** When it was kept, in milliseconds since 1970. */
  readonly time: number
}

interface Store {
  readonly folder: string
  /** Oldest first. */
  readonly kept: Kept[]
  bytes: number
  /** Of results that are being written. */
  writing: number
  readonly removed: RemovedResults
  /** Names that were given on another machine. */
  readonly taken: ReadonlyMap<string, StoredResult>
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
  const found: Kept[] = []
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
  found.sort((a, b) => a.time - b.time || a.id.localeCompare(b.id, 'en', { numeric: true }))
  const bytes = found.reduce((sum, kept) => sum + kept.bytes, 0)
  const { shared, limits } = spillSettings(namespace)
  const taken = (await shared?.index()) ?? new Map<string, StoredResult>()
  // A process that died here had not sent them.
  if (shared?.holds === true) for (const kept of found) if (!taken.has(kept.id)) shared.send(kept, limits)
  return { folder, kept: found, bytes, writing: 0, removed: await RemovedResults.open(folder), taken, queue: Promise.resolve() }
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

/** Ids of what is kept now, on this machine or another, newest last. */
export async function keptIds(namespace: Namespace): Promise<readonly string[]> {
  const { kept, taken } = await storeOf(namespace)
  const here = new Set(kept.map(({ id }) => id))
  return [...[...taken.values()].filter(({ id, removed }) => removed === undefined && !here.has(id)).map(({ id }) => id), ...here]
}

/** What a model, or anybody outside, gets to read it back by. */
export function spillHandle(namespace: Namespace, id: string): Promise<string> {
  return namespace.issueHandle('spill', id)
}

/** Why a result that was kept is no more; `undefined` for what never was. */
export async function removalOf(namespace: Namespace, id: string): Promise<RemovalReason | undefined> {
  const { removed } = await storeOf(namespace)
  if (removed.reasonOf(id) === undefined) await removed.read()
  return removed.reasonOf(id)
}

/** Removes what is too old. Done by itself at each read and write. */
export async function removeExpired(namespace: Namespace): Promise<void> {
  const store = await storeOf(namespace)
  const { limits, clock } = spillSettings(namespace)
  if (isExpired(store.kept[0], limits, clock.now())) await inTurn(store, () => expire(store, limits, clock.now()))
}

/** One result on its way to disk. Exactly one of `commit` and `abandon` is to be called. */
export class SpillFile {
  readonly #namespace: Namespace
  readonly #store: Store
  readonly #settings: SpillSettings
  readonly #callId: string
  #temporary: string
  #handle: FileHandle
  /** Nothing is in it that would have to be taken out. */
  #clean = false
  #bytes = 0
  /** Of `#store.writing`. */
  #reserved = 0

  private constructor(namespace: Namespace, store: Store, settings: SpillSettings, callId: string, temporary: string, handle: FileHandle) {
    this.#namespace = namespace
    this.#store = store
    this.#settings = settings
    this.#callId = callId
    this.#temporary = temporary
    this.#handle = handle
  }

  /** @throws AdjutantError NAMESPACE_ESCAPE; an Error of the file system (full, no rights) */
  static async open(namespace: Namespace, callId: string, limits?: SpillLimits): Promise<SpillFile> {
    const known = spillSettings(namespace)
    const settings = limits === undefined ? known : { ...known, limits }
    const store = await storeOf(namespace)
    const temporary = join(store.folder, `${spillIdOf(callId)}.${process.pid}.${++temporaries}.tmp`)
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)
    return new SpillFile(namespace, store, settings, callId, temporary, await open(temporary, flags, 0o600))
  }

  get bytes(): number {
    return this.#bytes
  }

  /** For a program that writes the result itself: its output is opened on this, at the end of the file. */
  get descriptor(): number {
    return this.#handle.fd
  }

  /** Counts what another program has written. @throws AdjutantError TOO_LARGE past the limit of all results */
  async measure(): Promise<number> {
    const { size } = await this.#handle.stat()
    this.#reserve(size - this.#bytes)
    this.#bytes = size
    return size
  }

  /** Writes all of these pieces in one go. @throws AdjutantError TOO_LARGE past the limit of all results */
  async write(pieces: readonly Uint8Array[]): Promise<void> {
    let size = 0
    for (const piece of pieces) size += piece.byteLength
    this.#reserve(size)
    const { bytesWritten } = await this.#handle.writev([...pieces])
    if (bytesWritten < size) await this.#writeRest(pieces, bytesWritten)
    this.#bytes += size
  }

  /** What is written is known to have no secrets in it. */
  markClean(): void {
    this.#clean = true
  }

  /**
   * Takes secrets out of what was written, where the session does that. The writer must have ended.
   *
   * @throws AdjutantError TOO_LARGE; an Error of the file system. What it has then must not be kept.
   */
  async clean(): Promise<void> {
    const { redactor, limits } = this.#settings
    if (this.#clean) return
    if (redactor !== undefined && (await holdsSecrets(this.#handle, redactor))) {
      const other = await SpillFile.open(this.#namespace, this.#callId, limits)
      try {
        for await (const piece of withoutSecrets(this.#handle, redactor)) await other.write([piece])
      } catch (error) {
        await other.abandon()
        throw error
      }
      await this.abandon()
      this.#handle = other.#handle
      this.#temporary = other.#temporary
      this.#bytes = other.#bytes
      this.#reserved = other.#reserved
    }
    this.#clean = true
  }

  #reserve(size: number): void {
    const { totalBytes } = this.#settings.limits
    if (this.#bytes + size > totalBytes) throw new AdjutantError('TOO_LARGE', `a result of more than ${totalBytes} bytes is not kept`)
    if (this.#store.writing + size > totalBytes) {
      throw new AdjutantError('TOO_LARGE', `results of more than ${totalBytes} bytes together are not kept at once`)
    }
    this.#reserved += size
    this.#store.writing += size
  }

  #release(): void {
    this.#store.writing -= this.#reserved
    this.#reserved = 0
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
      await this.clean()
      const { limits, clock } = this.#settings
      const time = clock.now()
      // A later process reads the age from the file; where that cannot be set, the disk's own time is near enough.
      await this.#handle.utimes(time / 1_000, time / 1_000).catch(() => undefined)
      await this.#handle.close()
      const kept = await inTurn(this.#store, async () => {
        await expire(this.#store, limits, time)
        await makeRoom(this.#store, this.#bytes, limits)
        const placed = await place(this.#store, this.#temporary, spillIdOf(this.#callId))
        const entry: Kept = { ...placed, bytes: this.#bytes, time }
        this.#store.kept.push(entry)
        this.#store.bytes += entry.bytes
        return entry
      })
      this.#settings.shared?.send(kept, limits)
      return { id: kept.id, handle: await spillHandle(this.#namespace, kept.id), path: kept.path, bytes: kept.bytes, lines }
    } catch (error) {
      await this.abandon()
      throw error
    } finally {
      this.#release()
    }
  }

  /** Puts what came from another machine under the name and age that it has there. */
  async place(id: string, time: number): Promise<void> {
    try {
      await this.#handle.utimes(time / 1_000, time / 1_000).catch(() => undefined)
      await this.#handle.close()
      await inTurn(this.#store, async () => {
        await makeRoom(this.#store, this.#bytes, this.#settings.limits)
        const path = join(this.#store.folder, `${id}${RESULT_SUFFIX}`)
        await rename(this.#temporary, path)
        const { kept } = this.#store
        const at = kept.findIndex((entry) => entry.time > time)
        kept.splice(at === -1 ? kept.length : at, 0, { id, path, bytes: this.#bytes, time })
        this.#store.bytes += this.#bytes
      })
    } catch (error) {
      await this.abandon()
      throw error
    } finally {
      this.#release()
    }
  }

  /** Removes what was written. Never throws: it is called where something else already failed. */
  async abandon(): Promise<void> {
    this.#release()
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
    await removeOldest(store, 'room')
  }
}

async function expire(store: Store, limits: SpillLimits, now: number): Promise<void> {
  while (isExpired(store.kept[0], limits, now)) await removeOldest(store, 'age')
}

function isExpired(kept: Kept | undefined, limits: SpillLimits, now: number): boolean {
  return kept !== undefined && limits.maxAgeMs !== undefined && now - kept.time > limits.maxAgeMs
}

async function removeOldest(store: Store, reason: RemovalReason): Promise<void> {
  const oldest = store.kept.shift()
  if (oldest === undefined) return
  store.bytes -= oldest.bytes
  await store.removed.add(oldest.id, reason)
  await rm(oldest.path, { force: true })
}

async function place(store: Store, temporary: string, wanted: string): Promise<{ readonly id: string; readonly path: string }> {
  for (let copy = 1; ; copy++) {
    const id = copy === 1 ? wanted : `${wanted}-${copy}`
    const path = join(store.folder, `${id}${RESULT_SUFFIX}`)
    // A model may still ask for one that was removed: it must not get another.
    if (store.kept.some((entry) => entry.id === id) || store.removed.reasonOf(id) !== undefined || store.taken.has(id)) continue
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
