import { hash } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ReflectedDocument, type RegistryProblem, readReflectedDocument } from '@adjutant/core'

/**
 * Owns what is kept between runs: the description of a set of files, good as long as every file that it depended on has the
 * content it had, and no file has appeared that would be read in its place. A file that is missing, cut off, changed by hand or
 * by another version is no error: the functions are read anew. Written beside its place and renamed, so that a crash and two
 * processes at once leave a whole file.
 *
 * Refuses to be a way in: it names no module that the caller did not name (see {@link readCache}), and is kept in the user's own
 * folder, mode 0700.
 */

const CACHE_FORMAT = 1

export interface CacheEntry {
  readonly document: ReflectedDocument
  readonly warnings: readonly RegistryProblem[]
  readonly problems: readonly RegistryProblem[]
}

interface CacheFile extends CacheEntry {
  readonly format: typeof CACHE_FORMAT
  readonly key: string
  /** Path → digest of content, of every file that was reached. */
  readonly reached: Readonly<Record<string, string>>
  readonly absent: readonly string[]
}

/** `$XDG_CACHE_HOME/adjutant/reflect`, or `~/.cache/adjutant/reflect`. */
export function defaultCacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_CACHE_HOME
  return join(base?.startsWith('/') ? base : join(homedir(), '.cache'), 'adjutant', 'reflect')
}

/**
 * The entry for this key, or nothing when there is none that still holds.
 * @param modules the module paths that may be named
 */
export async function readCache(folder: string, key: string, modules: ReadonlySet<string>): Promise<CacheEntry | undefined> {
  const text = await readFile(pathOf(folder, key), 'utf8').catch(() => undefined)
  const entry = text === undefined ? undefined : parsed(text)
  if (entry === undefined || entry.key !== key) return undefined
  if (entry.document.tools.some((tool) => !modules.has(tool.module))) return undefined
  const [same, gone] = await Promise.all([
    everyOf(Object.entries(entry.reached), async ([path, digest]) => (await digestOfFile(path)) === digest),
    everyOf(entry.absent, async (path) => (await stat(path).catch(() => undefined)) === undefined),
  ])
  return same && gone ? entry : undefined
}

/** Never fails: what could not be kept is read anew next time. */
export async function writeCache(
  folder: string,
  key: string,
  entry: CacheEntry,
  depends: { readonly reached: readonly string[]; readonly absent: readonly string[] },
): Promise<void> {
  const digests = await Promise.all(depends.reached.map(async (path) => [path, await digestOfFile(path)] as const))
  const reached = Object.fromEntries(digests.flatMap(([path, digest]) => (digest === undefined ? [] : [[path, digest]])))
  const file: CacheFile = { format: CACHE_FORMAT, key, reached, absent: depends.absent, ...entry }
  const body = JSON.stringify(file)
  const path = pathOf(folder, key)
  const draft = `${path}.${process.pid}.${draftNumber++}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(draft, `${digestOfText(body)}\n${body}`, { mode: 0o600 })
    await rename(draft, path)
  } catch {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

let draftNumber = 0

function pathOf(folder: string, key: string): string {
  return join(folder, `${digestOfText(key)}.json`)
}

function digestOfText(text: string): string {
  return hash('sha256', text)
}

async function digestOfFile(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined)
  return bytes === undefined ? undefined : hash('sha256', bytes)
}

async function everyOf<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(items.map(holds))).every(Boolean)
}

/** The first line is the digest of the rest: a file that was cut off or changed is seen as such. */
function parsed(text: string): CacheFile | undefined {
  const end = text.indexOf('\n')
  const body = text.slice(end + 1)
  if (end === -1 || text.slice(0, end) !== digestOfText(body)) return undefined
  try {
    const value: unknown = JSON.parse(body)
    return isCacheFile(value) ? { ...value, document: readReflectedDocument(value.document, 'the cache') } : undefined
  } catch {
    return undefined
  }
}

function isCacheFile(value: unknown): value is CacheFile {
  return (
    isRecord(value) &&
    value.format === CACHE_FORMAT &&
    typeof value.key === 'string' &&
    isRecord(value.reached) &&
    Array.isArray(value.absent) &&
    Array.isArray(value.problems) &&
    Array.isArray(value.warnings)
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
