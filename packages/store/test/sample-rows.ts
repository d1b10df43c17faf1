/** Rows of every table, the same each time: what a wall has to keep apart, and what a migration has to carry along. */
import type { Insertable } from 'kysely'
import type { BodySeal } from '../src/database/body-seal.ts'
import { bodyPlace } from '../src/database/sealed-columns.ts'
import type { StoreTransaction } from '../src/database/store-database.ts'
import { type Tables, TENANT_TABLES } from '../src/database/tables.ts'

export type SampleRows = { readonly [T in keyof Tables]: Insertable<Tables[T]> }

const DIGEST = `sha256:${'ab'.repeat(32)}`

/** One row of each table with a tenant, with an id that ends in `n`. They belong to one session. */
export function sampleRows(seal: BodySeal, tenant: string, n: number): Omit<SampleRows, 'nodes' | 'store_versions'> {
  const session = `s${n}`
  const at = 1_700_000_000_000 + n
  const digests = { arguments_digest: DIGEST, tool_digest: DIGEST, principal_digest: DIGEST }
  const body = JSON.stringify({ of: tenant, n, text: 'größe 🐝 \u0000 "quoted"' })
  const row = { tenant_id: tenant, session_id: session }
  return {
    sessions: {
      ...row,
      user_id: `u${n}`,
      principal: JSON.stringify({ tenantId: tenant, userId: `u${n}`, roles: [] }),
      state: 'idle',
      created_at: at,
      updated_at: at,
      next_seq: 2,
      fence: 3,
      lease_owner: 'host:1',
      lease_until: at + 30_000,
      trace_id: 'cd'.repeat(16),
      title: `Title ${n}`,
      retention_until: at + 86_400_000,
    },
    events: { ...row, seq: 1, at, type: 'user', body: seal.seal(body, bodyPlace('events', 'body', tenant, session, 1)) },
    checkpoints: {
      ...row,
      seq: 1,
      version: 1,
      digest: DIGEST,
      created_at: at,
      body: seal.seal(body, bodyPlace('checkpoints', 'body', tenant, session, 1)),
    },
    calls: {
      ...row,
      batch: 1,
      call_id: `c${n}`,
      name: 'write_file',
      effect: 'write',
      state: 'succeeded',
      attempt: 1,
      idempotency_key: `k${n}`,
      fence: 3,
      started_at: at,
      ended_at: at + 5,
      outcome: 'ok',
      ...digests,
    },
    approvals: {
      ...row,
      approval_id: `a${n}`,
      batch: 1,
      call_id: `c${n}`,
      state: 'approved',
      version: 2,
      created_at: at,
      expires_at: at + 60_000,
      request: seal.seal(body, bodyPlace('approvals', 'request', tenant, `a${n}`)),
      ...digests,
      decision: seal.seal('{"type":"approve"}', bodyPlace('approvals', 'decision', tenant, `a${n}`)),
      decided_at: at + 1_000,
      decided_by: `boss${n}`,
      consumed_at: null,
    },
    results: {
      ...row,
      result_id: `r${n}`,
      mime: 'text/plain',
      bytes: 3,
      content: `k${n}`,
      pieces: 1,
      created_at: at,
      expires_at: null,
    },
    result_pieces: {
      ...row,
      content: `k${n}`,
      piece: 1,
      body: seal.seal(new Uint8Array([0xff, 0, n]), bodyPlace('result_pieces', 'body', tenant, session, `k${n}`, 1)),
    },
    session_secrets: { ...row, body: seal.seal(new Uint8Array(32).fill(n), bodyPlace('session_secrets', 'body', tenant, session)) },
    facts: {
      tenant_id: tenant,
      user_id: `u${n}`,
      key: `fact${n}`,
      value: seal.seal('"blue"', bodyPlace('facts', 'value', tenant, `u${n}`, `fact${n}`)),
      updated_at: at,
      expires_at: at + 1_000,
    },
    cache: {
      tenant_id: tenant,
      key: `key${n}`,
      value: seal.seal('1', bodyPlace('cache', 'value', tenant, `key${n}`)),
      bytes: 1,
      stamp: n,
      created_at: at,
      expires_at: at + 1_000,
    },
    counters: { tenant_id: tenant, name: `counter${n}`, value: n },
    cache_changes: { tenant_id: tenant, stamp: n, body: seal.seal('{"origin":"x"}', bodyPlace('cache_changes', 'body', tenant, n)) },
    rates: { tenant_id: tenant, key: `rate${n}`, taken: n, ends_at: at + 1_000 },
    audit: { ...row, seq: 1, previous: `sha256:${'0'.repeat(64)}`, hash: DIGEST, text: '{"type":"opened"}' },
    metering: {
      ...row,
      id: `m${n}`,
      at,
      user_id: `u${n}`,
      tool: 'web_search',
      units: 1.5,
      unit: 'query',
      micro_price: 5_000,
      call_id: `c${n}`,
      trace_id: 'cd'.repeat(16),
    },
    jobs: {
      ...row,
      job_id: `j${n}`,
      kind: 'tool',
      state: 'succeeded',
      group_key: tenant,
      payload: seal.seal('{}', bodyPlace('jobs', 'payload', tenant, `j${n}`)),
      run_at: at,
      attempt: 1,
      result: seal.seal('1', bodyPlace('jobs', 'result', tenant, `j${n}`)),
      created_at: at,
      started_at: at,
      ended_at: at + 9,
      idempotency_key: `key${n}`,
      call_id: `c${n}`,
    },
    schedules: {
      tenant_id: tenant,
      schedule_id: `d${n}`,
      cron: '0 9 * * 1',
      zone: 'Europe/Berlin',
      kind: 'tool',
      payload: seal.seal('{}', bodyPlace('schedules', 'payload', tenant, `d${n}`)),
      next_at: at,
    },
    skills: { tenant_id: tenant, key: `skill${n}`, text: Buffer.from('---\nname: skill\n---\nWrite.') },
    skill_files: { tenant_id: tenant, key: `skill${n}`, path: 'a/b.md', content: new Uint8Array([1, 2, n]) },
    deliveries: {
      ...row,
      delivery_id: `l${n}`,
      kind: 'webhook',
      target: 'https://example.com/hook',
      body: seal.seal('{}', bodyPlace('deliveries', 'body', tenant, `l${n}`)),
      state: 'delivered',
      created_at: at,
    },
    erasures: { tenant_id: tenant, subject: 'session', subject_id: `gone${n}`, at, reason: 'asked', open: 0 },
  }
}

/** Puts all of them in. */
export async function insertSample(tx: StoreTransaction, seal: BodySeal, tenant: string, n: number): Promise<void> {
  const rows = sampleRows(seal, tenant, n)
  for (const table of TENANT_TABLES) await tx.db.insertInto(table).values(rows[table]).execute()
}
