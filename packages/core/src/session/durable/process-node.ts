import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Names this process as a holder of sessions, and tells whether another one of this machine is gone: then nobody has to wait for its lease. The mark
 * behind the `@` is of the boot and of the process numbering, so that a process of another container or another day is never taken for a dead one here.
 * Whoever is taken for dead and is not loses its session, and is told; it writes nothing any more.
 *
 * @example
 * ```ts
 * thisNode() // 'build-7:4711@9c41f2'
 * ```
 */
export function thisNode(): string {
  return `${hostname()}:${process.pid}@${mark()}`
}

/** True only when it is certain: a process of this machine and this numbering that does not run any more. */
export function isGone(node: string): boolean {
  const parts = /^(.*):(\d{1,10})@([0-9a-f]{6})$/.exec(node)
  if (parts === null || parts[1] !== hostname() || parts[3] !== mark() || MACHINE === undefined) return false
  try {
    process.kill(Number(parts[2]), 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/** Which numbering of processes this is; undefined where the system does not say: then nobody is taken for dead. */
const MACHINE = ((): string | undefined => {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
})()

function mark(): string {
  return createHash('sha256')
    .update(MACHINE ?? 'unknown')
    .digest('hex')
    .slice(0, 6)
}
