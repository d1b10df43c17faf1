import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { AdjutantError } from '../contract/errors.ts'
import type { Clock } from '../contract/ports.ts'
import type { ResultOwner, ResultStore, StoredResult } from '../contract/result-store.ts'
import type { SpillLimits } from './spill-settings.ts'

export interface SharedResultsOptions {
  readonly store: ResultStore
  readonly owner: ResultOwner
  /** Of the hold on the session: who has lost it keeps nothing more. A job of the session has none. */
  readonly fence: number | undefined
  readonly clock: Clock
  /** Told when a result could not be kept for other machines; here it still is. */
  readonly failed: (message: string) => void
}

/** A result that lies in a file of this machine. */
export interface LocalResult {
  readonly id: string
  readonly path: string
  readonly time: number
}

/**
 * Owns the way of one session's kept results to where other machines find them, and back. What is kept here is sent in the background, one after the
 * other, from its file; the end of a turn waits for it. What could not be sent is tried once more at the end of the next turn, and by the next process
 * that takes the session on this machine. Memory is bounded by one piece, whatever the result.
 */
export class SharedResults {
  readonly #options: SharedResultsOptions
  #index: Promise<Map<string, StoredResult>> | undefined
  #sending: Promise<void> = Promise.resolve()
  #unsent: { readonly result: LocalResult; readonly limits: SpillLimits }[] = []
  readonly #coming = new Map<string, Promise<void>>()

  constructor(options: SharedResultsOptions) {
    this.#options = options
  }

  /** What there is and was when this process took the session, with what it has sent since. @throws AdjutantError SESSION_LOST, STORE_FAILED */
  index(): Promise<ReadonlyMap<string, StoredResult>> {
    return this.#known()
  }

  #known(): Promise<Map<string, StoredResult>> {
    this.#index ??= this.#open().catch((error: unknown) => {
      this.#index = undefined
      throw error
    })
    return this.#index
  }

  /** What the names of the session are proven by, on every machine. @param own of this machine, where it is the first */
  async secret(own: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const { store, owner } = this.#options
    return await store.secret(owner, await own())
  }

  /** Sends it in the background. */
  send(result: LocalResult, limits: SpillLimits): void {
    this.#sending = this.#sending.then(() => this.#send(result, limits))
  }

  /** Everything that was to be sent is sent, or was told not to be. Never rejects. */
  async sent(): Promise<void> {
    const again = this.#unsent
    this.#unsent = []
    for (const { result, limits } of again) this.send(result, limits)
    for (let last: Promise<void> | undefined; last !== this.#sending; ) {
      last = this.#sending
      await last
    }
  }

  /** @throws AdjutantError STORE_FAILED */
  find(id: string): Promise<StoredResult | undefined> {
    return this.#options.store.find(this.#options.owner, id)
  }

  /** The very bytes. @throws AdjutantError NOT_FOUND, STORE_FAILED */
  read(id: string): AsyncIterable<Uint8Array> {
    return this.#options.store.read(this.#options.owner, id)
  }

  /** Several that want the same result back wait for the first. */
  once(id: string, bring: () => Promise<void>): Promise<void> {
    const known = this.#coming.get(id)
    if (known !== undefined) return known
    const coming = bring().finally(() => this.#coming.delete(id))
    this.#coming.set(id, coming)
    return coming
  }

  /** Whether this process has the session itself, and not only a job of it. */
  get holds(): boolean {
    return this.#options.fence !== undefined
  }

  get clock(): Clock {
    return this.#options.clock
  }

  async #open(): Promise<Map<string, StoredResult>> {
    const { store, owner, fence } = this.#options
    return new Map((await store.open(owner, fence)).map((result) => [result.id, result]))
  }

  async #send(result: LocalResult, limits: SpillLimits): Promise<void> {
    const { store, owner, fence, failed } = this.#options
    const { id } = result
    // Of a file it may be a part of a millisecond.
    const time = Math.floor(result.time)
    const sent = { bytes: 0 }
    try {
      const index = await this.#known()
      await store.put(owner, fence, { id, createdAt: time, limits }, piecesOf(result.path, sent))
      index.set(id, { id, createdAt: time, bytes: sent.bytes })
    } catch (error) {
      // Removed here before its turn came: others needed the room, there as well.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
      failed(`the kept result ${id} is on this machine only: ${error instanceof Error ? error.message : String(error)}`)
      if (AdjutantError.isInstance(error) && error.code === 'STORE_FAILED') this.#unsent.push({ result, limits })
    }
  }
}

/** Bytes of one piece. */
const PIECE = 1_048_576

async function* piecesOf(path: string, sent: { bytes: number }): AsyncGenerator<Uint8Array, void, void> {
  await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, sent.bytes)
    if (bytesRead === 0) return
    sent.bytes += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
