import type { ToolCall } from '../contract/call.ts'
import { type CallState, transition } from '../contract/call-state.ts'
import type { EventSink } from '../contract/events.ts'
import { sinkOf } from './followers.ts'

const RECEIVED: CallState = Object.freeze({ status: 'received' })

/**
 * The only writer of the states of one batch's calls. A step that the table does not have throws in development; in production
 * (NODE_ENV=production) it is refused, the state stays, and a log event says so.
 */
export class CallLedger {
  readonly #calls: ToolCall[] = []
  readonly #states: CallState[] = []
  readonly #emit: EventSink | undefined
  /** Each call has some six steps: nothing is made of them where nobody wants them. */
  readonly #steps: EventSink | undefined
  readonly #at: () => number

  constructor(at: () => number, emit: EventSink | undefined) {
    this.#at = at
    this.#emit = emit
    this.#steps = sinkOf(emit, 'call-state')
  }

  /** Takes a call in; gives its number in this ledger, from 0. */
  receive(call: ToolCall): number {
    this.#states.push(RECEIVED)
    this.#steps?.({ type: 'call-state', id: call.id, name: call.name, state: RECEIVED, at: this.#at() })
    return this.#calls.push(call) - 1
  }

  state(index: number): CallState {
    return this.#states[index] ?? RECEIVED
  }

  /** Moves one call. @throws AdjutantError INTERNAL in development when it may not go there */
  move(index: number, next: CallState): void {
    const step = transition(this.state(index), next)
    if (!step.ok) {
      if (process.env.NODE_ENV !== 'production') throw step.error
      this.#emit?.({ type: 'log', level: 'error', message: step.error.message, at: this.#at() })
      return
    }
    this.#states[index] = step.state
    const steps = this.#steps
    if (steps === undefined) return
    const call = this.#calls[index]
    if (call !== undefined) {
      steps({ type: 'call-state', id: call.id, name: call.name, state: step.state, at: this.#at() })
    }
  }
}
