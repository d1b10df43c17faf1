import type { CallBinding } from './call.ts'
import { AdjutantError } from './errors.ts'
import type { StepRecord } from './events.ts'
import type { ApprovalId, CallId, SessionId, TraceId } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { ApprovalDecision } from './ports.ts'
import type { Principal } from './principal.ts'
import type { Effect } from './tool.ts'

/**
 * The words of sessions that outlive the process: who may write to one, what was kept of it, and what waits for a person. The log of steps is
 * the truth; everything else that a store keeps of a session (its ledger of calls, its approvals) follows from the steps and is written with
 * them, in one transaction. See docs/adr/0034-pause-is-data.md.
 */

/** Whose session. The tenant comes first in every key. */
export interface SessionKey {
  readonly tenantId: string
  readonly sessionId: SessionId
}

/**
 * `open`: work is in hand, or was when its process died. `waiting`: a person has to decide something. `idle`: the next task may come.
 * `ended`: nothing follows.
 */
export type StoredSessionState = 'open' | 'waiting' | 'idle' | 'ended'

export interface StoredSession extends SessionKey {
  readonly principal: Principal
  readonly state: StoredSessionState
  readonly traceId: TraceId
  /** The first words of its first task. */
  readonly title?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  /** Number of steps kept. */
  readonly steps: number
  /** Who has it in hand, and until when nobody else can have it. */
  readonly holder?: { readonly node: string; readonly until: number }
}

/** What a session was, as far as it was kept. */
export interface LoadedSession {
  readonly session: StoredSession
  /** The newest checkpoint, as it was written: whoever reads it checks it. */
  readonly checkpoint?: { readonly afterStep: number; readonly body: JsonObject }
  /** Every step after the checkpoint, in order. */
  readonly steps: readonly StepRecord[]
}

/** A step and its number in its session, from 1. */
export interface KeptStep {
  readonly number: number
  readonly step: StepRecord
}

/**
 * How safe steps are once they are kept. `durable`: they outlive the machine. `written`: they outlive the process, and are made durable with the
 * next ones that must be.
 */
export type StepSafety = 'durable' | 'written'

export interface KeepOptions {
  /** Default `durable`. */
  readonly safety?: StepSafety
  /** Self-contained: loading begins here. */
  readonly checkpoint?: JsonObject
  /** What the session is from now on. */
  readonly state?: StoredSessionState
}

/**
 * The right to write to one session. It is renewed while it is held; when that fails (the process was asleep, the store could not be reached) it is
 * lost, and nothing more is written under it, also not by a process that does not know yet.
 */
export interface SessionHold extends AsyncDisposable {
  /** Grows with each holder. */
  readonly fence: number
  /** Aborts when the hold is lost. */
  readonly lost: AbortSignal
  load(): Promise<LoadedSession>
  /**
   * Keeps steps: all of them or, when it rejects, none. Steps `asked` make their approvals pending, `answered` consume them, `started` and `call`
   * are entered in the ledger: in the same transaction. Where the session has `ended`, what is still pending is `cancelled`. An `answered` step for an
   * approval that is pending decides it as well.
   *
   * @returns the number of steps kept so far
   * @throws AdjutantError SESSION_LOST when somebody else has it; CONFLICT when an approval was consumed already or decided otherwise,
   * or a call of this batch has begun under this fence or has ended; STORE_FAILED
   */
  keep(steps: readonly StepRecord[], options?: KeepOptions): Promise<number>
  /** Lets go. Safe to call twice. */
  close(): Promise<void>
}

export interface HoldOptions {
  /** Of a new session; an existing one must belong to the same user of the same tenant. */
  readonly principal: Principal
  readonly traceId: TraceId
  /** For people: which process this is, e.g. `host:pid`. */
  readonly node: string
  /** Default true: a session that does not exist is made. */
  readonly create?: boolean
  /** Tells of a holder whether it is certain that its process is gone: then its lease is not waited for. Default: of nobody. */
  readonly gone?: (node: string) => boolean
  /** After how many milliseconds without a renewal somebody else may take it. Default 30 000. */
  readonly leaseMs?: number
}

export interface SessionFilter {
  readonly state?: StoredSessionState
  readonly userId?: string
  /** What a page before gave. */
  readonly after?: string
  /** 1 … 1 000. Default 100. */
  readonly limit?: number
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Where the next page begins; absent on the last one. */
  readonly next?: string
}

/** Keeps sessions so that another process, on this machine or another, can carry them on. */
export interface DurableStore {
  readonly approvals: ApprovalDesk
  /**
   * Takes a session.
   *
   * @throws AdjutantError SESSION_BUSY while another holder has it, naming it and the time; NOT_FOUND when it does not exist and may not be made, or
   * belongs to somebody else; STORE_FAILED
   */
  hold(key: SessionKey, options: HoldOptions): Promise<SessionHold>
  /** Reads a session without taking it. */
  find(key: SessionKey): Promise<LoadedSession | undefined>
  /** The one that changed last first. */
  list(tenantId: string, filter?: SessionFilter): Promise<Page<StoredSession>>
  /** Every step from the first on, checkpoints left aside. */
  steps(key: SessionKey): AsyncIterable<StepRecord>
  /**
   * Every step after the first `after` ones, then each as it is kept, by whichever process, in order and once. Rests on the numbers of the steps: a
   * notification that never arrives only delays. Ends when the session is `ended` or `signal` aborts.
   */
  follow(key: SessionKey, options: { readonly after?: number; readonly signal: AbortSignal }): AsyncIterable<KeptStep>
}

/** `edited`: approved with other arguments. `cancelled`: its session ended without it. */
export type ApprovalState = 'pending' | 'approved' | 'edited' | 'denied' | 'expired' | 'cancelled'

/** A held call as it is kept: what a person needs to decide on it, and what an answer is bound to. */
export interface AskedApproval {
  readonly id: ApprovalId
  /** Which batch of its session, from 1. */
  readonly batch: number
  readonly callId: CallId
  readonly tool: string
  readonly effect: Effect
  /** The arguments as they are shown: secrets are taken out. */
  readonly shown: JsonObject
  readonly reason: string
  /** The rule that asks. */
  readonly rule: string
  readonly binding: CallBinding
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** After this nobody can say yes any more. Absent: it stays open. */
  readonly expiresAt?: number
}

export interface StoredApproval extends AskedApproval, SessionKey {
  readonly state: ApprovalState
  /** From 1; grows with each change. Whoever decides names the one that was looked at. */
  readonly version: number
  readonly decision?: ApprovalDecision
  readonly decidedAt?: number
  /** Who decided, e.g. a user id. */
  readonly decidedBy?: string
  /** When the session took it: it is not taken twice. */
  readonly consumedAt?: number
}

export interface ApprovalFilter {
  readonly state?: ApprovalState
  readonly sessionId?: SessionId
  readonly after?: string
  /** 1 … 1 000. Default 100. */
  readonly limit?: number
}

export interface DeskDecision {
  readonly decision: ApprovalDecision
  readonly by: string
  /** The version that was looked at. Default: whichever is there. */
  readonly version?: number
}

/** Where held calls wait for a person, and where the answer is given: by whoever comes first, from any process. */
export interface ApprovalDesk {
  get(tenantId: string, id: ApprovalId): Promise<StoredApproval | undefined>
  /** The one that waits longest first. */
  list(tenantId: string, filter?: ApprovalFilter): Promise<Page<StoredApproval>>
  /**
   * Decides, by compare-and-swap: of several at once one wins. Where there is a queue, the session's resumption is queued in the same transaction.
   *
   * @throws AdjutantError ApprovalConflict (CONFLICT) when it was decided already, has another version, or has expired: it says who and when; NOT_FOUND
   */
  decide(tenantId: string, id: ApprovalId, decision: DeskDecision): Promise<StoredApproval>
  /** Resolves as soon as it is not pending any more; what has expired by then is `expired`. Rejects only when `signal` aborts. */
  settled(tenantId: string, id: ApprovalId, options: { readonly signal: AbortSignal }): Promise<StoredApproval>
}

/**
 * An approval that cannot be decided any more, or not as it was looked at: somebody else was first, it has expired, or its session ended.
 *
 * @example
 * ```ts
 * if (error instanceof ApprovalConflict) console.log(error.current.decidedBy, error.current.decidedAt)
 * ```
 */
export class ApprovalConflict extends AdjutantError {
  /** What it is now: who decided, and when. */
  readonly current: StoredApproval

  constructor(message: string, current: StoredApproval) {
    super('CONFLICT', message, { outcome: 'not-run', hint: 'Look at what was decided; there is nothing left to decide.' })
    this.name = 'ApprovalConflict'
    this.current = current
  }
}
