/** Owns the statements of the queue. Both databases run the same; PostgreSQL alone locks rows that others may take at the same moment. */
import { type DatabaseKind, type HotStatement, hot } from '../database/index.ts'
import { JOB_COLUMNS, type JobRow } from './stored-job.ts'

const COLUMNS = JOB_COLUMNS.join(', ')
const HELD = "tenant_id = ? AND job_id = ? AND fence = ? AND state = 'running' AND lease_until > ?"

export const ADD =
  hot<JobRow>(`INSERT INTO jobs (tenant_id, job_id, kind, state, priority, group_key, payload, run_at, max_attempts, retry_delay_ms, timeout_ms,
    created_at, idempotency_key, session_id, call_id) VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, idempotency_key) DO NOTHING RETURNING ${COLUMNS}`)
export const BY_KEY = hot<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE tenant_id = ? AND idempotency_key = ?`)
export const BY_ID = hot<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE tenant_id = ? AND job_id = ?`)
export const RENEW = hot<{ cancelling: number }>(`UPDATE jobs SET lease_until = ? WHERE ${HELD} RETURNING cancelling`)
export const PROGRESS = hot(`UPDATE jobs SET progress = ? WHERE ${HELD}`)
export const SETTLE =
  hot(`UPDATE jobs SET state = ?, run_at = ?, ended_at = ?, result = ?, error = ?, dead_letter = ?, lease_owner = NULL, lease_until = NULL
  WHERE tenant_id = ? AND job_id = ? AND fence = ? AND state = 'running'`)
export const CANCEL_QUEUED = hot(
  `UPDATE jobs SET state = 'cancelled', ended_at = ?, cancelling = 1 WHERE tenant_id = ? AND job_id = ? AND state = 'queued'`,
)
export const CANCEL_RUNNING = hot("UPDATE jobs SET cancelling = 1 WHERE tenant_id = ? AND job_id = ? AND state = 'running'")
export const RUNNING = hot<{ n: number }>("SELECT count(*) AS n FROM jobs WHERE state = 'running' AND tenant_id = ? AND group_key = ?")

export interface ScheduleRow {
  readonly tenant_id: string
  readonly schedule_id: string
  readonly cron: string
  readonly zone: string
  readonly kind: string
  readonly payload: Uint8Array
  readonly next_at: number | null
  readonly last_at: number | null
  readonly paused: number
}

const SCHEDULE = 'tenant_id, schedule_id, cron, zone, kind, payload, next_at, last_at, paused'
export const SCHEDULE_BY_ID = hot<ScheduleRow>(`SELECT ${SCHEDULE} FROM schedules WHERE tenant_id = ? AND schedule_id = ?`)
export const SCHEDULES = hot<ScheduleRow>(`SELECT ${SCHEDULE} FROM schedules WHERE tenant_id = ? ORDER BY schedule_id`)
export const DUE_SCHEDULES = hot<ScheduleRow>(
  `SELECT ${SCHEDULE} FROM schedules WHERE paused = 0 AND next_at <= ? ORDER BY next_at LIMIT 100`,
)
export const PUT_SCHEDULE = hot(`INSERT INTO schedules (${SCHEDULE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, schedule_id) DO UPDATE SET cron = excluded.cron, zone = excluded.zone, kind = excluded.kind, payload = excluded.payload,
    next_at = excluded.next_at, last_at = excluded.last_at, paused = excluded.paused`)
export const TICK = hot(
  'UPDATE schedules SET next_at = ?, last_at = ? WHERE tenant_id = ? AND schedule_id = ? AND paused = 0 AND next_at = ?',
)
export const UNSCHEDULE = hot('DELETE FROM schedules WHERE tenant_id = ? AND schedule_id = ?')

/** Statements that lock. */
export interface LockingStatements {
  /** One job, which nobody else changes meanwhile. */
  readonly byId: HotStatement<JobRow>
  readonly overdue: HotStatement<JobRow>
  /** Takes the first of a group: worker, until, now; kind, tenant, group, now. */
  readonly take: HotStatement<JobRow>
  /** One claim at a time, where how many run is counted. */
  readonly alone: HotStatement<unknown> | undefined
}

export function lockingStatements(kind: DatabaseKind): LockingStatements {
  const postgres = kind === 'postgres'
  const skip = postgres ? ' FOR UPDATE SKIP LOCKED' : ''
  return {
    byId: hot(`SELECT ${COLUMNS} FROM jobs WHERE tenant_id = ? AND job_id = ?${postgres ? ' FOR UPDATE' : ''}`),
    overdue: hot(`SELECT ${COLUMNS} FROM jobs WHERE state = 'running' AND lease_until <= ? ORDER BY lease_until LIMIT 100${skip}`),
    take: hot(`UPDATE jobs SET state = 'running', attempt = attempt + 1, fence = fence + 1, lease_owner = ?, lease_until = ?, started_at = ?, progress = NULL,
        error = NULL
      WHERE (tenant_id, job_id) = (SELECT tenant_id, job_id FROM jobs WHERE state = 'queued' AND kind = ? AND tenant_id = ? AND group_key = ? AND run_at <= ?
        ORDER BY priority DESC, run_at, created_at, job_id LIMIT 1${skip})
      RETURNING ${COLUMNS}`),
    alone: postgres ? hot("SELECT pg_advisory_xact_lock(hashtext(current_schema() || '/jobs'))") : undefined,
  }
}

/**
 * A row for each kind: the tenant after one, else the first. Parameters for each: now, kind, after, kind; now, kind, '', kind.
 *
 * SQLite steps over what is equal only where the columns stand alone. PostgreSQL would then go through all jobs of the tenants, also those that have ended:
 * there rows are compared and ordered by all columns that lead to the answer, so that only the index of turns gives the order.
 */
export function tenantsAfter(database: DatabaseKind, kinds: number): HotStatement<{ name: string | null }> {
  const which = database === 'postgres' ? '(kind, tenant_id) > (?, ?) AND kind <= ?' : 'kind = ? AND tenant_id > ? AND kind <= ?'
  return union(kinds, nextOf('tenant_id', `${which} ORDER BY kind, tenant_id`))
}

/** The same for groups. Parameters for each: now, kind, tenant, after; now, kind, tenant, ''. */
export function groupsAfter(kinds: number): HotStatement<{ name: string | null }> {
  return union(kinds, nextOf('group_key', 'kind = ? AND tenant_id = ? AND group_key > ? ORDER BY group_key'))
}

function nextOf(column: string, which: string): string {
  const next = `SELECT ${column} FROM jobs WHERE state = 'queued' AND run_at <= ? AND ${which} LIMIT 1`
  return `SELECT coalesce((${next}), (${next})) AS name`
}

export interface HeadRow {
  readonly kind: string
  readonly priority: number
  readonly run_at: number
  readonly created_at: number
  readonly job_id: string
}

/** The first of a group for each kind. Parameters for each: kind, tenant, group, now. */
export function headsOf(kinds: number): HotStatement<HeadRow> {
  return union(
    kinds,
    `SELECT * FROM (SELECT kind, priority, run_at, created_at, job_id FROM jobs WHERE state = 'queued' AND kind = ? AND tenant_id = ? AND group_key = ? AND run_at <= ?
      ORDER BY priority DESC, run_at, created_at, job_id LIMIT 1) AS head`,
  )
}

export interface DueRow {
  readonly at: number | null
  readonly what: 'queued' | 'lease' | 'schedule'
}

/** Parameters: the kinds. */
export function whenDue(kinds: number): HotStatement<DueRow> {
  const queued = Array.from(
    { length: kinds },
    () => "SELECT (SELECT run_at FROM jobs WHERE state = 'queued' AND kind = ? ORDER BY run_at LIMIT 1) AS at, 'queued' AS what",
  )
  return hot(
    [
      ...queued,
      "SELECT (SELECT lease_until FROM jobs WHERE state = 'running' ORDER BY lease_until LIMIT 1), 'lease'",
      "SELECT (SELECT next_at FROM schedules WHERE paused = 0 AND next_at IS NOT NULL ORDER BY next_at LIMIT 1), 'schedule'",
    ].join(' UNION ALL '),
  )
}

function union<Row extends object>(times: number, select: string): HotStatement<Row> {
  return hot(Array.from({ length: times }, () => select).join(' UNION ALL '))
}
