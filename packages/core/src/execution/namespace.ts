import { mkdir, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { AdjutantError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import type { Namespace } from '../contract/ports.ts'

/**
 * Owns the folder of one session below a root: `<root>/<session id>/`. Refuses every name that leads out of it, also through a
 * symbolic link that something put there. The folder is made on first use, readable by its owner only.
 * Two sessions never share one: the id is the folder's name and its letters are limited.
 *
 * @param options.root made when missing; need not be absolute
 */
export function openNamespace(options: { readonly root: string; readonly sessionId: SessionId }): Namespace {
  return new FolderNamespace(options.root, options.sessionId)
}

class FolderNamespace implements Namespace {
  readonly sessionId: SessionId
  readonly #root: string
  #made: Promise<string> | undefined

  constructor(root: string, id: SessionId) {
    this.#root = root
    this.sessionId = id
  }

  directory(): Promise<string> {
    this.#made ??= this.#make()
    return this.#made
  }

  async path(name: string): Promise<string> {
    const parts = name.split(/[/\\]/)
    if (
      name.length === 0 ||
      name.includes('\0') ||
      isAbsolute(name) ||
      parts.some((part) => part === '..' || part === '.' || part === '')
    ) {
      throw escapeError(name)
    }
    const home = await this.directory()
    const target = join(home, ...parts)
    const folder = dirname(target)
    if (folder !== home) await this.#makeInside(home, folder, name)
    const real = await realpath(target).catch((error: unknown) => {
      if (isMissing(error)) return target
      throw error
    })
    if (!isWithin(home, real)) throw escapeError(name)
    return target
  }

  async #make(): Promise<string> {
    const folder = join(this.#root, this.sessionId)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const root = await realpath(this.#root)
      const real = await realpath(folder)
      // A link planted in place of the folder would hand one session's files to another.
      if (real !== join(root, this.sessionId)) throw escapeError(this.sessionId)
      return real
    } catch (error) {
      this.#made = undefined
      throw error
    }
  }

  /** Makes the folders one by one: each must really be inside before the next is made in it. */
  async #makeInside(home: string, folder: string, name: string): Promise<void> {
    let here = home
    for (const part of folder.slice(home.length + 1).split(sep)) {
      here = join(here, part)
      await mkdir(here, { mode: 0o700 }).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error
      })
      if ((await realpath(here)) !== here) throw escapeError(name)
    }
  }
}

function isWithin(home: string, path: string): boolean {
  return path === home || path.startsWith(home.endsWith(sep) ? home : home + sep)
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT')
}

function escapeError(name: string): AdjutantError {
  return new AdjutantError('NAMESPACE_ESCAPE', `${JSON.stringify(name.slice(0, 200))} is not a name inside this session`)
}
