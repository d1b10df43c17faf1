/**
 * The first version of all tables. Every key begins with the tenant; indexes that do not are for work over all tenants (sweeps, queues) and begin with
 * what that work looks for.
 */
import type { DatabaseKind } from '../database/connection.ts'
import { adoptSkillFile } from './adopt-skill-file.ts'
import { guardTenants } from './guard-tenants.ts'
import { createTable, type StoreMigration } from './migration.ts'

const SESSION_ROW = 'FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, session_id)'

const TABLES: readonly (readonly [name: string, columns: string])[] = [
  [
    'sessions',
    `tenant_id {ID} NOT NULL, session_id {ID} NOT NULL, user_id {ID} NOT NULL, principal {TEXT} NOT NULL, state {TEXT} NOT NULL,
     created_at {INT} NOT NULL, updated_at {INT} NOT NULL, next_seq {INT} NOT NULL DEFAULT 1, fence {INT} NOT NULL DEFAULT 0,
     lease_owner {TEXT}, lease_until {INT}, trace_id {TEXT} NOT NULL, title {TEXT}, retention_until {INT}, version {INT} NOT NULL DEFAULT 1,
     PRIMARY KEY (tenant_id, session_id)`,
  ],
  [
    'events',
    `tenant_id {ID} NOT NULL, session_id {ID} NOT NULL, seq {INT} NOT NULL, at {INT} NOT NULL, type {TEXT} NOT NULL, body {BYTES} NOT NULL,
     PRIMARY KEY (tenant_id, session_id, seq), ${SESSION_ROW}`,
  ],
  [
    'checkpoints',
    `tenant_id {ID} NOT NULL, session_id {ID} NOT NULL, seq {INT} NOT NULL, version {INT} NOT NULL, digest {TEXT} NOT NULL,
     created_at {INT} NOT NULL, body {BYTES} NOT NULL, PRIMARY KEY (tenant_id, session_id, seq), ${SESSION_ROW}`,
  ],
  [
    'calls',
    `tenant_id {ID} NOT NULL, session_id {ID} NOT NULL, batch {INT} NOT NULL, call_id {ID} NOT NULL, name {TEXT} NOT NULL, effect {TEXT} NOT NULL,
     state {TEXT} NOT NULL, attempt {INT} NOT NULL, idempotency_key {TEXT} NOT NULL, fence {INT} NOT NULL, started_at {INT}, ended_at {INT},
     outcome {TEXT}, arguments_digest {TEXT} NOT NULL, tool_digest {TEXT} NOT NULL, principal_digest {TEXT} NOT NULL,
     PRIMARY KEY (tenant_id, session_id, batch, call_id), ${SESSION_ROW}`,
  ],
  [
    'approvals',
    `tenant_id {ID} NOT NULL, approval_id {ID} NOT NULL, session_id {ID} NOT NULL, batch {INT} NOT NULL, call_id {ID} NOT NULL, state {TEXT} NOT NULL
     CHECK (state IN ('pending', 'approved', 'edited', 'denied', 'expired', 'cancelled')), version {INT} NOT NULL DEFAULT 1,
     created_at {INT} NOT NULL, expires_at {INT}, request {BYTES} NOT NULL, arguments_digest {TEXT} NOT NULL, tool_digest {TEXT} NOT NULL,
     principal_digest {TEXT} NOT NULL, decision {BYTES}, decided_at {INT}, decided_by {TEXT}, consumed_at {INT},
     PRIMARY KEY (tenant_id, approval_id), ${SESSION_ROW}`,
  ],
  [
    'results',
    `tenant_id {ID} NOT NULL, session_id {ID} NOT NULL, result_id {ID} NOT NULL, mime {TEXT} NOT NULL, bytes {INT} NOT NULL, content {ID} NOT NULL,
     pieces {INT} NOT NULL, created_at {INT} NOT NULL, expires_at {INT}, removed {TEXT}, PRIMARY KEY (tenant_id, session_id, result_id), ${SESSION_ROW}`,
  ],
  [
    'result_pieces',
    `tenant_id {ID} NOT NULL, session_id {ID} NOT NULL, content {ID} NOT NULL, piece {INT} NOT NULL, body {BYTES} NOT NULL,
     PRIMARY KEY (tenant_id, session_id, content, piece), ${SESSION_ROW}`,
  ],
  [
    'session_secrets',
    `tenant_id {ID} NOT NULL, session_id {ID} NOT NULL, body {BYTES} NOT NULL, PRIMARY KEY (tenant_id, session_id), ${SESSION_ROW}`,
  ],
  [
    'facts',
    `tenant_id {ID} NOT NULL, user_id {ID} NOT NULL, key {ID} NOT NULL, value {BYTES} NOT NULL, updated_at {INT} NOT NULL, expires_at {INT},
     PRIMARY KEY (tenant_id, user_id, key)`,
  ],
  [
    'cache',
    `tenant_id {ID} NOT NULL, key {ID} NOT NULL, value {BYTES} NOT NULL, bytes {INT} NOT NULL, stamp {INT} NOT NULL, created_at {INT} NOT NULL,
     expires_at {INT}, PRIMARY KEY (tenant_id, key)`,
  ],
  ['counters', 'tenant_id {ID} NOT NULL, name {ID} NOT NULL, value {INT} NOT NULL, PRIMARY KEY (tenant_id, name)'],
  ['cache_changes', 'tenant_id {ID} NOT NULL, stamp {INT} NOT NULL, body {BYTES} NOT NULL, PRIMARY KEY (tenant_id, stamp)'],
  ['rates', 'tenant_id {ID} NOT NULL, key {ID} NOT NULL, taken {INT} NOT NULL, ends_at {INT} NOT NULL, PRIMARY KEY (tenant_id, key)'],
  [
    'audit',
    `tenant_id {ID} NOT NULL, session_id {ID} NOT NULL, seq {INT} NOT NULL, previous {TEXT} NOT NULL, hash {TEXT} NOT NULL, text {TEXT} NOT NULL,
     PRIMARY KEY (tenant_id, session_id, seq)`,
  ],
  [
    'metering',
    `tenant_id {ID} NOT NULL, id {ID} NOT NULL, at {INT} NOT NULL, session_id {ID} NOT NULL, user_id {ID} NOT NULL, tool {TEXT} NOT NULL,
     units {REAL} NOT NULL, unit {TEXT} NOT NULL, micro_price {INT} NOT NULL, call_id {ID} NOT NULL, trace_id {TEXT} NOT NULL,
     PRIMARY KEY (tenant_id, id)`,
  ],
  [
    'jobs',
    `tenant_id {ID} NOT NULL, job_id {ID} NOT NULL, kind {TEXT} NOT NULL, state {TEXT} NOT NULL, priority {INT} NOT NULL DEFAULT 0,
     group_key {TEXT} NOT NULL, payload {BYTES} NOT NULL, run_at {INT} NOT NULL, attempt {INT} NOT NULL DEFAULT 0, max_attempts {INT} NOT NULL DEFAULT 1,
     retry_delay_ms {INT} NOT NULL DEFAULT 1000, timeout_ms {INT} NOT NULL DEFAULT 3600000, lease_owner {TEXT}, lease_until {INT},
     fence {INT} NOT NULL DEFAULT 0, cancelling {FLAG} NOT NULL DEFAULT 0, progress {TEXT}, result {BYTES}, error {TEXT}, created_at {INT} NOT NULL,
     started_at {INT}, ended_at {INT}, idempotency_key {TEXT}, session_id {ID}, call_id {ID}, dead_letter {FLAG} NOT NULL DEFAULT 0,
     PRIMARY KEY (tenant_id, job_id), UNIQUE (tenant_id, idempotency_key)`,
  ],
  [
    'schedules',
    `tenant_id {ID} NOT NULL, schedule_id {ID} NOT NULL, cron {TEXT} NOT NULL, zone {TEXT} NOT NULL, kind {TEXT} NOT NULL, payload {BYTES} NOT NULL,
     next_at {INT}, last_at {INT}, paused {FLAG} NOT NULL DEFAULT 0, PRIMARY KEY (tenant_id, schedule_id)`,
  ],
  ['skills', 'tenant_id {ID} NOT NULL, key {ID} NOT NULL, text {BYTES} NOT NULL, PRIMARY KEY (tenant_id, key)'],
  [
    'skill_files',
    `tenant_id {ID} NOT NULL, key {ID} NOT NULL, path {ID} NOT NULL, content {BYTES} NOT NULL, PRIMARY KEY (tenant_id, key, path),
     FOREIGN KEY (tenant_id, key) REFERENCES skills (tenant_id, key) ON DELETE CASCADE`,
  ],
  [
    'deliveries',
    `tenant_id {ID} NOT NULL, delivery_id {ID} NOT NULL, kind {TEXT} NOT NULL, target {TEXT} NOT NULL, body {BYTES} NOT NULL, state {TEXT} NOT NULL,
     attempt {INT} NOT NULL DEFAULT 0, next_at {INT}, last_error {TEXT}, created_at {INT} NOT NULL, session_id {ID},
     PRIMARY KEY (tenant_id, delivery_id)`,
  ],
  [
    'erasures',
    `tenant_id {ID} NOT NULL, subject {ID} NOT NULL, subject_id {ID} NOT NULL, at {INT} NOT NULL, reason {TEXT} NOT NULL, open {FLAG} NOT NULL,
     PRIMARY KEY (tenant_id, subject, subject_id)`,
  ],
  ['nodes', 'node_id {ID} NOT NULL PRIMARY KEY, started_at {INT} NOT NULL, seen_at {INT} NOT NULL, address {TEXT}'],
]

const INDEXES: readonly string[] = [
  'CREATE INDEX sessions_by_user ON sessions (tenant_id, user_id, updated_at)',
  'CREATE INDEX sessions_by_change ON sessions (tenant_id, updated_at, session_id)',
  'CREATE INDEX sessions_by_retention ON sessions (retention_until) WHERE retention_until IS NOT NULL',
  'CREATE INDEX sessions_by_lease ON sessions (lease_until) WHERE lease_until IS NOT NULL',
  'CREATE INDEX calls_by_state ON calls (tenant_id, session_id, state)',
  'CREATE INDEX approvals_by_state ON approvals (tenant_id, state, created_at, approval_id)',
  'CREATE INDEX approvals_by_session ON approvals (tenant_id, session_id, batch, call_id)',
  "CREATE INDEX approvals_overdue ON approvals (tenant_id, expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL",
  "CREATE INDEX approvals_by_expiry ON approvals (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL",
  'CREATE INDEX facts_by_expiry ON facts (expires_at) WHERE expires_at IS NOT NULL',
  'CREATE INDEX results_by_expiry ON results (expires_at) WHERE expires_at IS NOT NULL',
  'CREATE INDEX rates_by_end ON rates (ends_at)',
  'CREATE INDEX cache_by_age ON cache (tenant_id, created_at)',
  'CREATE INDEX cache_by_expiry ON cache (expires_at) WHERE expires_at IS NOT NULL',
  'CREATE INDEX metering_by_time ON metering (tenant_id, at)',
  'CREATE INDEX metering_by_session ON metering (tenant_id, session_id)',
  'CREATE INDEX jobs_by_creation ON jobs (tenant_id, created_at, job_id)',
  'CREATE INDEX jobs_by_session ON jobs (tenant_id, session_id)',
  "CREATE INDEX jobs_ready ON jobs (kind, run_at) WHERE state = 'queued'",
  "CREATE INDEX jobs_by_lease ON jobs (lease_until) WHERE state = 'running'",
  'CREATE INDEX jobs_by_end ON jobs (ended_at) WHERE ended_at IS NOT NULL',
  'CREATE INDEX schedules_next ON schedules (next_at) WHERE paused = 0',
  "CREATE INDEX deliveries_next ON deliveries (next_at) WHERE state = 'pending'",
  "CREATE INDEX deliveries_by_age ON deliveries (created_at) WHERE state <> 'pending'",
  'CREATE INDEX deliveries_by_session ON deliveries (tenant_id, session_id)',
  "CREATE INDEX erasures_open ON erasures (at) WHERE subject = 'session' AND open = 1",
  'CREATE INDEX nodes_by_sign ON nodes (seen_at)',
]

function versions(kind: DatabaseKind): string {
  return createTable(
    kind,
    'store_versions',
    'version {INT} NOT NULL PRIMARY KEY, name {TEXT} NOT NULL, program {TEXT} NOT NULL, applied_at {INT} NOT NULL',
  )
}

export const first: StoreMigration = {
  name: '0001-first',
  version: 1,
  async up(connection, target) {
    const adopt = target.kind === 'sqlite' ? await adoptSkillFile(connection) : undefined
    await connection.script(versions(target.kind))
    for (const [name, columns] of TABLES) await connection.script(createTable(target.kind, name, columns))
    for (const index of INDEXES) await connection.script(index)
    await guardTenants(
      connection,
      target,
      TABLES.map(([name]) => name).filter((name) => name !== 'nodes'),
    )
    await adopt?.()
  },
}
