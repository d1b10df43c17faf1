import { AdjutantError } from '../../contract/errors.ts'
import { isJsonObject, type JsonObject, ownValue } from '../../contract/json.ts'
import type { Clock } from '../../contract/ports.ts'
import { amountLeft, amountUsed } from './amounts.ts'

/** `rounds`: answers of the model. `calls`: calls of tools. `wallMs`: milliseconds. `microPrice`: millionths of the host's currency. */
export const BUDGETS = ['rounds', 'calls', 'wallMs', 'tokens', 'microPrice'] as const
export type BudgetName = (typeof BUDGETS)[number]
/** Time passes by itself. */
export type Spendable = Exclude<BudgetName, 'wallMs'>

/** What one run may use. What is absent is not limited. 0 allows nothing at all. */
export type BudgetLimits = { readonly [Name in BudgetName]?: number | undefined }

export interface BudgetNotice {
  readonly budget: BudgetName
  readonly used: number
  readonly limit: number
  /** For the model, e.g. `2 of 20 calls are left`. */
  readonly note: string
}

export interface BudgetOptions {
  readonly clock: Clock
  /** The share of a limit at which it is near, above 0 and below 1. Default 0.8. */
  readonly nearAt?: number
}

const VERSION = 1

/**
 * What a run may use, and what it has used. Nothing is ever given back and nothing resets it but the end of the run: a run that goes on in another
 * process takes its {@link snapshot} along, and the time between is not counted.
 * Synchronous; a few numbers. It only counts: whoever runs calls asks {@link check} before each and ends the run when it says so.
 *
 * @example
 * ```ts
 * const budget = new Budget({ calls: 20, wallMs: 300_000 }, { clock: systemClock })
 * const spent = budget.check()
 * if (spent !== undefined) throw spent
 * budget.spend('calls')
 * for (const { note } of budget.near()) console.log(note)
 * ```
 */
export class Budget {
  readonly #limits: ReadonlyMap<BudgetName, number>
  readonly #clock: Clock
  readonly #nearAt: number
  readonly #used: Record<Spendable, number> = { rounds: 0, calls: 0, tokens: 0, microPrice: 0 }
  readonly #told = new Set<BudgetName>()
  #startedAt: number

  /** @throws AdjutantError CONFIG_INVALID that names the limit that is not a number of at least 0 */
  constructor(limits: BudgetLimits, options: BudgetOptions) {
    const kept = new Map<BudgetName, number>()
    for (const name of BUDGETS) {
      const limit = limits[name]
      if (limit === undefined) continue
      if (!Number.isFinite(limit) || limit < 0)
        throw new AdjutantError('CONFIG_INVALID', `budget: ${name} must be a number of at least 0, not ${limit}`)
      kept.set(name, limit)
    }
    const nearAt = options.nearAt ?? 0.8
    if (!(nearAt > 0 && nearAt < 1)) throw new AdjutantError('CONFIG_INVALID', `budget: nearAt must be above 0 and below 1, not ${nearAt}`)
    this.#limits = kept
    this.#clock = options.clock
    this.#nearAt = nearAt
    this.#startedAt = options.clock.monotonic()
  }

  /** Used so far, of what is limited and of what is not. */
  used(budget: BudgetName): number {
    return budget === 'wallMs' ? Math.max(0, this.#clock.monotonic() - this.#startedAt) : this.#used[budget]
  }

  /** Adds to what is used. What is no finite number above 0 (a provider may report anything) is not counted. Never throws. */
  spend(budget: Spendable, amount = 1): void {
    // The sum stays a number that JSON can carry.
    if (Number.isFinite(amount) && amount > 0) this.#used[budget] = Math.min(Number.MAX_VALUE, this.#used[budget] + amount)
  }

  /**
   * BUDGET_EXHAUSTED when a limit is reached, or would be passed by `next`; undefined while there is something left of each. The first in the order
   * of {@link BUDGETS} is named.
   */
  check(next?: BudgetLimits): AdjutantError | undefined {
    const spent = this.exhausted(next)
    return spent === undefined ? undefined : new AdjutantError('BUDGET_EXHAUSTED', spent.note)
  }

  /** What {@link check} tells, as numbers. */
  exhausted(next?: BudgetLimits): BudgetNotice | undefined {
    for (const [budget, limit] of this.#limits) {
      const used = this.used(budget)
      const wanted = next?.[budget] ?? 0
      if (used >= limit) return { budget, used, limit, note: `the run has used up its budget: ${amountUsed(budget, used, limit)}` }
      if (used + wanted > limit) {
        return { budget, used, limit, note: `the run has not enough left of its budget for this: ${amountUsed(budget, used, limit)}` }
      }
    }
    return undefined
  }

  /** The budgets that have come near their end, or to the last round or call, since this was asked the last time: each is told once in a run. */
  near(): readonly BudgetNotice[] {
    const notices: BudgetNotice[] = []
    for (const [budget, limit] of this.#limits) {
      if (this.#told.has(budget)) continue
      const used = this.used(budget)
      const isLast = (budget === 'rounds' || budget === 'calls') && used > 0 && limit - used <= 1
      if (used >= limit || !(isLast || used >= limit * this.#nearAt)) continue
      this.#told.add(budget)
      notices.push({ budget, used, limit, note: amountLeft(budget, used, limit) })
    }
    return notices
  }

  /** For a run that goes on elsewhere. */
  snapshot(): JsonObject {
    return { version: VERSION, ...this.#used, wallMs: this.used('wallMs'), told: [...this.#told] }
  }

  /** @throws AdjutantError CONFIG_INVALID when it is no snapshot of a budget */
  static restore(snapshot: JsonObject, limits: BudgetLimits, options: BudgetOptions): Budget {
    const budget = new Budget(limits, options)
    const told = ownValue(snapshot, 'told')
    if (!isJsonObject(snapshot) || ownValue(snapshot, 'version') !== VERSION || !Array.isArray(told)) {
      throw new AdjutantError('CONFIG_INVALID', 'this is no snapshot of a budget that is known here', { hint: 'Begin the run without it.' })
    }
    for (const name of BUDGETS) {
      const used = ownValue(snapshot, name)
      if (typeof used !== 'number' || !Number.isFinite(used) || used < 0) {
        throw new AdjutantError('CONFIG_INVALID', `snapshot of a budget: ${name} must be a number of at least 0`, {
          hint: 'Begin the run without it.',
        })
      }
      if (name === 'wallMs') budget.#startedAt -= used
      else budget.#used[name] = used
      if (told.includes(name)) budget.#told.add(name)
    }
    return budget
  }
}
