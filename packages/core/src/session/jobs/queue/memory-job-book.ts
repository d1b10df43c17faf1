/**
 * Owns the jobs of one process, in memory: they end with it. What has ended is forgotten at some time, the oldest first, so that a process that runs for
 * long does not grow.
 */

import { AdjutantError } from '../../../contract/errors.ts'
import type { Job, JobFilter, StoredSchedule } from '../../../contract/job.ts'
import type { Clock, IdSource } from '../../../contract/ports.ts'
import type { Progress } from '../../../contract/tool.ts'
import { followUp } from '../session-resume.ts'
import { afterAttempt, type JobChange } from './after-attempt.ts'
import { checkJob } from './check-job.ts'
import type { AttemptEnd, CheckedJob, CheckedSchedule, Claim, ClaimRequest, Due, JobBook, Renewal } from './job-book.ts'
import { hasEnded, noJob } from './job-errors.ts'
import { catchUp } from './next-tick.ts'
import { scheduleAfter } from './schedule-after.ts'
import { tickJob } from './tick-job.ts'
import type { TurnSource } from './turns.ts'

interface Entry {
  /** In the order in which they were made. */
  readonly number: number
  job: Job
  fence: number
  until: number
}

/** Jobs that have ended are kept up to this number. */
const ENDED = 10_000
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

export class MemoryJobBook implements JobBook {
  readonly clock: Clock
  readonly pollMs = 1_000
  readonly #ids: IdSource
  readonly #entries = new Map<string, Entry>()
  readonly #byKey = new Map<string, Entry>()
  readonly #queued = new Set<Entry>()
  readonly #running = new Set<Entry>()
  readonly #ended = new Set<Entry>()
  readonly #schedules = new Map<string, { readonly checked: CheckedSchedule; stored: StoredSchedule }>()
  readonly #ears = new Map<() => Promise<void>, readonly string[]>()
  readonly #waiting = new Map<string, Set<() => void>>()
  #made = 0
  #claiming: Promise<void> = Promise.resolve()

  constructor(clock: Clock, ids: IdSource) {
    this.clock = clock
    this.#ids = ids
  }

  async add(job: CheckedJob): Promise<Job> {
    const key = job.key === undefined ? undefined : place(job.tenantId, job.key)
    const same = key === undefined ? undefined : this.#byKey.get(key)
    if (same !== undefined) return same.job
    const id = this.#ids.next('job')
    const made: Job = { ...job, id, state: 'queued', attempt: 0, createdAt: this.clock.now() }
    this.#made += 1
    const entry: Entry = { number: this.#made, job: made, fence: 0, until: 0 }
    this.#entries.set(place(job.tenantId, id), entry)
    if (key !== undefined) this.#byKey.set(key, entry)
    this.#queued.add(entry)
    for (const look of this.#ears.keys()) void look()
    return made
  }

  async get(tenantId: string, id: string): Promise<Job | undefined> {
    return this.#entries.get(place(tenantId, id))?.job
  }

  async list(tenantId: string, filter: JobFilter): Promise<{ readonly items: readonly Job[]; readonly next?: string }> {
    const { state, kind, sessionId, after, limit = DEFAULT_LIMIT } = filter
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw new AdjutantError('USAGE', `a page has 1 to ${MAX_LIMIT} entries, not ${limit}`)
    }
    const before = after === undefined ? Number.POSITIVE_INFINITY : Number(after)
    if (Number.isNaN(before)) throw new AdjutantError('USAGE', `not the beginning of a page: ${JSON.stringify(after?.slice(0, 60))}`)
    const found = [...this.#entries.values()]
      .filter(({ job, number }) => job.tenantId === tenantId && number < before)
      .filter(({ job }) => (state === undefined || job.state === state) && (kind === undefined || job.kind === kind))
      .filter(({ job }) => sessionId === undefined || job.sessionId === sessionId)
      .toSorted((one, other) => other.number - one.number)
    const page = found.slice(0, limit)
    const items = page.map(({ job }) => job)
    const last = page.at(-1)
    return found.length > limit && last !== undefined ? { items, next: String(last.number) } : { items }
  }

  async cancel(tenantId: string, id: string): Promise<Job> {
    const entry = this.#entries.get(place(tenantId, id))
    if (entry === undefined) throw noJob(id)
    if (entry.job.endedAt !== undefined) throw hasEnded(entry.job)
    if (entry.job.state === 'queued') this.#change(entry, { state: 'cancelled', deadLetter: false })
    else entry.job = { ...entry.job, cancelling: true }
    return entry.job
  }

  async claim(request: ClaimRequest): Promise<readonly Claim[]> {
    // One after the other: what is due must not change under whoever takes turns.
    const claims = this.#claiming.then(() => this.#claim(request))
    this.#claiming = claims.then(() => {})
    return await claims
  }

  async renew(claims: readonly Claim[], until: number): Promise<readonly Renewal[]> {
    return claims.map((claim) => {
      const entry = this.#held(claim)
      if (entry === undefined) return { claim, held: false, cancelling: false }
      entry.until = until
      return { claim, held: true, cancelling: entry.job.cancelling === true }
    })
  }

  async progress(claim: Claim, progress: Progress): Promise<void> {
    const entry = this.#held(claim)
    if (entry !== undefined) entry.job = { ...entry.job, progress }
  }

  async settle(claim: Claim, end: AttemptEnd): Promise<Job | undefined> {
    const entry = this.#held(claim)
    if (entry === undefined) return undefined
    this.#change(entry, afterAttempt(entry.job, end, this.clock.now()))
    return entry.job
  }

  async reap(): Promise<readonly Job[]> {
    const now = this.clock.now()
    const gone = [...this.#running].filter(({ until }) => until <= now)
    for (const entry of gone) this.#change(entry, afterAttempt(entry.job, { type: 'left', why: 'its worker gave no sign of life' }, now))
    return gone.map(({ job }) => job)
  }

  async due(kinds: readonly string[]): Promise<Due> {
    let [queued, lease, schedule] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (const { job } of this.#queued) if (kinds.includes(job.kind)) queued = Math.min(queued, job.runAt)
    for (const { until } of this.#running) lease = Math.min(lease, until)
    for (const { stored } of this.#schedules.values()) if (stored.nextAt !== undefined) schedule = Math.min(schedule, stored.nextAt)
    return {
      ...(queued === Number.POSITIVE_INFINITY ? {} : { queued }),
      ...(lease === Number.POSITIVE_INFINITY ? {} : { lease }),
      ...(schedule === Number.POSITIVE_INFINITY ? {} : { schedule }),
    }
  }

  async putSchedule(schedule: CheckedSchedule): Promise<StoredSchedule> {
    const at = place(schedule.tenantId, schedule.id)
    const stored = scheduleAfter(schedule, this.#schedules.get(at)?.stored)
    this.#schedules.set(at, { checked: schedule, stored })
    for (const look of this.#ears.keys()) void look()
    return stored
  }

  async removeSchedule(tenantId: string, id: string): Promise<void> {
    this.#schedules.delete(place(tenantId, id))
  }

  async schedules(tenantId: string): Promise<readonly StoredSchedule[]> {
    return [...this.#schedules.values()]
      .map(({ stored }) => stored)
      .filter((stored) => stored.tenantId === tenantId)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  }

  async tick(): Promise<void> {
    const now = this.clock.now()
    for (const schedule of this.#schedules.values()) {
      const due = schedule.stored.nextAt
      if (due === undefined || due > now) continue
      const { cron, zone } = schedule.checked
      const { last, next } = catchUp(cron, zone, due, now)
      const { nextAt: _, ...rest } = schedule.stored
      schedule.stored = { ...rest, lastAt: last, ...(next === undefined ? {} : { nextAt: next }) }
      await this.add(tickJob(schedule.checked, due, now))
    }
  }

  listen(kinds: readonly string[], look: () => Promise<void>): AsyncDisposable {
    const ear = (): Promise<void> => look()
    this.#ears.set(ear, kinds)
    return {
      [Symbol.asyncDispose]: async () => {
        this.#ears.delete(ear)
      },
    }
  }

  heard(tenantId: string, id: string, { signal, maxMs }: { readonly signal: AbortSignal; readonly maxMs: number }): Promise<void> {
    const at = place(tenantId, id)
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(at) ?? new Set()
      const wake = (): void => {
        disarm()
        signal.removeEventListener('abort', wake)
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiting.get(at) === waiting) this.#waiting.delete(at)
        resolve()
      }
      const disarm = this.clock.after(maxMs, wake)
      signal.addEventListener('abort', wake, { once: true })
      waiting.add(wake)
      this.#waiting.set(at, waiting)
      if (signal.aborted) wake()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const waiting of [...this.#waiting.values()]) for (const wake of [...waiting]) wake()
  }

  async #claim({ kinds, leaseMs, limit, perGroup, turns }: ClaimRequest): Promise<readonly Claim[]> {
    const now = this.clock.now()
    const due = [...this.#queued].filter(({ job }) => kinds.includes(job.kind) && job.runAt <= now)
    return await turns.take(this.#source(due, now + leaseMs), limit, perGroup)
  }

  #source(due: readonly Entry[], until: number): TurnSource<Claim> {
    const left = new Set(due)
    const after = (names: readonly string[], name: string | undefined): string | undefined => {
      const sorted = [...new Set(names)].toSorted()
      return sorted.find((each) => name === undefined || each > name) ?? sorted[0]
    }
    const of = (tenantId: string): readonly Entry[] => [...left].filter(({ job }) => job.tenantId === tenantId)
    return {
      tenantAfter: async (tenant) =>
        after(
          [...left].map(({ job }) => job.tenantId),
          tenant,
        ),
      groupAfter: async (tenant, group) =>
        after(
          of(tenant).map(({ job }) => job.group ?? tenant),
          group,
        ),
      running: async (tenant, group) => [...this.#running].filter(({ job }) => job.tenantId === tenant && job.group === group).length,
      take: async (tenant, group) => {
        const [first] = of(tenant)
          .filter((entry) => entry.job.group === group && this.#queued.has(entry))
          .toSorted(({ job: a, number: one }, { job: b, number: other }) => b.priority - a.priority || a.runAt - b.runAt || one - other)
        if (first === undefined) return undefined
        left.delete(first)
        return this.#begin(first, until)
      },
    }
  }

  #begin(entry: Entry, until: number): Claim {
    this.#queued.delete(entry)
    this.#running.add(entry)
    entry.fence += 1
    entry.until = until
    const { error: _, progress: __, ...rest } = entry.job
    entry.job = { ...rest, state: 'running', attempt: entry.job.attempt + 1, startedAt: this.clock.now() }
    return { job: entry.job, fence: entry.fence, until }
  }

  #held({ job, fence }: Claim): Entry | undefined {
    const entry = this.#entries.get(place(job.tenantId, job.id))
    return entry !== undefined && this.#running.has(entry) && entry.fence === fence && entry.until > this.clock.now() ? entry : undefined
  }

  #change(entry: Entry, change: JobChange): void {
    const { state, runAt, result, error } = change
    this.#queued.delete(entry)
    this.#running.delete(entry)
    const { error: _, ...rest } = entry.job
    entry.job = {
      ...rest,
      state,
      ...(runAt === undefined ? { endedAt: this.clock.now() } : { runAt }),
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
    }
    if (runAt === undefined) this.#retire(entry)
    else this.#queued.add(entry)
    const next = followUp(entry.job)
    // Where nobody does it, it would lie here for ever.
    if (next !== undefined && [...this.#ears.values()].some((kinds) => kinds.includes(next.kind))) {
      void this.add(checkJob(next, this.clock.now()))
    }
    for (const wake of [...(this.#waiting.get(place(entry.job.tenantId, entry.job.id)) ?? [])]) wake()
    for (const look of this.#ears.keys()) void look()
  }

  #retire(entry: Entry): void {
    this.#ended.add(entry)
    if (this.#ended.size <= ENDED) return
    const [oldest] = this.#ended
    if (oldest === undefined) return
    this.#ended.delete(oldest)
    const { tenantId, id, key } = oldest.job
    this.#entries.delete(place(tenantId, id))
    if (key !== undefined) this.#byKey.delete(place(tenantId, key))
  }
}

function place(tenantId: string, name: string): string {
  return JSON.stringify([tenantId, name])
}
