import { AdjutantError, type ErrorCode } from './errors.ts'
import type { CallId } from './ids.ts'

/**
 * The life of one call: a union closed by a frozen table. `transition` is pure and the only way from one state to the
 * next; whoever keeps a call's state (session/call-ledger.ts) stores what it returns and nothing else.
 */

export type Outcome = 'ok' | 'failed' | 'not-run' | 'unknown'

export type CallState =
  | { readonly status: 'received' }
  | { readonly status: 'refused'; readonly code: ErrorCode }
  | { readonly status: 'held'; readonly reason: string }
  | { readonly status: 'denied'; readonly reason: string }
  | { readonly status: 'expired' }
  | { readonly status: 'admitted' }
  | { readonly status: 'queued' }
  | { readonly status: 'running'; readonly attempt: number }
  /** The same call ran for an answer that broke off; it is not run again, its outcome is taken over. */
  | { readonly status: 'adopted'; readonly from: CallId }
  /** It had its result before the session was carried on from another process. */
  | { readonly status: 'restored' }
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly code: ErrorCode }
  | { readonly status: 'timed-out' }
  | { readonly status: 'cancelled' }
  | { readonly status: 'unknown'; readonly code: ErrorCode }
  | { readonly status: 'settled'; readonly outcome: Outcome }

export type CallStatus = CallState['status']

/** From each status, where a call may go. `running → running` is a further attempt of a repeatable call. */
export const TRANSITIONS: Readonly<Record<CallStatus, readonly CallStatus[]>> = Object.freeze({
  received: Object.freeze<CallStatus[]>(['refused', 'held', 'admitted', 'restored', 'cancelled']),
  restored: Object.freeze<CallStatus[]>(['settled']),
  refused: Object.freeze<CallStatus[]>(['settled']),
  held: Object.freeze<CallStatus[]>(['admitted', 'denied', 'expired', 'refused', 'cancelled']),
  denied: Object.freeze<CallStatus[]>(['settled']),
  expired: Object.freeze<CallStatus[]>(['settled']),
  admitted: Object.freeze<CallStatus[]>(['queued', 'cancelled']),
  // Back to `held`: what may run is decided again at the moment of running.
  queued: Object.freeze<CallStatus[]>(['running', 'adopted', 'held', 'refused', 'cancelled']),
  adopted: Object.freeze<CallStatus[]>(['running', 'succeeded', 'failed', 'timed-out', 'unknown', 'cancelled']),
  running: Object.freeze<CallStatus[]>(['running', 'succeeded', 'failed', 'timed-out', 'cancelled', 'unknown']),
  succeeded: Object.freeze<CallStatus[]>(['settled']),
  failed: Object.freeze<CallStatus[]>(['settled']),
  'timed-out': Object.freeze<CallStatus[]>(['settled']),
  cancelled: Object.freeze<CallStatus[]>(['settled']),
  unknown: Object.freeze<CallStatus[]>(['settled']),
  settled: Object.freeze<CallStatus[]>([]),
})

/** The outcomes that a status may settle with. A timed-out or cancelled call may or may not have taken effect. */
const SETTLES_AS: Readonly<Partial<Record<CallStatus, readonly Outcome[]>>> = Object.freeze({
  restored: ['ok', 'failed', 'not-run', 'unknown'],
  refused: ['not-run'],
  denied: ['not-run'],
  expired: ['not-run'],
  succeeded: ['ok'],
  failed: ['failed', 'not-run'],
  'timed-out': ['failed', 'unknown'],
  cancelled: ['not-run', 'failed', 'unknown'],
  unknown: ['unknown'],
})

export type Transition = { readonly ok: true; readonly state: CallState } | { readonly ok: false; readonly error: AdjutantError }

/**
 * Checks one step. Pure: gives the next state, or the reason why there is none.
 *
 * @example
 * ```ts
 * transition({ status: 'queued' }, { status: 'running', attempt: 1 }) // { ok: true, state: … }
 * transition({ status: 'settled', outcome: 'ok' }, { status: 'running', attempt: 1 }) // { ok: false, error: … }
 * ```
 */
export function transition(state: CallState, next: CallState): Transition {
  if (!TRANSITIONS[state.status].includes(next.status)) {
    return { ok: false, error: new AdjutantError('INTERNAL', `a call cannot go from ${state.status} to ${next.status}`) }
  }
  if (next.status === 'settled' && !SETTLES_AS[state.status]?.includes(next.outcome)) {
    return { ok: false, error: new AdjutantError('INTERNAL', `a ${state.status} call cannot settle as ${next.outcome}`) }
  }
  return { ok: true, state: next }
}
