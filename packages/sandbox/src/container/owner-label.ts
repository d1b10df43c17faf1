/**
 * Owns the label by which it can be told of a container whether the process that made it still runs: the machine since its start, the pid
 * namespace, the pid and its start time. Of what another machine made with the same daemon nothing is known, and so nothing is removed.
 */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { identifyProcess, isRunning, pidNamespaceOf } from '../linux/index.ts'

export const OWNER_LABEL = 'adjutant.sandbox'

/** This process. */
export function ownerLabel(): string {
  return [machine(), pidNamespaceOf('self') ?? 0, process.pid, identifyProcess(process.pid)?.startTime ?? 0].join(' ')
}

/** Its process was on this machine and has ended. */
export function hasNoOwner(label: string): boolean {
  const [where, namespace, pid, startTime] = label.split(' ')
  if (where !== machine() || namespace !== String(pidNamespaceOf('self') ?? 0) || pid === undefined || startTime === undefined) return false
  if (!/^\d{1,10}$/.test(pid) || !/^\d{1,15}$/.test(startTime)) return false
  // Without a start time the pid alone has to do: of somebody else's we then keep too much.
  return startTime === '0' ? !isThere(Number(pid)) : !isRunning({ pid: Number(pid), startTime: Number(startTime) })
}

function machine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch {
    return hostname().replaceAll(/\s/g, '-')
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
