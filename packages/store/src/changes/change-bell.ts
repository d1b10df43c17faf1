/**
 * Owns how a process hears that rows have changed. Who changes something rings after it is kept; who waits looks again when it rings, and also now and
 * then without it: a ring that is never heard only delays. Rings of other processes are heard where the database can carry them.
 */

export { LocalBell } from './local-bell.ts'

/** How long somebody who waits waits at most before looking again. */
export const LOOK_AGAIN_MS = 2_000

export interface HeardOptions {
  readonly signal: AbortSignal
  readonly maxMs: number
}

export interface ChangeBell extends AsyncDisposable {
  /** Something of this topic has changed, and is kept. Never throws. */
  ring(topic: string): void
  /** Resolves when it rings, when `signal` aborts, or after `maxMs` at the latest. Begin to wait, then look, then await: nothing is missed between. */
  heard(topic: string, options: HeardOptions): Promise<void>
}

export function sessionTopic(tenantId: string, sessionId: string): string {
  return `session/${tenantId}/${sessionId}`
}

export function approvalTopic(tenantId: string, approvalId: string): string {
  return `approval/${tenantId}/${approvalId}`
}
