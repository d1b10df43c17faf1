/** Owns the answer to how well boxes can be watched here where no cgroup counts for us. */
import { readFileSync } from 'node:fs'
import { type ProcessProbe, probeProcesses } from '../process/probe.ts'
import { CHILDREN_LISTED } from './box-processes.ts'

/** Looks at this process as it will look at those of boxes. Never throws. */
export function probeWatch(): ProcessProbe {
  const processes = probeProcesses()
  if (!processes.ok) return processes
  const exact = hasRollup()
  const details = [
    exact ? 'shared memory counted once' : 'shared memory counted for each process (no smaps_rollup)',
    CHILDREN_LISTED ? 'lists of children' : 'every process of the machine is looked at (no lists of children)',
  ]
  return { ok: true, detail: `watched by /proc: ${details.join(', ')}` }
}

function hasRollup(): boolean {
  try {
    return readFileSync('/proc/self/smaps_rollup', 'latin1').includes('Pss_Anon:')
  } catch {
    return false
  }
}
