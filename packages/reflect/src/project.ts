import { dirname } from 'node:path'
import type { RegistryProblem } from '@adjutant/core'
import ts from 'typescript6'
import { placeAt } from './place.ts'
import { readConfig } from './read-config.ts'
import { isAmbientFile } from './type-kinds.ts'

/**
 * Owns the compiler's side: the user's tsconfig as it is (strictness, path aliases, module resolution), changed only in what
 * reading needs. Nothing is written and no code is run. What was looked at, and looked for in vain, is noted for the cache.
 */

export interface Project {
  readonly program: ts.Program
  /** Absolute paths of everything whose content decides what is read, the compiler's own library left out. */
  readonly reached: readonly string[]
  /** Paths that would be read if they were there. */
  readonly absent: readonly string[]
  /** An import leads nowhere: what is read may change by a file that is not there yet. */
  readonly unresolved: boolean
  readonly problems: readonly RegistryProblem[]
  readonly options: ts.CompilerOptions
  readonly config: ts.ParsedCommandLine | undefined
}

const DEFAULTS: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  // Where it is installed; it is no fault when it is not.
  types: ['node'],
}

/** Only what cannot change a type is set. */
const FORCED: ts.CompilerOptions = {
  noEmit: true,
  allowJs: true,
  skipLibCheck: true,
  skipDefaultLibCheck: true,
  allowImportingTsExtensions: true,
  composite: false,
  incremental: false,
  declaration: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
}

export function openProject(files: readonly string[], tsconfig: string | undefined): Project {
  const problems: RegistryProblem[] = []
  const { config, paths } = tsconfig === undefined ? { config: undefined, paths: [] } : readConfig(tsconfig, files, problems)
  const options: ts.CompilerOptions = { ...(config?.options ?? DEFAULTS), ...FORCED }
  delete options.tsBuildInfoFile
  const host = ts.createCompilerHost(options)
  const parse = host.getSourceFile
  // Nothing that the language and the platform say in comments is used, and it is a good part of what there is to parse.
  host.getSourceFile = (path, version, ...rest) => {
    const jsDocParsingMode = isAmbientFile(path) ? ts.JSDocParsingMode.ParseNone : ts.JSDocParsingMode.ParseAll
    return parse(path, { ...(typeof version === 'object' ? version : { languageVersion: version }), jsDocParsingMode }, ...rest)
  }
  const absent = new Set<string>()
  const packages = new Set<string>()
  const exists = host.fileExists
  host.fileExists = (path) => {
    const found = exists(path)
    if (!found && !path.includes('/node_modules/')) absent.add(path)
    // What a package offers, and whether a module is one, is said there.
    if (found && path.endsWith('/package.json')) packages.add(path)
    return found
  }
  const program = ts.createProgram({ rootNames: [...files], options, host })
  const library = dirname(ts.getDefaultLibFilePath(options))
  const reached = program
    .getSourceFiles()
    .map((file) => file.fileName)
    .filter((path) => !path.startsWith(library))
  const roots = new Set(files)
  let unresolved = false
  for (const file of program.getSourceFiles()) {
    if (file.isDeclarationFile || file.fileName.includes('/node_modules/')) continue
    unresolved ||= importsOf(file).some((node) => leadsNowhere(program, node))
    for (const fault of program.getSyntacticDiagnostics(file)) {
      const inRoot = roots.has(file.fileName)
      problems.push({
        code: 'TOOL_INVALID',
        source: file.fileName,
        message: `${placeAt(file, fault.start)}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`,
        hint: inRoot ? 'Correct the syntax; the functions of this file are left out.' : 'Correct the syntax.',
      })
    }
  }
  return {
    program,
    reached: [...reached, ...packages, ...paths],
    absent: [...absent],
    unresolved,
    problems,
    options,
    config,
  }
}

function importsOf(file: ts.SourceFile): readonly ts.StringLiteral[] {
  const found: ts.StringLiteral[] = []
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue
    if (statement.moduleSpecifier !== undefined && ts.isStringLiteral(statement.moduleSpecifier)) found.push(statement.moduleSpecifier)
  }
  return found
}

function leadsNowhere(program: ts.Program, node: ts.StringLiteral): boolean {
  return !node.text.startsWith('node:') && program.getTypeChecker().getSymbolAtLocation(node) === undefined
}
