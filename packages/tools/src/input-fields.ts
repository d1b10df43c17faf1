/**
 * Owns reading a tool's arguments. Admission has validated them against the schema; what is read here is checked once more,
 * because a tool may also be called without admission, and a wrong type must end in a sentence and not in a TypeError.
 */
import { AdjutantError, type JsonObject, ownValue } from '@adjutant/core/contract'

export function textField(input: JsonObject, name: string): string {
  const value = ownValue(input, name)
  if (typeof value !== 'string') throw wrong(name, 'a text', value)
  return value
}

export function optionalText(input: JsonObject, name: string): string | undefined {
  const value = ownValue(input, name)
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrong(name, 'a text', value)
  return value
}

export interface WholeRange {
  readonly min: number
  readonly max: number
  readonly fallback: number
}

export function wholeField(input: JsonObject, name: string, range: WholeRange): number {
  const value = ownValue(input, name)
  if (value === undefined || value === null) return range.fallback
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < range.min || value > range.max) {
    throw wrong(name, `a whole number from ${range.min} to ${range.max}`, value)
  }
  return value
}

export function flagField(input: JsonObject, name: string): boolean {
  const value = ownValue(input, name)
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean') throw wrong(name, 'true or false', value)
  return value
}

function wrong(name: string, expected: string, got: unknown): AdjutantError {
  const said = got === undefined ? 'nothing' : (JSON.stringify(got)?.slice(0, 80) ?? String(got))
  return new AdjutantError('INVALID_ARGUMENTS', `"${name}" must be ${expected}, got ${said}`)
}
