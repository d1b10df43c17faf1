/**
 * Owns removing what processes of this machine that ended left with the daemon: containers first, then the volumes that they used. Whose process
 * still runs, or may run elsewhere, is left alone. Never rejects: what cannot be removed now is tried again by the next one.
 */
import type { Clock } from '@adjutant/core/contract'
import { removeContainer, removeVolume } from './container-box.ts'
import type { Daemon } from './daemon.ts'
import { hasNoOwner, OWNER_LABEL } from './owner-label.ts'

export async function sweepContainers(daemon: Daemon, clock: Clock): Promise<void> {
  try {
    const filters = { label: [OWNER_LABEL] }
    const containers = await daemon.ask(() => daemon.docker.listContainers({ all: true, filters }))
    const dead = containers.filter(({ Labels }) => hasNoOwner(Labels?.[OWNER_LABEL] ?? ''))
    await Promise.all(dead.map(({ Id }) => removeContainer(daemon, clock, Id).catch(() => undefined)))
    const { Volumes } = await daemon.ask(() => daemon.docker.listVolumes({ filters }))
    const left = (Volumes ?? []).filter(({ Labels }) => hasNoOwner(Labels?.[OWNER_LABEL] ?? ''))
    await Promise.all(left.map(({ Name }) => removeVolume(daemon, clock, Name).catch(() => undefined)))
  } catch {
    // A daemon that cannot be asked says so to whoever wants a box.
  }
}
