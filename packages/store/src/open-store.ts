import { type RateStore, randomIds, SESSION_RESUME_JOB, systemClock } from '@adjutant/core'
import type { DurableStore, ResultStore, SharedCache } from '@adjutant/core/contract'
import { type InDecision, SqlDesk } from './approvals/sql-desk.ts'
import { deskAudit } from './audit/desk-audit.ts'
import { SqlAuditSink } from './audit/sql-audit-sink.ts'
import { SqlSharedCache } from './cache/sql-shared-cache.ts'
import { openBell } from './changes/open-bell.ts'
import { type OpenDatabaseOptions, openDatabase, type StoreDatabase } from './database/index.ts'
import { SqlJobQueue } from './jobs/sql-job-queue.ts'
import { SqlMeteringSink } from './metering/sql-metering-sink.ts'
import { Nodes } from './nodes/index.ts'
import { checkTargets, Notifications, type NotifySettings, Outbox } from './notifications/index.ts'
import { SqlRateStore } from './rates/sql-rate-store.ts'
import { SqlResultStore } from './results/sql-result-store.ts'
import { resumeJob } from './resume-job.ts'
import { SqlSessions } from './sessions/sql-sessions.ts'

/** Clock and ids default to the machine's. */
export interface OpenStoreOptions extends Partial<OpenDatabaseOptions> {
  /** Who is told of what; the same in each process of a store. Default: nobody. */
  readonly notify?: readonly NotifySettings[]
  /** Seals the record of decisions on approvals; 16 bytes at least, the same in each process of a store. Default: hashes without a key. */
  readonly auditKey?: string
}

/** Everything that outlives the process, in one database. */
export interface Store extends AsyncDisposable {
  readonly database: StoreDatabase
  readonly sessions: DurableStore
  /** The desk of `sessions`, with what only a database has. */
  readonly desk: SqlDesk
  /** What goes on behind sessions, and has them carried on. */
  readonly jobs: SqlJobQueue
  /** What was cut from a model's view, for openDurableSession. */
  readonly results: ResultStore
  /** Results that equal calls of every process get, for ResultCache. */
  readonly cache: SharedCache
  /** Counts of all processes, for RateLimiter. */
  readonly rates: RateStore
  readonly notifications: Notifications
  /** Which processes work on it. */
  readonly nodes: Nodes
  /** Keeps the audit logs of a tenant's sessions: for auditObserver. One sink for each tenant. */
  audit(tenantId: string): SqlAuditSink
  /** Keeps what calls used, of all tenants: for meteringObserver. */
  readonly metering: SqlMeteringSink
}

/**
 * Opens a database and what is kept in it.
 *
 * @param url `sqlite:/path/file.db`, a path that ends in `.db`, `sqlite::memory:`, or `postgres://…`
 * @throws AdjutantError USAGE, CONFIG_INVALID, STORE_FAILED with what to do about it
 *
 * @example
 * ```ts
 * await using store = await openStore('sqlite:.adjutant/store.db')
 * const session = await openDurableSession({ store: store.sessions, id, tools, namespaceRoot, mode: 'ask', approver, asker })
 * ```
 */
export async function openStore(url: string, { notify = [], auditKey, ...options }: OpenStoreOptions = {}): Promise<Store> {
  const targets = checkTargets(notify)
  const database = await openDatabase(url, { clock: systemClock, ids: randomIds, ...options })
  const warn = options.warn ?? (() => {})
  const bell = openBell(database, warn)
  const outbox = new Outbox(database, targets)
  const jobs = new SqlJobQueue({ db: database, bell, warn, inEnd: [(tx, job) => outbox.job(tx, job)] })
  const hooks: readonly InDecision[] = [
    (tx, approval) => outbox.approval(tx, approval),
    async (tx, approval) => void (await jobs.enqueueIn(tx, resumeJob(approval))),
    // Last: decisions of one tenant wait for each other from here on.
    deskAudit(database.schema, auditKey),
  ]
  const desk = new SqlDesk(database, bell, hooks, () => jobs.ready(SESSION_RESUME_JOB))
  const sessions = new SqlSessions(database, bell, desk, [(tx, key, step) => outbox.step(tx, key, step)])
  const notifications = new Notifications({ db: database, targets, expire: () => desk.expireOverdue(), warn })
  const nodes = new Nodes({ db: database, warn })
  const chains = new Map<string, SqlAuditSink>()
  return {
    database,
    sessions,
    results: new SqlResultStore(database),
    cache: new SqlSharedCache(database),
    rates: new SqlRateStore(database),
    desk,
    jobs,
    notifications,
    nodes,
    audit(tenantId) {
      const sink = chains.get(tenantId) ?? new SqlAuditSink(database, tenantId)
      chains.set(tenantId, sink)
      return sink
    },
    metering: new SqlMeteringSink(database),
    async [Symbol.asyncDispose]() {
      await nodes.close()
      await notifications.close()
      await jobs[Symbol.asyncDispose]()
      await bell[Symbol.asyncDispose]()
      await database.close()
    },
  }
}
