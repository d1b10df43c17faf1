import ts from 'typescript6'

/** Owns the questions that are asked of a type by its flags, as guards. */

export function has(type: ts.Type, flags: ts.TypeFlags): boolean {
  return (type.flags & flags) !== 0
}

export function isObjectType(type: ts.Type): type is ts.ObjectType {
  return has(type, ts.TypeFlags.Object)
}

export function isReference(type: ts.Type): type is ts.TypeReference {
  return isObjectType(type) && (type.objectFlags & ts.ObjectFlags.Reference) !== 0
}

export function isTuple(type: ts.Type, checker: ts.TypeChecker): type is ts.TupleTypeReference {
  return checker.isTupleType(type)
}

export function isTemplate(type: ts.Type): type is ts.TemplateLiteralType {
  return has(type, ts.TypeFlags.TemplateLiteral)
}

export function isStringMapping(type: ts.Type): type is ts.StringMappingType {
  return has(type, ts.TypeFlags.StringMapping)
}

export function isBigIntLiteral(type: ts.Type): type is ts.BigIntLiteralType {
  return has(type, ts.TypeFlags.BigIntLiteral)
}

/** A name that could not be resolved has a type that looks like `any`, but is not meant by anybody. */
export function isUnresolved(type: ts.Type): boolean {
  return 'intrinsicName' in type && (type.intrinsicName === 'error' || type.intrinsicName === 'unresolved')
}

/** `true` or `false` for a boolean literal. */
export function booleanOf(type: ts.Type): boolean | undefined {
  if (!has(type, ts.TypeFlags.BooleanLiteral) || !('intrinsicName' in type)) return undefined
  return type.intrinsicName === 'true'
}

/** The text, number or digits of a literal type (of an enum member too), and `true`, `false`, `null`. */
export function literalOf(type: ts.Type): string | number | boolean | null | undefined {
  if (has(type, ts.TypeFlags.Null)) return null
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value
  return booleanOf(type)
}

/**
 * The name of a type of the language itself or of Node (`Date`, `Map`, `Buffer`): declared outside the user's sources, so that a
 * type of their own by that name is not mistaken for it.
 */
export function ambientName(type: ts.Type): string | undefined {
  const symbol = type.getSymbol()
  return symbol !== undefined && isAmbient(symbol) ? symbol.name : undefined
}

/** Declared by the language or by the platform. */
export function isAmbient(symbol: ts.Symbol): boolean {
  const { declarations = [] } = symbol
  return declarations.length > 0 && declarations.every((declaration) => isAmbientFile(declaration.getSourceFile().fileName))
}

export function isAmbientFile(path: string): boolean {
  return AMBIENT.test(path)
}

const AMBIENT = /\/typescript6?\/lib\/lib\.[^/]*d\.ts$|\/node_modules\/@types\/(?:node|bun|deno)\/|\/@typescript\/lib-/
