/**
 * Owns the names of boxes: `adjutant-<pid namespace>-<pid>-<start time>-<random>-<label>`. Whoever finds one can say whether the process
 * that made it still runs, as long as both see the same pids; nobody can guess one.
 */
import { randomBytes } from 'node:crypto'
import { pidNamespaceOf } from '../process/pid-namespace.ts'
import { identifyProcess, isRunning, type ProcessIdentity } from '../process/process-identity.ts'

export interface BoxOwner extends ProcessIdentity {
  /** Inode of the pid namespace that its pid is from. */
  readonly pidNamespace: number
}

const NAME = /^adjutant-(\d{1,15})-(\d{1,10})-(\d{1,15})-[0-9a-f]{32}-/
const LABEL_LENGTH = 40

/** This process; undefined where `/proc` does not show it. */
export function thisOwner(): BoxOwner | undefined {
  const identity = identifyProcess(process.pid)
  const pidNamespace = pidNamespaceOf('self')
  return identity === undefined || pidNamespace === undefined ? undefined : { ...identity, pidNamespace }
}

/** @param token 32 hex digits; default from the system's randomness */
export function boxName(owner: BoxOwner, label: string, token = randomBytes(16).toString('hex')): string {
  const kept = label.replaceAll(/[^A-Za-z0-9-]/g, '').slice(0, LABEL_LENGTH)
  return `adjutant-${owner.pidNamespace}-${owner.pid}-${owner.startTime}-${token}-${kept}`
}

/** Undefined when the name is none of ours. */
export function ownerOf(name: string): BoxOwner | undefined {
  const [, pidNamespace, pid, startTime] = NAME.exec(name) ?? []
  return pid === undefined ? undefined : { pidNamespace: Number(pidNamespace), pid: Number(pid), startTime: Number(startTime) }
}

/** The box has outlived its maker. Where we cannot know, because its maker's pids are not ours, it has not. */
export function isLeftover(name: string, seenFrom: number): boolean {
  const owner = ownerOf(name)
  return owner !== undefined && owner.pidNamespace === seenFrom && !isRunning(owner)
}
