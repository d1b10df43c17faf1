import { dirname, join } from 'node:path'
import { defaultSessionsFolder } from './sessions-folder.ts'

/** Beside the folder of sessions, not in it: what a session's own tools write must not lie where its log does. */
export function auditFolderBeside(sessionsFolder: string): string {
  return join(dirname(sessionsFolder), 'audit')
}

/** Where audit logs are when no configuration says otherwise. */
export function defaultAuditFolder(environment: Readonly<Record<string, string | undefined>>, workspace: string): string {
  return auditFolderBeside(defaultSessionsFolder(environment, workspace).path)
}
