import { relative, resolve, sep } from 'node:path'
import type { ReflectedDocument, RegistryProblem } from '@adjutant/core'
import { defaultCacheFolder, readCache, writeCache } from './cache.ts'
import type { Group } from './derive.ts'
import { findEntryFiles, nearestConfig } from './entry-files.ts'
import { deriverKey } from './version.ts'

/** Owns the choice between what was read before and reading anew; both give the same document. */

export interface ReflectOptions {
  /** The tsconfig to read by. Default: for each file the nearest tsconfig.json (else jsconfig.json) above it; else strict defaults. */
  readonly tsconfig?: string
  /** Where descriptions are kept between runs. Default: `$XDG_CACHE_HOME/adjutant/reflect`. `false`: nowhere. */
  readonly cacheFolder?: string | false
}

export interface DocumentOptions extends ReflectOptions {
  /** What module paths in the document are relative to. */
  readonly folder: string
  /** Name compiled modules instead of sources. */
  readonly compiled?: boolean
}

export interface ReflectedSources {
  readonly document: ReflectedDocument
  readonly problems: readonly RegistryProblem[]
  readonly warnings: readonly RegistryProblem[]
  readonly files: readonly string[]
  readonly cached: boolean
}

export async function reflectDocument(paths: readonly string[], options: DocumentOptions): Promise<ReflectedSources> {
  const found = await findEntryFiles(paths)
  const groups = await groupsOf(found.files, options.tsconfig)
  const folder = resolve(options.folder)
  const cacheFolder = options.cacheFolder ?? defaultCacheFolder(process.env)
  const key = JSON.stringify([deriverKey(), folder, options.compiled === true, groups])
  // Compiled modules are somewhere else than the files that are named: they are built, not loaded from here.
  const modules = new Set(found.files.map((file) => modulePath(folder, file)))
  const kept = cacheFolder === false || options.compiled === true ? undefined : await readCache(cacheFolder, key, modules)
  if (kept !== undefined) return { ...kept, problems: [...found.problems, ...kept.problems], files: found.files, cached: true }
  // Imported here: what is read from the cache pays for no compiler.
  const { derive } = await import('./derive.ts')
  const derived = derive(groups, { folder, ...(options.compiled === undefined ? {} : { compiled: options.compiled }) })
  const { document, problems, warnings } = derived
  if (cacheFolder !== false && options.compiled !== true && derived.settled) {
    await writeCache(cacheFolder, key, { document, problems, warnings }, derived)
  }
  return { document, problems: [...found.problems, ...problems], warnings, files: found.files, cached: false }
}

function modulePath(folder: string, file: string): string {
  const path = relative(folder, file).split(sep).join('/')
  return path.startsWith('../') ? path : `./${path}`
}

async function groupsOf(files: readonly string[], tsconfig: string | undefined): Promise<readonly Group[]> {
  if (files.length === 0) return []
  if (tsconfig !== undefined) return [{ tsconfig: resolve(tsconfig), files }]
  const known = new Map<string, string | undefined>()
  const byConfig = new Map<string | undefined, string[]>()
  for (const file of files) {
    const config = await nearestConfig(file, known)
    const group = byConfig.get(config)
    if (group === undefined) byConfig.set(config, [file])
    else group.push(file)
  }
  return [...byConfig].map(([config, members]) => ({ tsconfig: config, files: members }))
}
