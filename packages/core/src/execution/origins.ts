import { AdjutantError } from '../contract/errors.ts'
import type { Clock } from '../contract/ports.ts'
import type { Origin } from '../contract/tool.ts'
import { matchesName } from '../util/match-name.ts'
import { Bulkhead } from './bulkhead.ts'
import { Circuit, type CircuitOptions } from './circuit.ts'

/** What holds for the origins that a pattern names. Of each member the first rule that names the origin and says something decides. */
export interface OriginRule {
  /** `kind:from` with `*` for any characters, e.g. `mcp:github`, `mcp:*`, `function:*`. */
  readonly origin: string
  /** Calls at once, 1 or more. Default: no limit. */
  readonly concurrency?: number
  /** Calls that may wait for their turn. Default 100. */
  readonly queue?: number
  /** `false`: no circuit. Default: one with its defaults; none for `built-in:*`, which works with nothing that could be down as a whole. */
  readonly circuit?: CircuitOptions | false
}

export interface OriginGuard {
  /** `kind:from`. */
  readonly name: string
  readonly circuit: Circuit | undefined
  readonly bulkhead: Bulkhead | undefined
}

/** Calls that wait for one origin where nobody says. Ours: a batch of calls fits, a flood does not. */
const DEFAULT_QUEUE = 100
/** Guards kept. Ours: more origins than anybody connects; what is idle and healthy is made anew as it was. */
const MAX_GUARDS = 1_000

/**
 * Owns the guards of origins, one for each `kind:from`, shared by all sessions that get this object. Bounded: the ones that are idle and healthy are
 * forgotten first. Give sessions that must not feel each other (tenants with servers of their own under one name) an object each.
 *
 * @example
 * ```ts
 * const origins = new OriginGuards({ clock: systemClock, rules: [{ origin: 'mcp:*', concurrency: 8 }] })
 * ```
 */
export class OriginGuards {
  readonly #clock: Clock
  readonly #rules: readonly OriginRule[]
  readonly #guards = new Map<string, OriginGuard>()
  /** Tools share the object of their origin: found without making its name. */
  readonly #known = new WeakMap<Origin, OriginGuard>()

  /** @throws AdjutantError CONFIG_INVALID naming the rule */
  constructor(options: { readonly clock: Clock; readonly rules?: readonly OriginRule[] }) {
    this.#clock = options.clock
    this.#rules = options.rules ?? []
    for (const [index, rule] of this.#rules.entries()) checkRule(rule, index)
  }

  get size(): number {
    return this.#guards.size
  }

  of(origin: Origin): OriginGuard {
    const known = this.#known.get(origin)
    if (known !== undefined && this.#guards.get(known.name) === known) return known
    const name = `${origin.kind}:${origin.from}`
    const guard = this.#guards.get(name) ?? this.#make(name)
    this.#known.set(origin, guard)
    return guard
  }

  #make(name: string): OriginGuard {
    const rules = this.#rules.filter((rule) => matchesName(rule.origin, name))
    const concurrency = rules.find((rule) => rule.concurrency !== undefined)?.concurrency
    const queue = rules.find((rule) => rule.queue !== undefined)?.queue ?? DEFAULT_QUEUE
    const circuit = rules.find((rule) => rule.circuit !== undefined)?.circuit ?? (name.startsWith('built-in:') ? false : {})
    const guard: OriginGuard = Object.freeze({
      name,
      circuit: circuit === false ? undefined : new Circuit(this.#clock, circuit),
      bulkhead: concurrency === undefined ? undefined : new Bulkhead(concurrency, queue),
    })
    this.#makeRoom()
    this.#guards.set(name, guard)
    return guard
  }

  /** One that is in use stays, so that its limit holds; there are never more of these than calls in flight. */
  #makeRoom(): void {
    if (this.#guards.size < MAX_GUARDS) return
    let idle: string | undefined
    for (const [name, { circuit, bulkhead }] of this.#guards) {
      if (bulkhead !== undefined && bulkhead.active > 0) continue
      idle ??= name
      if (circuit !== undefined && !circuit.healthy) continue
      this.#guards.delete(name)
      return
    }
    if (idle !== undefined) this.#guards.delete(idle)
  }
}

function checkRule(rule: OriginRule, index: number): void {
  const refuse = (what: string): never => {
    throw new AdjutantError('CONFIG_INVALID', `rule ${index + 1} for origins (${JSON.stringify(rule.origin)}): ${what}`, {
      hint: 'Correct this rule.',
    })
  }
  if (typeof rule.origin !== 'string' || rule.origin === '') refuse('origin is missing; give e.g. "mcp:*"')
  if (rule.concurrency !== undefined && !isWhole(rule.concurrency, 1)) refuse('concurrency must be a whole number above 0')
  if (rule.queue !== undefined && !isWhole(rule.queue, 0)) refuse('queue must be a whole number, 0 or more')
  if (rule.circuit === undefined || rule.circuit === false) return
  const { failures, openMs } = rule.circuit
  if (failures !== undefined && !isWhole(failures, 1)) refuse('circuit.failures must be a whole number above 0')
  if (openMs !== undefined && !isWhole(openMs, 1)) refuse('circuit.openMs must be a whole number above 0')
}

function isWhole(value: number, min: number): boolean {
  return Number.isSafeInteger(value) && value >= min
}
