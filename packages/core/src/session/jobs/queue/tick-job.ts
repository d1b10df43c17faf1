import type { Schedule } from '../../../contract/job.ts'
import { checkJob } from './check-job.ts'
import type { CheckedJob } from './job-book.ts'

/** The job of one tick: whoever makes it, on whichever node, makes the same. */
export function tickJob({ tenantId, id, kind, payload }: Schedule, tick: number, now: number): CheckedJob {
  return checkJob({ tenantId, kind, payload, key: `schedule/${id}/${tick}` }, now)
}
