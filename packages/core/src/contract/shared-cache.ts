/**
 * The words of a cache of results that several processes share. What one of them changes makes what all of them keep of it old: a result is given again only
 * after asking whether anything was changed since it was read. See docs/adr/0039-across-machines.md.
 */

/** What a kept result rests on, or what a call may have changed. */
export interface CacheSubject {
  /** Of the tool. Absent: anything of the tenant. */
  readonly origin?: string
  /** `limits.cacheScope` of the tool. */
  readonly scope?: string
  /** The resources that it says it reads, or writes, as they are compared. Absent: it does not say. */
  readonly keys?: readonly string[]
}

export interface CacheLook {
  /** Of what may be given again by any process. Absent: only whether something was changed is asked. */
  readonly key?: string
  /** An answer that could be given for longer than this comes from a clock that was wrong. */
  readonly ttlMs: number
  /** What this process has itself. */
  readonly own?: { readonly stamp: number; readonly about: CacheSubject }
}

export interface CacheLooked {
  /** Of the tenant: what is read from now on is at least as new. */
  readonly stamp: number
  /** Nothing was changed that `own` rests on. False where nothing of its own was named. */
  readonly ownIsFresh: boolean
  /** As it was kept. */
  readonly value?: string
}

export interface CacheEntry {
  readonly key: string
  readonly value: string
  readonly about: CacheSubject
  /** From the look before it was read. */
  readonly stamp: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly ttlMs: number
}

/** Keys are digests that hold whose results they are. Every method may reject with STORE_FAILED: then nothing is given again. */
export interface SharedCache {
  look(tenantId: string, look: CacheLook): Promise<CacheLooked>
  /** One that is too large is not kept. */
  keep(tenantId: string, entry: CacheEntry): Promise<void>
  /** Resolves when every process that asks from now on is told. */
  changed(tenantId: string, change: CacheSubject): Promise<void>
}
