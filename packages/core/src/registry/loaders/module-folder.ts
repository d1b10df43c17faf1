import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AdjutantError, type AgentTool, type LoadReport, type RegistryProblem } from '../../contract/index.ts'
import { toolsOfModule } from './module-tools.ts'

/**
 * Owns a folder of tools: each module in it is imported once, in order of name, and what it exports is registered. A module
 * that fails (it throws, it exports nothing fit, its name is taken) is reported by its file, and the others load. Importing
 * runs the module's code in this process: name only folders whose authors are trusted.
 */

const MODULE = /\.(?:ts|mts|js|mjs)$/
const NO_MODULE = /\.d\.m?ts$|[.-](?:test|spec|test-d)\.m?[jt]s$/
const INDEX = ['index.ts', 'index.mts', 'index.js', 'index.mjs'] as const

/**
 * Loads `*.ts`, `*.js`, `*.mjs` and `NAME/index.*` of a folder, but no tests, no type declarations, and nothing that begins
 * with `_` or `.`. Never rejects.
 *
 * @example
 * ```ts
 * const { tools, problems } = await loadModuleFolder('./tools')
 * registry.add(tools, './tools')
 * ```
 */
export async function loadModuleFolder(path: string): Promise<LoadReport> {
  const folder = resolve(path)
  const found = await findModules(folder)
  if (!found.ok) return { tools: [], problems: [found.problem] }
  const problems: RegistryProblem[] = []
  const files = new Map<string, string>()
  const tools: AgentTool[] = []
  const seen = new Set<unknown>()
  // One after the other: modules may share state, and the order in which they start is then the same each time.
  for (const file of found.files) {
    const loaded = await loadModule(file, seen)
    if (!loaded.ok) {
      problems.push(loaded.problem)
      continue
    }
    for (const tool of loaded.tools) {
      const first = files.get(tool.name)
      if (first === undefined) {
        files.set(tool.name, file)
        tools.push(tool)
      } else problems.push(duplicate(tool.name, file, first))
    }
  }
  return { tools, problems }
}

type Loaded = { readonly ok: true; readonly tools: readonly AgentTool[] } | { readonly ok: false; readonly problem: RegistryProblem }

/** `seen` holds the exports of the modules before it: what one of them hands on (an index of all) is no second tool. */
async function loadModule(file: string, seen: Set<unknown>): Promise<Loaded> {
  let exported: unknown
  try {
    exported = await import(pathToFileURL(file).href)
  } catch (error) {
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return fault(file, `${file}: it could not be imported: ${said.split('\n', 1)[0]}`, 'Correct the module; it must load on its own.')
  }
  try {
    if (typeof exported !== 'object' || exported === null) return fault(file, `${file}: exports nothing`, 'Export a tool.')
    const values = Object.values(exported).flat()
    const handedOn = values.length > 0 && values.every((value) => seen.has(value))
    for (const value of values) if (typeof value === 'object') seen.add(value)
    return { ok: true, tools: handedOn ? [] : toolsOfModule(exported, file) }
  } catch (error) {
    const known = AdjutantError.from(error, 'TOOL_INVALID', file)
    return fault(file, known.message, known.hint)
  }
}

function fault(source: string, message: string, hint: string): Loaded {
  return { ok: false, problem: { code: 'TOOL_INVALID', source, message, hint } }
}

function duplicate(name: string, file: string, first: string): RegistryProblem {
  return {
    code: 'TOOL_NAME_TAKEN',
    source: file,
    tool: name,
    message: `${file}: the name ${name} is taken by ${first}; this one is left out`,
    hint: 'Rename one of the two tools.',
  }
}

type Found = { readonly ok: true; readonly files: readonly string[] } | { readonly ok: false; readonly problem: RegistryProblem }

async function findModules(folder: string): Promise<Found> {
  try {
    if (!(await stat(folder)).isDirectory()) return unfit(folder, 'is a file, not a folder of modules', 'Name the folder that it is in.')
    const files: string[] = []
    const names = (await readdir(folder)).sort()
    for (const name of names) {
      if (/^[._]/.test(name) || name === 'node_modules') continue
      const path = join(folder, name)
      const info = await stat(path).catch(() => undefined)
      if (info?.isFile() === true && MODULE.test(name) && !NO_MODULE.test(name)) files.push(path)
      else if (info?.isDirectory() === true) {
        const inside = new Set(await readdir(path).catch(() => []))
        const index = INDEX.find((one) => inside.has(one))
        if (index !== undefined) files.push(join(path, index))
      }
    }
    return { ok: true, files }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return unfit(folder, 'does not exist', 'Make the folder, or correct its name.')
    return unfit(folder, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, 'Check the folder.')
  }
}

function unfit(folder: string, message: string, hint: string): Found {
  return { ok: false, problem: { code: 'TOOL_INVALID', source: folder, message: `${folder} ${message}`, hint } }
}
