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
import { approvalTopic, type ChangeBell } from '../changes/change-bell.ts'
import { bodyPlace, hot, type StoreDatabase, type StoreTransaction } from '../database/index.ts'
import { pageLimit, readCursor, writeCursor } from '../page-cursor.ts'
import { type ApprovalRow, approvalOf } from './stored-approval.ts'

const COLUMNS =
  'tenant_id, approval_id, session_id, state, version, created_at, expires_at, request, decision, decided_at, decided_by, consumed_at'
const GET = hot<ApprovalRow>(`SELECT ${COLUMNS} FROM approvals WHERE tenant_id = ? AND approval_id = ?`)
const DECIDE = hot(`UPDATE approvals SET state = ?, version = version + 1, decision = ?, decided_at = ?, decided_by = ?
  WHERE tenant_id = ? AND approval_id = ? AND state = 'pending' AND version = ? AND (expires_at IS NULL OR expires_at > ?)`)
const EXPIRE = hot(`UPDATE approvals SET state = 'expired', version = version + 1, decided_at = expires_at
  WHERE tenant_id = ? AND approval_id = ? AND state = 'pending' AND expires_at <= ?`)
const OVERDUE = hot<{ approval_id: string }>(
  "SELECT approval_id FROM approvals WHERE tenant_id = ? AND state = 'pending' AND expires_at <= ? LIMIT 1",
)
const EXPIRE_ALL = hot(`UPDATE approvals SET state = 'expired', version = version + 1, decided_at = expires_at
  WHERE tenant_id = ? AND state = 'pending' AND expires_at <= ?`)

const STATE_OF = { approve: 'approved', edit: 'edited', deny: 'denied' } as const

/** How long somebody who waits for an answer waits at most before looking again. */
const LOOK_AGAIN_MS = 1_000

/** Joins what must be kept with a decision: the audit record, the job that carries the session on. */
export type InDecision = (tx: StoreTransaction, approval: StoredApproval) => Promise<void>

export class SqlDesk implements ApprovalDesk {
  readonly #db: StoreDatabase
  readonly #bell: ChangeBell
  readonly #inDecision: readonly InDecision[]

  constructor(db: StoreDatabase, bell: ChangeBell, inDecision: readonly InDecision[] = []) {
    this.#db = db
    this.#bell = bell
    this.#inDecision = inDecision
  }

  async get(tenantId: string, id: ApprovalId): Promise<StoredApproval | undefined> {
    const row = await this.#db.read(tenantId, (tx) => tx.get(GET, [tenantId, id]))
    if (row === undefined) return undefined
    if (row.state !== 'pending' || row.expires_at === null || row.expires_at > this.#db.clock.now()) return approvalOf(row, this.#db.seal)
    return await this.#expired(tenantId, id)
  }

  async list(tenantId: string, { state, sessionId, after, limit }: ApprovalFilter = {}): Promise<Page<StoredApproval>> {
    await this.#expireAll(tenantId)
    const size = pageLimit(limit)
    const from = after === undefined ? undefined : readCursor(after)
    const rows: readonly ApprovalRow[] = await this.#db.read(tenantId, async ({ db }) => {
      let query = db.selectFrom('approvals').selectAll().where('tenant_id', '=', tenantId)
      if (state !== undefined) query = query.where('state', '=', state)
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
      if (from !== undefined) {
        const [time, id] = from
        query = query.where((each) =>
          each.or([each('created_at', '>', time), each.and([each('created_at', '=', time), each('approval_id', '>', id)])]),
        )
      }
      return query
        .orderBy('created_at')
        .orderBy('approval_id')
        .limit(size + 1)
        .execute()
    })
    const items = rows.slice(0, size).map((row) => approvalOf(row, this.#db.seal))
    const last = rows[size - 1]
    return rows.length > size && last !== undefined ? { items, next: writeCursor(last.created_at, last.approval_id) } : { items }
  }

  async decide(tenantId: string, id: ApprovalId, { decision, by, version }: DeskDecision): Promise<StoredApproval> {
    const body = this.#db.seal.seal(JSON.stringify(decision), bodyPlace('approvals', 'decision', tenantId, id))
    const came = await this.#db.transaction(tenantId, async (tx) => {
      const row = await tx.get(GET, [tenantId, id])
      if (row === undefined)
        throw new AdjutantError('NOT_FOUND', `there is no approval ${id}`, { outcome: 'not-run', hint: 'List the ones there are.' })
      const now = this.#db.clock.now()
      const changed = await tx.run(DECIDE, [STATE_OF[decision.type], body, now, by, tenantId, id, version ?? row.version, now])
      if (changed === 0) await tx.run(EXPIRE, [tenantId, id, now])
      const current = await tx.get(GET, [tenantId, id])
      const approval = approvalOf(current ?? row, this.#db.seal)
      if (changed === 1) for (const join of this.#inDecision) await join(tx, approval)
      return { approval, won: changed === 1 }
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
        if (current === undefined) throw new AdjutantError('NOT_FOUND', `there is no approval ${id}`, { outcome: 'not-run' })
        if (current.state !== 'pending') return current
        const left = current.expiresAt === undefined ? LOOK_AGAIN_MS : Math.max(1, current.expiresAt - this.#db.clock.now())
        await (left < LOOK_AGAIN_MS ? Promise.race([heard, waiting(left)]) : heard)
      } finally {
        over.abort()
      }
    }
  }

  async #expired(tenantId: string, id: ApprovalId): Promise<StoredApproval | undefined> {
    const row = await this.#db.transaction(tenantId, async (tx) => {
      await tx.run(EXPIRE, [tenantId, id, this.#db.clock.now()])
      return await tx.get(GET, [tenantId, id])
    })
    this.#bell.ring(approvalTopic(tenantId, id))
    return row === undefined ? undefined : approvalOf(row, this.#db.seal)
  }

  async #expireAll(tenantId: string): Promise<void> {
    const now = this.#db.clock.now()
    const overdue = await this.#db.read(tenantId, (tx) => tx.get(OVERDUE, [tenantId, now]))
    if (overdue !== undefined) await this.#db.transaction(tenantId, (tx) => tx.run(EXPIRE_ALL, [tenantId, now]))
  }
}

function conflict(current: StoredApproval): ApprovalConflict {
  if (current.state === 'pending') return new ApprovalConflict(`the approval ${current.id} has changed since it was looked at`, current)
  const who = current.decidedBy === undefined ? '' : ` by ${current.decidedBy}`
  const when = current.decidedAt === undefined ? '' : ` at ${new Date(current.decidedAt).toISOString()}`
  return new ApprovalConflict(`${current.id} is ${current.state} already${who}${when}`, current)
}
