import { hash } from 'node:crypto'
import type { SessionId } from '@adjutant/core/contract'
import type { WrittenFile } from '../workspace/replace-file.ts'
import type { WorkspacePath } from '../workspace/workspace-path.ts'
import type { FileToolContext } from './file-tool-context.ts'

/** What a session wrote it has seen: it may change it again without reading it. */
export function noteWritten(context: FileToolContext, session: SessionId, path: WorkspacePath, written: WrittenFile, bytes: Buffer): void {
  context.readLog.note(session, path.real, { ...written, sha256: hash('sha256', bytes) })
}
