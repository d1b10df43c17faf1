import type { AdmittedCall, ArgumentRepair, Conversion, ToolCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'

/**
 * Owns what it means for a call that its arguments had to be repaired: the repairs are part of the record of the call, whoever is asked
 * is told of them, no earlier yes covers it, and what may do harm never runs on them without a person who saw them. Pure.
 */

/** Repairs named one by one in a reason. */
const NAMED = 3

export function repairsOf(call: ToolCall): readonly ArgumentRepair[] {
  return (call.arguments.ok ? call.arguments.repairs : undefined) ?? []
}

/** The same call with its repairs before its conversions, so that its result tells them. */
export function withRepairs(admitted: AdmittedCall): AdmittedCall {
  const repairs = repairsOf(admitted.call)
  if (repairs.length === 0) return admitted
  const told = repairs.map(({ rule, at, note }): Conversion => ({ path: '', from: `character ${at}`, to: note, rule: `repair: ${rule}` }))
  return { ...admitted, conversions: [...told, ...admitted.conversions] }
}

/** Said to the person who is asked; empty when nothing was repaired. */
export function repairNote(call: ToolCall): string {
  const repairs = repairsOf(call)
  return repairs.length === 0 ? '' : ` (its arguments were no right JSON and were repaired: ${named(repairs)})`
}

function named(repairs: readonly ArgumentRepair[]): string {
  const notes = repairs.slice(0, NAMED).map(({ note }) => note)
  if (repairs.length > NAMED) notes.push(`and ${repairs.length - NAMED} more`)
  return notes.join('; ')
}

/** Nobody can be asked, so nobody saw what would run. */
export function unseenRepairs(admitted: AdmittedCall): AdjutantError {
  const what = named(repairsOf(admitted.call))
  return new AdjutantError(
    'INVALID_JSON',
    `${admitted.tool.name} may do harm that cannot be undone, and its arguments were no right JSON. They could be repaired (${what}), but are not used so unless a person sees them.`,
    { outcome: 'not-run', hint: 'Send the same call again with its arguments as one valid JSON object.' },
  )
}
