/** Tells when something below some folders changes, once for a burst of changes. */
import { type FSWatcher, watch } from 'node:fs'
import type { Clock } from '@adjutant/core'

/** Editors write a file in several steps. */
const QUIET_MS = 200

/**
 * @returns ends it. A folder that cannot be watched, or that goes away, is watched no more; nothing is thrown.
 */
export function watchFolders(folders: readonly string[], clock: Clock, changed: () => void): () => void {
  let cancel: (() => void) | undefined
  const touched = (): void => {
    cancel?.()
    cancel = clock.after(QUIET_MS, changed)
  }
  const watchers = folders.flatMap((folder): readonly FSWatcher[] => {
    try {
      const watcher = watch(folder, { recursive: true, persistent: false }, touched)
      watcher.on('error', () => watcher.close())
      return [watcher]
    } catch {
      return []
    }
  })
  return () => {
    cancel?.()
    for (const watcher of watchers) watcher.close()
  }
}
