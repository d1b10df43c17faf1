/**
 * Owns the names and types of every table, as TypeScript sees them on both databases. The tables themselves are made by ../migrations; what each is
 * for stands in docs/reference/store.md. Times are milliseconds since 1970, ids are text, truth values are 0 or 1. Bytes are kept as they were given:
 * a body goes in as `BodySeal.seal` made it and comes out the same on both databases, so that digests over it hold.
 */
import type { Generated } from 'kysely'

/** A 64-bit integer. Reading gives a `number`; one beyond ±2^53 comes back as `bigint` and is for whoever stored it to expect. */
type Integer = number
/** 0 or 1. */
type Flag = number
/** Text that holds JSON. */
type JsonText = string

interface SessionsTable {
  tenant_id: string
  session_id: string
  user_id: string
  principal: JsonText
  /** `open`, `waiting`, `idle`, `ended`. */
  state: string
  created_at: Integer
  updated_at: Integer
  /** The number that the next event gets; from 1. */
  next_seq: Generated<Integer>
  /** Grows with each holder; whoever writes under a smaller one is refused. */
  fence: Generated<Integer>
  lease_owner: string | null
  lease_until: Integer | null
  trace_id: string
  title: string | null
  /** After this moment the sweep erases the session. */
  retention_until: Integer | null
  /** Of the shapes in this session's bodies. */
  version: Generated<Integer>
}

interface EventsTable {
  tenant_id: string
  session_id: string
  seq: Integer
  at: Integer
  type: string
  body: Uint8Array
}

interface CheckpointsTable {
  tenant_id: string
  session_id: string
  /** Of the last event that it holds. */
  seq: Integer
  version: Integer
  digest: string
  created_at: Integer
  body: Uint8Array
}

interface CallsTable {
  tenant_id: string
  session_id: string
  /** Which batch of the session, from 1. */
  batch: Integer
  call_id: string
  name: string
  effect: string
  state: string
  attempt: Integer
  idempotency_key: string
  fence: Integer
  started_at: Integer | null
  ended_at: Integer | null
  outcome: string | null
  arguments_digest: string
  tool_digest: string
  principal_digest: string
}

interface ApprovalsTable {
  tenant_id: string
  approval_id: string
  session_id: string
  batch: Integer
  call_id: string
  /** `pending`, `approved`, `edited`, `denied`, `expired`, `cancelled`. */
  state: string
  /** From 1; grows with each change. */
  version: Generated<Integer>
  created_at: Integer
  expires_at: Integer | null
  request: Uint8Array
  arguments_digest: string
  tool_digest: string
  principal_digest: string
  decision: Uint8Array | null
  decided_at: Integer | null
  decided_by: string | null
  consumed_at: Integer | null
}

interface ResultsTable {
  tenant_id: string
  session_id: string
  result_id: string
  mime: string
  /** Length of the content before it was sealed. */
  bytes: Integer
  /** Which pieces are its own: a name that no other result has. */
  content: string
  pieces: Integer
  created_at: Integer
  /** After this moment it is taken away. */
  expires_at: Integer | null
  /** Why its content is gone: `room` or `age`. */
  removed: string | null
}

/** Of results, in pieces that are no burden to a database. One without a result was left by a process that died. */
interface ResultPiecesTable {
  tenant_id: string
  session_id: string
  content: string
  /** From 1. */
  piece: Integer
  body: Uint8Array
}

/** By which the names that a session gives out are proven. */
interface SessionSecretsTable {
  tenant_id: string
  session_id: string
  body: Uint8Array
}

interface FactsTable {
  tenant_id: string
  user_id: string
  key: string
  value: Uint8Array
  updated_at: Integer
  expires_at: Integer | null
}

interface CacheTable {
  tenant_id: string
  key: string
  value: Uint8Array
  bytes: Integer
  /** The tenant's, when the read that gave it began: changes after it may have made it old. */
  stamp: Integer
  created_at: Integer
  expires_at: Integer | null
}

/** How often something happened, e.g. `cache-changes`. */
interface CountersTable {
  tenant_id: string
  name: string
  value: Integer
}

/** What was changed; the last few hundred. What is older than they are is not given again. */
interface CacheChangesTable {
  tenant_id: string
  stamp: Integer
  body: Uint8Array
}

interface RatesTable {
  tenant_id: string
  /** A digest of what is counted, for whom. */
  key: string
  taken: Integer
  ends_at: Integer
}

interface AuditTable {
  tenant_id: string
  session_id: string
  seq: Integer
  previous: string
  hash: string
  /** The canonical record; empty once it was erased. */
  text: string
}

interface MeteringTable {
  tenant_id: string
  id: string
  at: Integer
  session_id: string
  user_id: string
  tool: string
  units: number
  unit: string
  micro_price: Integer
  call_id: string
  trace_id: string
}

interface JobsTable {
  tenant_id: string
  job_id: string
  kind: string
  /** `queued`, `running`, `succeeded`, `failed`, `cancelled`, `lost`, `dead`. */
  state: string
  priority: Generated<Integer>
  group_key: string
  payload: Uint8Array
  run_at: Integer
  attempt: Generated<Integer>
  max_attempts: Generated<Integer>
  retry_delay_ms: Generated<Integer>
  timeout_ms: Generated<Integer>
  lease_owner: string | null
  lease_until: Integer | null
  fence: Generated<Integer>
  cancelling: Generated<Flag>
  progress: JsonText | null
  result: Uint8Array | null
  error: JsonText | null
  created_at: Integer
  started_at: Integer | null
  ended_at: Integer | null
  /** One job of a tenant for each; null: none was asked for. */
  idempotency_key: string | null
  session_id: string | null
  call_id: string | null
  /** 1: it failed for good and waits for somebody to look at it. */
  dead_letter: Generated<Flag>
}

interface SchedulesTable {
  tenant_id: string
  schedule_id: string
  cron: string
  zone: string
  kind: string
  payload: Uint8Array
  next_at: Integer | null
  last_at: Integer | null
  paused: Generated<Flag>
}

interface SkillsTable {
  tenant_id: string
  key: string
  /** UTF-8. */
  text: Uint8Array
}

interface SkillFilesTable {
  tenant_id: string
  key: string
  path: string
  content: Uint8Array
}

interface DeliveriesTable {
  tenant_id: string
  delivery_id: string
  kind: string
  target: string
  body: Uint8Array
  /** `pending`, `delivered`, `failed`. */
  state: string
  attempt: Generated<Integer>
  next_at: Integer | null
  last_error: string | null
  created_at: Integer
  session_id: string | null
}

/** That somebody's rows were taken away: what stays when they are gone, and what lets the append-only tables be emptied. */
interface ErasuresTable {
  tenant_id: string
  /** `session` or `user`. */
  subject: string
  subject_id: string
  at: Integer
  /** `asked` or `retention`. */
  reason: string
  /** 1 while rows are being taken away. */
  open: Flag
}

/** Of no tenant: the processes that work on this database. */
interface NodesTable {
  node_id: string
  started_at: Integer
  seen_at: Integer
  address: string | null
}

/** Of no tenant: which program brought the tables to which version. */
interface StoreVersionsTable {
  version: Integer
  name: string
  program: string
  applied_at: Integer
}

export interface Tables {
  sessions: SessionsTable
  events: EventsTable
  checkpoints: CheckpointsTable
  calls: CallsTable
  approvals: ApprovalsTable
  results: ResultsTable
  result_pieces: ResultPiecesTable
  session_secrets: SessionSecretsTable
  facts: FactsTable
  cache: CacheTable
  counters: CountersTable
  cache_changes: CacheChangesTable
  rates: RatesTable
  audit: AuditTable
  metering: MeteringTable
  jobs: JobsTable
  schedules: SchedulesTable
  skills: SkillsTable
  skill_files: SkillFilesTable
  deliveries: DeliveriesTable
  erasures: ErasuresTable
  nodes: NodesTable
  store_versions: StoreVersionsTable
}

/** Every table with a tenant, parents before children. */
export const TENANT_TABLES = [
  'sessions',
  'events',
  'checkpoints',
  'calls',
  'approvals',
  'results',
  'result_pieces',
  'session_secrets',
  'facts',
  'cache',
  'counters',
  'cache_changes',
  'rates',
  'audit',
  'metering',
  'jobs',
  'schedules',
  'skills',
  'skill_files',
  'deliveries',
  'erasures',
] as const satisfies readonly (keyof Tables)[]

export type TenantTable = (typeof TENANT_TABLES)[number]

/** The primary key of each, in order. */
export const PRIMARY_KEYS = {
  sessions: ['tenant_id', 'session_id'],
  events: ['tenant_id', 'session_id', 'seq'],
  checkpoints: ['tenant_id', 'session_id', 'seq'],
  calls: ['tenant_id', 'session_id', 'batch', 'call_id'],
  approvals: ['tenant_id', 'approval_id'],
  results: ['tenant_id', 'session_id', 'result_id'],
  result_pieces: ['tenant_id', 'session_id', 'content', 'piece'],
  session_secrets: ['tenant_id', 'session_id'],
  facts: ['tenant_id', 'user_id', 'key'],
  cache: ['tenant_id', 'key'],
  counters: ['tenant_id', 'name'],
  cache_changes: ['tenant_id', 'stamp'],
  rates: ['tenant_id', 'key'],
  audit: ['tenant_id', 'session_id', 'seq'],
  metering: ['tenant_id', 'id'],
  jobs: ['tenant_id', 'job_id'],
  schedules: ['tenant_id', 'schedule_id'],
  skills: ['tenant_id', 'key'],
  skill_files: ['tenant_id', 'key', 'path'],
  deliveries: ['tenant_id', 'delivery_id'],
  erasures: ['tenant_id', 'subject', 'subject_id'],
  nodes: ['node_id'],
  store_versions: ['version'],
} as const satisfies Readonly<Record<keyof Tables, readonly string[]>>
