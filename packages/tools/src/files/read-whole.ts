import type { FileHandle } from 'node:fs/promises'
import { AdjutantError } from '@adjutant/core/contract'
import { byteSize } from '../text/amounts.ts'
import { type FileState, stateOf } from '../workspace/read-log.ts'
import { shown, type Workspace, type WorkspacePath } from '../workspace/workspace-path.ts'
import { WHOLE_FILE_BYTES } from './file-tool-context.ts'

export interface WholeFile {
  readonly bytes: Buffer
  /** With the hash of `bytes`. */
  readonly state: FileState
}

/**
 * Reads a file of at most {@link WHOLE_FILE_BYTES}.
 *
 * @throws AdjutantError TOO_LARGE, CONFLICT when it grew while it was read, CANCELLED
 */
export async function readWhole(workspace: Workspace, path: WorkspacePath, signal: AbortSignal): Promise<WholeFile> {
  const handle = await workspace.openForReading(path)
  try {
    return await readHandle(handle, path.given, signal)
  } finally {
    await handle.close()
  }
}

/** As {@link readWhole}, of a handle that the caller opened and closes. */
export async function readHandle(handle: FileHandle, given: string, signal: AbortSignal): Promise<WholeFile> {
  const stats = await handle.stat({ bigint: true })
  const size = Number(stats.size)
  if (size > WHOLE_FILE_BYTES) {
    throw new AdjutantError('TOO_LARGE', `${shown(given)} has ${byteSize(size)}; at most ${byteSize(WHOLE_FILE_BYTES)} can be changed here`)
  }
  // One byte more than there should be tells that it grew; files of /proc and the like say 0 and hold more.
  const bytes = Buffer.allocUnsafe(WHOLE_FILE_BYTES < size + 1 ? size + 1 : Math.max(size + 1, size === 0 ? 65_536 : 0))
  let length = 0
  while (length < bytes.length) {
    if (signal.aborted) throw new AdjutantError('CANCELLED', `reading ${shown(given)} was stopped`)
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  const content = bytes.subarray(0, length)
  const after = await handle.stat({ bigint: true })
  if (length === bytes.length || after.mtimeNs !== stats.mtimeNs || after.size !== stats.size) {
    throw new AdjutantError('CONFLICT', `${shown(given)} changed while it was read`, { grade: 'retry', hint: 'Read it again.' })
  }
  return { bytes: content, state: stateOf(stats, content) }
}
