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
import { canonicalJson } from '../../util/canonical-json.ts'
import { pageOf } from './memory-page.ts'

/** Owns the approvals of a store in memory. Each change is one synchronous step, so that of several who decide one wins. */
export class MemoryDesk implements ApprovalDesk {
  readonly #clock: Clock
  readonly #approvals = new Map<string, StoredApproval>()
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(tenantId: string, id: ApprovalId): Promise<StoredApproval | undefined> {
    return Promise.resolve(copyOf(this.#current(tenantId, id)))
  }

  async list(tenantId: string, { state, sessionId, after, limit }: ApprovalFilter = {}): Promise<Page<StoredApproval>> {
    const all = [...this.#approvals.values()]
      .filter((each) => each.tenantId === tenantId)
      .map((each) => this.#current(tenantId, each.id) ?? each)
      .filter((each) => (state === undefined || each.state === state) && (sessionId === undefined || each.sessionId === sessionId))
    return copyOf(pageOf(all, { time: ({ createdAt }) => createdAt, id: ({ id }) => id, newestFirst: false }, { after, limit }))
  }

  async decide(tenantId: string, id: ApprovalId, { decision, by, version }: DeskDecision): Promise<StoredApproval> {
    const current = this.#current(tenantId, id)
    if (current === undefined) throw notThere(id)
    if (current.state !== 'pending') throw conflict(copyOf(current))
    if (version !== undefined && version !== current.version) {
      throw new ApprovalConflict(`the approval ${id} has changed since it was looked at`, copyOf(current))
    }
    const decided = { decision: copyOf(decision), decidedAt: this.#clock.now(), decidedBy: by }
    return copyOf(this.#put({ ...current, ...decided, state: STATE_OF[decision.type], version: current.version + 1 }))
  }

  async settled(tenantId: string, id: ApprovalId, { signal }: { readonly signal: AbortSignal }): Promise<StoredApproval> {
    for (;;) {
      signal.throwIfAborted()
      const current = this.#current(tenantId, id)
      if (current === undefined) throw notThere(id)
      if (current.state !== 'pending') return copyOf(current)
      await this.#change(tenantId, current, signal)
    }
  }

  /** @throws AdjutantError CONFLICT when a question was asked, or an answer taken, already, or it was decided otherwise; nothing is changed then */
  check(key: SessionKey, steps: readonly StepRecord[]): void {
    const asked = new Set<string>()
    const taken = new Set<string>()
    for (const step of steps) {
      if (step.type === 'asked') {
        const { id } = step.approval
        if (asked.has(id) || this.#current(key.tenantId, id) !== undefined) throw refused(`the approval ${id} was asked for already`)
        asked.add(id)
      }
      if (step.type !== 'answered') continue
      const { approvalId: id, decision } = step
      const current = this.#current(key.tenantId, id)
      if (taken.has(id) || current?.consumedAt !== undefined) throw refused(`the answer to ${id} was taken already`)
      taken.add(id)
      if (asked.has(id)) continue
      if (current?.sessionId !== key.sessionId) throw refused(`${id} is no approval of this session`)
      if (current.state !== 'pending' && !sameDecision(current.decision, decision)) throw refused(`${id} was decided otherwise`)
    }
  }

  apply(key: SessionKey, step: StepRecord): void {
    if (step.type === 'asked') this.#ask(key, step.approval)
    if (step.type !== 'answered') return
    const current = this.#current(key.tenantId, step.approvalId)
    if (current === undefined) return
    const { decision, time, by } = step
    const decided: Partial<StoredApproval> =
      current.state !== 'pending'
        ? {}
        : {
            state: decision === undefined ? 'expired' : STATE_OF[decision.type],
            decidedAt: time,
            ...(decision === undefined ? {} : { decision }),
            ...(by === undefined ? {} : { decidedBy: by }),
          }
    this.#put({ ...current, ...decided, consumedAt: time, version: current.version + 1 })
  }

  /** The session has ended: nobody is to decide any more. */
  cancel({ tenantId, sessionId }: SessionKey): void {
    for (const each of [...this.#approvals.values()]) {
      if (each.tenantId !== tenantId || each.sessionId !== sessionId) continue
      const current = this.#current(tenantId, each.id)
      if (current?.state !== 'pending') continue
      this.#put({ ...current, state: 'cancelled', version: current.version + 1, decidedAt: this.#clock.now() })
    }
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

function sameDecision(a: ApprovalDecision | undefined, b: ApprovalDecision | undefined): boolean {
  return a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b)
}

function copyOf<T>(value: T): T {
  return structuredClone(value)
}

function notThere(id: string): AdjutantError {
  return new AdjutantError('NOT_FOUND', `there is no approval ${id}`, { outcome: 'not-run', hint: 'List the ones there are.' })
}

function refused(message: string): AdjutantError {
  return new AdjutantError('CONFLICT', message, {
    grade: 'final',
    outcome: 'not-run',
    hint: 'Load the session again; it went on elsewhere.',
  })
}

function conflict(current: StoredApproval): ApprovalConflict {
  const who = current.decidedBy === undefined ? '' : ` by ${current.decidedBy}`
  const when = current.decidedAt === undefined ? '' : ` at ${new Date(current.decidedAt).toISOString()}`
  return new ApprovalConflict(`${current.id} is ${current.state} already${who}${when}`, current)
}
