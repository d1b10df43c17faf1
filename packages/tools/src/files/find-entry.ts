/** Owns look-ups that end in a helpful message: what exists near a path that does not, and which tool is meant instead. */
import { basename, dirname, join, relative, sep } from 'node:path'
import { nearestNames } from '@adjutant/core'
import { AdjutantError } from '@adjutant/core/contract'
import { listFolder } from '../workspace/walk-files.ts'
import { isInside, shown, type Workspace, type WorkspacePath } from '../workspace/workspace-path.ts'

/**
 * @throws AdjutantError NOT_FOUND with the nearest names of the deepest folder that exists, UNSUPPORTED when it is a folder
 */
export async function existingFile(workspace: Workspace, given: string): Promise<WorkspacePath> {
  const path = await workspace.resolve(given, { mustExist: false })
  if (path.kind === 'missing') throw await notFound(workspace, path)
  if (path.kind === 'folder') {
    throw new AdjutantError('UNSUPPORTED', `${shown(given)} is a folder`, {
      grade: 'clarify',
      hint: 'Use list_directory to see what is in it.',
    })
  }
  return path
}

/** @throws AdjutantError NOT_FOUND, UNSUPPORTED when it is a file */
export async function existingFolder(workspace: Workspace, given: string): Promise<WorkspacePath> {
  const path = await workspace.resolve(given, { mustExist: false })
  if (path.kind === 'missing') throw await notFound(workspace, path)
  if (path.kind === 'file') {
    throw new AdjutantError('UNSUPPORTED', `${shown(given)} is a file, not a folder`, {
      grade: 'clarify',
      hint: 'Use read_file to read it.',
    })
  }
  return path
}

async function notFound(workspace: Workspace, path: WorkspacePath): Promise<AdjutantError> {
  let folder = dirname(path.real)
  let wanted = basename(path.real)
  while (isInside(workspace.root, folder)) {
    const entries = await listFolder(workspace, {
      given: path.given,
      real: folder,
      relative: toRelative(workspace, folder),
      kind: 'folder',
    }).catch(() => undefined)
    if (entries !== undefined)
      return describe(
        workspace,
        path,
        folder,
        wanted,
        entries.map((entry) => entry.name),
      )
    wanted = basename(folder)
    folder = dirname(folder)
  }
  return new AdjutantError('NOT_FOUND', `${shown(path.given)} does not exist`)
}

function describe(workspace: Workspace, path: WorkspacePath, folder: string, wanted: string, names: readonly string[]): AdjutantError {
  const place = workspace.lexical(folder) === workspace.root ? 'the workspace' : shown(toRelative(workspace, folder))
  const missing = folder === dirname(path.real) ? '' : `: there is no ${shown(wanted)} in ${place}`
  const close = nearestNames(wanted, names).map((name) => shown(toRelative(workspace, join(folder, name))))
  const hint =
    close.length > 0
      ? `Did you mean ${close.join(' or ')}?`
      : path.given.startsWith('~')
        ? 'Paths are relative to the workspace; "~" is not expanded.'
        : path.given.includes('\\') && process.platform !== 'win32'
          ? 'Separate the parts of a path with "/".'
          : `Look with list_directory or find_files; ${place} has ${names.length === 0 ? 'nothing in it' : `e.g. ${names.toSorted().slice(0, 5).map(shown).join(', ')}`}.`
  return new AdjutantError('NOT_FOUND', `${shown(path.given)} does not exist${missing}`, { hint })
}

function toRelative(workspace: Workspace, real: string): string {
  return relative(workspace.root, real).replaceAll(sep, '/')
}
