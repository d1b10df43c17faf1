/** Owns what must hold between tables, as queries that find where it does not. Each runs on both databases and gives one text a row: where. */

export interface ConsistencyCheck {
  readonly check: string
  /** Gives `place`; ends where a LIMIT can follow. */
  readonly sql: string
  readonly says: string
  readonly hint: string
}

const OTHER_WRITER = 'Something else than this program has written here, or the machine lost what it said was safe; compare with a backup.'

export const CONSISTENCY_CHECKS: readonly ConsistencyCheck[] = [
  {
    check: 'events',
    sql: `SELECT s.tenant_id || '/' || s.session_id AS place FROM sessions s
      LEFT JOIN (SELECT tenant_id, session_id, count(*) AS n, max(seq) AS last FROM events GROUP BY tenant_id, session_id) e
        ON e.tenant_id = s.tenant_id AND e.session_id = s.session_id
      WHERE coalesce(e.last, 0) <> s.next_seq - 1 OR coalesce(e.n, 0) <> s.next_seq - 1`,
    says: 'events are missing, or the session counts others than there are',
    hint: OTHER_WRITER,
  },
  {
    check: 'checkpoints',
    sql: `SELECT c.tenant_id || '/' || c.session_id || '/' || c.seq AS place FROM checkpoints c JOIN sessions s
        ON s.tenant_id = c.tenant_id AND s.session_id = c.session_id WHERE c.seq >= s.next_seq`,
    says: 'the checkpoint is of a later moment than the last event',
    hint: OTHER_WRITER,
  },
  {
    check: 'calls',
    sql: `SELECT tenant_id || '/' || session_id || '/' || batch || '/' || call_id AS place FROM calls
      WHERE (ended_at IS NULL) <> (outcome IS NULL) OR (ended_at IS NOT NULL AND started_at IS NOT NULL AND state = 'running')`,
    says: 'the call has an end without an outcome, or an outcome without an end',
    hint: OTHER_WRITER,
  },
  {
    check: 'approvals',
    sql: `SELECT tenant_id || '/' || approval_id AS place FROM approvals
      WHERE (state = 'pending' AND (decided_at IS NOT NULL OR consumed_at IS NOT NULL))
        OR (state IN ('approved', 'edited', 'denied') AND (decided_at IS NULL OR decision IS NULL))`,
    says: 'the approval is decided without a decision, or pending with one',
    hint: OTHER_WRITER,
  },
  {
    check: 'results',
    sql: `SELECT r.tenant_id || '/' || r.session_id || '/' || r.result_id AS place FROM results r
      LEFT JOIN (SELECT tenant_id, session_id, content, count(*) AS n FROM result_pieces GROUP BY tenant_id, session_id, content) p
        ON p.tenant_id = r.tenant_id AND p.session_id = r.session_id AND p.content = r.content
      WHERE r.removed IS NULL AND r.expires_at IS NULL AND coalesce(p.n, 0) <> r.pieces`,
    says: 'pieces of the kept result are missing',
    hint: OTHER_WRITER,
  },
  {
    check: 'audit',
    sql: `SELECT tenant_id || '/' || session_id || '/' || seq AS place FROM (
        SELECT tenant_id, session_id, seq, previous,
          lag(hash) OVER (PARTITION BY tenant_id, session_id ORDER BY seq) AS hash_before,
          lag(seq) OVER (PARTITION BY tenant_id, session_id ORDER BY seq) AS seq_before
        FROM audit) AS chain
      WHERE seq <> coalesce(seq_before, 0) + 1 OR (hash_before IS NOT NULL AND hash_before <> previous)`,
    says: 'the record does not follow the one before it',
    hint: 'A record was taken out or changed; adjutant audit verify says more.',
  },
  {
    check: 'jobs',
    sql: `SELECT tenant_id || '/' || job_id AS place FROM jobs
      WHERE (state = 'running' AND lease_until IS NULL) OR (state IN ('succeeded', 'failed', 'cancelled', 'lost', 'dead')) <> (ended_at IS NOT NULL)`,
    says: 'the job runs without a worker, or has an end without having ended',
    hint: OTHER_WRITER,
  },
  {
    check: 'erasures',
    sql: "SELECT tenant_id || '/' || subject_id AS place FROM erasures WHERE open = 1",
    says: 'an erasure was begun and not ended',
    hint: 'The next sweep goes on with it.',
  },
]
