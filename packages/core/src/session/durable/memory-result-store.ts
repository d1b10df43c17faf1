import type { SessionKey } from '../../contract/durable.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { Clock } from '../../contract/ports.ts'
import type { NewResult, ResultOwner, ResultStore, StoredResult } from '../../contract/result-store.ts'
import { systemClock } from '../../util/system-clock.ts'

interface Entry {
  info: StoredResult
  readonly expiresAt: number
  content: readonly Uint8Array[]
}

interface Shelf {
  readonly userId: string
  fence: number
  secret: Uint8Array | undefined
  readonly entries: Map<string, Entry>
}

/**
 * Keeps results in this process: for tests, and for sessions that go on in another folder of one process. As strict as any other store.
 *
 * @example
 * ```ts
 * const session = await openDurableSession({ store, resultStore: new MemoryResultStore(), tools, namespaceRoot, mode: 'ask', approver, asker })
 * ```
 */
export class MemoryResultStore implements ResultStore {
  readonly #clock: Clock
  readonly #shelves = new Map<string, Shelf>()

  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock
  }

  async open(owner: ResultOwner, fence: number | undefined): Promise<readonly StoredResult[]> {
    const shelf = this.#make(owner)
    if (fence !== undefined && fence < shelf.fence) throw lost(owner)
    shelf.fence = fence ?? shelf.fence
    return [...shelf.entries.values()].map((entry) => this.#shown(entry)).sort((a, b) => a.createdAt - b.createdAt)
  }

  async secret(owner: ResultOwner, proposed: Uint8Array): Promise<Uint8Array> {
    const shelf = this.#make(owner)
    shelf.secret ??= Uint8Array.from(proposed)
    return Uint8Array.from(shelf.secret)
  }

  async put(owner: ResultOwner, fence: number | undefined, result: NewResult, content: AsyncIterable<Uint8Array>): Promise<void> {
    const { id, createdAt, limits } = result
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of content) {
      bytes += piece.length
      if (bytes > limits.totalBytes) throw new AdjutantError('TOO_LARGE', `a result of more than ${limits.totalBytes} bytes is not kept`)
      pieces.push(Uint8Array.from(piece))
    }
    const shelf = this.#make(owner)
    if (fence !== undefined && fence !== shelf.fence) throw lost(owner)
    if (shelf.entries.has(id)) throw new AdjutantError('CONFLICT', `the session keeps a result ${id} already`, { outcome: 'not-run' })
    makeRoom(shelf, bytes, limits)
    const expiresAt = limits.maxAgeMs === undefined ? Number.POSITIVE_INFINITY : createdAt + limits.maxAgeMs
    shelf.entries.set(id, { info: { id, createdAt, bytes }, expiresAt, content: pieces })
  }

  async find(owner: ResultOwner, id: string): Promise<StoredResult | undefined> {
    const entry = this.#find(owner)?.entries.get(id)
    return entry === undefined ? undefined : this.#shown(entry)
  }

  async *read(owner: ResultOwner, id: string): AsyncGenerator<Uint8Array, void, void> {
    const entry = this.#find(owner)?.entries.get(id)
    if (entry === undefined || this.#shown(entry).removed !== undefined) {
      throw new AdjutantError('NOT_FOUND', `no result ${JSON.stringify(id.slice(0, 80))} is kept of this session`)
    }
    for (const piece of entry.content) yield Uint8Array.from(piece)
  }

  #shown({ info, expiresAt }: Entry): StoredResult {
    return info.removed === undefined && this.#clock.now() >= expiresAt ? { ...info, removed: 'age' } : { ...info }
  }

  #find(owner: ResultOwner): Shelf | undefined {
    const shelf = this.#shelves.get(idOf(owner))
    return shelf?.userId === owner.userId ? shelf : undefined
  }

  #make(owner: ResultOwner): Shelf {
    const id = idOf(owner)
    const known = this.#shelves.get(id)
    if (known !== undefined && known.userId !== owner.userId) {
      throw new AdjutantError('NOT_FOUND', `there is no session ${owner.sessionId}`, { outcome: 'not-run' })
    }
    const shelf = known ?? { userId: owner.userId, fence: 0, secret: undefined, entries: new Map() }
    this.#shelves.set(id, shelf)
    return shelf
  }
}

function makeRoom(shelf: Shelf, bytes: number, limits: NewResult['limits']): void {
  const kept = [...shelf.entries.values()]
    .filter(({ info }) => info.removed === undefined)
    .sort((a, b) => a.info.createdAt - b.info.createdAt)
  let all = kept.reduce((sum, { info }) => sum + info.bytes, bytes)
  let count = kept.length + 1
  for (const oldest of kept) {
    if (all <= limits.totalBytes && count <= limits.files) return
    all -= oldest.info.bytes
    count -= 1
    oldest.info = { ...oldest.info, removed: 'room' }
    oldest.content = []
  }
}

function idOf({ tenantId, sessionId }: SessionKey): string {
  return JSON.stringify([tenantId, sessionId])
}

function lost({ sessionId }: SessionKey): AdjutantError {
  return new AdjutantError('SESSION_LOST', `${sessionId} is not in the hands of this process any more`, { outcome: 'not-run' })
}
