/**
 * Owns jobs as rows: what each is and what became of it is in its row and nowhere else. A claim is one conditional update that gives the row a new fence; an
 * end is recorded only under the fence and lease of its claim. The same on both databases; what differs is how others hear of it, which is the carrier's.
 *
 * Crash rule: a claim outlives the machine before its job begins, an end before anybody is told. Signs of life and progress are written without waiting for
 * the disk: losing them ends a lease early at worst.
 */
import {
  type AttemptEnd,
  afterAttempt,
  type CheckedJob,
  type Claim,
  type ClaimRequest,
  checkJob,
  type Due,
  followUp,
  hasEnded,
  type JobBook,
  noJob,
  type Renewal,
} from '@adjutant/core'
import type { Clock, Job, JobFilter, Progress } from '@adjutant/core/contract'
import type { ChangeBell } from '../changes/change-bell.ts'
import { toColumn } from '../column-text.ts'
import { bodyPlace, type HotStatement, type StoreDatabase, type StoreTransaction } from '../database/index.ts'
import { pageLimit, readCursor, writeCursor } from '../page-cursor.ts'
import type { JobCarrier } from './job-carrier.ts'
import * as sql from './job-statements.ts'
import { SqlSchedules } from './sql-schedules.ts'
import { sqlTurns } from './sql-turns.ts'
import { JOB_COLUMNS, type JobRow, jobOf } from './stored-job.ts'

/** Joins what must be kept with the end of a job, in its transaction: it may run more than once and has no other effects. What it throws undoes the end. */
export type InJobEnd = (tx: StoreTransaction, job: Job) => Promise<void>

export interface SqlJobBookOptions {
  readonly db: StoreDatabase
  readonly bell: ChangeBell
  readonly carrier: JobCarrier
  readonly clock: Clock
  readonly warn: (message: string) => void
  readonly inEnd: readonly InJobEnd[]
}

export class SqlJobBook implements JobBook {
  readonly clock: Clock
  readonly pollMs: number
  readonly putSchedule: SqlSchedules['put']
  readonly removeSchedule: SqlSchedules['remove']
  readonly schedules: SqlSchedules['list']
  readonly tick: SqlSchedules['tick']
  readonly #db: StoreDatabase
  readonly #bell: ChangeBell
  readonly #carrier: JobCarrier
  readonly #inEnd: readonly InJobEnd[]
  readonly #locking: sql.LockingStatements
  readonly #due = new Map<number, HotStatement<sql.DueRow>>()

  constructor({ db, bell, carrier, clock, warn, inEnd }: SqlJobBookOptions) {
    this.#inEnd = inEnd
    this.#db = db
    this.#bell = bell
    this.#carrier = carrier
    this.#locking = sql.lockingStatements(db.kind)
    this.clock = clock
    this.pollMs = carrier.pollMs
    const schedules = new SqlSchedules({
      db,
      clock,
      warn,
      add: (tx, job) => this.addIn(tx, job),
      ready: (kind) => carrier.ready(kind),
      added: () => carrier.sent(),
    })
    this.putSchedule = (schedule) => schedules.put(schedule)
    this.removeSchedule = (tenantId, id) => schedules.remove(tenantId, id)
    this.schedules = (tenantId) => schedules.list(tenantId)
    this.tick = () => schedules.tick()
  }

  async add(job: CheckedJob): Promise<Job> {
    await this.#carrier.ready(job.kind)
    const added = await this.#db.transaction(job.tenantId, (tx) => this.addIn(tx, job))
    this.#carrier.sent()
    return added
  }

  /** In a transaction of somebody else's, which makes the job with it or not at all. */
  async addIn(tx: StoreTransaction, job: CheckedJob): Promise<Job> {
    const { tenantId, kind, runAt } = job
    const id = this.#db.ids.next('job')
    const payload = this.#db.seal.seal(JSON.stringify(job.payload), bodyPlace('jobs', 'payload', tenantId, id))
    const made = await tx.get(sql.ADD, [
      tenantId,
      id,
      kind,
      job.priority,
      job.group,
      payload,
      runAt,
      job.maxAttempts,
      job.retryDelayMs,
      job.timeoutMs,
      this.clock.now(),
      job.key ?? null,
      job.sessionId === undefined ? null : toColumn(job.sessionId),
      job.callId === undefined ? null : toColumn(job.callId),
    ])
    if (made !== undefined) await this.#carrier.send(tx, { tenantId, id, kind, attempt: 1, runAt })
    const row = made ?? (await tx.get(sql.BY_KEY, [tenantId, job.key ?? null]))
    if (row === undefined) throw noJob(id)
    return jobOf(row, this.#db.seal)
  }

  async get(tenantId: string, id: string): Promise<Job | undefined> {
    const row = await this.#db.read(tenantId, (tx) => tx.get(sql.BY_ID, [tenantId, toColumn(id)]))
    return row === undefined ? undefined : jobOf(row, this.#db.seal)
  }

  async list(tenantId: string, filter: JobFilter): Promise<{ readonly items: readonly Job[]; readonly next?: string }> {
    const { state, kind, sessionId, after } = filter
    const size = pageLimit(filter.limit)
    const from = after === undefined ? undefined : readCursor(after)
    const rows: readonly JobRow[] = await this.#db.read(tenantId, async ({ db }) => {
      let query = db.selectFrom('jobs').select(JOB_COLUMNS).where('tenant_id', '=', tenantId)
      if (state !== undefined) query = query.where('state', '=', state)
      if (kind !== undefined) query = query.where('kind', '=', kind)
      if (sessionId !== undefined) query = query.where('session_id', '=', toColumn(sessionId))
      if (from !== undefined) {
        const [time, id] = from
        query = query.where((each) =>
          each.or([each('created_at', '<', time), each.and([each('created_at', '=', time), each('job_id', '<', id)])]),
        )
      }
      return await query
        .orderBy('created_at', 'desc')
        .orderBy('job_id', 'desc')
        .limit(size + 1)
        .execute()
    })
    const items = rows.slice(0, size).map((row) => jobOf(row, this.#db.seal))
    const last = rows[size - 1]
    return rows.length > size && last !== undefined ? { items, next: writeCursor(last.created_at, last.job_id) } : { items }
  }

  async cancel(tenantId: string, id: string): Promise<Job> {
    const key = [tenantId, toColumn(id)]
    const job = await this.#db.transaction(tenantId, async (tx) => {
      const row = await tx.get(this.#locking.byId, key)
      if (row === undefined) throw noJob(id)
      if (row.ended_at !== null) throw hasEnded(jobOf(row, this.#db.seal))
      if (row.state === 'queued') await tx.run(sql.CANCEL_QUEUED, [this.clock.now(), ...key])
      else await tx.run(sql.CANCEL_RUNNING, key)
      const cancelled = jobOf((await tx.get(sql.BY_ID, key)) ?? row, this.#db.seal)
      await this.#follow(tx, cancelled)
      return cancelled
    })
    this.#ring(job)
    return job
  }

  async claim(request: ClaimRequest): Promise<readonly Claim[]> {
    const { limit, perGroup, turns } = request
    return await this.#db.system(async (tx) => {
      if (perGroup !== undefined && this.#locking.alone !== undefined) await tx.all(this.#locking.alone)
      const source = sqlTurns({ tx, seal: this.#db.seal, locking: this.#locking, request, now: this.clock.now() })
      return await turns.take(source, limit, perGroup)
    })
  }

  async renew(claims: readonly Claim[], until: number): Promise<readonly Renewal[]> {
    const now = this.clock.now()
    return await this.#db.system(
      async (tx) => {
        const renewals: Renewal[] = []
        // In one order, so that two workers never wait for each other.
        for (const claim of claims.toSorted((a, b) => (a.job.id < b.job.id ? -1 : 1))) {
          const row = await tx.get(sql.RENEW, [until, claim.job.tenantId, claim.job.id, claim.fence, now])
          renewals.push({ claim, held: row !== undefined, cancelling: row?.cancelling === 1 })
        }
        return renewals
      },
      { durable: false },
    )
  }

  async progress({ job, fence }: Claim, progress: Progress): Promise<void> {
    const values = [JSON.stringify(progress), job.tenantId, job.id, fence, this.clock.now()]
    await this.#db.transaction(job.tenantId, (tx) => tx.run(sql.PROGRESS, values), { durable: false })
  }

  async settle({ job: { tenantId, id }, fence }: Claim, end: AttemptEnd): Promise<Job | undefined> {
    const job = await this.#db.transaction(tenantId, async (tx) => {
      const row = await tx.get(this.#locking.byId, [tenantId, id])
      if (row === undefined || row.state !== 'running' || row.fence !== fence) return undefined
      if ((row.lease_until ?? 0) <= this.clock.now()) return undefined
      return await this.#end(tx, row, end)
    })
    if (job !== undefined) this.#ring(job)
    return job
  }

  async reap(): Promise<readonly Job[]> {
    const reaped: Job[] = []
    for (;;) {
      const jobs = await this.#db.system(async (tx) => {
        const rows = await tx.all(this.#locking.overdue, [this.clock.now()])
        const ended: Job[] = []
        for (const row of rows) ended.push(await this.#end(tx, row, { type: 'left', why: 'its worker gave no sign of life' }))
        return ended
      })
      for (const job of jobs) this.#ring(job)
      reaped.push(...jobs)
      if (jobs.length < 100) return reaped
    }
  }

  async due(kinds: readonly string[]): Promise<Due> {
    const statement = this.#due.get(kinds.length) ?? sql.whenDue(kinds.length)
    this.#due.set(kinds.length, statement)
    const rows = await this.#db.system((tx) => tx.all(statement, [...kinds]), { readOnly: true })
    const first = (what: sql.DueRow['what']): number | undefined => {
      const times = rows.flatMap((row) => (row.what === what && row.at !== null ? [row.at] : []))
      return times.length === 0 ? undefined : Math.min(...times)
    }
    const [queued, lease, schedule] = [first('queued'), first('lease'), first('schedule')]
    return {
      ...(queued === undefined ? {} : { queued }),
      ...(lease === undefined ? {} : { lease }),
      ...(schedule === undefined ? {} : { schedule }),
    }
  }

  listen(kinds: readonly string[], look: () => Promise<void>): AsyncDisposable {
    return this.#carrier.listen(kinds, look)
  }

  async heard(tenantId: string, id: string, options: { readonly signal: AbortSignal; readonly maxMs: number }): Promise<void> {
    await this.#bell.heard(jobTopic(tenantId, id), options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#carrier[Symbol.asyncDispose]()
  }

  async #end(tx: StoreTransaction, row: JobRow, end: AttemptEnd): Promise<Job> {
    const { tenant_id: tenantId, job_id: id, kind, attempt } = row
    const now = this.clock.now()
    const { state, runAt, result, error, deadLetter } = afterAttempt(jobOf(row, this.#db.seal), end, now)
    const body = result === undefined ? null : this.#db.seal.seal(JSON.stringify(result), bodyPlace('jobs', 'result', tenantId, id))
    const said = error === undefined ? null : JSON.stringify(error)
    const ended = runAt === undefined ? now : null
    await tx.run(sql.SETTLE, [state, runAt ?? row.run_at, ended, body, said, deadLetter ? 1 : 0, tenantId, id, row.fence])
    if (runAt !== undefined) await this.#carrier.send(tx, { tenantId, id, kind, attempt: attempt + 1, runAt })
    const job = jobOf((await tx.get(sql.BY_ID, [tenantId, id])) ?? row, this.#db.seal)
    await this.#follow(tx, job)
    return job
  }

  /** What follows from an end is kept with it. */
  async #follow(tx: StoreTransaction, job: Job): Promise<void> {
    if (job.endedAt === undefined) return
    for (const join of this.#inEnd) await join(tx, job)
    const next = followUp(job)
    if (next !== undefined) await this.addIn(tx, checkJob(next, this.clock.now()))
  }

  #ring(job: Job): void {
    this.#bell.ring(jobTopic(job.tenantId, job.id))
    // It may be queued again, or something else follows from it.
    this.#carrier.sent()
  }
}

function jobTopic(tenantId: string, id: string): string {
  return `job/${tenantId}/${id}`
}
