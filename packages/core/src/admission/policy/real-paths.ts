import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'

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

/** Linux follows no more. */
const MAX_LINKS = 40
const MAX_PATH = 8_192
// A tool may undo any of these, or take them as letters. Quotes and blanks at the ends: some tools take them off.
const UNCLEAR =
  /[\0\\]|%(?:[0-9a-f]{2}|[u%])|^~[\w.-]*(?:\/|$)|^["'`].*["'`]$|^\s|\s$|^[a-z][a-z0-9+.-]+:|[\uff0e\uff0f\u2024\u2025\u2044\u2215\u29f8]/isu

let look = 0
let latest: { readonly look: number; readonly text: string; readonly workspace: string; readonly paths: NamedPaths | undefined } | undefined

/** A new call is decided on: what was seen for the one before may no longer be true. The rules that judge one call look at its path once. */
export function lookAnew(): void {
  look += 1
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
  const named = resolve(workspace, text)
  const lexical = followed(named)
  if (lexical === undefined) return undefined
  if (!text.includes('..')) return { named, real: [lexical] }
  // The system undoes `..` behind a link, most tools before it.
  const system = followed(isAbsolute(text) ? text : `${workspace}${sep}${text}`)
  if (system === undefined) return undefined
  return { named, real: system === lexical ? [lexical] : [lexical, system] }
}

/** The real path, also of what does not exist yet: the deepest folder that exists is resolved, links to nothing are followed. */
function followed(path: string): string | undefined {
  try {
    return path.includes('..') ? (existing(path) ?? walked(path)) : deepest(path)
  } catch {
    return undefined
  }
}

/** By looking upwards from a path without `..`; far cheaper than an exception for each file that is new. */
function deepest(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  // A link to nothing is there, and what it points to is not.
  if (found !== undefined) return existing(path) ?? walked(path)
  const above = dirname(path)
  return above === path ? path : join(deepest(above), basename(path))
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
    if (lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
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
