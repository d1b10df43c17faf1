import type { StoredSchedule } from '../../../contract/job.ts'
import type { CheckedSchedule } from './job-book.ts'

/**
 * What a schedule is after it was given again. When it is meant for other times, or its pause ends, the next tick counts from now; otherwise the one that
 * is next stays, so that giving it at each start of a program loses none.
 */
export function scheduleAfter(given: CheckedSchedule, before: StoredSchedule | undefined): StoredSchedule {
  const { nextAt: first, ...rest } = given
  const same = before !== undefined && before.paused !== true && before.cron === given.cron && (before.zone ?? 'UTC') === given.zone
  const nextAt = given.paused ? undefined : same ? before.nextAt : first
  const lastAt = before?.lastAt
  return { ...rest, ...(nextAt === undefined ? {} : { nextAt }), ...(lastAt === undefined ? {} : { lastAt }) }
}
