import { LRUCache } from 'lru-cache'
import type { Digest } from '../contract/ids.ts'
import { type KeptValue, keepValue } from './cache-value.ts'
import { type CallResources, overlaps } from './resource-keys.ts'

/**
 * Owns what one session has read and may be given again instead of reading it once more (D16). Never gives what a fresh read would not give, as far as
 * calls of this session go and as far as a tool's `version` sees what others do:
 *
 * - a call that writes drops what it overlaps when it begins and when it ends, whatever it ends with; between the two nothing that it overlaps is kept;
 * - a read that was on the way when such a call began or ended is not kept;
 * - a call that may write and does not say what overlaps everything;
 * - a stopped call may still be writing: what it overlaps is from then on only kept where a `version` tells of changes.
 *
 * Bounded in entries and bytes: what was used longest ago goes first. In memory, as long as the session lives.
 */
export interface ResultMemoryOptions {
  /** Default 500. */
  readonly maxEntries?: number
  /** Of all results together. Default 16 MiB. */
  readonly maxBytes?: number
}

const DEFAULT_ENTRIES = 500
const DEFAULT_BYTES = 16 * 1_024 * 1_024
/** One result may take this part of the whole at most. */
const LARGEST_PART = 8
/** Keys of stopped writes kept; with more of them everything counts as being written. */
const MAX_STOPPED = 256

export interface RememberedResult {
  readonly value: KeptValue
  readonly version: string | undefined
  /** What it was read from. */
  readonly resources: readonly string[]
}

/** A read on its way. */
export interface OpenRead {
  readonly resources: readonly string[]
  stale: boolean
}

/** A write on its way. `undefined`: everything. */
export interface OpenWrite {
  readonly resources: readonly string[] | undefined
}

export class ResultMemory {
  readonly #entries: LRUCache<Digest, RememberedResult>
  readonly #reads = new Set<OpenRead>()
  readonly #writes = new Set<OpenWrite>()
  readonly #largest: number
  #stopped: readonly string[] | undefined = []

  /** @throws TypeError unless both bounds are whole numbers above 0 */
  constructor(options: ResultMemoryOptions = {}) {
    const { maxEntries = DEFAULT_ENTRIES, maxBytes = DEFAULT_BYTES } = options
    this.#largest = Math.max(1, Math.floor(maxBytes / LARGEST_PART))
    this.#entries = new LRUCache({
      max: maxEntries,
      maxSize: maxBytes,
      sizeCalculation: (entry) => Math.max(1, entry.value.bytes),
    })
  }

  get size(): number {
    return this.#entries.size
  }

  find(key: Digest): RememberedResult | undefined {
    return this.#entries.get(key)
  }

  /** @param resources what it reads, at least one */
  beginRead(resources: readonly string[]): OpenRead {
    const read = { resources, stale: false }
    for (const write of this.#writes) if (touches(write.resources, resources)) read.stale = true
    this.#reads.add(read)
    return read
  }

  /** Keeps what an open read gave, where that may be given again. @param version the same before and after it was read */
  keep(key: Digest, read: OpenRead, output: unknown, version: string | undefined): void {
    if (read.stale || (version === undefined && touches(this.#stopped, read.resources))) return
    const value = keepValue(output, this.#largest)
    if (value === undefined) this.#entries.delete(key)
    else this.#entries.set(key, { value, version, resources: read.resources })
  }

  endRead(read: OpenRead): void {
    this.#reads.delete(read)
  }

  /** @param resources `undefined`: it does not say what it writes */
  beginWrite(resources: CallResources | undefined): OpenWrite {
    const write = { resources: resources === undefined || resources.writes.length === 0 ? undefined : resources.writes }
    this.#writes.add(write)
    this.#drop(write)
    return write
  }

  /** @param isOver false when it was stopped and nobody knows whether it still writes */
  endWrite(write: OpenWrite, isOver: boolean): void {
    this.#writes.delete(write)
    this.#drop(write)
    if (!isOver) this.#noteStopped(write)
  }

  #drop({ resources }: OpenWrite): void {
    for (const read of this.#reads) if (touches(resources, read.resources)) read.stale = true
    if (this.#entries.size === 0) return
    for (const [key, entry] of [...this.#entries]) if (touches(resources, entry.resources)) this.#entries.delete(key)
  }

  #noteStopped({ resources }: OpenWrite): void {
    if (this.#stopped === undefined || resources === undefined) this.#stopped = undefined
    else {
      const all = [...new Set([...this.#stopped, ...resources])]
      this.#stopped = all.length > MAX_STOPPED ? undefined : all
    }
  }
}

/** @param written `undefined`: everything */
function touches(written: readonly string[] | undefined, read: readonly string[]): boolean {
  return written === undefined || overlaps(written, read)
}
