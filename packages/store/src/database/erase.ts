/**
 * Owns how the rows of one session or one person go. First the session is closed to whoever has it in hand, then its rows go in portions, at last its own row.
 *
 * What stays: of the audit log the numbers and hashes, so that the chain shows that nothing was taken out of its middle, without a word of what was done;
 * of metering the units and prices, without session, call and user; that there was an erasure, and when.
 *
 * Crash rule: an erasure that was begun stays open until it is done; the sweep goes on with it.
 */
import { createHash } from 'node:crypto'
import { AdjutantError } from '@adjutant/core/contract'
import { hot } from './hot.ts'
import type { StoreDatabase, StoreTransaction } from './store-database.ts'

export interface EraseReport {
  /** Rows that are gone, by table. */
  readonly erased: Readonly<Record<string, number>>
  /** Rows that stay without what they said, by table. */
  readonly emptied: Readonly<Record<string, number>>
}

export interface SessionSubject {
  readonly tenantId: string
  readonly sessionId: string
}

export interface UserSubject {
  readonly tenantId: string
  readonly userId: string
}

export interface EraseOptions {
  /** For the record. Default `asked`. */
  readonly reason?: 'asked' | 'retention'
  /** Rows of one transaction. Default 500. */
  readonly portion?: number
}

/** Tables whose rows of a session go, children before what they refer to. */
const OF_A_SESSION = [
  'checkpoints',
  'calls',
  'approvals',
  'result_pieces',
  'results',
  'session_secrets',
  'jobs',
  'deliveries',
  'events',
] as const

const OPEN_ERASURE = hot(`INSERT INTO erasures (tenant_id, subject, subject_id, at, reason, open) VALUES (?, 'session', ?, ?, ?, 1)
  ON CONFLICT (tenant_id, subject, subject_id) DO UPDATE SET open = 1, at = excluded.at, reason = excluded.reason`)
const CLOSE_ERASURE = hot("UPDATE erasures SET open = 0 WHERE tenant_id = ? AND subject = 'session' AND subject_id = ?")
const FIND_ERASURE = hot<{ open: number; reason: string }>(
  "SELECT open, reason FROM erasures WHERE tenant_id = ? AND subject = 'session' AND subject_id = ?",
)
/** A holder's next write carries the fence it was given and finds another one. */
const SHUT_SESSION = hot(`UPDATE sessions SET state = 'ended', fence = fence + 1, lease_owner = NULL, lease_until = NULL, version = version
  WHERE tenant_id = ? AND session_id = ?`)
const DELETE_SESSION = hot('DELETE FROM sessions WHERE tenant_id = ? AND session_id = ?')
const EMPTY_AUDIT = hot(`UPDATE audit SET text = '' WHERE tenant_id = ? AND session_id = ? AND seq IN
  (SELECT seq FROM audit WHERE tenant_id = ? AND session_id = ? AND text <> '' ORDER BY seq LIMIT ?)`)
const EMPTY_METERING = hot(`UPDATE metering SET session_id = '', user_id = '', call_id = '', trace_id = '' WHERE tenant_id = ? AND id IN
  (SELECT id FROM metering WHERE tenant_id = ? AND session_id = ? LIMIT ?)`)

const DELETES = Object.fromEntries(
  OF_A_SESSION.map((table) => {
    const key = {
      checkpoints: 'seq',
      events: 'seq',
      calls: 'batch, call_id',
      approvals: 'approval_id',
      result_pieces: 'content, piece',
      results: 'result_id',
      session_secrets: 'session_id',
      jobs: 'job_id',
      deliveries: 'delivery_id',
    }[table]
    const sql = `DELETE FROM ${table} WHERE tenant_id = ? AND session_id = ? AND (${key}) IN
      (SELECT ${key} FROM ${table} WHERE tenant_id = ? AND session_id = ? LIMIT ?)`
    return [table, hot(sql)] as const
  }),
)

/**
 * Takes one session away. Whoever has it in hand loses it.
 *
 * @throws AdjutantError NOT_FOUND when there is nothing of it; STORE_FAILED
 */
export async function eraseSession(db: StoreDatabase, subject: SessionSubject, options: EraseOptions = {}): Promise<EraseReport> {
  const { tenantId, sessionId } = subject
  const key = [tenantId, sessionId]
  await db.transaction(tenantId, async (tx) => {
    const shut = await tx.run(SHUT_SESSION, key)
    const before = await tx.get(FIND_ERASURE, key)
    if (shut === 0 && before?.open !== 1) {
      throw new AdjutantError('NOT_FOUND', `there is no session ${sessionId.slice(0, 80)} to erase`, { outcome: 'not-run' })
    }
    const reason = options.reason ?? (before?.open === 1 ? before.reason : 'asked')
    await tx.run(OPEN_ERASURE, [tenantId, sessionId, db.clock.now(), reason])
  })
  const portion = options.portion ?? 500
  const erased: Record<string, number> = {}
  const emptied: Record<string, number> = {}
  for (const table of OF_A_SESSION) {
    const statement = DELETES[table]
    if (statement !== undefined)
      erased[table] = await inPortions(db, tenantId, portion, (tx) => tx.run(statement, [...key, ...key, portion]))
  }
  emptied.audit = await inPortions(db, tenantId, portion, (tx) => tx.run(EMPTY_AUDIT, [...key, ...key, portion]))
  emptied.metering = await inPortions(db, tenantId, portion, (tx) => tx.run(EMPTY_METERING, [tenantId, ...key, portion]))
  await db.transaction(tenantId, async (tx) => {
    erased.sessions = await tx.run(DELETE_SESSION, key)
    await tx.run(CLOSE_ERASURE, key)
  })
  await db.engine.forget()
  return { erased, emptied }
}

const SESSIONS_OF = hot<{ session_id: string }>('SELECT session_id FROM sessions WHERE tenant_id = ? AND user_id = ? ORDER BY session_id')
const DELETE_FACTS = hot('DELETE FROM facts WHERE tenant_id = ? AND user_id = ?')
const DELETE_CACHE = hot('DELETE FROM cache WHERE tenant_id = ?')
/** Whoever still has an answer of this tenant in memory finds that it may be old. */
const COUNT_CHANGE = hot(`INSERT INTO counters (tenant_id, name, value) VALUES (?, 'cache-changes', 1)
  ON CONFLICT (tenant_id, name) DO UPDATE SET value = counters.value + 1`)
const DELETE_CHANGES = hot('DELETE FROM cache_changes WHERE tenant_id = ?')
const EMPTY_USER_METERING = hot(
  "UPDATE metering SET session_id = '', user_id = '', call_id = '', trace_id = '' WHERE tenant_id = ? AND user_id = ?",
)
const EMPTY_DECISIONS = hot("UPDATE approvals SET decided_by = 'erased' WHERE tenant_id = ? AND decided_by = ?")
const NOTE_USER = hot(`INSERT INTO erasures (tenant_id, subject, subject_id, at, reason, open) VALUES (?, 'user', ?, ?, ?, 0)
  ON CONFLICT (tenant_id, subject, subject_id) DO UPDATE SET at = excluded.at, reason = excluded.reason`)

/**
 * Takes away all that one person of one tenant left: their sessions, their facts, their name under decisions on other people's calls, and the tenant's
 * cache, which may hold answers that were theirs. The audit log of other people's sessions still says who decided there.
 */
export async function eraseUser(db: StoreDatabase, subject: UserSubject, options: EraseOptions = {}): Promise<EraseReport> {
  const { tenantId, userId } = subject
  const sessions = await db.read(tenantId, (tx) => tx.all(SESSIONS_OF, [tenantId, userId]))
  const erased: Record<string, number> = {}
  const emptied: Record<string, number> = {}
  for (const { session_id: sessionId } of sessions) {
    const report = await eraseSession(db, { tenantId, sessionId }, options)
    add(erased, report.erased)
    add(emptied, report.emptied)
  }
  await db.transaction(tenantId, async (tx) => {
    add(erased, { facts: await tx.run(DELETE_FACTS, [tenantId, userId]), cache: await tx.run(DELETE_CACHE, [tenantId]) })
    add(erased, { cache_changes: await tx.run(DELETE_CHANGES, [tenantId]) })
    await tx.run(COUNT_CHANGE, [tenantId])
    add(emptied, {
      metering: await tx.run(EMPTY_USER_METERING, [tenantId, userId]),
      approvals: await tx.run(EMPTY_DECISIONS, [tenantId, userId]),
    })
    await tx.run(NOTE_USER, [tenantId, subjectDigest(userId), db.clock.now(), options.reason ?? 'asked'])
  })
  await db.engine.forget()
  return { erased, emptied }
}

/** The record of an erasure must not name whom it was about; who knows the name can still look for it. */
function subjectDigest(userId: string): string {
  return `sha256:${createHash('sha256').update(userId).digest('hex')}`
}

function add(to: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [table, rows] of Object.entries(from)) to[table] = (to[table] ?? 0) + rows
}

async function inPortions(
  db: StoreDatabase,
  tenantId: string,
  portion: number,
  work: (tx: StoreTransaction) => Promise<number>,
): Promise<number> {
  let all = 0
  for (;;) {
    const rows = await db.transaction(tenantId, work)
    all += rows
    if (rows < portion) return all
  }
}
