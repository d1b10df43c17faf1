import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'
import { platform } from 'node:process'

/**
 * Owns the answer to "which file does this text name?" as far as a policy can know it before the call: every spelling that a tool might
 * take it for. What can be read in more than one way (a NUL byte, a backslash, percent escapes, `~`, quotes around it) has no answer, and
 * neither has what the file system refuses to say. Looks at the file system and changes nothing.
 *
 * Between this look and the tool's own a link may be swapped in: the tool that opens a file has to confine it again.
 */

export interface NamedPaths {
  /** As it is written, made absolute, `.` and `..` undone. */
  readonly named: string
  /** With every link followed; two when `..` behind a link leads elsewhere than the text says. */
  readonly real: readonly string[]
}

/** A name is the one that the file has: no short forms, no other letters for the same file. */
const PLAIN_NAMES = platform !== 'darwin' && platform !== 'win32'

/** Linux follows no more. */
const MAX_LINKS = 40
const MAX_PATH = 8_192
const NO_ENTRY = { throwIfNoEntry: false } as const
// A tool may undo any of these, or take them as letters. Quotes and blanks at the ends: some tools take them off.
const UNCLEAR =
  /[\0\\]|%(?:[0-9a-f]{2}|[u%])|^~[\w.-]*(?:\/|$)|^["'`].*["'`]$|^\s|\s$|^[a-z][a-z0-9+.-]+:|[\uff0e\uff0f\u2024\u2025\u2044\u2215\u29f8]/isu

let look = 0
let latest: { readonly look: number; readonly text: string; readonly workspace: string; readonly paths: NamedPaths | undefined } | undefined
/** Folders of the pass that goes on, with their links followed. */
let folders: { readonly pass: object; readonly real: Map<string, string> } | undefined

/**
 * A new call is decided on: what was seen for the one before may no longer be true. The rules that judge one call look at its path once.
 *
 * @param pass of a synchronous run of decisions: the calls of one look at each folder once, and each at its own file
 */
export function lookAnew(pass?: object): void {
  look += 1
  if (pass !== folders?.pass) folders = pass === undefined || !PLAIN_NAMES ? undefined : { pass, real: new Map() }
}

/**
 * @param workspace absolute
 * @returns undefined where there is more than one way to read it, or none
 */
export function namedPaths(text: string, workspace: string): NamedPaths | undefined {
  if (latest?.look === look && latest.text === text && latest.workspace === workspace) return latest.paths
  const paths = lookAt(text, workspace)
  latest = { look, text, workspace, paths }
  return paths
}

function lookAt(text: string, workspace: string): NamedPaths | undefined {
  if (text === '' || text.length > MAX_PATH || UNCLEAR.test(text)) return undefined
  const named = absolute(workspace, text)
  const seen = folders?.real
  const lexical = followed(named, seen)
  if (lexical === undefined) return undefined
  if (!text.includes('..')) return { named, real: [lexical] }
  // The system undoes `..` behind a link, most tools before it.
  const system = followed(isAbsolute(text) ? text : `${workspace}${sep}${text}`, seen)
  if (system === undefined) return undefined
  return { named, real: system === lexical ? [lexical] : [lexical, system] }
}

/** `resolve`; nearly all texts have nothing to be undone. */
function absolute(workspace: string, text: string): string {
  if (sep !== '/' || text.includes('./') || text.includes('//') || text.endsWith('/') || text.endsWith('.')) return resolve(workspace, text)
  return text.startsWith('/') ? text : workspace === '/' ? `/${text}` : `${workspace}/${text}`
}

/** The real path, also of what does not exist yet: the deepest folder that exists is resolved, links to nothing are followed. */
function followed(path: string, seen?: Map<string, string>): string | undefined {
  try {
    return path.includes('..') ? (existing(path) ?? walked(path)) : deepest(path, seen)
  } catch {
    return undefined
  }
}

/** By looking upwards from a path without `..`; far cheaper than an exception for each file that is new. */
function deepest(path: string, seen: Map<string, string> | undefined): string {
  const within = seen === undefined ? undefined : realParent(path, seen)
  const found = lstatSync(path, NO_ENTRY)
  if (within !== undefined && found?.isSymbolicLink() !== true) return `${within}${path.slice(path.lastIndexOf('/'))}`
  // A link to nothing is there, and what it points to is not.
  if (found !== undefined) return existing(path) ?? walked(path)
  const above = dirname(path)
  return above === path ? path : join(deepest(above, seen), basename(path))
}

/** The folder that a path lies in, where it is there. */
function realParent(path: string, known: Map<string, string>): string | undefined {
  const end = path.lastIndexOf('/')
  if (end <= 0) return undefined
  const folder = path.slice(0, end)
  let real = known.get(folder)
  if (real !== undefined) return real
  real = existing(folder)
  if (real === undefined || real === '/') return undefined
  known.set(folder, real)
  return real
}

function existing(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Name by name, as the system does it. */
function walked(path: string): string {
  const { root } = parse(path)
  let here = root
  let left = namesOf(path.slice(root.length))
  let links = 0
  while (left.length > 0) {
    const [name = '', ...rest] = left
    left = rest
    if (name === '..') {
      here = dirname(here)
      continue
    }
    const next = join(here, name)
    if (lstatSync(next, NO_ENTRY)?.isSymbolicLink() !== true) {
      here = next
      continue
    }
    if (++links > MAX_LINKS) throw new Error('a circle of links')
    const target = readlinkSync(next)
    left = [...namesOf(target), ...left]
    if (isAbsolute(target)) here = parse(target).root
  }
  return here
}

function namesOf(path: string): readonly string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.')
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** The path of a folder that is there, links followed; as it is written where it is not. */
export function realFolder(folder: string): string {
  return followed(resolve(folder)) ?? resolve(folder)
}
