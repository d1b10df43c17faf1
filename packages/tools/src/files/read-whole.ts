import type { FileHandle } from 'node:fs/promises'
import { AdjutantError } from '@adjutant/core/contract'
import { byteSize } from '../text/amounts.ts'
import { type FileState, stateOf } from '../workspace/read-log.ts'
import { shown } from '../workspace/workspace-path.ts'
import { WHOLE_FILE_BYTES } from './file-tool-context.ts'

/** Read at most of a file that says it is empty. */
const EMPTY_BYTES = 65_536

export interface WholeFile {
  readonly bytes: Buffer
  /** With the hash of `bytes`. */
  readonly state: FileState
}

/**
 * Reads a file of at most {@link WHOLE_FILE_BYTES}. The caller closes the handle.
 *
 * @throws AdjutantError TOO_LARGE, CONFLICT when it changed while it was read, CANCELLED
 */
export async function readHandle(handle: FileHandle, given: string, signal: AbortSignal): Promise<WholeFile> {
  const stats = await handle.stat({ bigint: true })
  const size = Number(stats.size)
  if (size > WHOLE_FILE_BYTES) {
    throw new AdjutantError('TOO_LARGE', `${shown(given)} has ${byteSize(size)}; at most ${byteSize(WHOLE_FILE_BYTES)} can be changed here`)
  }
  // One byte more than there should be tells that it grew; files of /proc and the like say 0 and hold more.
  const bytes = Buffer.allocUnsafe(size === 0 ? EMPTY_BYTES : size + 1)
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
