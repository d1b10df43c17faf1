import { AdjutantError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Clock } from '../../contract/ports.ts'
import type { Principal } from '../../contract/principal.ts'
import type { AgentTool, Effect, RateLimit } from '../../contract/tool.ts'
import { matchesName } from '../../util/match-name.ts'
import { duration } from './amounts.ts'
import { MemoryRateStore, type RateStore, type RateTaken } from './rate-store.ts'

/** A rule of the host: the calls of all tools that fit are counted together. */
export interface RateRule extends RateLimit {
  /** A tool's name, or a pattern with `*`. */
  readonly tools: string
}

export interface RateLimiterOptions {
  readonly clock: Clock
  readonly rules?: readonly RateRule[]
  /** Where calls are counted. Default: in this process. */
  readonly store?: RateStore
  /**
   * What becomes of calls while the store does not answer. `refuse`: none of them runs. `reads`: those that only read and cost nothing are counted in this
   * process meanwhile. Default `refuse`: no limit is widened by a failure.
   */
  readonly unanswered?: 'refuse' | 'reads'
}

/** A call that wants a place. */
export interface RatedCall {
  readonly tool: AgentTool
  readonly principal: Principal
  readonly sessionId: SessionId
  /** Of this very call. Default: the tool's own, where it has one. */
  readonly effect?: Effect
}

interface Rule {
  /** First member of its keys: what is counted. */
  readonly counted: string
  readonly per: 'session' | 'user' | 'tenant'
  readonly calls: number
  readonly perMs: number
}

const SHARED = new WeakMap<Clock, RateLimiter>()

/**
 * Says no to a call that comes too early by the tool's own rate (`limits.rate`) or by a rule of the host. All that speak of it must have a place; when one has not, the places
 * taken for the others are given back. Counts are kept by tenant, user or session, never by approval, mode or run.
 *
 * When the store does not answer, the call is refused, unless the host lets reads that cost nothing pass ({@link RateLimiterOptions}). Answers at once when no rule speaks of the tool and
 * with a store that answers at once. One limiter serves all sessions of a process.
 */
export class RateLimiter {
  readonly #store: RateStore
  readonly #rules: readonly RateRule[]
  /** Counts while the store is away. */
  readonly #meanwhile: MemoryRateStore | undefined
  readonly #rulesOf = new WeakMap<AgentTool, readonly Rule[]>()

  /** @throws AdjutantError CONFIG_INVALID that names the rule that is wrong */
  constructor(options: RateLimiterOptions) {
    this.#store = options.store ?? new MemoryRateStore(options.clock)
    this.#rules = options.rules ?? []
    this.#meanwhile = options.unanswered === 'reads' ? new MemoryRateStore(options.clock) : undefined
    for (const [at, rule] of this.#rules.entries()) {
      const fault = rule.tools === '' ? 'tools must not be empty' : findFault(rule)
      if (fault !== undefined) throw new AdjutantError('CONFIG_INVALID', `rates: rule ${at + 1}: ${fault}`)
    }
  }

  /** The limiter of this process that all sessions with this clock share, without rules of a host: a user's rate is not begun anew by a new session. */
  static shared(clock: Clock): RateLimiter {
    const known = SHARED.get(clock)
    if (known !== undefined) return known
    const limiter = new RateLimiter({ clock })
    SHARED.set(clock, limiter)
    return limiter
  }

  /** Takes a place, or says why there is none: RATE_LIMITED, with the time to wait; TOOL_INVALID for a rate that makes no sense. Never throws or rejects. */
  take(call: RatedCall): AdjutantError | undefined | Promise<AdjutantError | undefined> {
    let rules = this.#rulesOf.get(call.tool)
    if (rules === undefined) {
      const own = call.tool.limits?.rate
      const fault = own === undefined ? undefined : findFault(own)
      if (fault !== undefined) return new AdjutantError('TOOL_INVALID', `${call.tool.name}: limits.rate: ${fault}`)
      rules = this.#collect(call.tool)
      this.#rulesOf.set(call.tool, rules)
    }
    return rules.length === 0 ? undefined : this.#takeFrom(rules, 0, call)
  }

  #collect(tool: AgentTool): readonly Rule[] {
    const rules: Rule[] = []
    const own = tool.limits?.rate
    if (own !== undefined) rules.push({ counted: `tool:${tool.name}`, per: own.per ?? 'user', calls: own.calls, perMs: own.perMs })
    for (const { tools, per, calls, perMs } of this.#rules) {
      if (matchesName(tools, tool.name)) rules.push({ counted: `rule:${tools}`, per: per ?? 'user', calls, perMs })
    }
    return rules
  }

  /** Goes on without a promise as long as the store answers at once. */
  #takeFrom(rules: readonly Rule[], first: number, call: RatedCall): AdjutantError | undefined | Promise<AdjutantError | undefined> {
    for (let at = first; at < rules.length; at++) {
      const rule = rules[at]
      if (rule === undefined) continue
      let answer: RateTaken | Promise<RateTaken>
      try {
        answer = this.#store.take(keyOf(rule, call), rule.calls, rule.perMs, call.principal.tenantId)
      } catch (failure) {
        return this.#noAnswer(failure, rules, at, call)
      }
      if (answer instanceof Promise) {
        return answer.then(
          (taken) => this.#refusal(taken, rules, at, call) ?? this.#takeFrom(rules, at + 1, call),
          (failure: unknown) => this.#noAnswer(failure, rules, at, call),
        )
      }
      const refusal = this.#refusal(answer, rules, at, call)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  #takeMeanwhile(store: MemoryRateStore, rules: readonly Rule[], call: RatedCall): AdjutantError | undefined {
    for (const [at, rule] of rules.entries()) {
      const answer = store.take(keyOf(rule, call), rule.calls, rule.perMs)
      if (answer.taken) continue
      for (const before of rules.slice(0, at)) store.giveBack(keyOf(before, call))
      return refused(rule, answer, call)
    }
    return undefined
  }

  #refusal(answer: RateTaken, rules: readonly Rule[], at: number, call: RatedCall): AdjutantError | undefined {
    const rule = rules[at]
    if (answer.taken || rule === undefined) return undefined
    this.#giveBack(rules, at, call)
    return refused(rule, answer, call)
  }

  #noAnswer(failure: unknown, rules: readonly Rule[], at: number, call: RatedCall): AdjutantError | undefined {
    this.#giveBack(rules, at, call)
    if (this.#meanwhile !== undefined && isFreeRead(call)) return this.#takeMeanwhile(this.#meanwhile, rules, call)
    return new AdjutantError('RATE_LIMITED', `${call.tool.name} was not run: the store that counts its calls does not answer`, {
      hint: 'Try again later, or go on without it.',
      cause: failure,
    })
  }

  /** Best effort: a place that cannot be given back comes free with its window. */
  #giveBack(rules: readonly Rule[], until: number, call: RatedCall): void {
    for (let at = 0; at < until; at++) {
      const rule = rules[at]
      if (rule === undefined) continue
      try {
        this.#store.giveBack(keyOf(rule, call), rule.calls, rule.perMs, call.principal.tenantId)?.catch(() => undefined)
      } catch {
        // As above.
      }
    }
  }
}

function refused(rule: Rule, answer: RateTaken, { tool }: RatedCall): AdjutantError {
  const { name } = tool
  const what = rule.counted.startsWith('rule:') ? `tools like ${rule.counted.slice(5)}` : name
  const wait = duration(answer.waitMs)
  return new AdjutantError(
    'RATE_LIMITED',
    `${what} may be called ${rule.calls} times in ${duration(rule.perMs)} by one ${rule.per}; the next call of ${name} is possible in ${answer.waitMs} ms`,
    { hint: `Wait ${wait} before calling ${name} again, or go on without it.` },
  )
}

/** Nobody is charged, and nothing is changed. */
function isFreeRead({ tool, effect = typeof tool.effect === 'string' ? tool.effect : undefined }: RatedCall): boolean {
  return effect === 'read' && (tool.limits?.cost?.microPrice ?? 0) === 0
}

/** A list as JSON: no tenant's name can be made to look like another's with a user's. */
function keyOf({ counted, per, calls, perMs }: Rule, { principal, sessionId }: RatedCall): string {
  const whose =
    per === 'tenant'
      ? [principal.tenantId]
      : per === 'user'
        ? [principal.tenantId, principal.userId]
        : [principal.tenantId, principal.userId, sessionId]
  return JSON.stringify([counted, calls, perMs, per, ...whose])
}

function findFault({ calls, perMs, per }: RateLimit): string | undefined {
  if (!Number.isSafeInteger(calls) || calls < 1) return `calls must be a whole number above 0, not ${calls}`
  if (!Number.isFinite(perMs) || perMs <= 0) return `perMs must be a number above 0, not ${perMs}`
  if (per !== undefined && per !== 'session' && per !== 'user' && per !== 'tenant')
    return `per must be session, user or tenant, not ${String(per)}`
  return undefined
}
