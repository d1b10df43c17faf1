import ts from 'typescript6'

/** Owns the question what a module exports that can be called: functions by any way of exporting them, each once. */

type FunctionNode = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction

export interface ExportedFunction {
  /** The name it is exported by; `default` for the default export. */
  readonly exportName: string
  /** Its own name, for a tool. */
  readonly name: string
  readonly node: FunctionNode
  /** Where its doc comment stands: the function, or the statement that declares it. */
  readonly host: ts.Node
  readonly signature: ts.Signature
  /** Further signatures that were passed over. */
  readonly overloads: number
}

export function exportedFunctions(file: ts.SourceFile, checker: ts.TypeChecker): readonly ExportedFunction[] {
  const symbol = checker.getSymbolAtLocation(file)
  if (symbol === undefined) return []
  const found: ExportedFunction[] = []
  for (const exported of checker.getExportsOfModule(symbol)) {
    const own = (exported.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(exported) : exported
    const read = functionOf(exported.name, own, file, checker)
    if (read !== undefined) found.push(read)
  }
  return found.sort((a, b) => a.node.pos - b.node.pos)
}

function functionOf(exportName: string, symbol: ts.Symbol, file: ts.SourceFile, checker: ts.TypeChecker): ExportedFunction | undefined {
  for (const declaration of symbol.declarations ?? []) {
    // What is handed on from elsewhere is read where it is declared.
    if (declaration.getSourceFile() !== file) continue
    const node = ts.isFunctionDeclaration(declaration) ? declaration : functionIn(declaration)
    if (node === undefined) continue
    const signatures = checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures()
    const [signature] = signatures
    if (signature === undefined) continue
    const own = node.name?.text ?? (symbol.name === 'default' ? undefined : symbol.name)
    const signed = signature.getDeclaration()
    const first = ts.isFunctionDeclaration(signed) ? signed : node
    return {
      exportName,
      name: exportName === 'default' ? (own ?? baseName(file.fileName)) : exportName,
      node: first,
      host: ts.isFunctionDeclaration(declaration) ? first : declaration,
      signature,
      overloads: signatures.length - 1,
    }
  }
  return undefined
}

function functionIn(declaration: ts.Declaration): FunctionNode | undefined {
  const value = ts.isVariableDeclaration(declaration)
    ? declaration.initializer
    : ts.isExportAssignment(declaration)
      ? declaration.expression
      : undefined
  return value === undefined ? undefined : inner(value)
}

function inner(value: ts.Expression): FunctionNode | undefined {
  if (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) return value
  if (ts.isParenthesizedExpression(value) || ts.isSatisfiesExpression(value) || ts.isAsExpression(value)) return inner(value.expression)
  return undefined
}

function baseName(path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1)
  return file.replace(/\.[cm]?[jt]s$/, '')
}
