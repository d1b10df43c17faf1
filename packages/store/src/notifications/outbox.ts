/**
 * Owns what is to be told: rows of `deliveries`, written in the transaction of what they tell of, so that neither is there without the other. The same
 * thing is written once for each target, however often it is said.
 */
import type { Job, SessionKey, StepRecord, StoredApproval } from '@adjutant/core/contract'
import { type ApprovalRow, approvalOf, COLUMNS } from '../approvals/stored-approval.ts'
import { toColumn } from '../column-text.ts'
import { bodyPlace, hot, type StoreDatabase, type StoreTransaction } from '../database/index.ts'
import { approvalEnded, approvalWaiting, type Happening, jobEnded, type NotificationType, notificationFor } from './notification.ts'
import type { NotifyTarget } from './notify-target.ts'

const WRITE = hot(`INSERT INTO deliveries (tenant_id, delivery_id, kind, target, body, state, attempt, next_at, created_at, session_id)
  VALUES (?, ?, ?, ?, ?, 'pending', 0, ?, ?, ?) ON CONFLICT (tenant_id, delivery_id) DO NOTHING`)
const APPROVAL = hot<ApprovalRow>(`SELECT ${COLUMNS} FROM approvals WHERE tenant_id = ? AND approval_id = ?`)

export class Outbox {
  readonly #db: StoreDatabase
  readonly #byType: ReadonlyMap<NotificationType, readonly NotifyTarget[]>

  constructor(db: StoreDatabase, targets: readonly NotifyTarget[]) {
    this.#db = db
    const byType = new Map<NotificationType, NotifyTarget[]>()
    for (const target of targets) {
      for (const type of target.on) byType.set(type, [...(byType.get(type) ?? []), target])
    }
    this.#byType = byType
  }

  async record(tx: StoreTransaction, happening: Happening | undefined): Promise<void> {
    if (happening === undefined) return
    const { tenantId, sessionId } = happening
    for (const target of this.#byType.get(happening.type) ?? []) {
      const notification = notificationFor(happening, target.id)
      const body = this.#db.seal.seal(JSON.stringify(notification), bodyPlace('deliveries', 'body', tenantId, notification.id))
      const now = this.#db.clock.now()
      await tx.run(WRITE, [tenantId, notification.id, target.kind, target.id, body, now, now, sessionId ?? null])
    }
  }

  /** With each step that is kept: a question that waits from now on, and an answer that was given in the session itself. */
  async step(tx: StoreTransaction, key: SessionKey, step: StepRecord): Promise<void> {
    if (this.#byType.size === 0) return
    if (step.type === 'asked') await this.record(tx, approvalWaiting(key, step.approval))
    if (step.type === 'answered') {
      const row = await tx.get(APPROVAL, [key.tenantId, toColumn(step.approvalId)])
      // One that was decided before was told when it was.
      if (row !== undefined && row.decided_at === row.consumed_at) await this.record(tx, approvalEnded(approvalOf(row, this.#db.seal)))
    }
  }

  /** With the end of a question. */
  async approval(tx: StoreTransaction, approval: StoredApproval): Promise<void> {
    if (this.#byType.size > 0) await this.record(tx, approvalEnded(approval))
  }

  /** With the end of a job. */
  async job(tx: StoreTransaction, job: Job): Promise<void> {
    if (this.#byType.size > 0) await this.record(tx, jobEnded(job))
  }
}
