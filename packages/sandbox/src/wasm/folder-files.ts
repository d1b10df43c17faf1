/**
 * Owns the exchange between a folder of the host and a box that has no disk: before a run its files are taken in, after it what changed is
 * given back. Reads and writes the folder only through a workspace that refuses links. Runs of one box follow each other, so does this.
 */
import { AdjutantError, type SandboxFile } from '@adjutant/core/contract'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'
import type { MemoryFile, MemoryFiles } from './memory-files.ts'
import { sharedBytes } from './shared-bytes.ts'

/** Of one run; more of the same says no more. */
const MAX_REFUSED = 20

export interface FolderLimits {
  readonly bytes: number
  readonly files: number
}

export class FolderFiles {
  readonly #workspace: Workspace
  readonly #limits: FolderLimits
  /** What was the same on both sides last. */
  readonly #known = new Map<string, { readonly file: MemoryFile; readonly size: number; readonly modifiedAt: number }>()

  private constructor(workspace: Workspace, limits: FolderLimits) {
    this.#workspace = workspace
    this.#limits = limits
  }

  /** @throws AdjutantError NOT_FOUND, SANDBOX_UNAVAILABLE */
  static async open(host: string, limits: FolderLimits): Promise<FolderFiles> {
    return new FolderFiles(await openWorkspace(host, { maxBytes: limits.bytes, maxFiles: limits.files }), limits)
  }

  write(path: string, bytes: Uint8Array): Promise<void> {
    return this.#workspace.writeFile(path, bytes)
  }

  read(path: string, options: { readonly maxBytes?: number }): Promise<Uint8Array> {
    return this.#workspace.readFile(path, options)
  }

  list(path: string): Promise<readonly SandboxFile[]> {
    return this.#workspace.list(path)
  }

  close(): Promise<void> {
    return this.#workspace.close()
  }

  /** Makes `files` what the folder holds; only what changed is read. @throws AdjutantError TOO_LARGE */
  async takeIn(files: MemoryFiles): Promise<void> {
    const there = (await this.#workspace.list()).filter(({ type }) => type === 'file')
    const names = new Set(there.map(({ path }) => path))
    const held = new Set<string>()
    for (const [path] of [...files.entries()]) {
      if (names.has(path)) {
        held.add(path)
        continue
      }
      files.remove(path)
      this.#known.delete(path)
    }
    for (const { path, bytes, modifiedAt } of there) {
      const known = this.#known.get(path)
      if (known !== undefined && known.size === bytes && known.modifiedAt === modifiedAt) continue
      try {
        const file = { bytes: sharedBytes(await this.#workspace.readFile(path, { maxBytes: this.#limits.bytes })), modifiedAt }
        files.write(path, file)
        this.#known.set(path, { file, size: bytes, modifiedAt })
      } catch (error) {
        // Gone or swapped since it was listed, or of a name that no workspace takes: the code then does not see it either.
        if (!AdjutantError.isInstance(error) || error.code === 'TOO_LARGE') throw error
        if (held.has(path)) files.remove(path)
        this.#known.delete(path)
      }
    }
  }

  /** Writes what the run changed. Gives back why files could not be: the folder is not the box's alone, and may refuse. */
  async giveBack(files: MemoryFiles): Promise<readonly string[]> {
    const kept = new Map(files.entries())
    const refused: string[] = []
    const attempt = async (path: string, change: () => Promise<void>): Promise<void> => {
      try {
        await change()
      } catch (error) {
        if (!AdjutantError.isInstance(error)) throw error
        if (refused.length < MAX_REFUSED) refused.push(error.message)
        kept.delete(path)
      }
    }
    for (const path of [...this.#known.keys()]) {
      if (kept.has(path)) continue
      await attempt(path, () => this.#workspace.remove(path))
      this.#known.delete(path)
    }
    for (const [path, file] of kept) {
      if (this.#known.get(path)?.file.bytes === file.bytes) continue
      await attempt(path, () => this.#workspace.writeFile(path, file.bytes))
    }
    // What was written has the folder's own times now; the next look finds them.
    const there = await this.#workspace.list()
    for (const { path, bytes, modifiedAt } of there) {
      const file = kept.get(path)
      if (file !== undefined && file.bytes.byteLength === bytes) this.#known.set(path, { file, size: bytes, modifiedAt })
    }
    return refused
  }
}
