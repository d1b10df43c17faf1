import { exactDecimal } from '../../util/exact-decimal.ts'
import type { RepairLog } from './repair-log.ts'

/**
 * Owns what becomes of a number that a double cannot keep. Digits are never lost without a word: an id that is off by one is another
 * id. Intake does not know the schema, so a whole number that would change is kept as text of its exact digits; admission takes that where
 * a text is wanted and refuses it where a number is.
 */

/** A number as JSON writes it, at a place. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** The JSON number at `from`, or undefined. What follows it is not looked at. */
export function numberAt(text: string, from: number): string | undefined {
  NUMBER.lastIndex = from
  return NUMBER.exec(text)?.[0]
}

/** Digits of a number for a message. */
function shown(source: string): string {
  return source.length <= 40 ? source : `${source.slice(0, 30)}… (${source.length} characters)`
}

/**
 * The value of a JSON number: itself where a double keeps it; the exact text where it is whole or too large; the nearest double, with a
 * note, where only far decimal places are lost.
 */
export function exactNumber(source: string, at: number, log: RepairLog): number | string {
  const value = Number(source)
  if (source.length < 16 && Number.isFinite(value) && !/[eE]-\d{3}/.test(source)) return value
  if (!Number.isFinite(value)) {
    log.add('big-number', at, `${shown(source)} is larger than a number can be; kept as text`)
    return source
  }
  const written = exactDecimal(source)
  if (written !== undefined && written === exactDecimal(String(value))) return value
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    log.add('big-number', at, `${shown(source)} has more digits than a number keeps; kept as text`)
    return source
  }
  log.add('rounded-number', at, `${shown(source)} has more decimal places than a number keeps; read as ${value}`)
  return value
}
