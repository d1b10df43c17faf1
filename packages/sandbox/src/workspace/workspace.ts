/**
 * Owns the host's side of a box's writable folder: reading, writing, listing and removing what code that nobody trusts changes at the same
 * time. Refuses links, files with a second name, pipes, sockets, devices and every way up; never writes into what is there, but replaces it.
 * Any number of calls may run at once; a write is whole or absent, also when the process dies in the middle (a draft `.adjutant-…` stays).
 */
import { dirname, resolve } from 'node:path'
import { AdjutantError, type SandboxFile } from '@adjutant/core/contract'
import { type Anchor, type Owner, openAnchor, withFolder } from './anchor.ts'
import { failure, notPlain, systemCode, tooLarge } from './failures.ts'
import { pathParts, shown } from './path-parts.ts'
import { readPlain, replacePlain } from './plain-file.ts'
import { listTree, removeTree } from './tree.ts'

export interface WorkspaceOptions {
  /** Of all files together, beyond which {@link Workspace.writeFile} refuses. Default 268 435 456 (256 MiB). */
  readonly maxBytes?: number
  /** Files and folders together, for writing and for listing. Default 10 000. */
  readonly maxFiles?: number
  /** To whom what the host makes is given, so that the code in the box can change it. Default: nobody, it stays ours. */
  readonly owner?: Owner
  /** Reach files by descriptor. Default: on Linux. Without, whoever swaps links quickly enough wins: see {@link Workspace.racy}. */
  readonly byDescriptor?: boolean
}

export interface WorkspaceUsage {
  readonly bytes: number
  /** Files and folders. */
  readonly files: number
}

export interface Workspace extends AsyncDisposable {
  /** The folder's path on the host. */
  readonly folder: string
  /** A link swapped at the right moment may be followed: the system has no descriptors to hold on to. */
  readonly racy: boolean
  /**
   * @param path relative, with `/`
   * @param options.maxBytes default 67 108 864 (64 MiB)
   * @throws AdjutantError NOT_FOUND, PATH_OUTSIDE_WORKSPACE, TOO_LARGE, CONFLICT
   */
  readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>
  /** Folders on the way are made. @throws AdjutantError PATH_OUTSIDE_WORKSPACE, TOO_LARGE (also when the disk is full), CONFLICT */
  writeFile(path: string, bytes: Uint8Array): Promise<void>
  /**
   * Everything below `path`, folders before what they hold. What cannot be read here (links, files with a second name, pipes …) is `other`.
   * @throws AdjutantError NOT_FOUND, PATH_OUTSIDE_WORKSPACE, TOO_LARGE
   */
  list(path?: string): Promise<readonly SandboxFile[]>
  /** A file, a link itself, or a folder with all in it; nothing there is fine. @throws AdjutantError PATH_OUTSIDE_WORKSPACE */
  remove(path: string): Promise<void>
  /** @throws AdjutantError TOO_LARGE when there is more than is counted */
  usage(): Promise<WorkspaceUsage>
  /** Lets the folder go; it stays where it is. Safe to call twice. */
  close(): Promise<void>
}

const MAX_BYTES = 256 << 20
const MAX_FILES = 10_000
const MAX_READ = 64 << 20

/**
 * Opens a folder that hostile code may write at the same time.
 *
 * @param folder made by the host, absolute or relative to the working directory
 * @throws AdjutantError NOT_FOUND when it is not there, SANDBOX_UNAVAILABLE when it cannot be reached safely
 * @example
 * ```ts
 * await using workspace = await openWorkspace('/srv/sessions/s1', { maxBytes: 64 << 20 })
 * await workspace.writeFile('in/data.csv', new TextEncoder().encode('a,b\n1,2\n'))
 * ```
 */
export async function openWorkspace(folder: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  const byDescriptor = options.byDescriptor ?? process.platform === 'linux'
  const root = await openAnchor(resolve(folder), byDescriptor).catch((error: unknown) => {
    throw systemCode(error) === 'ENOENT' ? failure(error, folder) : opening(error, folder)
  })
  return new AnchoredWorkspace(resolve(folder), root, !byDescriptor, options)
}

/**
 * Removes a workspace's folder with all in it, whatever the code in the box made of it: links are removed, not followed, taken rights
 * are given back, any depth. Nothing there is fine.
 *
 * @throws AdjutantError SANDBOX_FAILED, CONFLICT when something in it cannot be removed
 */
export async function removeWorkspace(folder: string): Promise<void> {
  const path = resolve(folder)
  const parent = await openAnchor(dirname(path), process.platform === 'linux').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined
    throw failure(error, folder)
  })
  if (parent === undefined) return
  try {
    await removeTree(parent, path.slice(dirname(path).length).replace(/^[/\\]/, ''))
  } catch (error) {
    throw failure(error, folder)
  } finally {
    await parent.close()
  }
}

function opening(error: unknown, folder: string): AdjutantError {
  return AdjutantError.from(error, 'SANDBOX_UNAVAILABLE', `the workspace ${shown(folder)} cannot be opened`)
}

class AnchoredWorkspace implements Workspace {
  readonly folder: string
  readonly racy: boolean
  readonly #root: Anchor
  readonly #maxBytes: number
  readonly #maxFiles: number
  readonly #owner: Owner | undefined
  /** What may still be written before it must be counted again. */
  #room: { bytes: number; files: number } = { bytes: 0, files: 0 }
  #counting: Promise<void> = Promise.resolve()
  #closed: Promise<void> | undefined

  constructor(folder: string, root: Anchor, racy: boolean, options: WorkspaceOptions) {
    this.folder = folder
    this.racy = racy
    this.#root = root
    this.#maxBytes = options.maxBytes ?? MAX_BYTES
    this.#maxFiles = options.maxFiles ?? MAX_FILES
    this.#owner = options.owner
  }

  async readFile(path: string, options: { readonly maxBytes?: number } = {}): Promise<Uint8Array> {
    const { parts, name } = this.#place(path)
    return withFolder(this.#root, parts, path, {}, (folder) => readPlain(folder, name, path, options.maxBytes ?? MAX_READ))
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    const { parts, name } = this.#place(path)
    const counted = this.#counting.then(() => this.#take(path, bytes.length, [...parts, name]))
    this.#counting = counted.catch(() => undefined)
    await counted
    const make = this.#owner === undefined ? {} : { owner: this.#owner }
    await withFolder(this.#root, parts, path, { make }, (folder) => replacePlain(folder, name, bytes, this.#owner))
  }

  async list(path = ''): Promise<readonly SandboxFile[]> {
    this.#open()
    const parts = pathParts(path)
    const limits = { maxEntries: this.#maxFiles }
    return withFolder(this.#root, parts, path, {}, (folder) => listTree(folder, parts.join('/'), limits))
  }

  async remove(path: string): Promise<void> {
    const { parts, name } = this.#place(path)
    try {
      await withFolder(this.#root, parts, path, {}, (folder) => removeTree(folder, name))
    } catch (error) {
      if (!(AdjutantError.isInstance(error) && error.code === 'NOT_FOUND')) throw error
    }
  }

  async usage(): Promise<WorkspaceUsage> {
    this.#open()
    return count(await this.list())
  }

  close(): Promise<void> {
    this.#closed ??= this.#root.close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #open(): void {
    if (this.#closed !== undefined)
      throw new AdjutantError('SANDBOX_FAILED', `the workspace ${shown(this.folder)} is closed`, { outcome: 'not-run' })
  }

  #place(path: string): { readonly parts: readonly string[]; readonly name: string } {
    this.#open()
    const all = pathParts(path)
    const name = all.at(-1)
    if (name === undefined || path.endsWith('/')) throw notPlain(path, 'a folder')
    return { parts: all.slice(0, -1), name }
  }

  /**
   * Counting reads the whole tree, so it is done again only when what was free then is used up by ourselves. What the code in the box
   * writes meanwhile is held by the box's own limits.
   */
  async #take(path: string, bytes: number, parts: readonly string[]): Promise<void> {
    if (bytes > this.#maxBytes) throw tooLarge(`${shown(path)} has ${bytes} bytes; the workspace takes ${this.#maxBytes}`)
    if (bytes > this.#room.bytes || parts.length > this.#room.files) {
      const there = await this.list()
      const used = count(there)
      const known = new Set(there.map((entry) => entry.path))
      const missing = parts.filter((_, index) => !known.has(parts.slice(0, index + 1).join('/'))).length
      const free = { bytes: this.#maxBytes - used.bytes, files: this.#maxFiles - used.files }
      if (bytes > free.bytes)
        throw tooLarge(`${shown(path)} has ${bytes} bytes; the workspace has room for ${Math.max(0, free.bytes)} more`)
      if (missing > free.files)
        throw tooLarge(`${shown(path)} cannot be made: the workspace holds ${used.files} of ${this.#maxFiles} files`)
      // Half of what is free: the code in the box may take the other half.
      this.#room = { bytes: Math.max(bytes, Math.floor(free.bytes / 2)), files: Math.max(parts.length, Math.floor(free.files / 2)) }
    }
    this.#room = { bytes: this.#room.bytes - bytes, files: this.#room.files - parts.length }
  }
}

function count(entries: readonly SandboxFile[]): WorkspaceUsage {
  let bytes = 0
  for (const entry of entries) bytes += entry.bytes
  return { bytes, files: entries.length }
}
