/**
 * Owns where pages of large files ended, so that the next page starts there and not at the first byte. A position counts only
 * while the file is the very same (time, size and file number). Bounded; the oldest are forgotten.
 */
import type { FileState } from '../workspace/read-log.ts'

export interface PagePosition {
  /** 1-based. */
  readonly line: number
  /** Where it begins. */
  readonly byte: number
}

interface Entry {
  readonly mtimeNs: bigint
  readonly size: bigint
  readonly inode: bigint
  readonly positions: PagePosition[]
}

const MAX_FILES = 64
const MAX_POSITIONS = 256

export class PagePositions {
  readonly #files = new Map<string, Entry>()

  note(real: string, state: FileState, position: PagePosition): void {
    const known = this.#find(real, state)
    const positions = known ?? []
    if (!positions.some((entry) => entry.line === position.line)) positions.push(position)
    if (positions.length > MAX_POSITIONS) positions.shift()
    this.#files.delete(real)
    this.#files.set(real, { mtimeNs: state.mtimeNs, size: state.size, inode: state.inode, positions })
    for (const key of this.#files.keys()) {
      if (this.#files.size <= MAX_FILES) break
      this.#files.delete(key)
    }
  }

  /** The nearest known position at or before `line`. */
  before(real: string, state: FileState, line: number): PagePosition | undefined {
    let best: PagePosition | undefined
    for (const position of this.#find(real, state) ?? []) {
      if (position.line <= line && (best === undefined || position.line > best.line)) best = position
    }
    return best
  }

  #find(real: string, state: FileState): PagePosition[] | undefined {
    const entry = this.#files.get(real)
    return entry !== undefined && entry.mtimeNs === state.mtimeNs && entry.size === state.size && entry.inode === state.inode
      ? entry.positions
      : undefined
  }
}
