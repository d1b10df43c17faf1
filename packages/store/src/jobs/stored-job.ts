/** Owns how a job becomes a row and a row a job. Payloads and results are bodies: sealed where a key is configured. */
import {
  AdjutantError,
  callId,
  isJsonObject,
  type Job,
  type JobState,
  type JsonObject,
  type JsonValue,
  type Progress,
  sessionId,
} from '@adjutant/core/contract'
import { fromColumn } from '../column-text.ts'
import { type BodySeal, bodyPlace } from '../database/index.ts'

export const JOB_COLUMNS = [
  'tenant_id',
  'job_id',
  'kind',
  'state',
  'priority',
  'group_key',
  'payload',
  'run_at',
  'attempt',
  'max_attempts',
  'retry_delay_ms',
  'timeout_ms',
  'lease_until',
  'fence',
  'cancelling',
  'progress',
  'result',
  'error',
  'created_at',
  'started_at',
  'ended_at',
  'idempotency_key',
  'session_id',
  'call_id',
] as const

export interface JobRow {
  readonly tenant_id: string
  readonly job_id: string
  readonly kind: string
  readonly state: string
  readonly priority: number
  readonly group_key: string
  readonly payload: Uint8Array
  readonly run_at: number
  readonly attempt: number
  readonly max_attempts: number
  readonly retry_delay_ms: number
  readonly timeout_ms: number
  readonly lease_until: number | null
  readonly fence: number
  readonly cancelling: number
  readonly progress: string | null
  readonly result: Uint8Array | null
  readonly error: string | null
  readonly created_at: number
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly idempotency_key: string | null
  readonly session_id: string | null
  readonly call_id: string | null
}

/** @throws AdjutantError STORE_FAILED when the row is none that was written here; CONFIG_INVALID for a missing key */
export function jobOf(row: JobRow, seal: BodySeal): Job {
  const payload = read(row, 'payload', row.payload, seal)
  if (!isJsonObject(payload)) throw damaged(row, 'its payload is no object')
  const progress = row.progress === null ? undefined : progressOf(parse(row, 'progress', row.progress))
  const error = row.error === null ? undefined : errorOf(parse(row, 'error', row.error))
  return {
    id: row.job_id,
    tenantId: row.tenant_id,
    kind: row.kind,
    state: stateOf(row),
    payload,
    priority: row.priority,
    group: row.group_key,
    runAt: row.run_at,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    retryDelayMs: row.retry_delay_ms,
    timeoutMs: row.timeout_ms,
    createdAt: row.created_at,
    ...(row.idempotency_key === null ? {} : { key: row.idempotency_key }),
    ...(row.session_id === null ? {} : { sessionId: sessionId(fromColumn(row.session_id)) }),
    ...(row.call_id === null ? {} : { callId: callId(fromColumn(row.call_id)) }),
    ...(row.cancelling === 0 ? {} : { cancelling: true }),
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(progress === undefined ? {} : { progress }),
    ...(row.result === null ? {} : { result: read(row, 'result', row.result, seal) }),
    ...(error === undefined ? {} : { error }),
  }
}

const STATES: readonly JobState[] = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'lost', 'dead']

function stateOf(row: JobRow): JobState {
  const state = STATES.find((each) => each === row.state)
  if (state === undefined) throw damaged(row, `its state is ${JSON.stringify(row.state.slice(0, 40))}`)
  return state
}

function read(row: JobRow, column: 'payload' | 'result', body: Uint8Array, seal: BodySeal): JsonValue {
  return parse(row, column, seal.openText(body, bodyPlace('jobs', column, row.tenant_id, row.job_id)))
}

function parse(row: JobRow, what: string, text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch (cause) {
    throw damaged(row, `its ${what} is no JSON`, cause)
  }
}

function progressOf(value: JsonValue): Progress | undefined {
  if (!isJsonObject(value)) return undefined
  const { message, current, total } = value
  return {
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof current === 'number' ? { current } : {}),
    ...(typeof total === 'number' ? { total } : {}),
  }
}

function errorOf(value: JsonValue): Job['error'] {
  return isJsonObject(value) && typeof value.code === 'string' && typeof value.message === 'string'
    ? { code: value.code, message: value.message }
    : undefined
}

/** Of a payload that was sealed. @throws AdjutantError STORE_FAILED */
export function payloadOf(text: string, place: string): JsonObject {
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value)) throw new AdjutantError('STORE_FAILED', `the payload of ${place} is no object`, { grade: 'final' })
  return value
}

function damaged(row: JobRow, why: string, cause?: unknown): AdjutantError {
  return new AdjutantError('STORE_FAILED', `the job ${row.job_id} cannot be read: ${why}`, {
    cause,
    grade: 'final',
    hint: 'Something else than this program has written here; adjutant store check says more.',
  })
}
