/**
 * Owns the files of one box as its host sees them: paths relative to the workspace, links out of it refused, nothing read that is no plain file,
 * and never more of it than was asked for.
 */
import { AdjutantError, type SandboxFile } from '@adjutant/core/contract'
import { pathParts } from '../workspace/path-parts.ts'
import { type Envd, EnvdRefusal, unexpected } from './envd.ts'
import { type JsonRecord, listOf, numberOf, recordOf, textOf } from './json-value.ts'

/** What is read of a file when nobody says how much. */
const DEFAULT_READ_BYTES = 64 << 20

export class Files {
  readonly #envd: Envd
  readonly #maxWrite: number
  /** Absolute in the box. */
  readonly root: string

  private constructor(envd: Envd, root: string, maxWrite: number) {
    this.#envd = envd
    this.root = root
    this.#maxWrite = maxWrite
  }

  /**
   * Makes the workspace where there is none.
   *
   * @param workspace absolute, or relative to the home of the box's user
   * @throws AdjutantError SANDBOX_UNAVAILABLE
   */
  static async open(envd: Envd, workspace: string, maxWrite: number): Promise<Files> {
    try {
      await envd.call('filesystem.Filesystem/MakeDir', { path: workspace }, { idempotent: true }).catch((error: unknown) => {
        if (!(error instanceof EnvdRefusal && error.code === 'already_exists')) throw error
      })
      const entry = recordOf((await envd.call('filesystem.Filesystem/Stat', { path: workspace }, { idempotent: true })).entry)
      const root = textOf(entry.symlinkTarget) ?? textOf(entry.path) ?? workspace
      if (!root.startsWith('/')) throw new EnvdRefusal('unknown', `${workspace} has no absolute path`)
      return new Files(envd, root.length > 1 ? root.replace(/\/+$/, '') : root, maxWrite)
    } catch (error) {
      if (!(error instanceof EnvdRefusal)) throw error
      throw new AdjutantError(
        'SANDBOX_UNAVAILABLE',
        `e2b: box ${envd.box.id}: its workspace ${workspace} cannot be made: ${error.message}`,
        {
          hint: 'Name a workspace that the user of the template may write.',
        },
      )
    }
  }

  /** Absolute in the box. @throws AdjutantError PATH_OUTSIDE_WORKSPACE */
  absolute(path: string): string {
    return [this.root, ...pathParts(path)].join('/')
  }

  async write(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const parts = pathParts(path)
    if (parts.length === 0) throw new AdjutantError('PATH_OUTSIDE_WORKSPACE', 'the workspace itself is no file')
    if (bytes.length > this.#maxWrite) throw tooLarge(path, bytes.length, this.#maxWrite)
    await this.#inside(parts, signal)
    await this.#told(path, () => this.#envd.writeFile(this.absolute(path), bytes, signal))
  }

  async read(path: string, maxBytes = DEFAULT_READ_BYTES, signal?: AbortSignal): Promise<Uint8Array> {
    const parts = pathParts(path)
    const entry = await this.#inside(parts, signal)
    if (entry === undefined) throw new AdjutantError('NOT_FOUND', `${path} does not exist in the workspace`)
    const target = textOf(entry.symlinkTarget)
    const file = target === undefined ? entry : await this.#stat(target, signal)
    if (file === undefined) throw new AdjutantError('NOT_FOUND', `${path} does not exist in the workspace`)
    // A pipe would never give its end.
    if (typeOf(file) !== 'file') throw new AdjutantError('UNSUPPORTED', `${path} is no plain file`)
    const size = numberOf(file.size) ?? 0
    if (size > maxBytes) throw tooLarge(path, size, maxBytes)
    return this.#told(path, () => this.#envd.readFile(this.absolute(path), maxBytes))
  }

  async list(path: string, signal: AbortSignal): Promise<readonly SandboxFile[]> {
    const parts = pathParts(path)
    await this.#inside(parts, signal)
    const folder = this.absolute(path)
    const answer = await this.#told(path === '' ? 'the workspace' : path, () =>
      this.#envd.call('filesystem.Filesystem/ListDir', { path: folder, depth: 1 }, { idempotent: true, signal }),
    )
    return listOf(answer.entries)
      .map(recordOf)
      .flatMap((entry) => {
        const name = textOf(entry.name)
        if (name === undefined || name === '' || name.includes('/')) return []
        const modified = Date.parse(textOf(entry.modifiedTime) ?? '')
        return {
          path: [...parts, name].join('/'),
          type: typeOf(entry),
          bytes: numberOf(entry.size) ?? 0,
          modifiedAt: Number.isNaN(modified) ? 0 : modified,
        }
      })
  }

  /** Outside of the workspace, for the client's own needs. */
  async keep(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#told(path, () => this.#envd.writeFile(path, bytes, signal))
  }

  async forget(path: string): Promise<void> {
    await this.#envd.call('filesystem.Filesystem/Remove', { path }, { idempotent: true }).catch(() => undefined)
  }

  /** What is there, when every link on the way stays inside; undefined when nothing is. Asked for all at once: each is a journey. */
  async #inside(parts: readonly string[], signal: AbortSignal | undefined): Promise<JsonRecord | undefined> {
    const steps = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    const entries = await Promise.all(steps.map((step) => this.#stat(`${this.root}/${step}`, signal)))
    for (const [index, entry] of entries.entries()) {
      if (entry === undefined || typeOf(entry) !== 'other') continue
      const target = textOf(entry.symlinkTarget)
      if (target === undefined && entry.type !== 'FILE_TYPE_SYMLINK') continue
      if (target === undefined || !(target === this.root || target.startsWith(`${this.root}/`)) || target.split('/').includes('..')) {
        throw new AdjutantError('PATH_OUTSIDE_WORKSPACE', `${JSON.stringify(steps[index])} is a link out of the workspace`)
      }
    }
    return entries.length === 0 ? { type: 'FILE_TYPE_DIRECTORY' } : entries.at(-1)
  }

  async #stat(path: string, signal: AbortSignal | undefined): Promise<JsonRecord | undefined> {
    try {
      const options = { idempotent: true, ...(signal === undefined ? {} : { signal }) }
      return recordOf((await this.#envd.call('filesystem.Filesystem/Stat', { path }, options)).entry)
    } catch (error) {
      // A file where a folder should be is nothing that is there, either.
      if (error instanceof EnvdRefusal && (error.code === 'not_found' || /not a directory/i.test(error.message))) return undefined
      throw unexpected(error, this.#envd.box)
    }
  }

  async #told<T>(path: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof EnvdRefusal)) throw error
      if (error.code === 'not_found') throw new AdjutantError('NOT_FOUND', `${path} does not exist in the workspace`)
      if (error.code === 'no_space') throw new AdjutantError('TOO_LARGE', `${path}: the box has no space left`)
      if (error.code === 'invalid_argument' || error.code === 'permission_denied') {
        throw new AdjutantError('UNSUPPORTED', `${path}: ${error.message}`, { grade: 'clarify' })
      }
      throw unexpected(error, this.#envd.box)
    }
  }
}

function typeOf(entry: JsonRecord): SandboxFile['type'] {
  return entry.type === 'FILE_TYPE_FILE' ? 'file' : entry.type === 'FILE_TYPE_DIRECTORY' ? 'folder' : 'other'
}

function tooLarge(path: string, bytes: number, most: number): AdjutantError {
  return new AdjutantError('TOO_LARGE', `${path} has ${bytes} bytes; the most is ${most}`)
}
