/** Owns how parts become one reading. */
import type { CommandPart, CommandReading } from '@adjutant/core'
import { type Effect, type Verdict, worstEffect } from './verdict.ts'

const ORDER = ['dangerous', 'write', 'read'] as const satisfies readonly Effect[]

export function readingOf(parts: readonly CommandPart[]): CommandReading {
  const effect = worstEffect(parts.map((part) => part.effect))
  const reasons = new Set<string>()
  for (const wanted of ORDER) for (const part of parts) if (part.effect === wanted) reasons.add(part.reason)
  return { effect, reasons: [...reasons], parts }
}

export function partOf(start: number, end: number, { effect, reason, program, words }: Verdict): CommandPart {
  return { start, end, effect, reason, ...(program === undefined ? {} : { program }), ...(words === undefined ? {} : { words }) }
}
