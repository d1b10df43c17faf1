import type { Usage } from '../../contract/decode.ts'

/**
 * What the host pays for a model's tokens, in millionths of the currency that it counts in, for one million tokens. Only the host knows; nothing of any vendor is
 * built in.
 */
export interface Pricing {
  readonly inputMicroPrice: number
  readonly outputMicroPrice: number
}

/**
 * Price of one answer, in millionths of the currency.
 *
 * @example
 * ```ts
 * // 3.00 for a million tokens of input, 15.00 of output
 * priceOf({ inputTokens: 2_000, outputTokens: 100 }, { inputMicroPrice: 3_000_000, outputMicroPrice: 15_000_000 }) // 7 500
 * ```
 */
export function priceOf(usage: Usage, pricing: Pricing): number {
  return (usage.inputTokens * pricing.inputMicroPrice + usage.outputTokens * pricing.outputMicroPrice) / 1_000_000
}
