import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** True while a process runs; one that ended and was not yet collected by its parent does not run. */
export async function isRunning(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
    return state !== '' && state !== 'Z' && state !== 'X'
  }
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Looks again and again: a process that is not ours tells nobody when it ends. The test's own time limit is the end of it. */
export async function untilGone(pid: number, signal: AbortSignal): Promise<void> {
  while (await isRunning(pid)) await pause(5, undefined, { signal })
}
