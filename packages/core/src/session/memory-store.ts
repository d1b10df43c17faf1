import type { StepRecord } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { SessionStore } from '../contract/ports.ts'

/** Keeps the steps of each session in this process, until `forget`. Gone when the process ends. */
export class MemorySessionStore implements SessionStore {
  readonly #sessions = new Map<SessionId, StepRecord[]>()

  async append(sessionId: SessionId, record: StepRecord): Promise<void> {
    const steps = this.#sessions.get(sessionId)
    // A deep copy: what the writer does with its objects later must not change history.
    const kept = structuredClone(record)
    if (steps === undefined) this.#sessions.set(sessionId, [kept])
    else steps.push(kept)
  }

  async *read(sessionId: SessionId): AsyncGenerator<StepRecord, void, void> {
    for (const record of [...(this.#sessions.get(sessionId) ?? [])]) yield structuredClone(record)
  }

  forget(sessionId: SessionId): void {
    this.#sessions.delete(sessionId)
  }
}
