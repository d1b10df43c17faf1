/** The readers of commands that rules on commands need, opened once. */
import type { RulePolicyOptions } from '@adjutant/core'

export async function commandReaders(): Promise<NonNullable<RulePolicyOptions['commands']>> {
  return {}
}
