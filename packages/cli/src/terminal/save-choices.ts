/** The answers for always: which rule each one writes, and into which file. */
import { type ApprovalRequest, policyPlaces, type SavedTier } from '@adjutant/core'
import { printableArgument } from './printable.ts'

export interface SaveChoice {
  readonly of: 'call' | 'tool'
  readonly tier: SavedTier
  /** Absolute, printable. */
  readonly file: string
  /** Printable. */
  readonly rule: string
}

export interface PolicyPlaces {
  /** Absolute. */
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Longer arguments are refused by the policy: they are no rule that anybody could read. */
const MAX_RULE_CHARS = 16_000

/** Narrow before wide, project before user. */
export function saveChoices({ call, saveTo = [] }: ApprovalRequest, places: PolicyPlaces): readonly SaveChoice[] {
  if (saveTo.length === 0) return []
  const files = policyPlaces(places)
  const { tool, effect, input } = call
  const fits = JSON.stringify(input).length <= MAX_RULE_CHARS
  const what = `allow ${tool.name}, effect ${effect}`
  const names = Object.keys(input)
  const exactly = names.length === 0 ? 'without arguments' : `with ${names.join(', ')} exactly as shown, and no other argument`
  return saveTo.flatMap((tier) => {
    const file = printableArgument(files[tier])
    const tool: SaveChoice = { of: 'tool', tier, file, rule: printableArgument(`${what}, whatever its arguments`) }
    return fits ? [{ of: 'call' as const, tier, file, rule: printableArgument(`${what}, ${exactly}`) }, tool] : [tool]
  })
}
