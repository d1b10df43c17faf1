import { isAbsolute, sep } from 'node:path'
import { platform } from 'node:process'
import type { Answer, Quantifier, ValueTest } from './answer.ts'
import { compilePathPattern, liesAt, matchesPath, type PathPattern } from './path-patterns.ts'
import { namedPaths, realFolder } from './real-paths.ts'

/**
 * Owns whether a path argument lies where patterns say. Everything that a text can name must lie there for a rule that gives; one of it is
 * enough for a rule that takes.
 */

/** File systems that take `A.txt` and `a.txt` for one file. */
const FOLDS = platform === 'darwin' || platform === 'win32'

export function pathTest(patterns: readonly string[], workspace: string): ValueTest {
  const root = realFolder(workspace)
  const strict = patterns.map((pattern) => compiled(isAbsolute(pattern) ? pattern : `${escaped(root)}/${pattern}`))
  // For a rule that takes, a folder that is a link counts under both of its names.
  const wide = [...strict, ...patterns.flatMap((pattern) => linked(pattern, root)).map(compiled)]
  return (value, quantifier) => test(value, quantifier, { root, strict, wide })
}

interface Places {
  readonly root: string
  readonly strict: readonly PathPattern[]
  readonly wide: readonly PathPattern[]
}

function test(value: unknown, quantifier: Quantifier, { root, strict, wide }: Places): Answer {
  if (typeof value !== 'string') return undefined
  const paths = namedPaths(value, root)
  if (paths === undefined) return undefined
  const { named, real } = paths
  if (quantifier === 'every') {
    for (const path of real) if (!fits(strict, path, false)) return false
    return true
  }
  if (fits(wide, named, true)) return true
  for (const path of real) if (path !== named && fits(wide, path, true)) return true
  return false
}

/** Most patterns are folders: for these nothing is made. */
function fits(patterns: readonly PathPattern[], path: string, below: boolean): boolean {
  const whole = folded(path)
  let names: readonly string[] | undefined
  for (const pattern of patterns) {
    if (pattern.literal !== undefined && sep === '/') {
      if (liesAt(pattern.literal, whole)) return true
      continue
    }
    names ??= whole.split(sep).filter((name) => name !== '')
    if (matchesPath(pattern, names, below)) return true
  }
  return false
}

function compiled(pattern: string): PathPattern {
  return compilePathPattern(folded(pattern))
}

function folded(text: string): string {
  return FOLDS ? text.normalize('NFC').toLowerCase() : text
}

/** The pattern with the links of its fixed beginning followed, where that is another one. */
function linked(pattern: string, root: string): readonly string[] {
  const names = (isAbsolute(pattern) ? pattern : `${escaped(root)}/${pattern}`).split('/')
  const wild = names.findIndex((name) => /(?<!\\)[*?]/.test(name))
  const fixed = (wild === -1 ? names : names.slice(0, wild)).join('/').replace(/\\(.)/g, '$1')
  const real = realFolder(fixed === '' ? '/' : fixed)
  if (real === fixed) return []
  const rest = wild === -1 ? [] : names.slice(wild)
  return [[escaped(real), ...rest].join('/')]
}

/** A folder as the beginning of a pattern: with `/`, and its own name may hold what means something there. */
function escaped(path: string): string {
  return path
    .split(sep)
    .join('/')
    .replace(/[\\*?]/g, '\\$&')
}
