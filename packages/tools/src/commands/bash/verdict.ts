/** Owns how effects are compared and joined. Pure. */
import type { CommandPart } from '@adjutant/core'

export type Effect = CommandPart['effect']

/** What one simple command does, and why; `program` and `words` are those behind wrappers. */
export interface Verdict {
  readonly effect: Effect
  readonly reason: string
  readonly program?: string
  readonly words?: readonly (string | undefined)[]
}

const RANK = { read: 0, write: 1, dangerous: 2 } as const satisfies Readonly<Record<Effect, number>>

export function isWorse(a: Effect, b: Effect): boolean {
  return RANK[a] > RANK[b]
}

export function worstEffect(effects: Iterable<Effect>): Effect {
  let worst: Effect = 'read'
  for (const effect of effects) if (isWorse(effect, worst)) worst = effect
  return worst
}

/** The first of the worst. */
export function worst(first: Verdict, ...others: readonly Verdict[]): Verdict {
  let found = first
  for (const other of others) if (isWorse(other.effect, found.effect)) found = other
  return found
}

export const read = (reason: string): Verdict => ({ effect: 'read', reason })
export const write = (reason: string): Verdict => ({ effect: 'write', reason })
export const dangerous = (reason: string): Verdict => ({ effect: 'dangerous', reason })
