/**
 * Owns schedules as rows. A tick is made by whoever moves the schedule on: the two are one transaction, and moving it on is a conditional update, so that of
 * several nodes one makes the job.
 */
import { AdjutantError, type CheckedJob, type CheckedSchedule, catchUp, scheduleAfter, tickJob } from '@adjutant/core'
import type { Clock, Job, StoredSchedule } from '@adjutant/core/contract'
import { type BodySeal, bodyPlace, type StoreDatabase, type StoreTransaction } from '../database/index.ts'
import { DUE_SCHEDULES, PUT_SCHEDULE, SCHEDULE_BY_ID, SCHEDULES, type ScheduleRow, TICK, UNSCHEDULE } from './job-statements.ts'
import { payloadOf } from './stored-job.ts'

export interface SqlSchedulesOptions {
  readonly db: StoreDatabase
  readonly clock: Clock
  readonly warn: (message: string) => void
  readonly add: (tx: StoreTransaction, job: CheckedJob) => Promise<Job>
  readonly ready: (kind: string) => Promise<void>
  readonly added: () => void
}

export class SqlSchedules {
  readonly #cx: SqlSchedulesOptions

  constructor(options: SqlSchedulesOptions) {
    this.#cx = options
  }

  async put(schedule: CheckedSchedule): Promise<StoredSchedule> {
    const { db, added } = this.#cx
    const { tenantId, id } = schedule
    const stored = await db.transaction(tenantId, async (tx) => {
      const row = await tx.get(SCHEDULE_BY_ID, [tenantId, id])
      const after = scheduleAfter(schedule, row === undefined ? undefined : scheduleOf(row, db.seal))
      const payload = db.seal.seal(JSON.stringify(after.payload), bodyPlace('schedules', 'payload', tenantId, id))
      await tx.run(PUT_SCHEDULE, [
        tenantId,
        id,
        after.cron,
        schedule.zone,
        after.kind,
        payload,
        after.nextAt ?? null,
        after.lastAt ?? null,
        schedule.paused ? 1 : 0,
      ])
      return after
    })
    added()
    return stored
  }

  async remove(tenantId: string, id: string): Promise<void> {
    await this.#cx.db.transaction(tenantId, (tx) => tx.run(UNSCHEDULE, [tenantId, id]))
  }

  async list(tenantId: string): Promise<readonly StoredSchedule[]> {
    const rows = await this.#cx.db.read(tenantId, (tx) => tx.all(SCHEDULES, [tenantId]))
    return rows.map((row) => scheduleOf(row, this.#cx.db.seal))
  }

  async tick(): Promise<void> {
    const { db, clock, warn } = this.#cx
    const rows = await db.system((tx) => tx.all(DUE_SCHEDULES, [clock.now()]), { readOnly: true })
    for (const row of rows) {
      try {
        await this.#tick(row)
      } catch (error) {
        // One that cannot be made must not hold up the others.
        warn(`the schedule ${row.schedule_id} makes no job: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }

  async #tick(row: ScheduleRow): Promise<void> {
    const { db, clock, add, ready, added } = this.#cx
    const { tenant_id: tenantId, schedule_id: id, next_at: due } = row
    if (due === null) return
    const now = clock.now()
    const { last, next } = ticksOf(row, due, now)
    const job = tickJob(scheduleOf(row, db.seal), due, now)
    await ready(job.kind)
    await db.transaction(tenantId, async (tx) => {
      const moved = await tx.run(TICK, [next ?? null, last, tenantId, id, due])
      if (moved === 1) await add(tx, job)
    })
    added()
  }
}

/** @throws AdjutantError STORE_FAILED when this machine does not know the schedule's time zone */
function ticksOf(row: ScheduleRow, due: number, now: number): ReturnType<typeof catchUp> {
  try {
    return catchUp(row.cron, row.zone, due, now)
  } catch (cause) {
    throw new AdjutantError('STORE_FAILED', `its times cannot be told here: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
      grade: 'final',
    })
  }
}

function scheduleOf(row: ScheduleRow, seal: BodySeal): StoredSchedule {
  const { tenant_id: tenantId, schedule_id: id, cron, zone, kind } = row
  const payload = payloadOf(seal.openText(row.payload, bodyPlace('schedules', 'payload', tenantId, id)), `the schedule ${id}`)
  return {
    tenantId,
    id,
    cron,
    zone,
    kind,
    payload,
    paused: row.paused === 1,
    ...(row.next_at === null ? {} : { nextAt: row.next_at }),
    ...(row.last_at === null ? {} : { lastAt: row.last_at }),
  }
}
