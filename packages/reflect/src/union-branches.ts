import type { JsonValue, PlanTest } from '@adjutant/core'
import ts from 'typescript6'
import { has, literalOf } from './type-kinds.ts'

/** Owns what tells the objects of a union apart. */

/** The first property that every member has with words of its own, e.g. `kind`. */
export function sharedDiscriminant(checker: ts.TypeChecker, members: readonly ts.Type[], node: ts.Node): string | undefined {
  const [first] = members
  if (
    first === undefined ||
    members.length < 2 ||
    members.some((member) => !has(member, ts.TypeFlags.Object | ts.TypeFlags.Intersection))
  ) {
    return undefined
  }
  return checker.getPropertiesOfType(first).find((property) => tellsApart(checker, members, property.name, node))?.name
}

function tellsApart(checker: ts.TypeChecker, members: readonly ts.Type[], name: string, node: ts.Node): boolean {
  const seen = new Set<JsonValue>()
  for (const member of members) {
    const words = wordsOf(checker, member, name, node)
    if (words === undefined || words.some((word) => seen.has(word))) return false
    for (const word of words) seen.add(word)
  }
  return true
}

function wordsOf(checker: ts.TypeChecker, member: ts.Type, name: string, node: ts.Node): readonly JsonValue[] | undefined {
  const property = checker.getPropertyOfType(member, name)
  if (property === undefined || (property.flags & ts.SymbolFlags.Optional) !== 0) return undefined
  const type = checker.getTypeOfSymbolAtLocation(property, node)
  const words = (type.isUnion() ? type.types : [type]).map(literalOf)
  return words.every((word) => word !== undefined) ? words.flatMap((word) => (word === undefined ? [] : [word])) : undefined
}

/** How a JSON object is recognised as this member. */
export function branchTest(checker: ts.TypeChecker, member: ts.Type, discriminant: string | undefined, node: ts.Node): PlanTest {
  if (discriminant !== undefined) {
    return { type: 'object', values: { [discriminant]: wordsOf(checker, member, discriminant, node) ?? [] } }
  }
  const properties = checker.getPropertiesOfType(member)
  const required = properties.filter((property) => (property.flags & ts.SymbolFlags.Optional) === 0).map(({ name }) => name)
  const open = checker.getIndexInfosOfType(member).length > 0
  return { type: 'object', required, ...(open ? {} : { known: properties.map(({ name }) => name) }) }
}
