/**
 * Owns what goes by itself: facts, cached answers, kept results and counted rates after their time, sessions after theirs, ended jobs and deliveries
 * after a while, signs of processes that are long gone, and erasures that a crash interrupted. In portions, so that nobody waits long behind it; several processes may sweep at once.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { eraseSession } from './erase.ts'
import { hot } from './hot.ts'
import type { StoreDatabase, StoreTransaction } from './store-database.ts'

export interface SweepOptions {
  /** Milliseconds since 1970. Default: the clock's. */
  readonly now?: number
  /** Rows of one transaction. Default 500. */
  readonly portion?: number
  /** Portions of each kind in this sweep. Default 20; what is left goes with the next one. */
  readonly portions?: number
  /** How long ended jobs and deliveries are kept, in milliseconds. Default 30 days. */
  readonly keepEndedMs?: number
}

export interface SweepReport {
  /** Rows that are gone, by table; of sessions: how many sessions. */
  readonly swept: Readonly<Record<string, number>>
  /** More is due than was swept. */
  readonly more: boolean
}

const DAY = 86_400_000

const OLD = {
  facts: hot(
    'DELETE FROM facts WHERE (tenant_id, user_id, key) IN (SELECT tenant_id, user_id, key FROM facts WHERE expires_at <= ? LIMIT ?)',
  ),
  cache: hot('DELETE FROM cache WHERE (tenant_id, key) IN (SELECT tenant_id, key FROM cache WHERE expires_at <= ? LIMIT ?)'),
  rates: hot('DELETE FROM rates WHERE (tenant_id, key) IN (SELECT tenant_id, key FROM rates WHERE ends_at <= ? LIMIT ?)'),
  result_pieces: hot(`DELETE FROM result_pieces WHERE (tenant_id, session_id, content, piece) IN
    (SELECT p.tenant_id, p.session_id, p.content, p.piece FROM results r JOIN result_pieces p
      ON p.tenant_id = r.tenant_id AND p.session_id = r.session_id AND p.content = r.content WHERE r.expires_at <= ? LIMIT ?)`),
  // What is told of a result that is gone stays as long as its session.
  results: hot(`UPDATE results SET removed = 'age', expires_at = NULL WHERE (tenant_id, session_id, result_id) IN
    (SELECT r.tenant_id, r.session_id, r.result_id FROM results r WHERE r.expires_at <= ? AND NOT EXISTS (SELECT 1 FROM result_pieces p
      WHERE p.tenant_id = r.tenant_id AND p.session_id = r.session_id AND p.content = r.content) LIMIT ?)`),
  jobs: hot(`DELETE FROM jobs WHERE (tenant_id, job_id) IN
    (SELECT tenant_id, job_id FROM jobs WHERE ended_at <= ? AND dead_letter = 0 LIMIT ?)`),
  deliveries: hot(`DELETE FROM deliveries WHERE (tenant_id, delivery_id) IN
    (SELECT tenant_id, delivery_id FROM deliveries WHERE state <> 'pending' AND created_at <= ? LIMIT ?)`),
  nodes: hot('DELETE FROM nodes WHERE node_id IN (SELECT node_id FROM nodes WHERE seen_at <= ? LIMIT ?)'),
} as const

type Subject = { tenant_id: string; session_id: string }

const DUE_SESSIONS = hot<Subject>('SELECT tenant_id, session_id FROM sessions WHERE retention_until <= ? ORDER BY retention_until LIMIT ?')
const OPEN_ERASURES = hot<Subject>(
  "SELECT tenant_id, subject_id AS session_id FROM erasures WHERE subject = 'session' AND open = 1 AND at <= ? ORDER BY at LIMIT ?",
)

/** Takes away what is due. @throws AdjutantError STORE_FAILED */
export async function sweep(db: StoreDatabase, options: SweepOptions = {}): Promise<SweepReport> {
  const now = options.now ?? db.clock.now()
  const portion = options.portion ?? 500
  const portions = options.portions ?? 20
  const ended = now - (options.keepEndedMs ?? 30 * DAY)
  const before = {
    facts: now,
    cache: now,
    // A machine whose clock is ahead must not end the windows of others.
    rates: now - 2 * DAY,
    result_pieces: now,
    results: now,
    jobs: ended,
    deliveries: ended,
    nodes: now - DAY,
  }
  const swept: Record<string, number> = {}
  let more = false
  for (const table of ['facts', 'cache', 'rates', 'result_pieces', 'results', 'jobs', 'deliveries', 'nodes'] as const) {
    swept[table] = 0
    for (let turn = 0; turn < portions; turn++) {
      const rows = await db.system((tx) => tx.run(OLD[table], [before[table], portion]), { durable: false })
      swept[table] += rows
      if (rows < portion) break
      if (turn === portions - 1) more = true
    }
  }
  // Erasures first: one that another process has begun a moment ago is simply done together with it.
  const subjects = await db.system(
    async (tx: StoreTransaction) => [
      ...(await tx.all(OPEN_ERASURES, [now, portion])).map((subject) => ({ ...subject, due: 'erasure' as const })),
      ...(await tx.all(DUE_SESSIONS, [now, portion])).map((subject) => ({ ...subject, due: 'retention' as const })),
    ],
    { readOnly: true },
  )
  swept.sessions = 0
  for (const { tenant_id: tenantId, session_id: sessionId, due } of subjects) {
    try {
      await eraseSession(db, { tenantId, sessionId }, { portion, ...(due === 'retention' ? { reason: due } : {}) })
      swept.sessions += 1
    } catch (error) {
      // Another process was faster.
      if (!(AdjutantError.isInstance(error) && error.code === 'NOT_FOUND')) throw error
    }
  }
  return { swept, more: more || subjects.length >= portion }
}
