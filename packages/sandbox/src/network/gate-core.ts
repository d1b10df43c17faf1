/** What every way through one gate shares. */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '@adjutant/core/contract'
import type { Attempts, NetworkAttempt } from './attempts.ts'
import { GateRefusal, refusalOf } from './gate-refusal.ts'
import { type HostRules, type HostTarget, writeTarget } from './host-rules.ts'
import { openUpstream } from './open-upstream.ts'
import type { AddressPolicy } from './public-address.ts'
import type { ResolveHost } from './resolve-host.ts'
import type { Traffic } from './traffic.ts'

export interface NetworkGateLimits {
  /** To the box and from the box, each, all connections together. Default 268 435 456. */
  readonly bytes: number
  /** At once. Default 64. */
  readonly connections: number
  /** Milliseconds until a client has sent its head, and until a server is connected to, look-up included. Default 10 000. */
  readonly connectMs: number
  /** Milliseconds after which a connection ends on which nothing moves. Default 60 000. */
  readonly idleMs: number
}

export interface GateCore {
  readonly rules: HostRules
  readonly traffic: Traffic
  readonly attempts: Attempts
  readonly limits: NetworkGateLimits
  readonly clock: Clock
  readonly resolve: ResolveHost | undefined
  readonly mayConnect: AddressPolicy | undefined
  /** Everything open: the ends of both sides. */
  readonly open: Set<Duplex>
}

/**
 * Connects to a target that the rules allow. Success is noted here; a refusal by whoever answers it.
 *
 * @throws GateRefusal
 */
export async function reach(core: GateCore, way: NetworkAttempt['way'], target: HostTarget, client: Duplex): Promise<Socket> {
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  client.once('close', leave)
  try {
    const socket = await tryReach(core, target, gone.signal)
    core.open.add(socket)
    socket.once('close', () => core.open.delete(socket))
    // Whoever uses the socket ends both sides on `close`; without a listener the error would end the process.
    socket.on('error', () => {})
    core.attempts.note({ way, target: writeTarget(target), outcome: 'passed', address: socket.remoteAddress ?? '' })
    return socket
  } catch (error) {
    throw refusalOf(error, writeTarget(target))
  } finally {
    client.removeListener('close', leave)
  }
}

async function tryReach(core: GateCore, target: HostTarget, signal: AbortSignal): Promise<Socket> {
  if (!core.rules.allows(target)) throw new GateRefusal(403, `${writeTarget(target)} is not one of the hosts that this box may reach`)
  if (core.traffic.spent) throw spent(core)
  return await openUpstream(target, { ...core, connectMs: core.limits.connectMs, signal })
}

export function noteRefusal(core: GateCore, way: NetworkAttempt['way'], target: string, refusal: GateRefusal): void {
  core.attempts.note({ way, target, outcome: refusal.status === 403 ? 'refused' : 'failed', reason: refusal.message })
}

export function spent(core: GateCore): GateRefusal {
  return new GateRefusal(403, `this box has used up its ${core.traffic.limit} bytes of network traffic`)
}

/** Says a last thing and closes: at once when the other side does, else when the time for a head is over. What still comes is dropped. */
export function endGently(core: GateCore, stream: Duplex, bytes: string | Buffer): void {
  if (stream.destroyed) return
  const cancel = core.clock.after(core.limits.connectMs, () => stream.destroy())
  stream.once('close', cancel)
  stream.once('end', () => stream.destroy())
  stream.end(bytes)
  stream.resume()
}
