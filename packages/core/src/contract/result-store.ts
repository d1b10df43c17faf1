import type { SessionKey } from './durable.ts'

/**
 * The words of results that were too long and are kept where every machine finds them: a session that is carried on elsewhere reads them back by the
 * names that its model was told. See docs/adr/0039-across-machines.md.
 */

/** Whose results. A session of another user or tenant has none of them. */
export interface ResultOwner extends SessionKey {
  readonly userId: string
}

export interface StoredResult {
  readonly id: string
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Why its content is gone: others needed the room, or it was too old. Its name is never given again. */
  readonly removed?: 'room' | 'age'
}

export interface NewResult {
  readonly id: string
  readonly createdAt: number
  /** What the session may keep; the oldest go first. */
  readonly limits: { readonly totalBytes: number; readonly files: number; readonly maxAgeMs?: number }
}

/** Keeps results of sessions that outlive their machine. A result is there whole or not at all. */
export interface ResultStore {
  /**
   * Called once by whoever takes a session, before it keeps anything: what a dead process left half written goes.
   *
   * @param fence of the hold on the session; `undefined` for a job of the session, which has none: then nothing goes
   * @returns what is kept and what was, the oldest first
   * @throws AdjutantError SESSION_LOST when somebody else has the session; STORE_FAILED
   */
  open(owner: ResultOwner, fence: number | undefined): Promise<readonly StoredResult[]>
  /** What the names of this session are proven by: the first that was proposed. @throws AdjutantError NOT_FOUND, STORE_FAILED */
  secret(owner: ResultOwner, proposed: Uint8Array): Promise<Uint8Array>
  /**
   * @param fence of the hold; `undefined` for a job of the session: its names are its own
   * @param content in pieces of any size; each is taken before the next is asked for
   * @throws AdjutantError TOO_LARGE when it is more than the session may keep; CONFLICT when there is or was one of this id; SESSION_LOST; STORE_FAILED;
   * whatever `content` throws. Nothing of it is kept then.
   */
  put(owner: ResultOwner, fence: number | undefined, result: NewResult, content: AsyncIterable<Uint8Array>): Promise<void>
  find(owner: ResultOwner, id: string): Promise<StoredResult | undefined>
  /** The very bytes, in pieces. @throws AdjutantError NOT_FOUND when it is not there or is removed; STORE_FAILED */
  read(owner: ResultOwner, id: string): AsyncIterable<Uint8Array>
}
