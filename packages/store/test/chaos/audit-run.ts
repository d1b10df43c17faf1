/** What a chaos run has come to: the log of every session beside what the bodies of the tools have noted. */
import type { ApprovalId, DurableStore, StepRecord, ToolCall } from '@adjutant/core/contract'
import type { BookedCall } from '@adjutant/testkit'
import type { ChaosPlan } from './plan.ts'

export interface RunAudit {
  /** Held calls that have a result. */
  readonly results: number
  /** Calls, held or not, that have more than one result. */
  readonly recordedTwice: number
  /** Calls that have none. */
  readonly lost: number
  /** Calls that may not be repeated and were begun more than once. */
  readonly startedTwice: number
  /** Bodies begun of calls that were denied. */
  readonly startedThoughDenied: number
  /** Results that say `ok` of a body whose end was not noted, or was noted under another key. */
  readonly okWithoutEnd: number
  readonly outcomes: Readonly<Record<string, number>>
  /** Where the process of a call with the outcome `unknown` died. */
  readonly unknown: { readonly beforeTheBody: number; readonly inTheBody: number; readonly beforeItWasKept: number }
  readonly asked: number
  /** Approvals that were taken by their session, and those that were taken more than once. */
  readonly taken: number
  readonly takenTwice: number
  /** Questions that were asked twice of one call. */
  readonly askedTwice: number
  readonly repeated: number
  readonly resumptions: number
}

export async function auditRun(
  plan: ChaosPlan,
  sessions: DurableStore,
  booked: ReadonlyMap<string, BookedCall>,
  denied: ReadonlySet<ApprovalId>,
): Promise<RunAudit> {
  const outcomes: Record<string, number> = {}
  const unknown = { beforeTheBody: 0, inTheBody: 0, beforeItWasKept: 0 }
  const sum = {
    results: 0,
    recordedTwice: 0,
    lost: 0,
    startedThoughDenied: 0,
    okWithoutEnd: 0,
    asked: 0,
    taken: 0,
    takenTwice: 0,
    askedTwice: 0,
  }
  let resumptions = 0
  const bodies = byCall(booked)
  for (const [session, { id, calls }] of plan.sessions.entries()) {
    const steps = await Array.fromAsync(sessions.steps({ tenantId: 'local', sessionId: id }))
    resumptions += steps.filter(({ type }) => type === 'resumed').length
    for (const call of calls) {
      const kept = keptOf(steps, call)
      const body = bodies.get(`${call.name} ${session}/${call.index}`) ?? { starts: 0, ends: 0 }
      if (kept.results.length === 0) sum.lost += 1
      if (kept.results.length > 1) sum.recordedTwice += 1
      const outcome = kept.results[0]?.outcome
      if (outcome === 'ok' && call.name !== 'look' && body.ends === 0) sum.okWithoutEnd += 1
      if (outcome === 'unknown') {
        if (body.starts === 0) unknown.beforeTheBody += 1
        else if (body.ends === 0) unknown.inTheBody += 1
        else unknown.beforeItWasKept += 1
      }
      if (call.name === 'look') continue
      if (outcome !== undefined) {
        sum.results += 1
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      }
      sum.asked += kept.asked.length
      if (kept.asked.length > 1) sum.askedTwice += 1
      const answered = kept.asked.map((approval) => steps.filter((step) => step.type === 'answered' && step.approvalId === approval).length)
      sum.taken += answered.filter((times) => times > 0).length
      sum.takenTwice += answered.filter((times) => times > 1).length
      if (kept.asked.some((approval) => denied.has(approval)) && body.starts > 0) sum.startedThoughDenied += 1
    }
  }
  const repeats = [...bodies].flatMap(([call, { starts }]) => (starts > 1 ? [call] : []))
  return {
    ...sum,
    startedTwice: repeats.filter((call) => call.startsWith('change ')).length,
    repeated: repeats.filter((call) => !call.startsWith('change ')).length,
    outcomes,
    unknown,
    resumptions,
  }
}

interface Kept {
  readonly results: readonly { readonly outcome: string }[]
  readonly asked: readonly ApprovalId[]
}

function keptOf(steps: readonly StepRecord[], call: ToolCall): Kept {
  return {
    results: steps.flatMap((step) => (step.type === 'call' && step.call.id === call.id ? [{ outcome: step.result.outcome }] : [])),
    asked: steps.flatMap((step) => (step.type === 'asked' && step.approval.callId === call.id ? [step.approval.id] : [])),
  }
}

interface Bodies {
  readonly starts: number
  readonly ends: number
}

/** Whatever key it was given: a call that gets two keys is begun twice as well. */
function byCall(booked: ReadonlyMap<string, BookedCall>): ReadonlyMap<string, Bodies> {
  const calls = new Map<string, Bodies>()
  for (const { name, starts, ends } of booked.values()) {
    const before = calls.get(name) ?? { starts: 0, ends: 0 }
    calls.set(name, { starts: before.starts + starts, ends: before.ends + ends })
  }
  return calls
}
