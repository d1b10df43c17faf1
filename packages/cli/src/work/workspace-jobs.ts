/**
 * Owns which background calls this machine's processes do: those of their own workspace. Several workspaces may share a store; a call of one that was
 * done in another would read and write the wrong files.
 */
import { hash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { TOOL_JOB } from '@adjutant/core'
import type { JobQueue } from '@adjutant/core/contract'

/** The kind of jobs that are calls in this workspace. */
export function toolJobKind(workspace: string): string {
  return `${TOOL_JOB}.${hash('sha256', realOf(workspace)).slice(0, 12)}`
}

/** The queue, as sessions of this workspace see it. Whoever opened the queue closes it. */
export function workspaceJobs(queue: JobQueue, workspace: string): JobQueue {
  const kind = toolJobKind(workspace)
  return {
    enqueue: (job) => queue.enqueue(job.kind === TOOL_JOB ? { ...job, kind } : job),
    get: (tenantId, id) => queue.get(tenantId, id),
    list: (tenantId, filter) => queue.list(tenantId, filter),
    cancel: (tenantId, id) => queue.cancel(tenantId, id),
    settled: (tenantId, id, options) => queue.settled(tenantId, id, options),
    work: (handlers, options) => queue.work(handlers, options),
    schedule: (schedule) => queue.schedule(schedule),
    unschedule: (tenantId, id) => queue.unschedule(tenantId, id),
    schedules: (tenantId) => queue.schedules(tenantId),
    async [Symbol.asyncDispose]() {},
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
