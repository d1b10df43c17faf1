import ts from 'typescript6'
import { has, literalOf } from './type-kinds.ts'

/**
 * Owns the order of a union's members. The compiler sorts them by when it saw each first, so that a word in one file changes the
 * order in another. Here they stand as they were written, where that can be found; else in an order of their own that is the
 * same each time. Definitions of tools are compared by digest: they must not change by themselves.
 */
export function inOrder(parts: readonly ts.Type[], union: ts.UnionType, use: ts.Node, checker: ts.TypeChecker): readonly ts.Type[] {
  const written = writtenOrder(union, use, checker)
  const rank = (type: ts.Type): number => written.get(type) ?? Number.MAX_SAFE_INTEGER
  return parts.toSorted((a, b) => rank(a) - rank(b) || kindOf(a) - kindOf(b) || compareWithin(a, b, checker))
}

function writtenOrder(union: ts.UnionType, use: ts.Node, checker: ts.TypeChecker): ReadonlyMap<ts.Type, number> {
  const order = new Map<ts.Type, number>()
  const visited = new Set<ts.Node>()
  const visit = (node: ts.Node | undefined): void => {
    if (node === undefined || visited.has(node)) return
    visited.add(node)
    if (ts.isUnionTypeNode(node)) node.types.forEach(visit)
    else if (ts.isParenthesizedTypeNode(node)) visit(node.type)
    else if (ts.isTypeAliasDeclaration(node)) visit(node.type)
    else if (ts.isEnumDeclaration(node)) for (const member of node.members) note(checker.getTypeAtLocation(member))
    else if (ts.isTypeNode(node)) {
      const type = checker.getTypeFromTypeNode(node)
      const alias = type.aliasSymbol?.declarations?.[0] ?? (type.isUnion() ? type.getSymbol()?.declarations?.[0] : undefined)
      if (type.isUnion()) visit(alias)
      else note(type)
    }
  }
  const note = (type: ts.Type): void => {
    if (!order.has(type)) order.set(type, order.size)
    // `'a'` in a type and in a value are two types of the compiler.
    const regular = type.isLiteral() ? type.regularType : undefined
    if (regular !== undefined && !order.has(regular)) order.set(regular, order.size)
  }
  const declared = union.aliasSymbol?.declarations?.[0] ?? union.getSymbol()?.declarations?.[0]
  visit(declared ?? typeNodeOf(use))
  return order
}

function typeNodeOf(use: ts.Node): ts.Node | undefined {
  if (ts.isParameter(use) || ts.isPropertySignature(use) || ts.isPropertyDeclaration(use)) {
    const { type } = use
    return type !== undefined && ts.isArrayTypeNode(type) ? type.elementType : type
  }
  return undefined
}

/** Texts, numbers, what has a place of its own, nothing. */
function kindOf(type: ts.Type): number {
  if (has(type, ts.TypeFlags.Null)) return 9
  if (has(type, ts.TypeFlags.StringLike)) return 1
  if (has(type, ts.TypeFlags.NumberLike)) return 2
  if (has(type, ts.TypeFlags.BigIntLike)) return 3
  return has(type, ts.TypeFlags.BooleanLike) ? 8 : 4
}

function compareWithin(a: ts.Type, b: ts.Type, checker: ts.TypeChecker): number {
  const [one, other] = [literalOf(a), literalOf(b)]
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other)
  const [here, there] = [a.getSymbol()?.declarations?.[0], b.getSymbol()?.declarations?.[0]]
  if (here !== undefined && there !== undefined) {
    const [file, otherFile] = [here.getSourceFile().fileName, there.getSourceFile().fileName]
    if (file !== otherFile) return file < otherFile ? -1 : 1
    if (here.pos !== there.pos) return here.pos - there.pos
  }
  const [name, otherName] = [checker.typeToString(a), checker.typeToString(b)]
  return name < otherName ? -1 : name > otherName ? 1 : 0
}
