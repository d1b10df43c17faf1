/**
 * Owns approvals in a database: what waits, and the one answer that each gets. Of several who decide at once, and of a decision and the end of its time,
 * one wins: each is one conditional update.
 */
import {
  AdjutantError,
  ApprovalConflict,
  type ApprovalDesk,
  type ApprovalFilter,
  type ApprovalId,
  type DeskDecision,
  type Page,
  type StoredApproval,
} from '@adjutant/core/contract'
import { approvalTopic, type ChangeBell, LOOK_AGAIN_MS } from '../changes/change-bell.ts'
import { fromColumn, toColumn } from '../column-text.ts'
import { bodyPlace, hot, type StoreDatabase, type StoreTransaction } from '../database/index.ts'
import { pageLimit, readCursor, writeCursor } from '../page-cursor.ts'
import { type ApprovalRow, approvalOf, COLUMNS, STATE_OF } from './stored-approval.ts'

const GET = hot<ApprovalRow>(`SELECT ${COLUMNS} FROM approvals WHERE tenant_id = ? AND approval_id = ?`)
const DECIDE = hot<ApprovalRow>(`UPDATE approvals SET state = ?, version = version + 1, decision = ?, decided_at = ?, decided_by = ?
  WHERE tenant_id = ? AND approval_id = ? AND state = 'pending' AND version = COALESCE(?, version) AND (expires_at IS NULL OR expires_at > ?)
  RETURNING ${COLUMNS}`)
const EXPIRE = hot(`UPDATE approvals SET state = 'expired', version = version + 1, decided_at = expires_at
  WHERE tenant_id = ? AND approval_id = ? AND state = 'pending' AND expires_at <= ?`)
/** A page of what waits, from behind a time and an id: what is listed most. */
const PENDING =
  hot<ApprovalRow>(`SELECT ${COLUMNS} FROM approvals WHERE tenant_id = ? AND state = 'pending' AND (expires_at IS NULL OR expires_at > ?)
  AND (created_at, approval_id) > (?, ?) ORDER BY created_at, approval_id LIMIT ?`)
const OVERDUE = hot<{ tenant_id: string; approval_id: string }>(
  "SELECT tenant_id, approval_id FROM approvals WHERE state = 'pending' AND expires_at <= ? ORDER BY expires_at LIMIT ?",
)

/**
 * Joins what must be kept with the end of a question, an answer or the end of its time: the audit record, the job that carries the session on. In the
 * transaction that settles it, which may run more than once: it has no other effects. What it throws undoes the decision.
 */
export type InDecision = (tx: StoreTransaction, approval: StoredApproval) => Promise<void>

/** Before every approval. */
const FIRST = [Number.MIN_SAFE_INTEGER, ''] as const

export class SqlDesk implements ApprovalDesk {
  readonly #db: StoreDatabase
  readonly #bell: ChangeBell
  readonly #inDecision: readonly InDecision[]
  readonly #ready: () => Promise<void>

  /** @param ready makes ready what the hooks need, before the transaction that they are part of */
  constructor(db: StoreDatabase, bell: ChangeBell, inDecision: readonly InDecision[] = [], ready = async (): Promise<void> => {}) {
    this.#db = db
    this.#bell = bell
    this.#inDecision = inDecision
    this.#ready = ready
  }

  async get(tenantId: string, id: ApprovalId): Promise<StoredApproval | undefined> {
    const row = await this.#db.read(tenantId, (tx) => tx.get(GET, [tenantId, toColumn(id)]))
    if (row === undefined) return undefined
    return overdue(row, this.#db.clock.now()) ? await this.#expired(tenantId, id) : approvalOf(row, this.#db.seal)
  }

  async list(tenantId: string, { state, sessionId, after, limit }: ApprovalFilter = {}): Promise<Page<StoredApproval>> {
    const size = pageLimit(limit)
    const from = after === undefined ? undefined : readCursor(after)
    const now = this.#db.clock.now()
    const rows: readonly ApprovalRow[] = await this.#db.read(tenantId, async (tx) => {
      if (state === 'pending' && sessionId === undefined) return await tx.all(PENDING, [tenantId, now, ...(from ?? FIRST), size + 1])
      let query = tx.db.selectFrom('approvals').selectAll().where('tenant_id', '=', tenantId)
      // What has expired is listed as such, whether or not somebody has looked at it since.
      if (state === 'pending') {
        query = query.where('state', '=', state).where((each) => each.or([each('expires_at', 'is', null), each('expires_at', '>', now)]))
      } else if (state === 'expired') {
        query = query.where((each) =>
          each.or([each('state', '=', state), each.and([each('state', '=', 'pending'), each('expires_at', '<=', now)])]),
        )
      } else if (state !== undefined) query = query.where('state', '=', state)
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
      if (from !== undefined) {
        const [time, id] = from
        // As one comparison: the index is entered where the page begins, however far that is.
        query = query.where((each) => each(each.refTuple('created_at', 'approval_id'), '>', each.tuple(time, id)))
      }
      return query
        .orderBy('created_at')
        .orderBy('approval_id')
        .limit(size + 1)
        .execute()
    })
    const items = rows.slice(0, size).map((row) => approvalOf(overdue(row, now) ? expiredRow(row) : row, this.#db.seal))
    const last = rows[size - 1]
    return rows.length > size && last !== undefined ? { items, next: writeCursor(last.created_at, last.approval_id) } : { items }
  }

  async decide(tenantId: string, id: ApprovalId, { decision, by, version }: DeskDecision): Promise<StoredApproval> {
    const key = [tenantId, toColumn(id)] as const
    const body = this.#db.seal.seal(JSON.stringify(decision), bodyPlace('approvals', 'decision', ...key))
    await this.#ready()
    const came = await this.#db.transaction(tenantId, async (tx) => {
      const now = this.#db.clock.now()
      // One statement for whoever wins, which gives back what it made of the row.
      const decided = await tx.get(DECIDE, [STATE_OF[decision.type], body, now, toColumn(by), ...key, version ?? null, now])
      const ended = decided !== undefined || (await tx.run(EXPIRE, [...key, now])) === 1
      const row = decided ?? (await tx.get(GET, key))
      if (row === undefined) throw notThere(id)
      const approval = approvalOf(row, this.#db.seal)
      if (ended) for (const join of this.#inDecision) await join(tx, approval)
      return { approval, won: decided !== undefined }
    })
    this.#bell.ring(approvalTopic(tenantId, id))
    if (!came.won) throw conflict(came.approval)
    return came.approval
  }

  async settled(tenantId: string, id: ApprovalId, { signal }: { readonly signal: AbortSignal }): Promise<StoredApproval> {
    for (;;) {
      signal.throwIfAborted()
      const over = new AbortController()
      const waiting = (maxMs: number): Promise<void> =>
        this.#bell.heard(approvalTopic(tenantId, id), { signal: AbortSignal.any([signal, over.signal]), maxMs })
      const heard = waiting(LOOK_AGAIN_MS)
      try {
        const current = await this.get(tenantId, id)
        if (current === undefined) throw notThere(id)
        if (current.state !== 'pending') return current
        const left = current.expiresAt === undefined ? LOOK_AGAIN_MS : Math.max(1, current.expiresAt - this.#db.clock.now())
        await (left < LOOK_AGAIN_MS ? Promise.race([heard, waiting(left)]) : heard)
      } finally {
        over.abort()
      }
    }
  }

  /**
   * Ends the questions of all tenants whose time is over, so that the sessions which wait for them go on. For whoever sweeps now and then.
   *
   * @returns how many; when it is `most` there may be more
   */
  async expireOverdue(most = 100): Promise<number> {
    const now = this.#db.clock.now()
    const rows = await this.#db.system((tx) => tx.all(OVERDUE, [now, most]), { readOnly: true })
    for (const { tenant_id: tenantId, approval_id: id } of rows) await this.#expired(tenantId, fromColumn(id))
    return rows.length
  }

  async #expired(tenantId: string, id: string): Promise<StoredApproval | undefined> {
    const key = [tenantId, toColumn(id)] as const
    const approval = await this.#db.transaction(tenantId, async (tx) => {
      const changed = await tx.run(EXPIRE, [...key, this.#db.clock.now()])
      const row = await tx.get(GET, key)
      const current = row === undefined ? undefined : approvalOf(row, this.#db.seal)
      if (changed === 1 && current !== undefined) for (const join of this.#inDecision) await join(tx, current)
      return current
    })
    this.#bell.ring(approvalTopic(tenantId, id))
    return approval
  }
}

function overdue({ state, expires_at }: ApprovalRow, now: number): boolean {
  return state === 'pending' && expires_at !== null && expires_at <= now
}

/** As the row will be when its end is written. */
function expiredRow(row: ApprovalRow): ApprovalRow {
  return { ...row, state: 'expired', version: row.version + 1, decided_at: row.expires_at }
}

function notThere(id: string): AdjutantError {
  return new AdjutantError('NOT_FOUND', `there is no approval ${id}`, { outcome: 'not-run', hint: 'List the ones there are.' })
}

function conflict(current: StoredApproval): ApprovalConflict {
  if (current.state === 'pending') return new ApprovalConflict(`the approval ${current.id} has changed since it was looked at`, current)
  const who = current.decidedBy === undefined ? '' : ` by ${current.decidedBy}`
  const when = current.decidedAt === undefined ? '' : ` at ${new Date(current.decidedAt).toISOString()}`
  return new ApprovalConflict(`${current.id} is ${current.state} already${who}${when}`, current)
}
