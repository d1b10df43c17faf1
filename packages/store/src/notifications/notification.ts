/**
 * Owns what is said when something waits or has ended: enough to find it and to decide whether to look, and nothing that is secret. Arguments are those that
 * are shown to people, from which secrets were taken out, and cut; what a person wrote, arguments that a person changed, results and the words of failures stay out.
 */
import { createHash } from 'node:crypto'
import { isToolJob, SESSION_RESUME_JOB, TOOL_JOB } from '@adjutant/core'
import type { AskedApproval, Job, JsonObject, SessionId, SessionKey, StoredApproval } from '@adjutant/core/contract'

export const NOTIFICATION_TYPES = ['approval.waiting', 'approval.decided', 'approval.expired', 'job.ended'] as const

export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

/** One thing that happened. Told at least once to each who asked for it, with the same id each time. */
export interface Notification {
  /** Of what happened and whom it is told: the same in each attempt, so that whoever gets it twice can tell. */
  readonly id: string
  readonly type: NotificationType
  /** When it happened: ISO 8601 in UTC. */
  readonly timestamp: string
  readonly tenantId: string
  readonly sessionId?: SessionId
  /** By type: see docs/guides/notifications.md. */
  readonly data: JsonObject
}

/** What happened, before it is known whom it is told. */
export interface Happening extends Omit<Notification, 'id' | 'timestamp'> {
  /** The approval or the job. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly at: number
}

const TEXT_CHARS = 500
/** Of shown arguments, as JSON. Longer ones are left out, and that is said. */
const SHOWN_CHARS = 4_000

export function approvalWaiting({ tenantId, sessionId }: SessionKey, approval: AskedApproval): Happening {
  const { id, tool, effect, reason, rule, shown, callId, createdAt, expiresAt } = approval
  const fits = JSON.stringify(shown).length <= SHOWN_CHARS
  return {
    type: 'approval.waiting',
    subject: id,
    at: createdAt,
    tenantId,
    sessionId,
    data: {
      approvalId: id,
      callId: cut(callId),
      tool: cut(tool),
      effect,
      reason: cut(reason),
      rule: cut(rule),
      ...(fits ? { arguments: shown } : { argumentsLeftOut: true }),
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    },
  }
}

/** Undefined while it waits, and when it was cancelled with its session. */
export function approvalEnded(approval: StoredApproval): Happening | undefined {
  const { id, tool, state, tenantId, sessionId, decidedAt, decidedBy, createdAt } = approval
  if (state === 'pending' || state === 'cancelled') return undefined
  return {
    type: state === 'expired' ? 'approval.expired' : 'approval.decided',
    subject: id,
    at: decidedAt ?? createdAt,
    tenantId,
    sessionId,
    data: { approvalId: id, tool: cut(tool), state, ...(decidedBy === undefined ? {} : { decidedBy: cut(decidedBy) }) },
  }
}

/** Undefined for one that goes on, and for jobs that only carry sessions on. */
export function jobEnded(job: Job): Happening | undefined {
  const { id, kind, state, tenantId, sessionId, payload, error, createdAt, endedAt, attempt } = job
  if (state === 'queued' || state === 'running' || kind === SESSION_RESUME_JOB) return undefined
  return {
    type: 'job.ended',
    subject: id,
    at: endedAt ?? createdAt,
    tenantId,
    ...(sessionId === undefined ? {} : { sessionId }),
    data: {
      jobId: id,
      kind: isToolJob(kind) ? TOOL_JOB : kind,
      state,
      attempts: attempt,
      ...(isToolJob(kind) && typeof payload.name === 'string' ? { tool: cut(payload.name) } : {}),
      ...(error === undefined ? {} : { code: error.code }),
    },
  }
}

/** @param target id of whom it is told */
export function notificationFor(happening: Happening, target: string): Notification {
  const { type, tenantId, sessionId, data, subject, at } = happening
  const digest = createHash('sha256')
    .update(JSON.stringify([tenantId, type, subject, target]))
    .digest('hex')
  return {
    id: `msg_${digest.slice(0, 32)}`,
    type,
    timestamp: new Date(at).toISOString(),
    tenantId,
    ...(sessionId === undefined ? {} : { sessionId }),
    data,
  }
}

function cut(text: string): string {
  return text.length <= TEXT_CHARS ? text : `${text.slice(0, TEXT_CHARS - 1).toWellFormed()}…`
}
