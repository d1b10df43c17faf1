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
import { type ChangeBell, LOOK_AGAIN_MS, sessionTopic } from '../changes/change-bell.ts'
import { fromColumn, toColumn } from '../column-text.ts'
import { hot, type StoreDatabase } from '../database/index.ts'
import { pageLimit, readCursor, writeCursor } from '../page-cursor.ts'
import { loadSession, SESSION } from './load-session.ts'
import { DEFAULT_LEASE_MS, type InStep, MAX_LEASE_MS, SqlHold } from './sql-hold.ts'
import { type EventRow, type SessionRow, sessionOf, stepOf } from './stored-shapes.ts'

const MAKE = hot(`INSERT INTO sessions (tenant_id, session_id, user_id, principal, state, created_at, updated_at, trace_id)
  VALUES (?, ?, ?, ?, 'idle', ?, ?, ?) ON CONFLICT (tenant_id, session_id) DO NOTHING`)
const TAKE = hot<{ fence: number; next_seq: number }>(`UPDATE sessions SET fence = fence + 1, lease_owner = ?, lease_until = ?
  WHERE tenant_id = ? AND session_id = ? AND (lease_until IS NULL OR lease_until <= ? OR lease_until > ? OR lease_owner = ?)
  RETURNING fence, next_seq`)
const ERASING = hot("SELECT open FROM erasures WHERE tenant_id = ? AND subject = 'session' AND subject_id = ? AND open = 1")
const SOME = hot<EventRow>('SELECT seq, body FROM events WHERE tenant_id = ? AND session_id = ? AND seq > ? ORDER BY seq LIMIT ?')
const STATE = hot<{ state: string; next_seq: number }>('SELECT state, next_seq FROM sessions WHERE tenant_id = ? AND session_id = ?')

/** Rows that are read at once: few at first, then as many as make about so many bytes. */
const FIRST_ROWS = 32
const MOST_ROWS = 500
const READ_BYTES = 4_000_000

/** What was read of a log at one moment. */
interface Some {
  readonly kept: readonly KeptStep[]
  /** Nothing of it is missing, and nothing follows. */
  readonly over: boolean
  /** How many rows to read next. */
  readonly next: number
}

export class SqlSessions implements DurableStore {
  readonly approvals: SqlDesk
  readonly #db: StoreDatabase
  readonly #bell: ChangeBell
  readonly #inStep: readonly InStep[]

  constructor(db: StoreDatabase, bell: ChangeBell, approvals: SqlDesk, inStep: readonly InStep[] = []) {
    this.#inStep = inStep
    this.#db = db
    this.#bell = bell
    this.approvals = approvals
  }

  async hold(key: SessionKey, options: HoldOptions): Promise<SessionHold> {
    const { tenantId, sessionId } = key
    const { principal, node, create = true, leaseMs = DEFAULT_LEASE_MS, traceId } = options
    if (principal.tenantId !== tenantId) throw notThere(key)
    if (!Number.isFinite(leaseMs) || leaseMs < 1 || leaseMs > MAX_LEASE_MS) {
      throw new AdjutantError('USAGE', `a session is held for 1 to ${MAX_LEASE_MS} ms at a time, not ${leaseMs}`)
    }
    const userId = toColumn(principal.userId)
    const taken = await this.#db.transaction(tenantId, async (tx) => {
      const now = this.#db.clock.now()
      if (create) await tx.run(MAKE, [tenantId, sessionId, userId, JSON.stringify(principal), now, now, traceId])
      const row = await tx.get(SESSION, [tenantId, sessionId])
      if (row === undefined || row.user_id !== userId) throw notThere(key)
      const until = now + leaseMs
      // A holder whose process is gone will not come back: its lease is not waited for.
      const dead = row.lease_owner !== null && options.gone?.(row.lease_owner) === true ? row.lease_owner : null
      const got = await tx.get(TAKE, [toColumn(node), until, tenantId, sessionId, now, now + MAX_LEASE_MS, dead])
      // On PostgreSQL another one may have taken it since the row was read.
      if (got === undefined) throw busy((await tx.get(SESSION, [tenantId, sessionId])) ?? row)
      // Looked at while the row is ours: an erasure that begins later takes the session from us.
      if ((await tx.get(ERASING, [tenantId, sessionId])) !== undefined) throw notThere(key)
      return { fence: got.fence, until, steps: got.next_seq - 1 }
    })
    return new SqlHold(this.#db, this.#bell, key, taken, options, this.#inStep)
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
      if (userId !== undefined) query = query.where('user_id', '=', toColumn(userId))
      if (from !== undefined) {
        const [time, id] = from
        query = query.where((each) => each(each.refTuple('updated_at', 'session_id'), '<', each.tuple(time, id)))
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
    let rows = FIRST_ROWS
    for (let after = 0; ; ) {
      const { kept, over, next } = await this.#some(key, after, rows)
      for (const { step } of kept) yield step
      const last = kept.at(-1)
      if (last === undefined || over) return
      after = last.number
      rows = next
    }
  }

  async *follow(
    key: SessionKey,
    { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncGenerator<KeptStep, void, void> {
    let number = after
    let rows = FIRST_ROWS
    while (!signal.aborted) {
      // Listened for before it is looked, so that nothing is kept in between unnoticed.
      const enough = new AbortController()
      const heard = this.#bell.heard(sessionTopic(key.tenantId, key.sessionId), {
        signal: AbortSignal.any([signal, enough.signal]),
        maxMs: LOOK_AGAIN_MS,
      })
      try {
        const { kept, over, next } = await this.#some(key, number, rows)
        for (const each of kept) {
          if (signal.aborted) return
          yield each
          number = each.number
        }
        rows = next
        if (over && (await this.#ended(key, number))) return
        if (kept.length === 0) await heard
      } finally {
        enough.abort()
      }
    }
  }

  async #some({ tenantId, sessionId }: SessionKey, after: number, rows: number): Promise<Some> {
    const some = await this.#db.read(tenantId, (tx) => tx.all(SOME, [tenantId, sessionId, after, rows]))
    let bytes = 0
    for (const { body } of some) bytes += body.length
    const next = some.length === 0 ? rows : Math.floor((READ_BYTES * some.length) / Math.max(1, bytes))
    return {
      kept: some.map((row) => ({ number: row.seq, step: stepOf(row, tenantId, sessionId, this.#db.seal) })),
      over: some.length < rows,
      next: Math.min(MOST_ROWS, Math.max(1, next)),
    }
  }

  /** Nothing follows the step with this number, now or later. */
  async #ended({ tenantId, sessionId }: SessionKey, number: number): Promise<boolean> {
    const row = await this.#db.read(tenantId, (tx) => tx.get(STATE, [tenantId, sessionId]))
    return row === undefined || (row.state === 'ended' && row.next_seq - 1 <= number)
  }
}

function notThere({ sessionId }: SessionKey): AdjutantError {
  return new AdjutantError('NOT_FOUND', `there is no session ${sessionId}`, { outcome: 'not-run', hint: 'List the sessions there are.' })
}

function busy({ session_id, lease_owner, lease_until }: SessionRow): AdjutantError {
  const until = lease_until === null ? '' : ` until ${new Date(lease_until).toISOString()} at least`
  const who = lease_owner === null ? 'another process' : fromColumn(lease_owner)
  return new AdjutantError('SESSION_BUSY', `${session_id} is in the hands of ${who}${until}`, {
    outcome: 'not-run',
    hint: 'Wait until it lets go; one that has died lets go by itself at that time.',
  })
}
