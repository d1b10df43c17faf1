import { AdjutantError, type CallContext } from '@adjutant/core/contract'
import { type FileState, sameContent, stateOf } from '../workspace/read-log.ts'
import { shown, type WorkspacePath } from '../workspace/workspace-path.ts'
import { type FileToolContext, WHOLE_FILE_BYTES } from './file-tool-context.ts'
import { readHandle, type WholeFile } from './read-whole.ts'

/** A file as it is right now, known to be what the session has seen. `bytes` only where it is small enough to be edited. */
export interface SeenFile {
  readonly state: FileState
  readonly bytes?: Buffer
}

/**
 * Proves that the session has seen what is in the file now.
 *
 * @throws AdjutantError CONFLICT when it never read it or it changed since
 */
export async function checkSeen(context: FileToolContext, cx: CallContext, path: WorkspacePath): Promise<SeenFile> {
  const seen = context.readLog.seen(cx.sessionId, path.real)
  if (seen === undefined) {
    throw new AdjutantError('CONFLICT', `${shown(path.given)} exists and was not read in this session; nothing was written`, {
      hint: 'Read it first with read_file, then repeat the change.',
    })
  }
  const now = await current(context, cx, path)
  if (!sameContent(seen, now.state)) {
    throw new AdjutantError('CONFLICT', `${shown(path.given)} changed since it was read; nothing was written`, {
      hint: 'Read it again with read_file, then repeat the change on what is there now.',
    })
  }
  return now
}

async function current(context: FileToolContext, cx: CallContext, path: WorkspacePath): Promise<WholeFile | SeenFile> {
  const handle = await context.workspace.openForReading(path)
  try {
    const stats = await handle.stat({ bigint: true })
    return stats.size > WHOLE_FILE_BYTES ? { state: stateOf(stats) } : await readHandle(handle, path.given, cx.signal)
  } finally {
    await handle.close()
  }
}
