import type { AgentAnswer, Outcome, SessionEvent } from '@adjutant/core'
import { duration } from '../terminal/call-summary.ts'

/** Counts what became of the calls. */
export class Tally {
  readonly #outcomes: Record<Outcome, number> = { ok: 0, failed: 0, 'not-run': 0, unknown: 0 }
  #denied = 0

  take(event: SessionEvent): void {
    if (event.type !== 'call-state') return
    if (event.state.status === 'denied') this.#denied += 1
    if (event.state.status === 'settled') this.#outcomes[event.state.outcome] += 1
  }

  summary(answer: AgentAnswer | undefined, ms: number): string {
    const { ok, failed, unknown } = this.#outcomes
    const notRun = this.#outcomes['not-run'] - this.#denied
    const calls = ok + failed + unknown + notRun + this.#denied
    const parts = [
      ok > 0 ? `${ok} ok` : '',
      failed > 0 ? `${failed} failed` : '',
      this.#denied > 0 ? `${this.#denied} denied` : '',
      notRun > 0 ? `${notRun} not run` : '',
      unknown > 0 ? `${unknown} unknown` : '',
    ].filter((part) => part !== '')
    const said = [`${calls} call${calls === 1 ? '' : 's'}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`]
    if (answer !== undefined) {
      said.push(`${answer.rounds} round${answer.rounds === 1 ? '' : 's'}`)
      const { inputTokens, outputTokens } = answer.usage
      if (inputTokens + outputTokens > 0) said.push(`${inputTokens} tokens in, ${outputTokens} out`)
    }
    return `${said.join('; ')}; ${duration(ms)}`
  }
}
