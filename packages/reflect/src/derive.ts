import { relative, sep } from 'node:path'
import {
  legalToolName,
  REFLECTED_FORMAT,
  REFLECTED_VERSION,
  type ReflectedDocument,
  type ReflectedTool,
  type RegistryProblem,
} from '@adjutant/core'
import ts from 'typescript6'
import { describeFunction, type FunctionTool } from './describe-function.ts'
import { exportedFunctions } from './exported-functions.ts'
import { placeAt, placeOf, problemAt, ReflectFault } from './place.ts'
import { openProject, type Project } from './project.ts'

/**
 * Owns the whole way from source files to a document of tools. The only part (with what it imports) that loads the compiler.
 * A fault costs the function that it is in, a syntax error its file, and nothing else.
 */

/** Files that are read by one tsconfig, or by none. */
export interface Group {
  readonly tsconfig: string | undefined
  readonly files: readonly string[]
}

export interface Derived {
  readonly document: ReflectedDocument
  readonly problems: readonly RegistryProblem[]
  readonly warnings: readonly RegistryProblem[]
  readonly reached: readonly string[]
  readonly absent: readonly string[]
  /** False when the same files could give something else next time. */
  readonly settled: boolean
}

export interface DeriveOptions {
  /** What the module paths in the document are relative to. */
  readonly folder: string
  /** Name the compiled modules, where the tsconfig puts them (`outDir`), instead of the sources. */
  readonly compiled?: boolean
}

export function derive(groups: readonly Group[], options: DeriveOptions): Derived {
  const tools: ReflectedTool[] = []
  const problems: RegistryProblem[] = []
  const warnings: RegistryProblem[] = []
  const reached = new Set<string>()
  const absent = new Set<string>()
  const names = new Map<string, string>()
  let settled = true
  for (const group of groups) {
    const project = openProject(group.files, group.tsconfig)
    for (const path of project.reached) reached.add(path)
    for (const path of project.absent) absent.add(path)
    settled &&= !project.unresolved
    problems.push(...project.problems)
    const broken = new Set(project.problems.map(({ source }) => source))
    for (const path of group.files) {
      if (broken.has(path)) continue
      const module = moduleOf(path, project, options, problems)
      if (module === undefined) continue
      for (const { declared, ...tool } of toolsOfFile(path, project, problems, warnings)) {
        const name = legalToolName(tool.name, NONE)
        const first = names.get(name)
        if (first !== undefined) {
          problems.push({
            ...problemAt(
              declared,
              `the name ${name} is taken by ${first}; this one is left out`,
              'Rename one of the two, e.g. with @name.',
              name,
            ),
            code: 'TOOL_NAME_TAKEN',
          })
          continue
        }
        names.set(name, placeOf(declared))
        tools.push({ ...tool, name, module })
      }
    }
  }
  return {
    document: { format: REFLECTED_FORMAT, version: REFLECTED_VERSION, compiler: ts.version, tools },
    problems,
    warnings,
    reached: [...reached].sort(),
    absent: [...absent].sort(),
    settled,
  }
}

const NONE: ReadonlySet<string> = new Set()

function toolsOfFile(
  path: string,
  { program }: Project,
  problems: RegistryProblem[],
  warnings: RegistryProblem[],
): readonly FunctionTool[] {
  const file = program.getSourceFile(path)
  if (file === undefined) {
    problems.push({ code: 'TOOL_INVALID', source: path, message: `${path} could not be read`, hint: 'Make it readable.' })
    return []
  }
  const checker = program.getTypeChecker()
  const tools: FunctionTool[] = []
  for (const found of exportedFunctions(file, checker)) {
    try {
      const tool = describeFunction(found, checker, warnings)
      if (tool !== undefined) tools.push(tool)
    } catch (error) {
      if (!(error instanceof ReflectFault)) throw error
      problems.push(problemAt(error.node, `${found.name}: ${error.message}`, error.hint, found.name))
    }
  }
  if (tools.length === 0 && problems.every(({ source }) => source !== path) && warnings.every(({ source }) => source !== path)) {
    warnings.push({
      code: 'TOOL_INVALID',
      source: path,
      message: `${placeAt(file, 0)}: exports no function with a doc comment`,
      hint: 'Begin the name of a file that is for others with _.',
    })
  }
  return tools
}

function moduleOf(path: string, project: Project, { folder, compiled }: DeriveOptions, problems: RegistryProblem[]): string | undefined {
  if (compiled !== true) return relativePath(folder, path)
  const outputs = project.config === undefined ? [] : outputsOf(path, project.config)
  const output = outputs.find((name) => /\.[cm]?js$/.test(name))
  if (output !== undefined) return relativePath(folder, output)
  problems.push({
    code: 'TOOL_INVALID',
    source: path,
    message: `${path}: its tsconfig does not say where it is compiled to`,
    hint: 'Set outDir and rootDir in the tsconfig, or build without --compiled.',
  })
  return undefined
}

function outputsOf(path: string, config: ts.ParsedCommandLine): readonly string[] {
  const { noEmit: _, emitDeclarationOnly: __, ...options } = config.options
  if (options.outDir === undefined) return []
  return ts.getOutputFileNames({ ...config, options, fileNames: [path] }, path, !ts.sys.useCaseSensitiveFileNames)
}

function relativePath(folder: string, path: string): string {
  const from = relative(folder, path).split(sep).join('/')
  return from.startsWith('../') ? from : `./${from}`
}
