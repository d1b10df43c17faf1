/**
 * Owns how a box ends whole. The first process of a pid namespace is waited for by the kernel only after every other process in it has
 * ended: when it is gone, all are, also those that forked twice, left their session and ignore every signal.
 * Kill that one and not bubblewrap: its death leaves the box to whoever collects orphans.
 */
import { readdirSync, readlinkSync } from 'node:fs'
import type { Clock } from '@adjutant/core/contract'
import { isRunning, type ProcessIdentity, signalProcess } from './process-identity.ts'

export interface EndBoxOptions {
  readonly clock: Clock
  /** How long to wait for the kernel. A process that hangs in a dead network disk may take its time. Default 5000. */
  readonly timeoutMs?: number
}

export type EndBoxOutcome =
  /** Nothing of the box runs any more. */
  | { readonly ended: true }
  /** `denied`: this user may not signal it. `timeout`: it was signalled and is still there. */
  | { readonly ended: false; readonly reason: 'denied' | 'timeout' }

const FIRST_WAIT_MS = 1
const LONGEST_WAIT_MS = 50

/**
 * Kills the first process of a box and waits until nothing of the box runs. Safe to call twice, and for a box that has ended. Never rejects.
 *
 * @param inner the process that bubblewrap names on its status descriptor
 */
export async function endBox(inner: ProcessIdentity, options: EndBoxOptions): Promise<EndBoxOutcome> {
  const sent = signalProcess(inner, 'SIGKILL')
  if (sent === 'gone') return { ended: true }
  if (sent === 'denied') return { ended: false, reason: 'denied' }
  return (await waitUntil(() => !isRunning(inner), options)) ? { ended: true } : { ended: false, reason: 'timeout' }
}

/** Waits until `done`, looking ever more rarely. False when the time ran out first. */
export async function waitUntil(done: () => boolean, { clock, timeoutMs = 5000 }: EndBoxOptions): Promise<boolean> {
  const until = clock.monotonic() + timeoutMs
  for (let wait = FIRST_WAIT_MS; !done(); wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    if (clock.monotonic() >= until) return false
    await new Promise<void>((resolve) => clock.after(wait, resolve))
  }
  return true
}

/** Inode of the pid namespace in which the process is; undefined when it is gone or belongs to somebody else. */
export function pidNamespaceOf(pid: number | 'self'): number | undefined {
  try {
    const inode = Number(/^pid:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[1])
    return Number.isSafeInteger(inode) ? inode : undefined
  } catch {
    return undefined
  }
}

/** Pids in that namespace as this user sees them: processes of others cannot be asked. Looks at every process of the machine. */
export function pidNamespaceMembers(namespace: number): readonly number[] {
  return allPids().filter((pid) => pidNamespaceOf(pid) === namespace)
}

/** Every process of the machine. */
export function allPids(): readonly number[] {
  const pids: number[] = []
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0)
    if (first >= 0x30 && first <= 0x39) pids.push(Number(name))
  }
  return pids
}
