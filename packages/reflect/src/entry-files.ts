import { readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { RegistryProblem } from '@adjutant/core'

/**
 * Owns which files are read: those that are named, and in folders every module, also in folders below, but no tests, no
 * declarations, and nothing that begins with `_` or `.`. Needs no compiler.
 */

const MODULE = /\.(?:ts|mts|js|mjs)$/
const NO_MODULE = /\.d\.m?ts$|[.-](?:test|spec|test-d)\.m?[jt]s$/
/** A folder of functions has some tens. More is another folder. */
const MAX_FILES = 10_000

export interface EntryFiles {
  /** Absolute, sorted, each once. */
  readonly files: readonly string[]
  readonly problems: readonly RegistryProblem[]
}

export async function findEntryFiles(paths: readonly string[]): Promise<EntryFiles> {
  const files = new Set<string>()
  const problems: RegistryProblem[] = []
  for (const path of paths) {
    const full = resolve(path)
    const found = await stat(full).catch(() => undefined)
    if (found === undefined) problems.push(problem(full, 'does not exist', 'Name a module or a folder of modules.'))
    else if (found.isDirectory()) {
      const before = files.size
      await walk(full, files)
      if (files.size === before) problems.push(problem(full, 'holds no module', 'Put .ts, .mts, .js or .mjs files there.'))
    } else if (MODULE.test(full) && !/\.d\.m?ts$/.test(full)) files.add(full)
    else problems.push(problem(full, 'is no module', 'Name a .ts, .mts, .js or .mjs file.'))
    if (files.size > MAX_FILES) {
      return { files: [], problems: [problem(full, `holds more than ${MAX_FILES} modules`, 'Name the folder of the functions only.')] }
    }
  }
  return { files: [...files].sort(), problems }
}

function problem(path: string, message: string, hint: string): RegistryProblem {
  return { code: 'TOOL_INVALID', source: path, message: `${path} ${message}`, hint }
}

/** Links to folders are not followed: they may lead in a circle. */
async function walk(folder: string, files: Set<string>): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries) {
    if (/^[._]/.test(entry.name) || entry.name === 'node_modules' || files.size > MAX_FILES) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await walk(path, files)
    else if (MODULE.test(entry.name) && !NO_MODULE.test(entry.name) && (await stat(path).catch(() => undefined))?.isFile()) files.add(path)
  }
}

/** The tsconfig.json (else jsconfig.json) nearest above a file. */
export async function nearestConfig(file: string, known: Map<string, string | undefined>): Promise<string | undefined> {
  const folder = dirname(file)
  if (known.has(folder)) return known.get(folder)
  let found: string | undefined
  for (const name of ['tsconfig.json', 'jsconfig.json']) {
    const path = join(folder, name)
    if (found === undefined && (await stat(path).catch(() => undefined))?.isFile()) found = path
  }
  const parent = dirname(folder)
  if (found === undefined && parent !== folder) found = await nearestConfig(folder, known)
  known.set(folder, found)
  return found
}
