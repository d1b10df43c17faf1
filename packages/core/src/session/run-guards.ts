import { Budget } from '../admission/budget/budget.ts'
import { meterOf } from '../admission/budget/meter.ts'
import { priceOf } from '../admission/budget/pricing.ts'
import { RateLimiter } from '../admission/budget/rate-limiter.ts'
import { LoopGuard } from '../admission/loop-guard/loop-guard.ts'
import { loopError, type WatchedCall } from '../admission/loop-guard/watched-call.ts'
import type { AdmittedCall, ToolCall } from '../contract/call.ts'
import type { Usage } from '../contract/decode.ts'
import type { AdjutantError } from '../contract/errors.ts'
import type { EventSink, StepRecord } from '../contract/events.ts'
import type { CallId, SessionId } from '../contract/ids.ts'
import type { ToolLookup } from '../contract/lookup.ts'
import type { Clock } from '../contract/ports.ts'
import type { Principal } from '../contract/principal.ts'
import type { ToolResult } from '../contract/result.ts'
import type { GuardsSnapshot } from './durable/checkpoint.ts'
import type { SessionOptions } from './session-options.ts'

export interface RunGuardsHost {
  readonly clock: Clock
  readonly sessionId: SessionId
  readonly principal: Principal
  readonly emit: EventSink | undefined
  at(): number
}

/**
 * What a run as a whole may do: it must not go round in circles, use up more than its budget, or call a tool more often than its rate allows.
 * Nothing resets it but the end of the session; no approval mode does.
 */
export class RunGuards {
  readonly #host: RunGuardsHost
  readonly #loop: LoopGuard | undefined
  readonly #budget: Budget | undefined
  readonly #rates: RateLimiter
  /** Calls that were judged and have no result yet. */
  readonly #open = new Map<CallId, WatchedCall>()
  /** That a budget is used up was told. */
  #told = false
  readonly #pricing: SessionOptions['pricing']

  /** @param known what the guards knew when another process left the session */
  constructor(
    options: Pick<SessionOptions, 'loopGuard' | 'budget' | 'pricing' | 'rates'>,
    host: RunGuardsHost,
    known: GuardsSnapshot = {},
  ) {
    this.#host = host
    const { clock } = host
    const { loopGuard, budget } = options
    if (loopGuard !== false) {
      const limits = { clock, ...loopGuard }
      this.#loop = known.loop === undefined ? new LoopGuard(limits) : LoopGuard.restore(known.loop, limits)
    }
    if (budget !== undefined) {
      this.#budget = known.budget === undefined ? new Budget(budget, { clock }) : Budget.restore(known.budget, budget, { clock })
    }
    this.#rates = options.rates ?? RateLimiter.shared(clock)
    this.#pricing = options.pricing
  }

  /** Why the task must end; undefined while it may go on. */
  get stopped(): string | undefined {
    return this.#loop?.stopped
  }

  /** For a session that goes on elsewhere. */
  snapshot(): GuardsSnapshot {
    return {
      ...(this.#loop === undefined ? {} : { loop: this.#loop.snapshot() }),
      ...(this.#budget === undefined ? {} : { budget: this.#budget.snapshot() }),
    }
  }

  /** Counts a step of a process before this one, as it was counted there. */
  replay(step: StepRecord, lookup: ToolLookup): void {
    switch (step.type) {
      case 'model':
        this.beginMessage()
        if (step.version === 2) this.answered(step.usage)
        return
      case 'batch':
        this.beginMessage()
        return
      case 'call': {
        const tool = lookup.get(step.call.name)
        const input = step.call.arguments.ok ? step.call.arguments.value : step.call.arguments.raw
        const watched: WatchedCall = { id: step.call.id, name: step.call.name, input, ...(tool === undefined ? {} : { tool }) }
        this.#loop?.judge(watched)
        this.#loop?.settled(watched, step.result)
        this.#budget?.spend('calls', 1)
        return
      }
      case 'user':
      case 'started':
      case 'asked':
      case 'answered':
      case 'queued':
      case 'job':
      case 'tools':
      case 'paused':
      case 'resumed':
      case 'answer':
        return
      default:
        step satisfies never
    }
  }

  /** A new answer of the model begins: equal calls in it count once. */
  beginMessage(): void {
    this.#loop?.beginMessage()
  }

  /** Says no to a call for the run's sake, before anything else looks at it. */
  halt(call: ToolCall, lookup: ToolLookup): AdjutantError | undefined {
    return this.#halted(call, lookup) ?? this.#spent()
  }

  /** A place within the rates that speak of this call. */
  take(call: AdmittedCall): AdjutantError | undefined | Promise<AdjutantError | undefined> {
    const { sessionId, principal } = this.#host
    return this.#rates.take({ tool: call.tool, principal, sessionId, effect: call.effect })
  }

  settled(call: ToolCall, result: ToolResult, admitted: AdmittedCall | undefined): void {
    const watched = this.#open.get(call.id)
    if (watched !== undefined) {
      this.#open.delete(call.id)
      // Of its very arguments, where they were looked at.
      const same = admitted === undefined || admitted.effect === watched.tool?.effect
      this.#loop?.settled(same ? watched : { ...watched, effect: admitted.effect }, result)
    }
    if (admitted?.tool.limits?.cost !== undefined) this.#meter(call, admitted, result)
  }

  /** An answer of the model was read. */
  answered(usage: Usage): void {
    const budget = this.#budget
    if (budget === undefined) return
    budget.spend('rounds', 1)
    budget.spend('tokens', usage.inputTokens + usage.outputTokens)
    if (this.#pricing !== undefined) budget.spend('microPrice', priceOf(usage, this.#pricing))
  }

  /** The budget that is used up, if one is. */
  exhausted(): AdjutantError | undefined {
    const spent = this.#budget?.exhausted()
    if (spent === undefined) return undefined
    if (!this.#told) this.#host.emit?.({ type: 'budget', budget: spent.budget, used: spent.used, limit: spent.limit, at: this.#host.at() })
    this.#told = true
    return this.#budget?.check()
  }

  /** What the model should know of its budgets before it goes on. Each is said once. */
  notes(): readonly string[] {
    const near = this.#budget?.near() ?? []
    for (const { budget, used, limit } of near) this.#host.emit?.({ type: 'budget', budget, used, limit, at: this.#host.at() })
    return near.map(({ note }) => note)
  }

  #halted(call: ToolCall, lookup: ToolLookup): AdjutantError | undefined {
    if (this.#loop === undefined) return undefined
    const tool = lookup.get(call.name)
    const input = call.arguments.ok ? call.arguments.value : call.arguments.raw
    const watched: WatchedCall =
      tool === undefined ? { id: call.id, name: call.name, input } : { id: call.id, name: call.name, input, tool }
    const verdict = this.#loop.judge(watched)
    this.#open.set(call.id, watched)
    if (verdict.type === 'pass') return undefined
    this.#host.emit?.({ type: 'loop', id: call.id, name: call.name, step: verdict.type, reason: verdict.reason, at: this.#host.at() })
    return loopError(verdict)
  }

  #spent(): AdjutantError | undefined {
    const spent = this.exhausted()
    if (spent === undefined) this.#budget?.spend('calls', 1)
    return spent
  }

  #meter(call: ToolCall, { tool }: AdmittedCall, { outcome, cached }: ToolResult): void {
    const metered = meterOf(tool, { outcome, cached })
    if (metered === undefined) return
    this.#budget?.spend('microPrice', metered.microPrice)
    this.#host.emit?.({ type: 'metered', id: call.id, name: tool.name, ...metered, at: this.#host.at() })
  }
}
