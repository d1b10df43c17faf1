import ts from 'typescript6'
import { has } from './type-kinds.ts'

/** The type as it is when it is there, and whether it may be left out. `undefined` is no value in JSON: it is left out. */
export function withoutUndefined(
  checker: ts.TypeChecker,
  type: ts.Type,
  property?: ts.Symbol,
): { readonly type: ts.Type; readonly optional: boolean } {
  const marked = property !== undefined && (property.flags & ts.SymbolFlags.Optional) !== 0
  const empty = ts.TypeFlags.Undefined | ts.TypeFlags.Void
  if (has(type, empty)) return { type: checker.getNeverType(), optional: true }
  if (!type.isUnion() || !type.types.some((part) => has(part, empty))) return { type, optional: marked }
  // A union of what is left keeps its alias when the compiler has one for it.
  const withNull = type.types.some((part) => has(part, ts.TypeFlags.Null))
  return { type: withNull ? type : checker.getNonNullableType(type), optional: true }
}
