import type { ArgumentRepair } from '../../contract/call.ts'

/** What was repaired is told one by one up to here; the rest is counted. A text with more faults than this is hardly JSON. */
const TOLD = 64

/** The names of what is repaired or noted. docs/reference/dialects.md explains each. */
export type RepairRule =
  | 'big-number'
  | 'comment'
  | 'control-character'
  | 'double-encoded'
  | 'doubled-object'
  | 'duplicate-key'
  | 'escaped-quote'
  | 'fence'
  | 'inner-quotes'
  | 'lone-surrogate'
  | 'missing-comma'
  | 'missing-end'
  | 'python-literal'
  | 'rounded-number'
  | 'single-quotes'
  | 'smart-quotes'
  | 'stray-closing'
  | 'text-around'
  | 'trailing-comma'
  | 'unquoted-key'

/** Collects what was repaired, in the order of the text as far as it is read in order. Bounded. */
export class RepairLog {
  readonly #repairs: ArgumentRepair[] = []
  #more = 0
  #moreAt = 0

  get size(): number {
    return this.#repairs.length + this.#more
  }

  add(rule: RepairRule, at: number, note: string): void {
    if (this.#repairs.length < TOLD) {
      this.#repairs.push({ rule, at, note })
      return
    }
    if (this.#more === 0) this.#moreAt = at
    this.#more++
  }

  /** All that was told; the last entry counts what is left out. */
  list(): readonly ArgumentRepair[] {
    if (this.#more === 0) return this.#repairs
    return [...this.#repairs, { rule: 'more', at: this.#moreAt, note: `${this.#more} further repairs of these kinds` }]
  }
}
