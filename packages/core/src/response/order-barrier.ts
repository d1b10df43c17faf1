import { AdjutantError } from '../contract/errors.ts'
import type { ToolResult } from '../contract/result.ts'

/**
 * Owns: the results of one batch until all are there. They come in any order and leave in call order, each exactly once; a
 * second one for the same call, and asking before the last has come, are faults of the caller. Used by one batch.
 *
 * @example
 * ```ts
 * const barrier = new OrderBarrier(2)
 * barrier.put(1, second)
 * barrier.put(0, first)
 * barrier.results() // [first, second]
 * ```
 */
export class OrderBarrier {
  readonly #slots: (ToolResult | undefined)[]
  #missing: number

  /** @throws AdjutantError INTERNAL unless `count` is a whole number, at least 0 */
  constructor(count: number) {
    if (!Number.isSafeInteger(count) || count < 0) throw new AdjutantError('INTERNAL', `a batch cannot have ${count} calls`)
    this.#slots = new Array<ToolResult | undefined>(count).fill(undefined)
    this.#missing = count
  }

  /** The batch has become larger: calls arrive one by one while the model still speaks. Never smaller. */
  expect(count: number): void {
    for (let size = this.#slots.length; size < count; size += 1) {
      this.#slots.push(undefined)
      this.#missing++
    }
  }

  /** @throws AdjutantError INTERNAL for a position outside the batch, or one that has its result */
  put(index: number, result: ToolResult): void {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.#slots.length) {
      throw new AdjutantError('INTERNAL', `no call at position ${index} in a batch of ${this.#slots.length} (result of ${result.id})`)
    }
    if (this.#slots[index] !== undefined) {
      throw new AdjutantError('INTERNAL', `a second result for the call at position ${index} (${result.id})`)
    }
    this.#slots[index] = result
    this.#missing--
  }

  /** True once every call has its result. */
  get complete(): boolean {
    return this.#missing === 0
  }

  /** All of them, in call order. @throws AdjutantError INTERNAL naming the first call without a result */
  results(): readonly ToolResult[] {
    return this.#slots.map((slot, index) => {
      if (slot === undefined) throw new AdjutantError('INTERNAL', `no result for the call at position ${index}`)
      return slot
    })
  }
}
