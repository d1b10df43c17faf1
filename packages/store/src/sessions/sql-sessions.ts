/** Owns sessions in a database: who has them, what was kept of them. As strict with several processes as with one. */
import {
  AdjutantError,
  type DurableStore,
  type HoldOptions,
  type KeptStep,
  type LoadedSession,
  type Page,
  type SessionFilter,
  type SessionHold,
  type SessionKey,
  type StepRecord,
  type StoredSession,
} from '@adjutant/core/contract'
import type { SqlDesk } from '../approvals/sql-desk.ts'
import { type ChangeBell, sessionTopic } from '../changes/change-bell.ts'
import { hot, type StoreDatabase } from '../database/index.ts'
import { pageLimit, readCursor, writeCursor } from '../page-cursor.ts'
import { loadSession, SESSION } from './load-session.ts'
import { DEFAULT_LEASE_MS, SqlHold } from './sql-hold.ts'
import { type EventRow, type SessionRow, sessionOf, stepOf } from './stored-shapes.ts'

const MAKE = hot(`INSERT INTO sessions (tenant_id, session_id, user_id, principal, state, created_at, updated_at, trace_id)
  VALUES (?, ?, ?, ?, 'idle', ?, ?, ?) ON CONFLICT (tenant_id, session_id) DO NOTHING`)
const TAKE = hot<{
  fence: number
}>(`UPDATE sessions SET fence = fence + 1, lease_owner = ?, lease_until = ? WHERE tenant_id = ? AND session_id = ?
  AND (lease_until IS NULL OR lease_until <= ?) RETURNING fence`)
const SOME = hot<EventRow>('SELECT seq, body FROM events WHERE tenant_id = ? AND session_id = ? AND seq > ? ORDER BY seq LIMIT 500')

/** How long a follower waits at most before it looks again by itself. */
const LOOK_AGAIN_MS = 1_000

export class SqlSessions implements DurableStore {
  readonly approvals: SqlDesk
  readonly #db: StoreDatabase
  readonly #bell: ChangeBell

  constructor(db: StoreDatabase, bell: ChangeBell, approvals: SqlDesk) {
    this.#db = db
    this.#bell = bell
    this.approvals = approvals
  }

  async hold(key: SessionKey, options: HoldOptions): Promise<SessionHold> {
    const { tenantId, sessionId } = key
    const { principal, node, create = true, leaseMs = DEFAULT_LEASE_MS, traceId } = options
    if (principal.tenantId !== tenantId) throw notThere(key)
    const taken = await this.#db.transaction(tenantId, async (tx) => {
      const now = this.#db.clock.now()
      if (create) await tx.run(MAKE, [tenantId, sessionId, principal.userId, JSON.stringify(principal), now, now, traceId])
      const row = await tx.get(SESSION, [tenantId, sessionId])
      if (row === undefined || row.user_id !== principal.userId) throw notThere(key)
      const until = now + leaseMs
      const got = await tx.get(TAKE, [node, until, tenantId, sessionId, now])
      if (got === undefined) throw busy(row)
      return { fence: got.fence, until }
    })
    return new SqlHold(this.#db, this.#bell, key, taken.fence, options, taken.until)
  }

  find(key: SessionKey): Promise<LoadedSession | undefined> {
    return loadSession(this.#db, key)
  }

  async list(tenantId: string, { state, userId, after, limit }: SessionFilter = {}): Promise<Page<StoredSession>> {
    const size = pageLimit(limit)
    const from = after === undefined ? undefined : readCursor(after)
    const rows: readonly SessionRow[] = await this.#db.read(tenantId, async ({ db }) => {
      let query = db.selectFrom('sessions').selectAll().where('tenant_id', '=', tenantId)
      if (state !== undefined) query = query.where('state', '=', state)
      if (userId !== undefined) query = query.where('user_id', '=', userId)
      if (from !== undefined) {
        const [time, id] = from
        query = query.where((each) =>
          each.or([each('updated_at', '<', time), each.and([each('updated_at', '=', time), each('session_id', '<', id)])]),
        )
      }
      return query
        .orderBy('updated_at', 'desc')
        .orderBy('session_id', 'desc')
        .limit(size + 1)
        .execute()
    })
    const now = this.#db.clock.now()
    const items = rows.slice(0, size).map((row) => sessionOf(row, now))
    const last = rows[size - 1]
    return rows.length > size && last !== undefined ? { items, next: writeCursor(last.updated_at, last.session_id) } : { items }
  }

  async *steps(key: SessionKey): AsyncGenerator<StepRecord, void, void> {
    for (let after = 0; ; ) {
      const some = await this.#some(key, after)
      for (const { step } of some) yield step
      const last = some.at(-1)
      if (last === undefined) return
      after = last.number
    }
  }

  async *follow(
    key: SessionKey,
    { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncGenerator<KeptStep, void, void> {
    let number = after
    while (!signal.aborted) {
      // Listened for before it is looked, so that nothing is kept in between unnoticed.
      const over = new AbortController()
      const heard = this.#bell.heard(sessionTopic(key.tenantId, key.sessionId), {
        signal: AbortSignal.any([signal, over.signal]),
        maxMs: LOOK_AGAIN_MS,
      })
      try {
        const some = await this.#some(key, number)
        for (const kept of some) {
          if (signal.aborted) return
          yield kept
          number = kept.number
        }
        if (some.length > 0) continue
        if (await this.#ended(key)) return
        await heard
      } finally {
        over.abort()
      }
    }
  }

  async #some({ tenantId, sessionId }: SessionKey, after: number): Promise<readonly KeptStep[]> {
    const rows = await this.#db.read(tenantId, (tx) => tx.all(SOME, [tenantId, sessionId, after]))
    return rows.map((row) => ({ number: row.seq, step: stepOf(row, tenantId, sessionId, this.#db.seal) }))
  }

  async #ended({ tenantId, sessionId }: SessionKey): Promise<boolean> {
    const row = await this.#db.read(tenantId, (tx) => tx.get(SESSION, [tenantId, sessionId]))
    return row === undefined || row.state === 'ended'
  }
}

function notThere({ sessionId }: SessionKey): AdjutantError {
  return new AdjutantError('NOT_FOUND', `there is no session ${sessionId}`, { outcome: 'not-run', hint: 'List the sessions there are.' })
}

function busy({ session_id, lease_owner, lease_until }: SessionRow): AdjutantError {
  const until = lease_until === null ? '' : ` until ${new Date(lease_until).toISOString()} at least`
  return new AdjutantError('SESSION_BUSY', `${session_id} is in the hands of ${lease_owner ?? 'another process'}${until}`)
}
