import { bindingOf } from '../../admission/approval.ts'
import type { AdmittedCall } from '../../contract/call.ts'
import type { DurableStore, LoadedSession, SessionHold } from '../../contract/durable.ts'
import type { StepRecord } from '../../contract/events.ts'
import { type TraceId, traceId } from '../../contract/ids.ts'
import type { Clock } from '../../contract/ports.ts'
import type { Principal } from '../../contract/principal.ts'
import type { ResultStore } from '../../contract/result-store.ts'
import { type GuardsSnapshot, readCheckpoint, restoreState, writeCheckpoint } from './checkpoint.ts'
import { GateDesk } from './gate-desk.ts'
import type { OpenBatch } from './open-batch.ts'
import { SessionJournal } from './session-journal.ts'
import { SessionState } from './session-state.ts'

export interface DurableSideOptions {
  readonly store: DurableStore
  readonly hold: SessionHold
  readonly loaded: LoadedSession
  readonly principal: Principal
  readonly clock: Clock
  /** Nobody is waited for. */
  readonly defers: boolean
  readonly resultStore?: ResultStore | undefined
}

/**
 * Owns what of a session outlives its process: the journal, the questions, which batch it is in. Made from what was kept, it knows what the session is;
 * while the session works it stays up to date with every step that is handed in.
 */
export class DurableSide {
  readonly journal: SessionJournal
  readonly desk: GateDesk
  readonly traceId: TraceId
  /** Steps after the checkpoint, for guards that count by steps. */
  readonly tail: readonly StepRecord[]
  readonly guards: GuardsSnapshot
  /** Where results that were too long are kept for other machines, and under which fence. */
  readonly results: { readonly store: ResultStore; readonly fence: number } | undefined
  readonly #clock: Clock
  readonly #principal: Principal

  /** @throws AdjutantError CONFLICT when the checkpoint cannot be used */
  constructor(options: DurableSideOptions) {
    const { loaded, hold, clock, principal } = options
    const checkpoint = loaded.checkpoint === undefined ? undefined : readCheckpoint(loaded.checkpoint.body)
    const state = checkpoint === undefined ? new SessionState() : restoreState(checkpoint)
    for (const step of loaded.steps) state.apply(step)
    this.journal = new SessionJournal(hold, state)
    this.tail = loaded.steps
    this.guards = checkpoint?.guards ?? {}
    this.traceId = traceId(loaded.session.traceId)
    this.results = options.resultStore === undefined ? undefined : { store: options.resultStore, fence: hold.fence }
    this.#clock = clock
    this.#principal = principal
    this.desk = new GateDesk({
      journal: this.journal,
      approvals: options.store.approvals,
      tenantId: principal.tenantId,
      clock,
      defers: options.defers,
    })
  }

  get state(): SessionState {
    return this.journal.state
  }

  /** The batch that the next calls belong to, from 1. */
  get batch(): number {
    return this.desk.batch
  }

  begin(open?: OpenBatch): void {
    this.desk.begin(open?.number ?? this.state.batches + 1, open)
  }

  /** Keeps that a call is about to run. */
  readonly starting = (call: AdmittedCall, idempotencyKey: string): Promise<void> =>
    this.journal.append({
      version: 1,
      type: 'started',
      time: this.#clock.now(),
      batch: this.batch,
      id: call.call.id,
      name: call.tool.name,
      effect: call.effect,
      attempt: 1,
      idempotencyKey,
      binding: bindingOf(call, this.#principal),
    })

  /** Which tools on demand the model has is kept when it has changed. */
  keepLoaded(loaded: readonly string[]): void {
    const kept = this.state.loaded
    if (loaded.length === kept.length && loaded.every((name, index) => name === kept[index])) return
    this.journal.add({ version: 1, type: 'tools', time: this.#clock.now(), loaded })
  }

  /** The session is left until somebody has decided. */
  async pause(waiting: Extract<StepRecord, { type: 'paused' }>['waiting'], guards: GuardsSnapshot): Promise<void> {
    await this.journal.written()
    const tools = Object.fromEntries((this.state.open?.questions() ?? []).map(({ tool, binding }) => [tool, binding.tool]))
    await this.journal.commit([{ version: 1, type: 'paused', time: this.#clock.now(), waiting }], {
      safety: 'durable',
      checkpoint: writeCheckpoint(this.state, { guards, tools, traceId: this.traceId }),
    })
  }
}
