import { AdjutantError } from '../../../contract/errors.ts'
import type { NewJob, Schedule, WorkOptions } from '../../../contract/job.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { CheckedJob, CheckedSchedule } from './job-book.ts'
import { nextTick } from './next-tick.ts'

/** A kind is also the name of a queue of whatever carries jobs. */
const KIND = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
/** No control characters, no halves of characters. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,500}$/u
/** Characters of a payload as JSON. */
const PAYLOAD_CHARS = 1_048_576
const MAX_ATTEMPTS = 20
const DAY_MS = 86_400_000
/** A date can be no later. */
const LAST_MS = 8_640_000_000_000_000

/** Fills in the defaults. @throws AdjutantError USAGE, TOO_LARGE naming what is out of range */
export function checkJob(job: NewJob, now: number): CheckedJob {
  const { tenantId, kind, key, sessionId, callId } = job
  return {
    tenantId: name('tenantId', tenantId),
    kind: checkKind(kind),
    payload: checkPayload(job.payload),
    priority: whole('priority', job.priority ?? 0, -1_000_000, 1_000_000),
    group: name('group', job.group ?? tenantId),
    runAt: whole('runAt', job.runAt ?? now, 0, LAST_MS),
    maxAttempts: whole('maxAttempts', job.maxAttempts ?? 1, 1, MAX_ATTEMPTS),
    retryDelayMs: whole('retryDelayMs', job.retryDelayMs ?? 1_000, 0, DAY_MS),
    timeoutMs: whole('timeoutMs', job.timeoutMs ?? 3_600_000, 1, 7 * DAY_MS),
    ...(key === undefined ? {} : { key: name('key', key) }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(callId === undefined ? {} : { callId }),
  }
}

/** @throws AdjutantError USAGE when `cron` or `zone` is none, TOO_LARGE */
export function checkSchedule(schedule: Schedule, now: number): CheckedSchedule {
  const { tenantId, id, cron, zone = 'UTC', kind, payload, paused = false } = schedule
  const nextAt = nextTick(cron, zone, now)
  return {
    tenantId: name('tenantId', tenantId),
    id: name('id', id),
    cron,
    zone,
    kind: checkKind(kind),
    payload: checkPayload(payload),
    paused,
    nextAt: paused ? undefined : nextAt,
  }
}

export type CheckedWork = Required<Omit<WorkOptions, 'perGroup' | 'node'>> & Pick<WorkOptions, 'perGroup' | 'node'>

/** @throws AdjutantError USAGE */
export function checkWork(kinds: readonly string[], options: WorkOptions): CheckedWork {
  if (kinds.length === 0)
    throw new AdjutantError('USAGE', 'a worker was given no handlers', { hint: 'Give at least one kind of job and its handler.' })
  for (const kind of kinds) checkKind(kind)
  const { perGroup, node } = options
  return {
    concurrency: whole('concurrency', options.concurrency ?? 4, 1, 1_000),
    leaseMs: whole('leaseMs', options.leaseMs ?? 30_000, 100, DAY_MS),
    ...(perGroup === undefined ? {} : { perGroup: whole('perGroup', perGroup, 1, 1_000_000) }),
    ...(node === undefined ? {} : { node: name('node', node) }),
  }
}

function checkKind(kind: unknown): string {
  if (typeof kind === 'string' && KIND.test(kind)) return kind
  throw wrong('kind', kind, '1 to 100 letters, digits, dots, dashes and underscores')
}

function name(what: string, value: unknown): string {
  if (typeof value === 'string' && NAME.test(value)) return value
  throw wrong(what, value, '1 to 500 signs of text')
}

function whole(what: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
  throw wrong(what, value, `a whole number from ${least} to ${most}`)
}

/** A copy: what the caller changes later is not in the job. */
function checkPayload(payload: unknown): JsonObject {
  let text: string | undefined
  try {
    text = JSON.stringify(payload)
  } catch (cause) {
    throw new AdjutantError('USAGE', 'the payload of a job is no JSON', { cause, hint: 'Give an object of plain values.' })
  }
  if (text === undefined || !text.startsWith('{')) throw wrong('payload', payload, 'an object')
  if (text.length > PAYLOAD_CHARS) {
    throw new AdjutantError('TOO_LARGE', `the payload of a job has ${text.length} characters; the most is ${PAYLOAD_CHARS}`, {
      outcome: 'not-run',
      hint: 'Keep it elsewhere and name it in the payload.',
    })
  }
  const copy: JsonObject = JSON.parse(text)
  return copy
}

function wrong(what: string, value: unknown, right: string): AdjutantError {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : typeof value === 'number' ? String(value) : typeof value
  return new AdjutantError('USAGE', `${what} of a job is ${shown}`, { hint: `Give ${right}.` })
}
