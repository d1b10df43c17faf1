/**
 * Owns what follows from a step beside the log: the ledger of calls, the approvals. Written in the transaction of the step, so that the log and what is
 * looked up quickly never differ. Everything here could be made again from the log.
 */
import { canonicalJson } from '@adjutant/core'
import { AdjutantError, type ApprovalDecision, type SessionKey, type StepRecord } from '@adjutant/core/contract'
import { type ApprovalRow, approvalOf, COLUMNS, STATE_OF } from '../approvals/stored-approval.ts'
import { toColumn } from '../column-text.ts'
import { bodyPlace, hot, type StoreDatabase, type StoreTransaction } from '../database/index.ts'

const START =
  hot(`INSERT INTO calls (tenant_id, session_id, batch, call_id, name, effect, state, attempt, idempotency_key, fence, started_at,
  arguments_digest, tool_digest, principal_digest) VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, session_id, batch, call_id) DO UPDATE SET state = 'running', attempt = calls.attempt + 1, fence = excluded.fence,
  started_at = excluded.started_at WHERE calls.state = 'running' AND calls.fence < excluded.fence`)
const SETTLE = hot(`UPDATE calls SET state = 'settled', outcome = ?, ended_at = ? WHERE tenant_id = ? AND session_id = ? AND call_id = ?
  AND state = 'running'`)
const ASK = hot(`INSERT INTO approvals (tenant_id, approval_id, session_id, batch, call_id, state, version, created_at, expires_at, request,
  arguments_digest, tool_digest, principal_digest) VALUES (?, ?, ?, ?, ?, 'pending', 1, ?, ?, ?, ?, ?, ?)`)
/** On PostgreSQL the row is locked: nobody decides between looking at it and taking it. On SQLite there is one writer. */
const LOOK = hot<ApprovalRow>(`SELECT ${COLUMNS} FROM approvals WHERE tenant_id = ? AND approval_id = ? AND session_id = ?`)
const LOOK_LOCKED = hot<ApprovalRow>(`${LOOK.sql} FOR UPDATE`)
const TAKE = hot('UPDATE approvals SET consumed_at = ?, version = version + 1 WHERE tenant_id = ? AND approval_id = ?')
const TAKE_PENDING =
  hot(`UPDATE approvals SET consumed_at = ?, version = version + 1, state = ?, decision = ?, decided_at = ?, decided_by = ?
  WHERE tenant_id = ? AND approval_id = ?`)

/**
 * @throws AdjutantError CONFLICT when an approval was asked for or taken already or was decided otherwise, or a call of this batch has begun under the same
 * fence or has ended: the transaction is undone
 */
export async function projectStep(
  db: StoreDatabase,
  tx: StoreTransaction,
  { tenantId, sessionId }: SessionKey,
  fence: number,
  step: StepRecord,
): Promise<void> {
  switch (step.type) {
    case 'started': {
      const { binding } = step
      const started = await tx.run(START, [
        tenantId,
        sessionId,
        step.batch,
        toColumn(step.id),
        toColumn(step.name),
        step.effect,
        step.attempt,
        toColumn(step.idempotencyKey),
        fence,
        step.time,
        binding.arguments,
        binding.tool,
        binding.principal,
      ])
      if (started === 0) throw conflict(`the call ${step.id} of batch ${step.batch} was begun already`)
      return
    }
    case 'call':
      await tx.run(SETTLE, [step.result.outcome, db.clock.now(), tenantId, sessionId, toColumn(step.call.id)])
      return
    case 'asked': {
      const { approval } = step
      const id = toColumn(approval.id)
      await tx.run(ASK, [
        tenantId,
        id,
        sessionId,
        approval.batch,
        toColumn(approval.callId),
        approval.createdAt,
        approval.expiresAt ?? null,
        db.seal.seal(JSON.stringify(approval), bodyPlace('approvals', 'request', tenantId, id)),
        approval.binding.arguments,
        approval.binding.tool,
        approval.binding.principal,
      ])
      return
    }
    case 'answered':
      return await takeAnswer(db, tx, { tenantId, sessionId }, step)
    case 'user':
    case 'model':
    case 'batch':
    case 'queued':
    case 'job':
    case 'tools':
    case 'paused':
    case 'resumed':
    case 'answer':
      return
    default:
      step satisfies never
  }
}

async function takeAnswer(
  db: StoreDatabase,
  tx: StoreTransaction,
  { tenantId, sessionId }: SessionKey,
  { approvalId, decision, time, by }: Extract<StepRecord, { type: 'answered' }>,
): Promise<void> {
  const id = toColumn(approvalId)
  const row = await tx.get(tx.kind === 'postgres' ? LOOK_LOCKED : LOOK, [tenantId, id, sessionId])
  if (row === undefined) throw conflict(`${approvalId} is no approval of this session`)
  if (row.consumed_at !== null) throw conflict(`the answer to ${approvalId} was taken already`)
  if (row.state === 'pending') {
    const body = decision === undefined ? null : db.seal.seal(JSON.stringify(decision), bodyPlace('approvals', 'decision', tenantId, id))
    const state = decision === undefined ? 'expired' : STATE_OF[decision.type]
    await tx.run(TAKE_PENDING, [time, state, body, time, by === undefined ? null : toColumn(by), tenantId, id])
    return
  }
  if (!sameDecision(approvalOf(row, db.seal).decision, decision)) throw conflict(`${approvalId} was decided otherwise`)
  await tx.run(TAKE, [time, tenantId, id])
}

function sameDecision(a: ApprovalDecision | undefined, b: ApprovalDecision | undefined): boolean {
  return a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b)
}

function conflict(message: string): AdjutantError {
  return new AdjutantError('CONFLICT', message, {
    grade: 'final',
    outcome: 'not-run',
    hint: 'Load the session again; it went on elsewhere.',
  })
}
