import type { Clock, Origin } from '@adjutant/core/contract'
import type { KeyedLock } from '../workspace/keyed-lock.ts'
import type { ReadLog } from '../workspace/read-log.ts'
import type { Workspace } from '../workspace/workspace-path.ts'

/** What the file tools of one workspace share. */
export interface FileToolContext {
  readonly workspace: Workspace
  readonly readLog: ReadLog
  readonly locks: KeyedLock
  readonly clock: Clock
}

export const BUILT_IN: Origin = Object.freeze({ kind: 'built-in', from: '@adjutant/tools' })

/** Files up to here are read whole: hashed for the check before a change, and small enough to be edited. */
export const WHOLE_FILE_BYTES = 10 * 1_024 * 1_024
