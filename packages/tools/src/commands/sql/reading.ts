/** Owns how the readings of single statements become the reading of a whole text. */
import type { CommandPart, CommandReading, Effect } from '@adjutant/core/contract'

/** Characters of one text; a longer one is not looked at. */
const MAX_SQL_CHARS = 65_536
/** Reasons that a person is shown. */
const MAX_REASONS = 20

const RANK: Readonly<Record<Effect, number>> = { read: 0, write: 1, dangerous: 2 }

export function worseOf(one: Effect, other: Effect): Effect {
  return RANK[other] > RANK[one] ? other : one
}

export function readingOf(parts: readonly CommandPart[]): CommandReading {
  let effect: Effect = 'read'
  for (const part of parts) effect = worseOf(effect, part.effect)
  const worstFirst = parts.toSorted((one, other) => RANK[other.effect] - RANK[one.effect])
  const reasons = [...new Set(worstFirst.map(({ reason }) => reason))].slice(0, MAX_REASONS)
  return { effect, reasons, parts }
}

/** The whole text is one dangerous part. */
export function dangerousWhole(text: string, reason: string): CommandReading {
  return { effect: 'dangerous', reasons: [reason], parts: [{ start: 0, end: text.length, effect: 'dangerous', reason }] }
}

/** What stops every dialect before it is read; undefined: nothing does. */
export function unreadable(sql: unknown): CommandReading | undefined {
  if (typeof sql !== 'string') return dangerousWhole('', 'it is no text')
  if (sql.length > MAX_SQL_CHARS) return dangerousWhole(sql, `it is longer than ${MAX_SQL_CHARS} characters`)
  const nul = sql.indexOf('\0')
  if (nul !== -1) return dangerousWhole(sql, 'it has a NUL character, where databases stop reading')
  return undefined
}
