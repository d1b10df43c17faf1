import type { AdjutantError } from '../contract/errors.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import { backOff, toldWait } from './back-off.ts'
import { type FailureSigns, failureSigns } from './failure-signs.ts'

/**
 * Decides whether a failed attempt is followed by another one. Pure. A call is only run again when that cannot do harm: it is declared
 * repeatable, or the error proves that it did not run; and only when there is hope: the failure lies in the world and may pass. An attempt that may have
 * taken effect is never repeated, and none that was left behind running.
 */

export type FailedOutcome = Exclude<RawOutcome, { readonly status: 'succeeded' }>

/** Further attempts at most, whatever a tool asks for (E10). */
const MAX_RETRIES = 3
/** Further attempts where nobody says. */
const DEFAULT_RETRIES = 2
/** Milliseconds that all waits of one call may take together. A server that wants longer is not waited for: the model can do something else. */
const WAIT_BUDGET_MS = 60_000
/** All attempts together run this many time limits at most. */
const MAX_TIME_LIMITS = 3
/** Milliseconds by which an attempt may outlast its limit: the time a stopped tool gets to end by itself, and a timer's lateness. */
const LATENESS_MS = 1_000

/** Statuses that say "not now". 425: the server did not dare to; the others as in RFC 9110 and RFC 6585. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])
/** Statuses of a server that is not there. 500 is not among them: it may lie in this one call. */
const ABSENT_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

export interface RetryQuestion {
  readonly outcome: FailedOutcome
  /** Running it twice does no harm. */
  readonly repeatable: boolean
  /** Attempts so far, 1 or more. */
  readonly attempts: number
  /** Further attempts allowed. */
  readonly retries: number
  /** Milliseconds that all attempts ran. */
  readonly ranMs: number
  /** Milliseconds: the time limit of one attempt. */
  readonly limitMs: number
  /** Milliseconds waited so far. */
  readonly waitedMs: number
  /** Milliseconds since 1970. */
  readonly now: number
  readonly random: () => number
}

export type RetryDecision =
  | { readonly again: true; readonly delayMs: number }
  /** `note`: for the model, what it should know about further tries. */
  | { readonly again: false; readonly note?: string }

const NO: RetryDecision = Object.freeze({ again: false })

export function decideRetry(question: RetryQuestion): RetryDecision {
  const { outcome, attempts, random } = question
  const { error } = outcome
  if (outcome.status !== 'failed' && outcome.status !== 'timed-out') return NO
  if (error.outcome === 'unknown' || (error.outcome !== 'not-run' && !question.repeatable)) return NO
  const signs = failureSigns(error, question.now)
  if (!mayPass(error, signs)) return NO
  const told = signs.retryAfterMs
  const delayMs = told === undefined ? backOff(attempts, random) : toldWait(told, random)
  const isOver =
    attempts > question.retries ||
    isLeftBehind(outcome) ||
    question.ranMs - attempts * LATENESS_MS > (MAX_TIME_LIMITS - 1) * question.limitMs ||
    question.waitedMs + delayMs > WAIT_BUDGET_MS
  if (!isOver) return { again: true, delayMs }
  const tried = attempts > 1 ? [`It was tried ${attempts} times.`] : []
  const wait = told === undefined ? [] : [`It asks not to be tried again for ${Math.ceil(told / 1_000)} s.`]
  const note = [...tried, ...wait].join(' ')
  return note === '' ? NO : { again: false, note }
}

/** @param asked `limits.retries`, or the default of the host */
export function retriesOf(asked: number | undefined): number {
  if (asked === undefined) return DEFAULT_RETRIES
  return asked >= 1 ? Math.min(MAX_RETRIES, Math.floor(asked)) : 0
}

/**
 * True when a failure says that what the tool works with is not there, and nothing about this one call: what a circuit counts. A refusal, a wrong
 * argument or an error that the tool itself reports is an answer of something that is there.
 */
export function isEnvironmentFailure(outcome: RawOutcome, now: number): boolean {
  if (outcome.status !== 'failed' && outcome.status !== 'timed-out' && outcome.status !== 'unknown') return false
  const { error } = outcome
  switch (error.code) {
    case 'TIMEOUT':
    case 'ORIGIN_UNAVAILABLE':
      return true
    case 'MCP_SERVER_UNAVAILABLE':
      return error.grade === 'retry' || error.outcome === 'unknown'
    case 'TOOL_FAILED':
    case 'OUTCOME_UNKNOWN': {
      const { network, status } = failureSigns(error, now)
      return network !== undefined || (status !== undefined && ABSENT_STATUSES.has(status))
    }
    default:
      return false
  }
}

/** An error that says of itself whether it may pass is believed. One that nobody graded is judged by what lies below it. */
function mayPass(error: AdjutantError, signs: FailureSigns): boolean {
  if (error.grade === 'retry') return true
  if (error.grade === 'final' || error.code !== 'TOOL_FAILED') return false
  return signs.network !== undefined || (signs.status !== undefined && PASSING_STATUSES.has(signs.status))
}

/** A tool that did not react to its signal still runs: another attempt would run beside it. Only one that ended gives a cause. */
function isLeftBehind(outcome: FailedOutcome): boolean {
  return outcome.status === 'timed-out' && outcome.error.cause === undefined
}
