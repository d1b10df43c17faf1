/** Owns the answer to whether processes can be told apart and followed here. */
import { pidNamespaceOf } from './pid-namespace.ts'
import { identifyProcess } from './process-identity.ts'

export type ProcessProbe =
  | { readonly ok: true; readonly detail: string }
  | { readonly ok: false; readonly detail: string; readonly fix: string }

/** Looks at this process as it will look at those of boxes. Never throws. */
export function probeProcesses(): ProcessProbe {
  if (identifyProcess(process.pid) === undefined) {
    return { ok: false, detail: '/proc does not show this process', fix: 'Mount /proc of this pid namespace.' }
  }
  if (pidNamespaceOf('self') === undefined) {
    return { ok: false, detail: 'the kernel has no pid namespaces', fix: 'Use a kernel with CONFIG_PID_NS.' }
  }
  return { ok: true, detail: 'processes by pid, start time and pid namespace' }
}
