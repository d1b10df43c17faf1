import { dirname, join } from 'node:path'

/** Beside the folder of sessions, not in it: what a session's own tools write must not lie where its log does. */
export function auditFolderBeside(sessionsFolder: string): string {
  return join(dirname(sessionsFolder), 'audit')
}
