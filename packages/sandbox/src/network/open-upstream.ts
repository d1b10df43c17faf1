/**
 * Owns the way to an allowed host: its name is looked up here, once, each of its addresses is checked, and the connection goes to the
 * address that was checked, so that a name that changes its answer gains nothing. A name that is not allowed is never looked up: asking for
 * it would already carry its text outside.
 */
import { connect, isIP, type Socket } from 'node:net'
import type { Clock } from '@adjutant/core/contract'
import { GateRefusal } from './gate-refusal.ts'
import { type HostTarget, isAddress, writeTarget } from './host-rules.ts'
import { type AddressPolicy, isPublicAddress } from './public-address.ts'
import { nameServerLookup, type ResolveHost } from './resolve-host.ts'

export interface UpstreamOptions {
  readonly resolve?: ResolveHost | undefined
  readonly mayConnect?: AddressPolicy | undefined
  readonly clock: Clock
  /** For the look-up and all connections tried, together. */
  readonly connectMs: number
  /** The box does not wait any more. */
  readonly signal: AbortSignal
}

/** Of one name, in the order in which the resolver gives them. */
const MAX_ADDRESSES = 4

const lookUp = nameServerLookup()

/** @throws GateRefusal 403 for an address inside, 502 when nobody answers, 504 when it takes too long */
export async function openUpstream(target: HostTarget, options: UpstreamOptions): Promise<Socket> {
  const place = writeTarget(target)
  const ended = Promise.withResolvers<never>()
  // Whoever is still trying when the time is over learns it by this.
  const stop = new AbortController()
  const end = (refusal: GateRefusal): void => {
    stop.abort()
    ended.reject(refusal)
  }
  const cancel = options.clock.after(options.connectMs, () => end(new GateRefusal(504, `${place} did not answer in time`)))
  const left = (): void => end(new GateRefusal(502, 'the client went away'))
  options.signal.addEventListener('abort', left, { once: true })
  if (options.signal.aborted) left()
  try {
    return await Promise.race([open(target, options, stop.signal), ended.promise])
  } finally {
    cancel()
    options.signal.removeEventListener('abort', left)
  }
}

async function open(target: HostTarget, options: UpstreamOptions, stop: AbortSignal): Promise<Socket> {
  const addresses = await addressesOf(target, options)
  const mayConnect = options.mayConnect ?? isPublicAddress
  // One address inside makes the whole name suspect: which one is taken must not depend on chance.
  if (!addresses.every(mayConnect)) {
    throw new GateRefusal(403, `${writeTarget(target)} leads to an address that is not public, which is never reached from here`)
  }
  return await connectTo(addresses.slice(0, MAX_ADDRESSES), target.port, stop)
}

async function addressesOf(target: HostTarget, options: UpstreamOptions): Promise<readonly string[]> {
  if (isAddress(target.host)) return [target.host.replace(/^\[(.*)\]$/s, '$1')]
  try {
    const addresses = await (options.resolve ?? lookUp)(target.host)
    if (addresses.length > 0) return addresses
  } catch {
    // Said below: why a look-up failed says something of the network around.
  }
  throw new GateRefusal(502, `${target.host} has no address`)
}

/** Tries one after the other without waiting for those that are silent (RFC 8305): the only look-up it has are the checked addresses. */
function connectTo(addresses: readonly string[], port: number, stop: AbortSignal): Promise<Socket> {
  const checked = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first] = checked
  const single = checked.length === 1 && first !== undefined
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: single ? first.address : 'checked.invalid',
      port,
      autoSelectFamily: !single,
      lookup: (_name, _options, callback) => callback(null, checked),
      allowHalfOpen: true,
      noDelay: true,
    })
    const abort = (): void => void socket.destroy(new Error('stopped'))
    stop.addEventListener('abort', abort, { once: true })
    socket.once('error', (error) => {
      stop.removeEventListener('abort', abort)
      reject(error)
    })
    socket.once('connect', () => {
      stop.removeEventListener('abort', abort)
      resolve(socket)
    })
  })
}
