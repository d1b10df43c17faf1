import { systemClock } from '@adjutant/core'
import type { AgentTool, Clock } from '@adjutant/core/contract'
import { KeyedLock } from '../workspace/keyed-lock.ts'
import { ReadLog } from '../workspace/read-log.ts'
import { openWorkspace } from '../workspace/workspace-path.ts'
import { createEditFile } from './edit-file.ts'
import type { FileToolContext } from './file-tool-context.ts'
import { createFindFiles } from './find-files.ts'
import { createListDirectory } from './list-directory.ts'
import { createReadFile } from './read-file.ts'
import { createSearchText } from './search-text.ts'
import { createWriteFile } from './write-file.ts'

export interface FileToolsOptions {
  /** The folder that the tools see and never leave. */
  readonly workspace: string
  /** Default: the machine's own. */
  readonly clock?: Clock
}

/**
 * read_file, list_directory, find_files, search_text, write_file and edit_file over one folder. They share what each session has
 * read, so make them once for a workspace and lend them to every session.
 *
 * @example
 * ```ts
 * registry.add(createFileTools({ workspace: '.' }), 'built-in')
 * ```
 * @throws AdjutantError CONFIG_INVALID when the workspace is missing or no folder
 */
export function createFileTools(options: FileToolsOptions): readonly AgentTool[] {
  const context: FileToolContext = {
    workspace: openWorkspace(options.workspace),
    readLog: new ReadLog(),
    locks: new KeyedLock(),
    clock: options.clock ?? systemClock,
  }
  return [
    createReadFile(context),
    createListDirectory(context),
    createFindFiles(context),
    createSearchText(context),
    createWriteFile(context),
    createEditFile(context),
  ]
}
