/**
 * Owns the answer to "is this path inside the workspace?" Every file tool asks here first and opens only through here.
 *
 * A path is confined after its links are resolved, also where it does not exist yet: the deepest part that exists is resolved
 * and the rest is put behind it; a link to nothing is followed to where it points. What the model wrote is taken literally:
 * `~`, `%2e`, and (except on Windows) a backslash are letters of a name.
 *
 * Refuses: anything that ends outside (PATH_OUTSIDE_WORKSPACE, naming the path as it was given and never where it led to, and
 * the same whether or not something exists out there), NUL bytes, pipes, devices and sockets.
 * Does not see: hard links. A second name of an outside file inside the workspace is that file; writing replaces the name and
 * so never writes through it.
 *
 * Between the check and the use a link may be swapped in. So the last part is never followed when opening, and where the
 * system can tell (Linux, /proc/self/fd) the path of what was opened is compared with the workspace again.
 */
import { realpathSync, statSync } from 'node:fs'
import { constants, type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AdjutantError } from '@adjutant/core/contract'
import { systemCode } from './system-error.ts'

type EntryKind = 'file' | 'folder' | 'special' | 'missing'

export interface WorkspacePath {
  /** As the model wrote it; the only form that messages use. */
  readonly given: string
  /** Absolute, every link resolved. */
  readonly real: string
  /** From the root, with `/`; `.` for the root itself. */
  readonly relative: string
  readonly kind: EntryKind
}

export interface Workspace {
  /** Absolute, links resolved. */
  readonly root: string
  /**
   * @param options.mustExist default true
   * @throws AdjutantError PATH_OUTSIDE_WORKSPACE, NOT_FOUND, INVALID_ARGUMENTS, UNSUPPORTED (special files)
   */
  resolve(path: string, options?: { readonly mustExist?: boolean }): Promise<WorkspacePath>
  /** Opens an existing file or folder for reading; what was opened is proven to be inside. The caller closes it. */
  openForReading(path: WorkspacePath): Promise<FileHandle>
  /** @throws AdjutantError PATH_OUTSIDE_WORKSPACE when the handle turned out to lie outside (Linux; elsewhere always passes) */
  verify(handle: FileHandle, given: string): Promise<void>
  /** The path without looking at the disk, for resource claims. Equal for spellings that differ only in `.`, `..` and `//`. */
  lexical(path: string): string
}

/** Links followed one after the other before it counts as a circle: the limit that Linux has. */
const MAX_LINKS = 40

/**
 * Opens a folder as workspace.
 *
 * @throws AdjutantError CONFIG_INVALID when it is missing or no folder
 */
export function openWorkspace(root: string): Workspace {
  try {
    const real = realpathSync.native(resolve(root))
    if (statSync(real).isDirectory()) return new FolderWorkspace(resolve(root), real)
  } catch (error) {
    throw new AdjutantError(
      'CONFIG_INVALID',
      `the workspace ${JSON.stringify(root)} cannot be opened: ${systemCode(error) ?? String(error)}`,
      {
        hint: 'Name an existing folder as workspace.',
        cause: error,
      },
    )
  }
  throw new AdjutantError('CONFIG_INVALID', `the workspace ${JSON.stringify(root)} is not a folder`, {
    hint: 'Name a folder as workspace.',
  })
}

class FolderWorkspace implements Workspace {
  readonly root: string
  /** The root as the operator wrote it: absolute paths below it are inside too. */
  readonly #alias: string

  constructor(alias: string, real: string) {
    this.#alias = alias
    this.root = real
  }

  lexical(path: string): string {
    const absolute = resolve(this.root, path)
    return isInside(this.#alias, absolute) ? join(this.root, relative(this.#alias, absolute)) : absolute
  }

  async resolve(path: string, options: { readonly mustExist?: boolean } = {}): Promise<WorkspacePath> {
    if (path.length === 0)
      throw new AdjutantError('INVALID_ARGUMENTS', 'the path is empty', { hint: 'Give a path; "." is the workspace itself.' })
    if (path.includes('\0')) throw new AdjutantError('INVALID_ARGUMENTS', `the path ${shown(path)} has a NUL byte`)
    const lexical = this.lexical(path)
    // Before the disk is asked: whether something exists out there is nobody's business.
    if (!isInside(this.root, lexical)) throw outside(path)
    const found = await this.#follow(lexical, path, 0)
    if (!isInside(this.root, found.real)) throw outside(path)
    const kind = found.exists ? await kindOf(found.real) : 'missing'
    if (kind === 'special') throw special(path)
    if (kind === 'missing' && options.mustExist !== false) throw new AdjutantError('NOT_FOUND', `${shown(path)} does not exist`)
    return { given: path, real: found.real, relative: toSlashes(relative(this.root, found.real)) || '.', kind }
  }

  async openForReading(path: WorkspacePath): Promise<FileHandle> {
    // O_NONBLOCK: a pipe put in place of the file after the check must not hang the call.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    let handle: FileHandle
    try {
      handle = await open(path.real, flags)
    } catch (error) {
      throw openFailure(error, path.given)
    }
    try {
      await this.verify(handle, path.given)
      const stats = await handle.stat()
      if (!stats.isFile() && !stats.isDirectory()) throw special(path.given)
      return handle
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  async verify(handle: FileHandle, given: string): Promise<void> {
    const real = await pathOfHandle(handle)
    if (real !== undefined && !isInside(this.root, real)) throw outside(given)
  }

  /** Resolves links as far as the path exists, then follows links that point to nothing, then puts the rest behind. */
  async #follow(path: string, given: string, links: number): Promise<{ readonly real: string; readonly exists: boolean }> {
    if (links > MAX_LINKS) throw new AdjutantError('NOT_FOUND', `${shown(given)} goes round in a circle of links`)
    try {
      return { real: await realpath(path), exists: true }
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw openFailure(error, given)
    }
    const above = dirname(path)
    if (above === path) return { real: path, exists: false }
    const parent = await this.#follow(above, given, links)
    const candidate = join(parent.real, basename(path))
    if (!parent.exists) return { real: candidate, exists: false }
    // Nothing is asked about what lies outside, and nothing further down can come back in.
    if (!isInside(this.root, parent.real)) throw outside(given)
    let target: string
    try {
      target = await readlink(candidate)
    } catch (error) {
      const code = systemCode(error)
      if (code === 'ENOENT' || code === 'EINVAL') return { real: candidate, exists: false }
      throw openFailure(error, given)
    }
    return this.#follow(resolve(parent.real, target), given, links + 1)
  }
}

async function kindOf(real: string): Promise<EntryKind> {
  try {
    const stats = await lstat(real)
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'special'
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'missing'
    throw error
  }
}

/** Where an open handle really lies, or undefined where the system cannot tell. */
async function pathOfHandle(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`)
  } catch {
    return undefined
  }
}

/** True for the folder itself and all below it. `/workx` is not inside `/work`. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** A path for a message: quoted, so that odd letters are seen, and never long. */
export function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
}

function toSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

export function outside(given: string): AdjutantError {
  return new AdjutantError('PATH_OUTSIDE_WORKSPACE', `${shown(given)} leads outside the workspace`, {
    hint: 'Use a path relative to the workspace, e.g. "src/index.ts"; "." is the workspace itself.',
  })
}

function special(given: string): AdjutantError {
  return new AdjutantError('UNSUPPORTED', `${shown(given)} is a pipe, a device or a socket, not a file or a folder`)
}

/** What a failed open or look-up means to the model. */
export function openFailure(error: unknown, given: string): AdjutantError {
  if (AdjutantError.isInstance(error)) return error
  const code = systemCode(error)
  const place = shown(given)
  switch (code) {
    case 'ENOENT':
      return new AdjutantError('NOT_FOUND', `${place} does not exist`, { cause: error })
    case 'ENOTDIR':
      return new AdjutantError('NOT_FOUND', `${place} does not exist: a part of the path before its end is a file`, { cause: error })
    case 'ELOOP':
    case 'EMLINK':
      return new AdjutantError('CONFLICT', `${place} is a link that goes round in a circle, or was replaced by a link meanwhile`, {
        cause: error,
      })
    case 'ENAMETOOLONG':
      return new AdjutantError('INVALID_ARGUMENTS', `the path ${place} is too long`, { cause: error })
    case 'EACCES':
    case 'EPERM':
      return new AdjutantError('TOOL_FAILED', `no permission for ${place}`, {
        hint: 'Go on without this file, or tell the person.',
        cause: error,
      })
    case 'ENOSPC':
    case 'EDQUOT':
      return new AdjutantError('TOOL_FAILED', `no space left on the disk for ${place}`, {
        hint: 'Tell the person that the disk is full.',
        cause: error,
      })
    case 'EROFS':
      return new AdjutantError('TOOL_FAILED', `${place} lies on a read-only disk`, {
        hint: 'Tell the person; nothing was written.',
        cause: error,
      })
    case 'ENXIO':
      return special(given)
    default:
      return new AdjutantError('TOOL_FAILED', `${place}: ${code ?? (error instanceof Error ? error.message : String(error))}`, {
        cause: error,
      })
  }
}
