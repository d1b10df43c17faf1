import {
  ApprovalConflict,
  type ApprovalDesk,
  type ApprovalFilter,
  type ApprovalState,
  type AskedApproval,
  type DeskDecision,
  type Page,
  type SessionKey,
  type StoredApproval,
} from '../../contract/durable.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { StepRecord } from '../../contract/events.ts'
import type { ApprovalId } from '../../contract/ids.ts'
import type { ApprovalDecision, Clock } from '../../contract/ports.ts'

const DEFAULT_LIMIT = 100

/** Owns the approvals of a store in memory. Each change is one synchronous step, so that of several who decide one wins. */
export class MemoryDesk implements ApprovalDesk {
  readonly #clock: Clock
  readonly #approvals = new Map<string, StoredApproval>()
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(tenantId: string, id: ApprovalId): Promise<StoredApproval | undefined> {
    return Promise.resolve(this.#current(tenantId, id))
  }

  list(tenantId: string, { state, sessionId, after, limit = DEFAULT_LIMIT }: ApprovalFilter = {}): Promise<Page<StoredApproval>> {
    const all = [...this.#approvals.values()]
      .filter((each) => each.tenantId === tenantId)
      .map((each) => this.#current(tenantId, each.id) ?? each)
      .filter((each) => (state === undefined || each.state === state) && (sessionId === undefined || each.sessionId === sessionId))
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
    const items = all.slice(from, from + limit)
    const last = items.at(-1)
    return Promise.resolve(from + limit < all.length && last !== undefined ? { items, next: last.id } : { items })
  }

  async decide(tenantId: string, id: ApprovalId, { decision, by, version }: DeskDecision): Promise<StoredApproval> {
    const current = this.#current(tenantId, id)
    if (current === undefined) throw new AdjutantError('NOT_FOUND', `there is no approval ${id}`)
    if (current.state !== 'pending') throw conflict(current)
    if (version !== undefined && version !== current.version) {
      throw new ApprovalConflict(`the approval ${id} has changed since it was looked at`, current)
    }
    return this.#put({
      ...current,
      state: STATE_OF[decision.type],
      version: current.version + 1,
      decision,
      decidedAt: this.#clock.now(),
      decidedBy: by,
    })
  }

  async settled(tenantId: string, id: ApprovalId, { signal }: { readonly signal: AbortSignal }): Promise<StoredApproval> {
    for (;;) {
      signal.throwIfAborted()
      const current = this.#current(tenantId, id)
      if (current === undefined) throw new AdjutantError('NOT_FOUND', `there is no approval ${id}`)
      if (current.state !== 'pending') return current
      await this.#change(tenantId, current, signal)
    }
  }

  /** What a step says of approvals. @throws AdjutantError CONFLICT when one was taken already; nothing is changed then */
  check(key: SessionKey, steps: readonly StepRecord[]): void {
    const taken = new Set<string>()
    for (const step of steps) {
      if (step.type !== 'answered') continue
      const current = this.#current(key.tenantId, step.approvalId)
      if (current?.consumedAt !== undefined || taken.has(step.approvalId)) {
        throw new AdjutantError('CONFLICT', `the answer to ${step.approvalId} was taken already`, { grade: 'final' })
      }
      taken.add(step.approvalId)
    }
  }

  apply(key: SessionKey, step: StepRecord): void {
    if (step.type === 'asked') this.#ask(key, step.approval)
    if (step.type !== 'answered') return
    const current = this.#current(key.tenantId, step.approvalId)
    if (current !== undefined) this.#put({ ...current, consumedAt: step.time, version: current.version + 1 })
  }

  #ask(key: SessionKey, approval: AskedApproval): void {
    this.#put({ ...approval, tenantId: key.tenantId, sessionId: key.sessionId, state: 'pending', version: 1 })
  }

  /** An approval whose time is over is expired, whenever somebody looks. */
  #current(tenantId: string, id: ApprovalId): StoredApproval | undefined {
    const found = this.#approvals.get(keyOf(tenantId, id))
    if (found?.state !== 'pending' || found.expiresAt === undefined || found.expiresAt > this.#clock.now()) return found
    return this.#put({ ...found, state: 'expired', version: found.version + 1, decidedAt: found.expiresAt })
  }

  #put(approval: StoredApproval): StoredApproval {
    const key = keyOf(approval.tenantId, approval.id)
    this.#approvals.set(key, approval)
    for (const wake of this.#waiting.get(key) ?? []) wake()
    return approval
  }

  #change(tenantId: string, { id, expiresAt }: StoredApproval, signal: AbortSignal): Promise<void> {
    const key = keyOf(tenantId, id)
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set()
      const wake = (): void => {
        disarm?.()
        signal.removeEventListener('abort', wake)
        waiting.delete(wake)
        if (waiting.size === 0) this.#waiting.delete(key)
        resolve()
      }
      const disarm = expiresAt === undefined ? undefined : this.#clock.after(Math.max(0, expiresAt - this.#clock.now()), wake)
      signal.addEventListener('abort', wake, { once: true })
      waiting.add(wake)
      this.#waiting.set(key, waiting)
    })
  }
}

const STATE_OF: Readonly<Record<ApprovalDecision['type'], ApprovalState>> = { approve: 'approved', edit: 'edited', deny: 'denied' }

function keyOf(tenantId: string, id: string): string {
  return JSON.stringify([tenantId, id])
}

function conflict(current: StoredApproval): ApprovalConflict {
  const who = current.decidedBy === undefined ? '' : ` by ${current.decidedBy}`
  const when = current.decidedAt === undefined ? '' : ` at ${new Date(current.decidedAt).toISOString()}`
  return new ApprovalConflict(`${current.id} is ${current.state} already${who}${when}`, current)
}
