import type { JsonValue } from '@adjutant/core'
import ts from 'typescript6'
import { literalOf } from './type-kinds.ts'

/**
 * Owns the reading of default values from initialisers: literals, lists and objects of them, constants and enum members. What
 * only running the code would tell is not known, and is left to the function itself. Nothing is ever run.
 */
export function valueOfExpression(node: ts.Expression, checker: ts.TypeChecker): JsonValue | undefined {
  const expression = bare(node)
  if (ts.isStringLiteralLike(expression)) return expression.text
  if (ts.isNumericLiteral(expression)) return Number(expression.text)
  if (ts.isBigIntLiteral(expression)) return String(BigInt(expression.text.replace(/n$/, '').replaceAll('_', '')))
  if (expression.kind === ts.SyntaxKind.TrueKeyword) return true
  if (expression.kind === ts.SyntaxKind.FalseKeyword) return false
  if (expression.kind === ts.SyntaxKind.NullKeyword) return null
  if (ts.isPrefixUnaryExpression(expression) && expression.operator === ts.SyntaxKind.MinusToken) {
    const value = valueOfExpression(expression.operand, checker)
    if (typeof value === 'number') return -value
    return typeof value === 'string' && ts.isBigIntLiteral(expression.operand) ? `-${value}` : undefined
  }
  if (ts.isArrayLiteralExpression(expression)) return listOf(expression, checker)
  if (ts.isObjectLiteralExpression(expression)) return objectOf(expression, checker)
  if (ts.isNewExpression(expression)) return collectionOf(expression, checker)
  if (ts.isIdentifier(expression) || ts.isPropertyAccessExpression(expression)) {
    const constant = constantOf(expression, checker)
    return constant ?? literalOf(checker.getTypeAtLocation(expression))
  }
  return undefined
}

function bare(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isTypeAssertionExpression(node)
    ? bare(node.expression)
    : node
}

function listOf(node: ts.ArrayLiteralExpression, checker: ts.TypeChecker): JsonValue | undefined {
  const items: JsonValue[] = []
  for (const element of node.elements) {
    const item = valueOfExpression(element, checker)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

function objectOf(node: ts.ObjectLiteralExpression, checker: ts.TypeChecker): JsonValue | undefined {
  const members: [string, JsonValue][] = []
  for (const property of node.properties) {
    if (!ts.isPropertyAssignment(property) || ts.isComputedPropertyName(property.name)) return undefined
    const value = valueOfExpression(property.initializer, checker)
    if (value === undefined) return undefined
    members.push([property.name.text, value])
  }
  return Object.fromEntries(members)
}

/** `new Set(['a'])`, `new Set()`, `new Map()`: as the list or object that stands for it. */
function collectionOf(node: ts.NewExpression, checker: ts.TypeChecker): JsonValue | undefined {
  const name = ts.isIdentifier(node.expression) ? node.expression.text : undefined
  const [first] = node.arguments ?? []
  if (name === 'Set') return first === undefined ? [] : valueOfExpression(first, checker)
  if (name === 'Map' && first === undefined) return {}
  return undefined
}

/** `const LIMIT = 10` of the same program. */
function constantOf(node: ts.Identifier | ts.PropertyAccessExpression, checker: ts.TypeChecker): JsonValue | undefined {
  if (!ts.isIdentifier(node)) return undefined
  let symbol = checker.getSymbolAtLocation(node)
  if (symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0) symbol = checker.getAliasedSymbol(symbol)
  const declaration = symbol?.valueDeclaration
  if (declaration === undefined || !ts.isVariableDeclaration(declaration) || declaration.initializer === undefined) return undefined
  if ((ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) === 0 || bare(declaration.initializer) === node) return undefined
  return ts.isIdentifier(bare(declaration.initializer)) ? undefined : valueOfExpression(declaration.initializer, checker)
}
