/**
 * Owns the files of one box that has no disk: a bounded map in memory. Refuses paths that are none inside the workspace, a file where a
 * folder is and the reverse, and what does not fit. Not for several threads: each holds its own and hands changes over; bytes that are in
 * it are never written again, so that they may be shared with another thread.
 */
import { AdjutantError, type SandboxFile } from '@adjutant/core/contract'
import { pathParts, shown } from '../workspace/path-parts.ts'

export interface MemoryFile {
  readonly bytes: Uint8Array
  /** Milliseconds since 1970. */
  readonly modifiedAt: number
}

export interface FileLimits {
  /** Of all files together. */
  readonly bytes: number
  /** Files and folders together. */
  readonly files: number
}

/**
 * @example
 * ```ts
 * const files = new MemoryFiles({ bytes: 1_000, files: 10 })
 * files.write('in/a.txt', { bytes: new Uint8Array(3), modifiedAt: 0 })
 * files.list() // the folder `in` and the file `in/a.txt`
 * ```
 */
export class MemoryFiles {
  readonly #limits: FileLimits
  readonly #files = new Map<string, MemoryFile>()
  /** Files in each folder, those of its folders too: a folder is there as long as something is in it. */
  readonly #folders = new Map<string, number>()
  #bytes = 0

  constructor(limits: FileLimits) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#files.size + this.#folders.size
  }

  /** @throws AdjutantError NOT_FOUND, CONFLICT for a folder, PATH_OUTSIDE_WORKSPACE */
  read(path: string): MemoryFile {
    const name = pathParts(path).join('/')
    const file = this.#files.get(name)
    if (file !== undefined) return file
    if (name === '' || this.#folders.has(name)) throw new AdjutantError('CONFLICT', `${shown(path)} is a folder`)
    throw new AdjutantError('NOT_FOUND', `${shown(path)} does not exist in the workspace`)
  }

  /**
   * Keeps `file.bytes` as they are: the caller must not change them afterwards. Gives back the name it has.
   *
   * @throws AdjutantError TOO_LARGE, CONFLICT, PATH_OUTSIDE_WORKSPACE
   */
  write(path: string, file: MemoryFile): string {
    const parts = pathParts(path)
    const name = parts.join('/')
    if (name === '' || path.endsWith('/') || this.#folders.has(name)) throw new AdjutantError('CONFLICT', `${shown(path)} is a folder`)
    const old = this.#files.get(name)
    const room = this.#limits.bytes - this.#bytes + (old?.bytes.byteLength ?? 0)
    if (file.bytes.byteLength > room) {
      throw new AdjutantError('TOO_LARGE', `${shown(path)} has ${file.bytes.byteLength} bytes; the workspace has room for ${room}`)
    }
    if (old === undefined) {
      const folders = foldersOf(parts)
      const blocked = folders.find((folder) => this.#files.has(folder))
      if (blocked !== undefined) throw new AdjutantError('CONFLICT', `${shown(blocked)} is a file and cannot hold ${shown(path)}`)
      const added = 1 + folders.filter((folder) => !this.#folders.has(folder)).length
      if (this.count + added > this.#limits.files) {
        throw new AdjutantError(
          'TOO_LARGE',
          `${shown(path)} would be more than the ${this.#limits.files} files that the workspace may hold`,
        )
      }
      for (const folder of folders) this.#folders.set(folder, (this.#folders.get(folder) ?? 0) + 1)
    }
    this.#bytes += file.bytes.byteLength - (old?.bytes.byteLength ?? 0)
    this.#files.set(name, file)
    return name
  }

  /** A file, or a folder with all in it; nothing there is fine. Gives back the names that are gone. @throws AdjutantError PATH_OUTSIDE_WORKSPACE */
  remove(path: string): readonly string[] {
    const name = pathParts(path).join('/')
    const gone = this.#files.has(name) ? [name] : [...this.#files.keys()].filter((file) => name === '' || file.startsWith(`${name}/`))
    for (const file of gone) {
      this.#bytes -= this.#files.get(file)?.bytes.byteLength ?? 0
      this.#files.delete(file)
      for (const folder of foldersOf(file.split('/'))) {
        const left = (this.#folders.get(folder) ?? 1) - 1
        if (left > 0) this.#folders.set(folder, left)
        else this.#folders.delete(folder)
      }
    }
    return gone
  }

  /** All below `path`, folders too, in the order of their paths. @throws AdjutantError NOT_FOUND, CONFLICT for a file, PATH_OUTSIDE_WORKSPACE */
  list(path = ''): readonly SandboxFile[] {
    const name = pathParts(path).join('/')
    if (this.#files.has(name)) throw new AdjutantError('CONFLICT', `${shown(path)} is a file`)
    if (name !== '' && !this.#folders.has(name)) throw new AdjutantError('NOT_FOUND', `${shown(path)} does not exist in the workspace`)
    const below = (entry: string): boolean => name === '' || entry.startsWith(`${name}/`)
    const found: SandboxFile[] = []
    const modified = new Map<string, number>()
    for (const [file, { bytes, modifiedAt }] of this.#files) {
      if (!below(file)) continue
      found.push({ path: file, type: 'file', bytes: bytes.byteLength, modifiedAt })
      for (const folder of foldersOf(file.split('/'))) modified.set(folder, Math.max(modified.get(folder) ?? 0, modifiedAt))
    }
    for (const [folder, modifiedAt] of modified) if (below(folder)) found.push({ path: folder, type: 'folder', bytes: 0, modifiedAt })
    return found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }

  entries(): IterableIterator<[string, MemoryFile]> {
    return this.#files.entries()
  }
}

function foldersOf(parts: readonly string[]): readonly string[] {
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
