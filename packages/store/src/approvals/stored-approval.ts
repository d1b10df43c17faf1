import {
  type ApprovalDecision,
  type ApprovalState,
  type AskedApproval,
  approvalId,
  isJsonObject,
  type StoredApproval,
  sessionId,
} from '@adjutant/core/contract'
import { fromColumn } from '../column-text.ts'
import type { BodySeal } from '../database/body-seal.ts'
import { bodyPlace } from '../database/index.ts'
import { damaged, json } from '../sessions/stored-shapes.ts'

export interface ApprovalRow {
  readonly tenant_id: string
  readonly approval_id: string
  readonly session_id: string
  readonly state: string
  readonly version: number
  readonly created_at: number
  readonly expires_at: number | null
  readonly request: Uint8Array
  readonly decision: Uint8Array | null
  readonly decided_at: number | null
  readonly decided_by: string | null
  readonly consumed_at: number | null
}

export const COLUMNS =
  'tenant_id, approval_id, session_id, state, version, created_at, expires_at, request, decision, decided_at, decided_by, consumed_at'

export const STATE_OF = { approve: 'approved', edit: 'edited', deny: 'denied' } as const satisfies Record<
  ApprovalDecision['type'],
  ApprovalState
>

const STATES: readonly ApprovalState[] = ['pending', 'approved', 'edited', 'denied', 'expired', 'cancelled']

/** @throws AdjutantError STORE_FAILED when the row is damaged */
export function approvalOf(row: ApprovalRow, seal: BodySeal): StoredApproval {
  const { tenant_id: tenantId, approval_id: id } = row
  const what = `the approval ${id}`
  const asked = json(seal.openText(row.request, bodyPlace('approvals', 'request', tenantId, id)), what)
  const state = STATES.find((each) => each === row.state)
  if (!isAsked(asked) || state === undefined) throw damaged(what)
  const decision =
    row.decision === null
      ? undefined
      : json(seal.openText(row.decision, bodyPlace('approvals', 'decision', tenantId, id)), `the decision on ${id}`)
  if (decision !== undefined && !isDecision(decision)) throw damaged(`the decision on ${id}`)
  return {
    ...asked,
    id: approvalId(fromColumn(id)),
    tenantId,
    sessionId: sessionId(row.session_id),
    state,
    version: row.version,
    ...(decision === undefined ? {} : { decision }),
    ...(row.decided_at === null ? {} : { decidedAt: row.decided_at }),
    ...(row.decided_by === null ? {} : { decidedBy: fromColumn(row.decided_by) }),
    ...(row.consumed_at === null ? {} : { consumedAt: row.consumed_at }),
  }
}

function isAsked(value: unknown): value is AskedApproval {
  return (
    isJsonObject(value) &&
    ['id', 'callId', 'tool', 'effect', 'reason', 'rule'].every((member) => typeof value[member] === 'string') &&
    typeof value.batch === 'number' &&
    typeof value.createdAt === 'number' &&
    isJsonObject(value.shown) &&
    isJsonObject(value.binding)
  )
}

function isDecision(value: unknown): value is ApprovalDecision {
  return isJsonObject(value) && (value.type === 'approve' || value.type === 'deny' || (value.type === 'edit' && isJsonObject(value.input)))
}
