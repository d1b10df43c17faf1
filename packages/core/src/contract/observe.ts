import type { SessionEvent } from './events.ts'
import type { SessionId, TraceId } from './ids.ts'
import type { Principal } from './principal.ts'

/** Whose events an observer is about to get. */
export interface ObservedSession {
  readonly sessionId: SessionId
  readonly traceId: TraceId
  readonly principal: Principal
  /** Milliseconds since 1970 at which the session's own time is 0. */
  readonly startedAt: number
}

/**
 * Follows sessions: audit, trace, metrics, metering. One observer may follow many sessions.
 */
export interface SessionObserver {
  /** Called once for each session before its first event. */
  follow(session: ObservedSession): SessionFollower
}

export interface SessionFollower {
  /** The types of events that it is told of; read once, when it begins to follow. An event that nobody wants is not even made. Default: all. */
  readonly wants?: ReadonlySet<SessionEvent['type']>
  /** In order, synchronously. Must not throw. */
  event(event: SessionEvent): void
  /**
   * Resolves when everything told so far is as safe as the observer makes it. The session waits for it at the end of each turn, so that an
   * observer that cannot keep up slows the work down instead of losing records. Rejects when something could not be kept: the turn fails.
   */
  flush?(): Promise<void>
  /** The session is closed. */
  close?(): Promise<void>
}
