/**
 * Owns the way to tools that are plain functions. What reads their types brings a compiler and is a package of its own: it is
 * loaded when sources are named, and not for a file that was built before.
 */
import { AdjutantError, type LoadReport, loadReflectedTools, type RegistryProblem } from '@adjutant/core'

/** @throws AdjutantError UNSUPPORTED when the package is not there */
export async function loadReflect(): Promise<typeof import('@adjutant/reflect')> {
  try {
    return await import('@adjutant/reflect')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new AdjutantError('UNSUPPORTED', 'reading tools from sources needs the package @adjutant/reflect, which is not installed', {
      hint: 'Install it beside adjutant: npm install @adjutant/reflect. Or name a file that `adjutant tools build` wrote.',
      cause: error,
    })
  }
}

interface FunctionTools extends LoadReport {
  /** For the author of the functions; said when their sources were read anew, and not at each start after that. */
  readonly warnings: readonly RegistryProblem[]
}

/** The tools of one entry of `tools.functions`: a module, a folder of modules, or a built file (`.json`). Never rejects. */
export async function functionTools(path: string): Promise<FunctionTools> {
  if (path.endsWith('.json')) return { ...(await loadReflectedTools(path)), warnings: [] }
  try {
    const { reflectTools } = await loadReflect()
    const { tools, problems, warnings, cached } = await reflectTools([path])
    return { tools, problems, warnings: cached ? [] : warnings }
  } catch (error) {
    return { tools: [], problems: [problemOf(path, error)], warnings: [] }
  }
}

function problemOf(source: string, error: unknown): RegistryProblem {
  const known = AdjutantError.from(error, 'TOOL_INVALID')
  return { code: known.code, source, message: `${source}: ${known.message}`, hint: known.hint }
}
