/**
 * Owns checking a model's parameters against those of the statement: SQLite takes a missing one for NULL without a word, which
 * gives a wrong answer instead of an error. Whole numbers are bound as integers: bound as reals, `5 / ?` would not be 2.
 */
import { AdjutantError, isJsonObject, type JsonValue } from '@adjutant/core/contract'
import type { SqlValue } from './query-protocol.ts'
import type { ReadOnlyStatement } from './read-only-statement.ts'

export interface BoundParameters {
  readonly positional: readonly SqlValue[]
  readonly named: Readonly<Record<string, SqlValue>>
}

/** @throws AdjutantError INVALID_ARGUMENTS naming what is missing or too much */
export function bindParameters(statement: ReadOnlyStatement, given: JsonValue | undefined): BoundParameters {
  const values = given ?? []
  if (Array.isArray(values)) return { positional: positional(statement, values), named: {} }
  if (!isJsonObject(values)) throw wrong('must be a list (for ?) or an object (for :name)')
  if (statement.positional > 0 && Object.keys(values).length > 0) throw wrong('must be a list: the statement has ? parameters')
  if (statement.positional > 0) return { positional: positional(statement, []), named: {} }
  return { positional: [], named: named(statement, values) }
}

function positional(statement: ReadOnlyStatement, values: readonly JsonValue[]): readonly SqlValue[] {
  if (statement.named.length > 0) {
    throw wrong(
      `must be an object with ${statement.named.map((name) => JSON.stringify(name)).join(', ')}: the statement has named parameters`,
    )
  }
  if (values.length !== statement.positional) {
    throw wrong(`has ${values.length} ${values.length === 1 ? 'value' : 'values'}, the statement takes ${statement.positional}`)
  }
  return values.map((value, index) => toSql(value, String(index + 1)))
}

function named(statement: ReadOnlyStatement, values: { readonly [key: string]: JsonValue }): Readonly<Record<string, SqlValue>> {
  const bound: [string, SqlValue][] = []
  const unused = new Set(Object.keys(values))
  for (const name of statement.named) {
    // A model may write the sign into the key.
    const key = [name, `:${name}`, `@${name}`, `$${name}`].find((candidate) => Object.hasOwn(values, candidate))
    if (key === undefined) throw wrong(`lacks ${JSON.stringify(name)}`)
    unused.delete(key)
    bound.push([name, toSql(values[key], name)])
  }
  if (unused.size > 0) throw wrong(`has ${[...unused].map((key) => JSON.stringify(key)).join(', ')}, which the statement does not use`)
  // fromEntries defines own properties, so a parameter called __proto__ is one too.
  return Object.fromEntries(bound)
}

function toSql(value: JsonValue | undefined, place: string): SqlValue {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value
    case 'boolean':
      return value ? 1n : 0n
    default:
      if (value === null) return null
      throw wrong(`has a list or an object as ${place}; SQLite takes texts, numbers, true, false and null`)
  }
}

function wrong(problem: string): AdjutantError {
  return new AdjutantError('INVALID_ARGUMENTS', `"parameters" ${problem}`, {
    hint: 'One value for each ? in order, e.g. ["week 12", 10], or an object for named ones, e.g. {"week": 12} for :week.',
  })
}
