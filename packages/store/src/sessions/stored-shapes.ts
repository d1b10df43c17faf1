/** Owns how rows of sessions and steps become what the contract says, and what is said of rows that cannot. */
import { AdjutantError, isStepRecord, type Principal, type StepRecord, type StoredSession, sessionId, traceId } from '@adjutant/core'
import { fromColumn } from '../column-text.ts'
import type { BodySeal } from '../database/body-seal.ts'
import { bodyPlace } from '../database/index.ts'

export interface SessionRow {
  readonly tenant_id: string
  readonly session_id: string
  readonly user_id: string
  readonly principal: string
  readonly state: string
  readonly created_at: number
  readonly updated_at: number
  readonly next_seq: number
  readonly fence: number
  readonly lease_owner: string | null
  readonly lease_until: number | null
  readonly trace_id: string
  readonly title: string | null
}

export interface EventRow {
  readonly seq: number
  /** Text where it was read by plainAsText. */
  readonly body: Uint8Array | string
}

const STATES: readonly StoredSession['state'][] = ['open', 'waiting', 'idle', 'ended']

/** @param now a lease that has run out is none */
export function sessionOf(row: SessionRow, now: number): StoredSession {
  const state = STATES.find((each) => each === row.state)
  if (state === undefined) throw damaged(`the session ${row.session_id} has the state ${JSON.stringify(row.state)}`)
  const held = row.lease_owner !== null && row.lease_until !== null && row.lease_until > now
  return {
    tenantId: row.tenant_id,
    sessionId: sessionId(row.session_id),
    principal: principalOf(row),
    state,
    traceId: traceId(row.trace_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    steps: row.next_seq - 1,
    ...(row.title === null ? {} : { title: fromColumn(row.title) }),
    ...(held ? { holder: { node: fromColumn(row.lease_owner ?? ''), until: row.lease_until ?? 0 } } : {}),
  }
}

export function stepOf(row: EventRow, tenantId: string, session: string, seal: BodySeal): StepRecord {
  const text = seal.openText(row.body, bodyPlace('events', 'body', tenantId, session, row.seq))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw notJson(`step ${row.seq} of ${session}`, cause)
  }
  if (isStepRecord(value)) return value
  throw new AdjutantError('STORE_FAILED', `step ${row.seq} of ${session} is none that this version knows`, {
    grade: 'final',
    outcome: 'not-run',
    hint: 'Read it with the version that wrote it.',
  })
}

export function json(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notJson(what, cause)
  }
}

function notJson(what: string, cause: unknown): AdjutantError {
  return damaged(`${what} is not JSON`, cause)
}

export function damaged(what: string, cause?: unknown): AdjutantError {
  return new AdjutantError('STORE_FAILED', `${what}: the row is damaged`, {
    grade: 'final',
    outcome: 'not-run',
    hint: 'This row has to come from a backup; adjutant store check finds others.',
    cause,
  })
}

function principalOf({ principal, session_id }: SessionRow): Principal {
  const value = json(principal, `the principal of ${session_id}`)
  if (isPrincipal(value)) return value
  throw damaged(`the principal of ${session_id}`)
}

function isPrincipal(value: unknown): value is Principal {
  return (
    typeof value === 'object' &&
    value !== null &&
    'tenantId' in value &&
    typeof value.tenantId === 'string' &&
    'userId' in value &&
    typeof value.userId === 'string' &&
    'roles' in value &&
    Array.isArray(value.roles)
  )
}
