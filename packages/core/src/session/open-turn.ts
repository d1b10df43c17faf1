import type { ToolCall } from '../contract/call.ts'
import type { ToolResult } from '../contract/result.ts'
import { Turn, type TurnEnvironment } from './turn.ts'

/**
 * A turn whose answer is still being read. It survives answers that break off: `restart` begins the batch anew, and what ran for the broken
 * answer is taken over by the equal calls of the next one instead of running twice.
 */
export class OpenTurn {
  readonly #cx: TurnEnvironment
  readonly #signal: AbortSignal
  readonly #told: (results: readonly ToolResult[]) => readonly ToolResult[]
  /** The answers that broke off; their calls may still run for the one that came instead. */
  readonly #left: Turn[] = []
  #turn: Turn

  constructor(cx: TurnEnvironment, signal: AbortSignal, told: (results: readonly ToolResult[]) => readonly ToolResult[]) {
    this.#cx = cx
    this.#signal = signal
    this.#told = told
    this.#turn = new Turn(cx, signal)
  }

  /** Takes in one complete call of the answer; its `index` says where it stands. */
  add(call: ToolCall): void {
    this.#turn.add(call)
  }

  /** The answer broke off and is asked for again. */
  restart(): void {
    const adopt = this.#turn.leave()
    this.#left.push(this.#turn)
    this.#turn = new Turn(this.#cx, this.#signal, adopt)
  }

  /** The answer is complete. @returns one result for each call added since the last restart, in call order */
  async complete(): Promise<readonly ToolResult[]> {
    return this.#told(await this.#turn.complete())
  }

  /** Stops what still runs, also of answers that broke off, and waits for it. */
  async close(): Promise<void> {
    await Promise.all([...this.#left, this.#turn].map((turn) => turn.close()))
  }
}
