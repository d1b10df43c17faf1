import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { TreeIdentity } from './process-members.ts'
import { TREE_VARIABLE } from './process-table.ts'

/**
 * Owns the promise that no process tree outlives this host. Two nets: the host's `exit` event kills what is left at once, and
 * a watchdog process (process-watchdog.ts, one per host, alive only while there are trees) does it when the host cannot, as
 * after `kill -9`. The watchdog notices the end of the pipe that only the host holds; it does not keep the host alive.
 */

/** A watchdog that was itself killed is started again this often, then no more. */
const MAX_RESTARTS = 3

const trees = new Map<string, { readonly identity: TreeIdentity; readonly kill: () => void }>()
let watchdog: ChildProcess | undefined
let restarts = 0

/** From now on the tree dies with the host. `kill` must be synchronous. */
export function guardTree(identity: TreeIdentity, kill: () => void): void {
  if (trees.size === 0) process.on('exit', killAll)
  trees.set(identity.marker, { identity, kill })
  if (watchdog === undefined) startWatchdog()
  else tell({ add: identity })
}

/** The tree is gone. */
export function releaseTree(identity: TreeIdentity): void {
  if (!trees.delete(identity.marker)) return
  tell({ remove: identity.marker })
  if (trees.size > 0) return
  process.off('exit', killAll)
  watchdog?.stdin?.end()
  watchdog = undefined
}

/** Pid of the watchdog while there is one. */
export function watchdogPid(): number | undefined {
  return watchdog?.pid
}

function killAll(): void {
  for (const tree of trees.values()) tree.kill()
}

function startWatchdog(): void {
  // Sources run as they are, built files as JavaScript: the program beside this file has this file's ending.
  const program = import.meta.url.endsWith('.ts')
    ? new URL('./process-watchdog.ts', import.meta.url)
    : new URL('./process-watchdog.js', import.meta.url)
  const child = spawn(process.execPath, ['--no-warnings', fileURLToPath(program)], {
    // A session of its own, so that neither Ctrl-C nor the terminal's end reaches it, and no folder held.
    detached: true,
    cwd: '/',
    env: plainEnvironment(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog = child
  child.on('error', () => lost(child))
  child.on('exit', () => lost(child))
  child.stdin.on('error', () => {})
  child.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
  for (const tree of trees.values()) tell({ add: tree.identity })
}

/** What the host's Node was told (a debugger, a preload, coverage) is not for this one; how it finds its libraries is. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_') && name !== TREE_VARIABLE))
}

function lost(child: ChildProcess): void {
  if (watchdog !== child) return
  watchdog = undefined
  if (trees.size > 0 && restarts++ < MAX_RESTARTS) startWatchdog()
}

function tell(message: { readonly add: TreeIdentity } | { readonly remove: string }): void {
  watchdog?.stdin?.write(`${JSON.stringify(message)}\n`)
}
