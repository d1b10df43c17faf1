/**
 * Owns walking down a folder in a fixed order (by name, code unit by code unit; a folder's content right behind it). Links are
 * named and never followed, so the walk can neither leave the workspace nor run in circles. Folders named in
 * {@link SKIPPED_FOLDERS} are named and not entered, unless the walk starts in one.
 * The folder is read through a handle that was proven to lie inside, so a link swapped in does not show an outside folder.
 */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AdjutantError } from '@adjutant/core/contract'
import type { Workspace, WorkspacePath } from './workspace-path.ts'

export interface WalkEntry {
  readonly name: string
  /** From the workspace, with `/`. */
  readonly relative: string
  /** From where the walk started, with `/`. */
  readonly fromStart: string
  readonly real: string
  readonly kind: 'file' | 'folder' | 'link' | 'special'
  /** 1 for the entries of the start folder. */
  readonly depth: number
  /** A folder of {@link SKIPPED_FOLDERS}, or one that may not be read. */
  readonly skipped: boolean
}

export interface WalkOptions {
  readonly signal: AbortSignal
  /** Folders deeper than this are named, not entered. Default: no limit. */
  readonly maxDepth?: number
}

/** Tens of thousands of files that nobody asks about by accident. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules'])

export async function* walkFiles(workspace: Workspace, start: WorkspacePath, options: WalkOptions): AsyncGenerator<WalkEntry, void, void> {
  const maxDepth = options.maxDepth ?? Number.POSITIVE_INFINITY
  const stack: Iterator<WalkEntry>[] = [entriesOf(start, '', 1, await listFolder(workspace, start))]
  for (;;) {
    const top = stack.at(-1)
    if (top === undefined) return
    const next = top.next()
    if (next.done === true) {
      stack.pop()
      continue
    }
    if (options.signal.aborted) throw new AdjutantError('CANCELLED', 'the walk through the files was stopped')
    const entry = next.value
    if (entry.kind !== 'folder' || entry.skipped || entry.depth >= maxDepth) {
      yield entry
      continue
    }
    const below = { given: entry.relative, real: entry.real, relative: entry.relative, kind: 'folder' } as const
    const children = await listFolder(workspace, below).catch(() => undefined)
    yield children === undefined ? { ...entry, skipped: true } : entry
    if (children !== undefined) stack.push(entriesOf(below, `${entry.fromStart}/`, entry.depth + 1, children))
  }
}

/** The entries of one folder, in no order. @throws AdjutantError PATH_OUTSIDE_WORKSPACE when it turned into a link meanwhile */
export async function listFolder(workspace: Workspace, folder: WorkspacePath): Promise<readonly Dirent[]> {
  const handle = await workspace.openForReading(folder)
  try {
    return await readdir(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : folder.real, { withFileTypes: true })
  } finally {
    await handle.close()
  }
}

function* entriesOf(folder: WorkspacePath, prefix: string, depth: number, children: readonly Dirent[]): Generator<WalkEntry, void, void> {
  for (const child of children.toSorted(byName)) {
    const kind = child.isFile() ? 'file' : child.isDirectory() ? 'folder' : child.isSymbolicLink() ? 'link' : 'special'
    yield {
      name: child.name,
      relative: folder.relative === '.' ? child.name : `${folder.relative}/${child.name}`,
      fromStart: prefix + child.name,
      real: join(folder.real, child.name),
      kind,
      depth,
      skipped: kind === 'folder' && SKIPPED_FOLDERS.has(child.name),
    }
  }
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
