import { AdjutantError } from '../../contract/errors.ts'
import type { StepRecord } from '../../contract/events.ts'

interface LedgerEntry {
  readonly running: boolean
  readonly fence: number
}

/** Owns which calls of one session have begun and which have ended: none begins twice under one holder, none again once it has ended. */
export class MemoryLedger {
  readonly #calls = new Map<string, LedgerEntry>()
  /** By call id: under which key it runs. */
  readonly #running = new Map<string, string>()

  /** Enters what the steps say. @throws AdjutantError CONFLICT; then nothing is changed */
  enter(steps: readonly StepRecord[], fence: number): void {
    const changed = new Map<string, LedgerEntry>()
    const running = new Map(this.#running)
    for (const step of steps) {
      if (step.type === 'started') {
        const key = JSON.stringify([step.batch, step.id])
        const known = changed.get(key) ?? this.#calls.get(key)
        if (known !== undefined && (!known.running || known.fence >= fence)) throw begun(step)
        changed.set(key, { running: true, fence })
        running.set(step.id, key)
      }
      if (step.type === 'call') {
        const key = running.get(step.call.id)
        if (key !== undefined) changed.set(key, { running: false, fence })
        running.delete(step.call.id)
      }
    }
    for (const [key, entry] of changed) this.#calls.set(key, entry)
    this.#running.clear()
    for (const [id, key] of running) this.#running.set(id, key)
  }
}

function begun({ id, batch }: Extract<StepRecord, { type: 'started' }>): AdjutantError {
  return new AdjutantError('CONFLICT', `the call ${id} of batch ${batch} was begun already`, {
    grade: 'final',
    outcome: 'not-run',
    hint: 'Load the session again; it went on elsewhere.',
  })
}
