/**
 * Owns the right to write to one session. Renewed by the clock while it is held; every write checks the fence in its own transaction, so that a process
 * that was asleep writes nothing, whatever it believes.
 */
import { createHash } from 'node:crypto'
import {
  AdjutantError,
  type HoldOptions,
  type KeepOptions,
  type LoadedSession,
  type SessionHold,
  type SessionKey,
  type StepRecord,
} from '@adjutant/core/contract'
import { approvalTopic, type ChangeBell, sessionTopic } from '../changes/change-bell.ts'
import { bodyPlace, hot, type StoreDatabase } from '../database/index.ts'
import { loadSession } from './load-session.ts'
import { projectStep } from './project-step.ts'

export const DEFAULT_LEASE_MS = 30_000
const TITLE_CHARS = 80

const NEXT = hot<{ next_seq: number }>(`UPDATE sessions SET next_seq = next_seq + ?, updated_at = ?, state = COALESCE(?, state),
  title = COALESCE(title, ?) WHERE tenant_id = ? AND session_id = ? AND fence = ? RETURNING next_seq`)
const APPEND = hot('INSERT INTO events (tenant_id, session_id, seq, at, type, body) VALUES (?, ?, ?, ?, ?, ?)')
const CHECKPOINT = hot(`INSERT INTO checkpoints (tenant_id, session_id, seq, version, digest, created_at, body) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, session_id, seq) DO UPDATE SET version = excluded.version, digest = excluded.digest, created_at = excluded.created_at,
  body = excluded.body`)
const FORGET_OLDER = hot('DELETE FROM checkpoints WHERE tenant_id = ? AND session_id = ? AND seq < ?')
const RENEW = hot('UPDATE sessions SET lease_until = ? WHERE tenant_id = ? AND session_id = ? AND fence = ?')
const RELEASE = hot('UPDATE sessions SET lease_owner = NULL, lease_until = NULL WHERE tenant_id = ? AND session_id = ? AND fence = ?')

export class SqlHold implements SessionHold {
  readonly fence: number
  readonly #db: StoreDatabase
  readonly #bell: ChangeBell
  readonly #key: SessionKey
  readonly #leaseMs: number
  readonly #lost = new AbortController()
  #closed: Promise<void> | undefined
  #disarm: () => void = () => {}
  /** Until when nobody else can have it, as far as this process knows. */
  #until: number

  constructor(db: StoreDatabase, bell: ChangeBell, key: SessionKey, fence: number, options: HoldOptions, until: number) {
    this.#db = db
    this.#bell = bell
    this.#key = key
    this.fence = fence
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS
    this.#until = until
    this.#arm()
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async load(): Promise<LoadedSession> {
    const loaded = await loadSession(this.#db, this.#key)
    if (loaded === undefined) throw this.#gone()
    return loaded
  }

  async keep(steps: readonly StepRecord[], options: KeepOptions = {}): Promise<number> {
    if (this.#closed !== undefined) throw this.#gone()
    const { tenantId, sessionId } = this.#key
    const { clock, seal } = this.#db
    const { state, checkpoint, safety = 'durable' } = options
    const bodies = steps.map((step) => JSON.stringify(step))
    const title = steps.find((step) => step.type === 'user')?.text.slice(0, TITLE_CHARS) ?? null
    const checkpointText = checkpoint === undefined ? undefined : JSON.stringify(checkpoint)
    const count = await this.#db.transaction(
      tenantId,
      async (tx) => {
        const now = clock.now()
        const row = await tx.get(NEXT, [steps.length, now, state ?? null, title, tenantId, sessionId, this.fence])
        if (row === undefined) throw this.#gone()
        let seq = row.next_seq - steps.length
        for (const [index, step] of steps.entries()) {
          const body = seal.seal(bodies[index] ?? '', bodyPlace('events', 'body', tenantId, sessionId, seq))
          await tx.run(APPEND, [tenantId, sessionId, seq, now, step.type, body])
          await projectStep(this.#db, tx, this.#key, this.fence, step)
          seq += 1
        }
        const last = row.next_seq - 1
        if (checkpointText !== undefined) {
          const digest = `sha256:${createHash('sha256').update(checkpointText).digest('hex')}`
          const body = seal.seal(checkpointText, bodyPlace('checkpoints', 'body', tenantId, sessionId, last))
          await tx.run(CHECKPOINT, [tenantId, sessionId, last, 1, digest, now, body])
          await tx.run(FORGET_OLDER, [tenantId, sessionId, last])
        }
        return last
      },
      { durable: safety === 'durable' },
    )
    this.#bell.ring(sessionTopic(tenantId, sessionId))
    for (const step of steps) {
      if (step.type === 'answered') this.#bell.ring(approvalTopic(tenantId, step.approvalId))
    }
    return count
  }

  close(): Promise<void> {
    this.#closed ??= this.#release()
    return this.#closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #release(): Promise<void> {
    this.#disarm()
    const { tenantId, sessionId } = this.#key
    await this.#db.transaction(tenantId, (tx) => tx.run(RELEASE, [tenantId, sessionId, this.fence]), { durable: false })
    this.#bell.ring(sessionTopic(tenantId, sessionId))
  }

  #arm(): void {
    this.#disarm = this.#db.clock.after(this.#leaseMs / 3, () => void this.#renew())
  }

  async #renew(): Promise<void> {
    const { tenantId, sessionId } = this.#key
    const until = this.#db.clock.now() + this.#leaseMs
    try {
      const renewed = await this.#db.transaction(tenantId, (tx) => tx.run(RENEW, [until, tenantId, sessionId, this.fence]), {
        durable: false,
      })
      if (renewed === 0) {
        this.#lose(this.#gone())
        return
      }
      this.#until = until
    } catch (error) {
      // The store may come back in time; until then nobody else can have it either.
      if (this.#db.clock.now() >= this.#until) {
        this.#lose(error)
        return
      }
    }
    if (this.#closed === undefined) this.#arm()
  }

  #lose(reason: unknown): void {
    if (this.#closed === undefined) this.#lost.abort(reason)
  }

  #gone(): AdjutantError {
    return new AdjutantError('SESSION_LOST', `${this.#key.sessionId} is not in the hands of this process any more`)
  }
}
