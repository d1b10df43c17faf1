/**
 * Owns the record of who decided what at the desk: one chain for each tenant, written in the transaction of the decision, so that there is no decision
 * without its record. The session's own chain says the same again when the session takes the answer; this one does not wait for that.
 *
 * Holds no words of anybody but who decided: reasons and arguments are in the approval itself, which an erasure takes away; here is a digest of them.
 */
import { digestOf, sealAuditRecord } from '@adjutant/core'
import { type JsonObject, type StoredApproval, sessionId, traceId } from '@adjutant/core/contract'
import type { InDecision } from '../approvals/sql-desk.ts'
import { hot } from '../database/index.ts'
import { addRecords, chainHead } from './audit-rows.ts'

/** The chain of a tenant's desk. No session has it. */
export const DESK_CHAIN = sessionId('approval-desk')

/** Who decides where nobody did. */
const NOBODY = 'nobody'

/** One after the other within a tenant: each record follows the one before. On SQLite there is one writer anyway. */
const TURN = hot<{ trace_id: string | null }>(`SELECT pg_advisory_xact_lock(hashtextextended(?, 0)),
  (SELECT trace_id FROM sessions WHERE tenant_id = ? AND session_id = ?) AS trace_id`)
const TRACE = hot<{ trace_id: string }>('SELECT trace_id FROM sessions WHERE tenant_id = ? AND session_id = ?')

/** @param schema of PostgreSQL: schemas of one database do not wait for each other */
export function deskAudit(schema: string, key?: string): InDecision {
  return async (tx, approval) => {
    const { tenantId } = approval
    const session = [tenantId, approval.sessionId] as const
    const trace =
      tx.kind === 'postgres'
        ? await tx.get(TURN, [`adjutant/${schema}/${tenantId}/${DESK_CHAIN}`, ...session])
        : await tx.get(TRACE, session)
    const head = await chainHead(tx, tenantId, DESK_CHAIN)
    const entry = {
      at: new Date(approval.decidedAt ?? 0).toISOString(),
      sessionId: DESK_CHAIN,
      traceId: traceId(trace?.trace_id ?? '1'.padStart(32, '0')),
      tenant: tenantId,
      user: approval.decidedBy ?? NOBODY,
      type: 'approval-answered',
      body: bodyOf(approval),
    } as const
    await addRecords(tx, tenantId, DESK_CHAIN, [sealAuditRecord(entry, head, key)])
  }
}

function bodyOf({ id, sessionId: session, batch, callId, tool, effect, state, version, binding, decision }: StoredApproval): JsonObject {
  return {
    answer: decision?.type ?? state,
    approvalId: id,
    binding: { arguments: binding.arguments, principal: binding.principal, tool: binding.tool },
    by: decision === undefined ? 'policy' : decision.type === 'deny' ? (decision.by ?? 'person') : 'person',
    callId,
    effect,
    inSession: { batch, sessionId: session },
    state,
    tool,
    version,
    ...(decision === undefined ? {} : { decision: digestOf(decision) }),
    ...(decision?.type === 'approve' ? { scope: decision.scope } : {}),
    ...(decision?.type === 'approve' && decision.scope === 'always' ? { of: decision.of, tier: decision.tier } : {}),
  }
}
