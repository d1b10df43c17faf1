/**
 * Owns what follows from a step beside the log: the ledger of calls, the approvals. Written in the transaction of the step, so that the log and what is
 * looked up quickly never differ. Everything here could be made again from the log.
 */
import { AdjutantError, type SessionKey, type StepRecord } from '@adjutant/core/contract'
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
const TAKE = hot(`UPDATE approvals SET consumed_at = ?, version = version + 1 WHERE tenant_id = ? AND approval_id = ? AND session_id = ?
  AND consumed_at IS NULL AND state <> 'pending'`)
const TAKE_PENDING =
  hot(`UPDATE approvals SET consumed_at = ?, version = version + 1, state = ?, decision = ?, decided_at = ?, decided_by = ?
  WHERE tenant_id = ? AND approval_id = ? AND session_id = ? AND consumed_at IS NULL AND state = 'pending'`)

const STATE_OF = { approve: 'approved', edit: 'edited', deny: 'denied' } as const

/** @throws AdjutantError CONFLICT when an approval was taken already, or a call of this batch has begun under the same fence: the transaction is undone */
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
        step.id,
        step.name,
        step.effect,
        step.attempt,
        step.idempotencyKey,
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
      await tx.run(SETTLE, [step.result.outcome, db.clock.now(), tenantId, sessionId, step.call.id])
      return
    case 'asked': {
      const { approval } = step
      await tx.run(ASK, [
        tenantId,
        approval.id,
        sessionId,
        approval.batch,
        approval.callId,
        approval.createdAt,
        approval.expiresAt ?? null,
        db.seal.seal(JSON.stringify(approval), bodyPlace('approvals', 'request', tenantId, approval.id)),
        approval.binding.arguments,
        approval.binding.tool,
        approval.binding.principal,
      ])
      return
    }
    case 'answered': {
      if ((await tx.run(TAKE, [step.time, tenantId, step.approvalId, sessionId])) === 1) return
      const { decision } = step
      const taken = await tx.run(TAKE_PENDING, [
        step.time,
        decision === undefined ? 'expired' : STATE_OF[decision.type],
        decision === undefined
          ? null
          : db.seal.seal(JSON.stringify(decision), bodyPlace('approvals', 'decision', tenantId, step.approvalId)),
        step.time,
        step.by ?? null,
        tenantId,
        step.approvalId,
        sessionId,
      ])
      if (taken === 0) throw conflict(`the answer to ${step.approvalId} was taken already`)
      return
    }
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

function conflict(message: string): AdjutantError {
  return new AdjutantError('CONFLICT', message, {
    grade: 'final',
    outcome: 'not-run',
    hint: 'Load the session again; it went on elsewhere.',
  })
}
