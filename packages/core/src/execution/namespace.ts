/**
 * Owns the folder of one session below a root. Refuses every name that leads out of it, also through a link that something put there. The folder
 * is made on first use, readable by its owner only. Two sessions never share one, nor do two tenants or users with sessions of one id.
 * Used by one process at a time; removal by another process makes the next use fail.
 */
import { constants, open, realpath } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { AdjutantError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import type { Namespace } from '../contract/ports.ts'
import { LOCAL_PRINCIPAL } from '../contract/principal.ts'
import { countBelow, putInPlace, readPlain, secretOf } from './namespace-files.ts'
import { type HeldFolder, hasCode, holdBelow, holdReal, holdRoot, LinkInTheWay } from './namespace-folder.ts'
import { issueHandle, readHandle } from './namespace-handles.ts'
import { type NamespaceOwner, namespaceFolders, namespaceKey } from './namespace-key.ts'
import { MARKER, removeEmpty, removeNamespace } from './namespace-removal.ts'

export interface NamespaceOptions {
  /** Made when missing; need not be absolute. */
  readonly root: string
  readonly sessionId: SessionId
  /** Whose session. Default: the person at this terminal, whose sessions lie directly in the root. */
  readonly owner?: NamespaceOwner
  /** Of all files together, for {@link SessionNamespace.writeFile}. Default 1 073 741 824 (1 GiB). */
  readonly maxBytes?: number
  /** Files and folders together. Default 100 000. */
  readonly maxFiles?: number
  /** 32 bytes that nobody can guess, for handles; asked for once in the life of a session. Default: of the system. */
  readonly randomness?: () => Uint8Array
  /** Where the session's secret is kept for other machines: given this machine's, it tells the one that is good everywhere. Asked once a handle is needed. */
  readonly secret?: (own: () => Promise<Uint8Array>) => Promise<Uint8Array>
}

export interface NamespaceUsage {
  readonly bytes: number
  /** Files and folders. */
  readonly files: number
}

/** A session's folder with all that can be done with it. */
export interface SessionNamespace extends Namespace {
  /** `session:<tenant>:<user>:<id>`: for keys of caches, facts and jobs. */
  readonly key: string
  /** @param options.maxBytes default 67 108 864 (64 MiB) @throws AdjutantError NAMESPACE_ESCAPE, NOT_FOUND, TOO_LARGE */
  readFile(name: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>
  /** Whole or not at all; mode 0600. @throws AdjutantError NAMESPACE_ESCAPE, TOO_LARGE beyond the quota */
  writeFile(name: string, bytes: Uint8Array): Promise<void>
  usage(): Promise<NamespaceUsage>
  /** Removes everything of the session. Afterwards the namespace cannot be used any more; another one of the same id begins empty. */
  remove(): Promise<void>
}

const MAX_BYTES = 1 << 30
const MAX_FILES = 100_000
const MAX_READ = 64 << 20

/**
 * @example
 * ```ts
 * const namespace = openNamespace({ root: '.adjutant/sessions', sessionId: sessionId('s1'), owner: { tenantId: 'acme', userId: 'ann' } })
 * await namespace.writeFile('notes/a.txt', new TextEncoder().encode('kept'))
 * ```
 */
export function openNamespace(options: NamespaceOptions): SessionNamespace {
  return new FolderNamespace(options)
}

class FolderNamespace implements SessionNamespace {
  readonly sessionId: SessionId
  readonly key: string
  readonly #options: NamespaceOptions
  readonly #folders: readonly string[]
  #made: Promise<string> | undefined
  #realRoot: string | undefined
  #secret: Promise<Uint8Array> | undefined
  #removed = false
  /** What may still be written before it must be counted again. */
  #room = { bytes: 0, files: 0 }
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: NamespaceOptions) {
    const owner = options.owner ?? LOCAL_PRINCIPAL
    this.#options = options
    this.sessionId = options.sessionId
    this.key = namespaceKey(owner, options.sessionId)
    this.#folders = namespaceFolders(owner, options.sessionId)
  }

  directory(): Promise<string> {
    this.#made ??= this.#make()
    return this.#made
  }

  async path(name: string): Promise<string> {
    const parts = partsOf(name)
    const home = await this.directory()
    const last = parts.at(-1) ?? ''
    await using folder = await this.#hold(parts.slice(0, -1), name)
    const target = join(folder.path, last)
    const real = await realpath(target).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return target
      throw error
    })
    if (!isWithin(home, real)) throw escapeError(name)
    return target
  }

  async readFile(name: string, options: { readonly maxBytes?: number } = {}): Promise<Uint8Array> {
    const parts = partsOf(name)
    const maxBytes = options.maxBytes ?? MAX_READ
    await using folder = await this.#hold(parts.slice(0, -1), name, false).catch((error: unknown) => {
      throw hasCode(error, 'ENOENT') ? missing(name) : error
    })
    const read = await readPlain(folder, parts.at(-1) ?? '', maxBytes)
    if (read === 'missing') throw missing(name)
    if (read === 'link') throw escapeError(name)
    if ('tooLarge' in read) throw new AdjutantError('TOO_LARGE', `${shown(name)} has ${read.tooLarge} bytes; at most ${maxBytes} are read`)
    return read.bytes
  }

  writeFile(name: string, bytes: Uint8Array): Promise<void> {
    const write = this.#writing.then(() => this.#write(name, bytes))
    this.#writing = write.catch(() => undefined)
    return write
  }

  async issueHandle(kind: string, value: string): Promise<string> {
    return issueHandle(await this.#secretOf(), this.key, kind, value)
  }

  async readHandle(kind: string, handle: string): Promise<string> {
    return readHandle(await this.#secretOf(), this.key, kind, handle)
  }

  async usage(): Promise<NamespaceUsage> {
    await using home = await this.#hold([], '.')
    return await countBelow(home)
  }

  async remove(): Promise<void> {
    if (this.#removed) return
    this.#removed = true
    await Promise.allSettled([this.#made, this.#writing])
    try {
      await using root = await holdRoot(this.#options.root, false)
      await using parent = await holdBelow(root, this.#folders.slice(0, -1), { make: false })
      await removeNamespace(parent, this.sessionId)
      // The user's and the tenant's folders go with their last session.
      for (let depth = this.#folders.length - 1; depth > 0; depth -= 1) {
        await using above = await holdBelow(root, this.#folders.slice(0, depth - 1), { make: false })
        await removeEmpty(above, this.#folders[depth - 1] ?? '')
      }
    } catch (error) {
      if (error instanceof LinkInTheWay) throw escapeError(this.sessionId)
      if (!hasCode(error, 'ENOENT')) throw error
    }
  }

  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const parts = partsOf(name)
    await this.#take(name, bytes.length, parts.length)
    await using folder = await this.#hold(parts.slice(0, -1), name)
    await putInPlace(folder, parts.at(-1) ?? '', bytes).catch((error: unknown) => {
      throw hasCode(error, 'EISDIR') ? new AdjutantError('CONFLICT', `${shown(name)} is a folder`) : error
    })
  }

  /** Counting reads the whole tree: again only when half of what was free then is used up. */
  async #take(name: string, bytes: number, files: number): Promise<void> {
    const { maxBytes = MAX_BYTES, maxFiles = MAX_FILES } = this.#options
    if (bytes > this.#room.bytes || files > this.#room.files) {
      const used = await this.usage()
      const free = { bytes: maxBytes - used.bytes, files: maxFiles - used.files }
      if (bytes > free.bytes || files > free.files) {
        throw new AdjutantError(
          'TOO_LARGE',
          `${shown(name)} does not fit: the session holds ${used.bytes} of ${maxBytes} bytes in ${used.files} of ${maxFiles} files`,
        )
      }
      this.#room = { bytes: Math.max(bytes, Math.floor(free.bytes / 2)), files: Math.max(files, Math.floor(free.files / 2)) }
    }
    this.#room = { bytes: this.#room.bytes - bytes, files: this.#room.files - files }
  }

  #secretOf(): Promise<Uint8Array> {
    const own = (): Promise<Uint8Array> => this.#readSecret()
    this.#secret ??= (this.#options.secret?.(own) ?? own()).catch((error: unknown) => {
      this.#secret = undefined
      throw error
    })
    return this.#secret
  }

  async #readSecret(): Promise<Uint8Array> {
    await using home = await this.#hold([], this.sessionId)
    return await secretOf(home, this.#options.randomness)
  }

  /** Its folder, or one below; every part of the way is a real folder. */
  async #hold(parts: readonly string[], name: string, make = true): Promise<HeldFolder> {
    await this.directory()
    try {
      await using root = await (this.#realRoot === undefined ? holdRoot(this.#options.root, false) : holdReal(this.#realRoot))
      // Never made again here: after a removal there must be none.
      const home = await holdBelow(root, this.#folders, { make: false })
      if (parts.length === 0) return home
      await using above = home
      return await holdBelow(above, parts, { make })
    } catch (error) {
      throw this.#failure(error, name)
    }
  }

  async #make(): Promise<string> {
    try {
      if (this.#removed) throw gone(this.sessionId)
      await using root = await holdRoot(this.#options.root, true)
      await using home = await holdBelow(root, this.#folders, { make: true })
      if (home.made) {
        const handle = await open(home.at(MARKER), constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
        await handle.writeFile(`${this.key}\n`).finally(() => handle.close())
      }
      this.#realRoot = root.path
      return home.path
    } catch (error) {
      this.#made = undefined
      throw this.#failure(error, this.sessionId)
    }
  }

  #failure(error: unknown, name: string): unknown {
    if (error instanceof LinkInTheWay) return escapeError(name)
    return this.#removed && hasCode(error, 'ENOENT') ? gone(this.sessionId) : error
  }
}

function partsOf(name: string): readonly string[] {
  const parts = name.split(/[/\\]/)
  if (name.length === 0 || name.includes('\0') || isAbsolute(name) || parts.some((part) => part === '..' || part === '.' || part === '')) {
    throw escapeError(name)
  }
  // Of the house itself: what a session's key hangs on. Some file systems take capitals for small letters.
  if (parts[0]?.normalize('NFKC').toLowerCase().startsWith('.adjutant') === true) throw escapeError(name)
  return parts
}

function isWithin(home: string, path: string): boolean {
  return path === home || path.startsWith(home.endsWith(sep) ? home : home + sep)
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200))
}

function missing(name: string): AdjutantError {
  return new AdjutantError('NOT_FOUND', `${shown(name)} is not in this session`)
}

function gone(id: SessionId): AdjutantError {
  return new AdjutantError('NOT_FOUND', `session ${id} was removed with all its files`)
}

function escapeError(name: string): AdjutantError {
  return new AdjutantError('NAMESPACE_ESCAPE', `${shown(name)} is not a name inside this session`)
}
