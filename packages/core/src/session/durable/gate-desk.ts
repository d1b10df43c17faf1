import type { ApprovalDesk, AskedApproval, StoredApproval } from '../../contract/durable.ts'
import { ApprovalConflict } from '../../contract/durable.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { ApprovalId, CallId, Digest } from '../../contract/ids.ts'
import type { ApprovalDecision, Clock } from '../../contract/ports.ts'
import type { AnsweredStep, OpenBatch } from './open-batch.ts'
import type { SessionJournal } from './session-journal.ts'

export interface GateDeskOptions {
  readonly journal: SessionJournal
  readonly approvals: ApprovalDesk
  readonly tenantId: string
  readonly clock: Clock
  /** Nobody is waited for: calls that a person must decide on are left until the session is carried on. */
  readonly defers: boolean
}

/**
 * Owns the questions of one session's batch that outlive the process: each is kept before anybody is told, is decided by whoever comes first, here or
 * elsewhere, and is taken once. What had been asked or answered before a crash is found again by the call it belongs to.
 */
export class GateDesk {
  readonly #leaving = new AbortController()
  readonly #cx: GateDeskOptions
  #asked = new Map<CallId, AskedApproval>()
  #open: OpenBatch | undefined
  #batch = 0

  constructor(options: GateDeskOptions) {
    this.#cx = options
    if (options.defers) this.#leaving.abort()
  }

  get defers(): boolean {
    return this.#leaving.signal.aborted
  }

  /** Aborts when the process does not wait any more. */
  get leaving(): AbortSignal {
    return this.#leaving.signal
  }

  /** The process goes away: what waits for a person is left to whoever carries the session on. */
  leave(): void {
    this.#leaving.abort()
  }

  get batch(): number {
    return this.#batch
  }

  /** @param open what is known of the batch from before */
  begin(batch: number, open?: OpenBatch): void {
    this.#batch = batch
    this.#open = open
    this.#asked = new Map()
  }

  asked(id: CallId): AskedApproval | undefined {
    return this.#asked.get(id) ?? this.#open?.asked(id)
  }

  /** The answer that was taken before the process that had asked died. */
  taken(id: CallId): AnsweredStep | undefined {
    return this.#open?.answered(id)
  }

  /** Resolves when the questions are durable. */
  async ask(approvals: readonly AskedApproval[]): Promise<void> {
    if (approvals.length === 0) return
    const time = this.#cx.clock.now()
    await this.#cx.journal.append(...approvals.map((approval) => ({ version: 1, type: 'asked', time, approval }) as const))
    for (const approval of approvals) this.#asked.set(approval.callId, approval)
  }

  async current(id: ApprovalId): Promise<StoredApproval> {
    const found = await this.#cx.approvals.get(this.#cx.tenantId, id)
    if (found === undefined) throw new AdjutantError('STORE_FAILED', `the approval ${id} is not in the store any more`)
    return found
  }

  settled(id: ApprovalId, signal: AbortSignal): Promise<StoredApproval> {
    return this.#cx.approvals.settled(this.#cx.tenantId, id, { signal })
  }

  /** Decides, unless somebody has. @returns what was decided */
  async decide(id: ApprovalId, decision: ApprovalDecision, by: string): Promise<StoredApproval> {
    try {
      return await this.#cx.approvals.decide(this.#cx.tenantId, id, { decision, by })
    } catch (error) {
      if (error instanceof ApprovalConflict) return error.current
      throw error
    }
  }

  /** Ends the question of a call that will not run, if it was asked one. */
  async withdraw(id: CallId, reason: string): Promise<void> {
    const asked = this.asked(id)
    if (asked === undefined || this.taken(id) !== undefined) return
    await this.take(await this.decide(asked.id, { type: 'deny', by: 'policy', reason }, 'policy'), [])
  }

  /** Takes the answer: nobody can take it again. Resolves when that is durable. */
  async take({ id, decision, decidedBy }: Pick<StoredApproval, 'id' | 'decision' | 'decidedBy'>, grants: readonly Digest[]): Promise<void> {
    await this.#cx.journal.append({
      version: 1,
      type: 'answered',
      time: this.#cx.clock.now(),
      approvalId: id,
      grants,
      ...(decision === undefined ? {} : { decision }),
      ...(decidedBy === undefined ? {} : { by: decidedBy }),
    })
  }
}
