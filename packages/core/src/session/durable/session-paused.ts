import { AdjutantError } from '../../contract/errors.ts'
import type { ApprovalId } from '../../contract/ids.ts'

/**
 * The batch is left as it is: a person must decide on some of its calls, and nobody waits for that here. What could run has run and is kept. Carried
 * on from any process once the approvals are decided: see openDurableSession.
 *
 * @example
 * ```ts
 * if (error instanceof SessionPaused) console.log(`waits for ${error.waiting.join(', ')}`)
 * ```
 */
export class SessionPaused extends AdjutantError {
  readonly waiting: readonly ApprovalId[]

  constructor(waiting: readonly ApprovalId[]) {
    super('PAUSED', `${waiting.length === 1 ? 'a call waits' : `${waiting.length} calls wait`} for a person: ${waiting.join(', ')}`)
    this.name = 'SessionPaused'
    this.waiting = waiting
  }
}
