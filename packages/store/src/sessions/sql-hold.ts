/**
 * Owns the right to write to one session. Renewed by the clock while it is held; every write checks the fence in its own transaction, so that a process
 * that was asleep writes nothing, whatever it believes.
 */
import { hash } from 'node:crypto'
import { titleOf } from '@adjutant/core'
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
import { fromColumn, toColumn } from '../column-text.ts'
import { bodyPlace, hot, type StoreDatabase, type StoreTransaction, type TransactionOptions } from '../database/index.ts'
import { loadSession } from './load-session.ts'
import { projectStep } from './project-step.ts'

export const DEFAULT_LEASE_MS = 30_000
/** A hold that seems to last longer than this was written under a clock that was wrong: nobody waits a day for it. */
export const MAX_LEASE_MS = 3_600_000

const NEXT = hot<{ next_seq: number }>(`UPDATE sessions SET next_seq = next_seq + ?, updated_at = ?, state = COALESCE(?, state),
  title = COALESCE(title, ?) WHERE tenant_id = ? AND session_id = ? AND fence = ? RETURNING next_seq`)
const APPEND = hot('INSERT INTO events (tenant_id, session_id, seq, at, type, body) VALUES (?, ?, ?, ?, ?, ?)')
/** Both at once, for one step on PostgreSQL: a journey to the server less. Nothing happens when the number is not the one that comes next. */
const NEXT_AND_APPEND = hot(`WITH next AS (UPDATE sessions SET next_seq = next_seq + 1, updated_at = ?, state = COALESCE(?, state),
  title = COALESCE(title, ?) WHERE tenant_id = ? AND session_id = ? AND fence = ? AND next_seq = ? RETURNING tenant_id, session_id, next_seq)
  INSERT INTO events (tenant_id, session_id, seq, at, type, body) SELECT tenant_id, session_id, next_seq - 1, CAST(? AS bigint), CAST(? AS text),
  CAST(? AS bytea) FROM next`)
const CHECKPOINT = hot(`INSERT INTO checkpoints (tenant_id, session_id, seq, version, digest, created_at, body) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, session_id, seq) DO UPDATE SET version = excluded.version, digest = excluded.digest, created_at = excluded.created_at,
  body = excluded.body`)
const FORGET_OLDER = hot('DELETE FROM checkpoints WHERE tenant_id = ? AND session_id = ? AND seq < ?')
/** One that was let go is not renewed by what was still on its way. */
const RENEW = hot(`UPDATE sessions SET lease_until = ? WHERE tenant_id = ? AND session_id = ? AND fence = ? AND lease_owner IS NOT NULL`)
const CANCEL = hot<{ approval_id: string }>(`UPDATE approvals SET state = 'cancelled', version = version + 1, decided_at = ?
  WHERE tenant_id = ? AND session_id = ? AND state = 'pending' RETURNING approval_id`)
const RELEASE = hot('UPDATE sessions SET lease_owner = NULL, lease_until = NULL WHERE tenant_id = ? AND session_id = ? AND fence = ?')

/** Joins what must be kept with a step, in its transaction: it may run more than once and has no other effects. What it throws undoes the step. */
export type InStep = (tx: StoreTransaction, key: SessionKey, step: StepRecord) => Promise<void>

export class SqlHold implements SessionHold {
  readonly fence: number
  readonly #db: StoreDatabase
  readonly #bell: ChangeBell
  readonly #key: SessionKey
  readonly #leaseMs: number
  readonly #inStep: readonly InStep[]
  readonly #lost = new AbortController()
  #closed: Promise<void> | undefined
  #disarm: () => void = () => {}
  #renewing: Promise<void> = Promise.resolve()
  /** Until when nobody else can have it, as far as this process knows. */
  #until: number
  /** Steps that are kept, as far as this hold was told. */
  #told: number

  constructor(
    db: StoreDatabase,
    bell: ChangeBell,
    key: SessionKey,
    taken: { readonly fence: number; readonly until: number; readonly steps: number },
    options: HoldOptions,
    inStep: readonly InStep[] = [],
  ) {
    this.#inStep = inStep
    this.#db = db
    this.#bell = bell
    this.#key = key
    this.fence = taken.fence
    this.#told = taken.steps
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS
    this.#until = taken.until
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
    if (this.#closed !== undefined || this.#lost.signal.aborted) throw this.#gone()
    const { tenantId, sessionId } = this.#key
    const { clock, seal } = this.#db
    const { state, checkpoint, safety = 'durable' } = options
    const bodies = steps.map((step) => JSON.stringify(step))
    const title = titleOf(steps)
    const snapshot = checkpoint === undefined ? undefined : Buffer.from(JSON.stringify(checkpoint), 'utf8')
    const digest = snapshot === undefined ? '' : `sha256:${hash('sha256', snapshot)}`
    const kept = await this.#keeping(
      async (tx) => {
        const now = clock.now()
        const written = [now, state ?? null, title === undefined ? null : toColumn(title), tenantId, sessionId, this.fence] as const
        const appended = (step: StepRecord, index: number, seq: number) =>
          [now, step.type, seal.seal(bodies[index] ?? '', bodyPlace('events', 'body', tenantId, sessionId, seq))] as const
        const project = async (step: StepRecord): Promise<void> => {
          await projectStep(this.#db, tx, this.#key, this.fence, step)
          for (const join of this.#inStep) await join(tx, this.#key, step)
        }
        const [only] = steps
        const expected = this.#told + 1
        let last = expected
        if (
          tx.kind === 'postgres' &&
          only !== undefined &&
          steps.length === 1 &&
          (await tx.run(NEXT_AND_APPEND, [...written, expected, ...appended(only, 0, expected)])) === 1
        ) {
          await project(only)
        } else {
          const row = await tx.get(NEXT, [steps.length, ...written])
          if (row === undefined) throw this.#gone()
          let seq = row.next_seq - steps.length
          // A database that crashed may have forgotten what was only written: nothing is kept after a gap.
          if (seq <= this.#told) throw this.#gone()
          for (const [index, step] of steps.entries()) {
            await tx.run(APPEND, [tenantId, sessionId, seq, ...appended(step, index, seq)])
            await project(step)
            seq += 1
          }
          last = row.next_seq - 1
        }
        if (snapshot !== undefined) {
          const body = seal.seal(snapshot, bodyPlace('checkpoints', 'body', tenantId, sessionId, last))
          await tx.run(CHECKPOINT, [tenantId, sessionId, last, 1, digest, now, body])
          await tx.run(FORGET_OLDER, [tenantId, sessionId, last])
        }
        const cancelled = state === 'ended' ? await tx.all(CANCEL, [now, tenantId, sessionId]) : []
        return { last, cancelled }
      },
      { durable: safety === 'durable' },
    )
    this.#told = Math.max(this.#told, kept.last)
    this.#bell.ring(sessionTopic(tenantId, sessionId))
    for (const step of steps) {
      if (step.type === 'answered') this.#bell.ring(approvalTopic(tenantId, step.approvalId))
    }
    for (const { approval_id: id } of kept.cancelled) this.#bell.ring(approvalTopic(tenantId, fromColumn(id)))
    return kept.last
  }

  /** What finds out that somebody else has it says so to all who use this hold. */
  async #keeping<T>(work: (tx: StoreTransaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    try {
      return await this.#db.transaction(this.#key.tenantId, work, options)
    } catch (error) {
      if (AdjutantError.isInstance(error) && error.code === 'SESSION_LOST') {
        this.#disarm()
        this.#lose(error)
      }
      throw error
    }
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
    await this.#renewing
    const { tenantId, sessionId } = this.#key
    await this.#db.transaction(tenantId, (tx) => tx.run(RELEASE, [tenantId, sessionId, this.fence]), { durable: false })
    this.#bell.ring(sessionTopic(tenantId, sessionId))
  }

  #arm(): void {
    this.#disarm = this.#db.clock.after(this.#leaseMs / 3, () => {
      this.#renewing = this.#renew()
    })
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
    return new AdjutantError('SESSION_LOST', `${this.#key.sessionId} is not in the hands of this process any more`, {
      outcome: 'not-run',
      hint: 'Take it again; what was kept of it is there.',
    })
  }
}
