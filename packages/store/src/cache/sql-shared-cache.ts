/**
 * Owns the cache of results that all processes on a database share. Nothing is looked for and thrown away when something changes: each change gets a number and
 * says what it may have changed; an answer knows the number before it was read, and whoever wants to give it again looks at the changes since. Only the last
 * {@link KEPT_CHANGES} of a tenant are there; what is older than they are is not given again.
 *
 * Concurrency: changes of one tenant get their numbers one after the other, and are seen in that order. Nobody waits for anything else.
 * Crash rule: nothing here is durable by itself; what a database forgets it forgets from the end, so that no answer outlives a change that made it old.
 */
import { mayHaveChanged } from '@adjutant/core'
import type { CacheEntry, CacheLook, CacheLooked, CacheSubject, SharedCache } from '@adjutant/core/contract'
import { bodyPlace, hot, type StoreDatabase, type StoreTransaction } from '../database/index.ts'

export interface SqlSharedCacheOptions {
  /** Answers of one tenant. Default 10 000; the oldest go first. */
  readonly maxEntries?: number
  /** Of all answers of one tenant. Default 67 108 864 (64 MiB). */
  readonly maxBytes?: number
  /** Of one answer. Default 1 048 576 (1 MiB); a larger one is not kept. */
  readonly maxValueBytes?: number
}

const KEPT_CHANGES = 500
/** After so many answers of this process it is looked whether there are too many. */
const LOOK_EVERY = 64

const STAMP = hot<{ value: number }>("SELECT value FROM counters WHERE tenant_id = ? AND name = 'cache-changes'")
const COUNT = hot<{ value: number }>(`INSERT INTO counters (tenant_id, name, value) VALUES (?, 'cache-changes', 1)
  ON CONFLICT (tenant_id, name) DO UPDATE SET value = counters.value + 1 RETURNING value`)
const NOTE = hot('INSERT INTO cache_changes (tenant_id, stamp, body) VALUES (?, ?, ?)')
const FORGET = hot('DELETE FROM cache_changes WHERE tenant_id = ? AND stamp <= ?')
const SINCE = hot<{ stamp: number; body: Uint8Array }>(
  'SELECT stamp, body FROM cache_changes WHERE tenant_id = ? AND stamp > ? ORDER BY stamp',
)
const FIND = hot<{ value: Uint8Array; stamp: number; expires_at: number | null }>(
  'SELECT value, stamp, expires_at FROM cache WHERE tenant_id = ? AND key = ?',
)
const KEEP = hot(`INSERT INTO cache (tenant_id, key, value, bytes, stamp, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, key) DO UPDATE SET value = excluded.value, bytes = excluded.bytes, stamp = excluded.stamp,
  created_at = excluded.created_at, expires_at = excluded.expires_at WHERE cache.stamp <= excluded.stamp`)
const SIZE = hot<{ n: number; bytes: number }>(
  'SELECT count(*) AS n, CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes FROM cache WHERE tenant_id = ?',
)
const DROP_OLDEST = hot(`DELETE FROM cache WHERE tenant_id = ? AND key IN
  (SELECT key FROM cache WHERE tenant_id = ? ORDER BY created_at, key LIMIT ?)`)

export class SqlSharedCache implements SharedCache {
  readonly #db: StoreDatabase
  readonly #maxEntries: number
  readonly #maxBytes: number
  readonly #maxValue: number
  #kept = 0

  constructor(db: StoreDatabase, options: SqlSharedCacheOptions = {}) {
    this.#db = db
    this.#maxEntries = options.maxEntries ?? 10_000
    this.#maxBytes = options.maxBytes ?? 67_108_864
    this.#maxValue = options.maxValueBytes ?? 1_048_576
  }

  async look(tenantId: string, { key, ttlMs, own }: CacheLook): Promise<CacheLooked> {
    return await this.#db.read(tenantId, async (tx) => {
      const stamp = (await tx.get(STAMP, [tenantId]))?.value ?? 0
      if (own !== undefined && (await this.#isFresh(tx, tenantId, stamp, own.stamp, own.about))) return { stamp, ownIsFresh: true }
      const value = key === undefined ? undefined : await this.#find(tx, tenantId, { key, stamp, ttlMs })
      return { stamp, ownIsFresh: false, ...(value === undefined ? {} : { value }) }
    })
  }

  async keep(tenantId: string, { key, value, about, stamp, startedAt, ttlMs }: CacheEntry): Promise<void> {
    const body = Buffer.from(JSON.stringify({ about, value }), 'utf8')
    if (body.length > Math.min(this.#maxValue, this.#maxBytes)) return
    const kept = this.#db.seal.seal(body, bodyPlace('cache', 'value', tenantId, key))
    const until = Math.min(startedAt + ttlMs, Number.MAX_SAFE_INTEGER)
    this.#kept += 1
    const look = this.#kept % Math.min(LOOK_EVERY, this.#maxEntries) === 0
    await this.#db.transaction(
      tenantId,
      async (tx) => {
        await tx.run(KEEP, [tenantId, key, kept, body.length, stamp, Math.floor(startedAt), Math.floor(until)])
        if (look) await this.#makeRoom(tx, tenantId)
      },
      { durable: false },
    )
  }

  async changed(tenantId: string, change: CacheSubject): Promise<void> {
    const text = JSON.stringify(change)
    await this.#db.transaction(
      tenantId,
      async (tx) => {
        const stamp = (await tx.get(COUNT, [tenantId]))?.value ?? 0
        await tx.run(NOTE, [tenantId, stamp, this.#db.seal.seal(text, bodyPlace('cache_changes', 'body', tenantId, stamp))])
        await tx.run(FORGET, [tenantId, stamp - KEPT_CHANGES])
      },
      { durable: false },
    )
  }

  async #find(
    tx: StoreTransaction,
    tenantId: string,
    { key, stamp, ttlMs }: { readonly key: string; readonly stamp: number; readonly ttlMs: number },
  ): Promise<string | undefined> {
    const row = await tx.get(FIND, [tenantId, key])
    const left = (row?.expires_at ?? 0) - this.#db.clock.now()
    if (row === undefined || left < 0 || left > ttlMs) return undefined
    const read: unknown = JSON.parse(this.#db.seal.openText(row.value, bodyPlace('cache', 'value', tenantId, key)))
    if (!isKept(read)) return undefined
    return (await this.#isFresh(tx, tenantId, stamp, row.stamp, read.about)) ? read.value : undefined
  }

  /** Nothing was changed that it rests on, and all changes since are there to be looked at. */
  async #isFresh(tx: StoreTransaction, tenantId: string, now: number, since: number, about: CacheSubject): Promise<boolean> {
    if (since === now) return true
    if (since > now || now - since > KEPT_CHANGES) return false
    const changes = await tx.all(SINCE, [tenantId, since])
    if (changes.length !== now - since) return false
    return changes.every(({ stamp, body }) => {
      const change: unknown = JSON.parse(this.#db.seal.openText(body, bodyPlace('cache_changes', 'body', tenantId, stamp)))
      return isSubject(change) && !mayHaveChanged(change, about)
    })
  }

  async #makeRoom(tx: StoreTransaction, tenantId: string): Promise<void> {
    for (;;) {
      const { n, bytes } = (await tx.get(SIZE, [tenantId])) ?? { n: 0, bytes: 0 }
      if (n === 0 || (n <= this.#maxEntries && bytes <= this.#maxBytes)) return
      await tx.run(DROP_OLDEST, [tenantId, tenantId, Math.max(1, n - this.#maxEntries, Math.ceil(n / 10))])
    }
  }
}

function isSubject(value: unknown): value is CacheSubject {
  if (typeof value !== 'object' || value === null) return false
  const keys = 'keys' in value ? value.keys : undefined
  return keys === undefined || (Array.isArray(keys) && keys.every((key) => typeof key === 'string'))
}

function isKept(value: unknown): value is { readonly about: CacheSubject; readonly value: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'value' in value &&
    typeof value.value === 'string' &&
    'about' in value &&
    isSubject(value.about)
  )
}
