import { dirname, join } from 'node:path'
import type { AuditSync } from '@adjutant/core'

export interface AuditConfig {
  /** Default: beside the folder of sessions. */
  readonly folder?: string
  /** Kept in the store of the session, where it has one, and not in files. Default false. */
  readonly store?: boolean
  /** When records are made durable. Default `changes`. */
  readonly sync?: AuditSync
}

/** Beside the folder of sessions, not in it: what a session's own tools write must not lie where its log does. */
export function auditFolderBeside(sessionsFolder: string): string {
  return join(dirname(sessionsFolder), 'audit')
}
