/**
 * Owns one request over one connection: the name is looked up here, every address is checked before it is connected to and once more when it
 * is, so that no answer of a name server leads inside. No connection is ever used twice. Gives the head; the body is the caller's to read or end.
 */
import { lookup as systemLookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { connectionFailure, forbidden } from './fetch-failure.ts'
import type { AddressPolicy } from './public-address.ts'

/** All addresses of a name. Rejects with code `ENOTFOUND` when there is none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

export interface Outgoing {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface SendOptions {
  readonly resolve: ResolveHost
  /** Undefined: the host was named by whoever set the tool up, and is reached wherever it is. */
  readonly mayConnect: AddressPolicy | undefined
  /** Certificates that are trusted beside those of the system. */
  readonly ca: string | undefined
  readonly signal: AbortSignal
}

const MAX_HEAD_BYTES = 65_536

export const resolveHost: ResolveHost = async (host) => (await systemLookup(host, { all: true })).map((entry) => entry.address)

/** @throws AdjutantError DENIED_BY_POLICY for an address inside; NOT_FOUND, TOOL_FAILED; or the reason of the signal */
export function sendRequest(outgoing: Outgoing, options: SendOptions): Promise<IncomingMessage> {
  const { url, method } = outgoing
  const host = url.hostname
  const { mayConnect } = options
  const changes = method !== 'GET' && method !== 'HEAD'
  return new Promise((resolve, reject) => {
    const address = host.replace(/^\[(.*)\]$/s, '$1')
    // An address needs no look-up, so nothing else would see it.
    if (mayConnect !== undefined && isIP(address) !== 0 && !mayConnect(address)) return reject(inside(host))
    let connected = false
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = send(url, {
      method,
      headers: { ...outgoing.headers },
      agent: false,
      lookup: checkedLookup(host, options),
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: false,
      signal: options.signal,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    } satisfies RequestOptions & { readonly ca?: string })
    request.once('socket', (socket) => {
      socket.once('connect', () => {
        connected = true
        const remote = socket.remoteAddress
        if (mayConnect !== undefined && remote !== undefined && !mayConnect(remote)) request.destroy(inside(host))
      })
    })
    // A connection may break more than once, also after its answer was given.
    request.on('error', (error) => {
      if (options.signal.aborted) return reject(options.signal.reason)
      // Before there is a connection nothing was sent; afterwards nobody knows whether it was read.
      reject(connectionFailure(error, host, changes && connected ? 'unknown' : changes ? 'not-run' : 'failed'))
    })
    request.once('response', resolve)
    // An answer that is none, such as a change of protocol that nobody asked for, ends it without an error.
    request.once('close', () => {
      const none = Object.assign(new Error('it gave no answer'), { code: 'ECONNRESET' })
      reject(connectionFailure(none, host, changes ? 'unknown' : 'failed'))
    })
    request.end(outgoing.body)
  })
}

function checkedLookup(host: string, options: SendOptions): LookupFunction {
  return (name, { all }, callback) => {
    options.resolve(name).then(
      (addresses) => {
        const { mayConnect } = options
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = found
        // One address inside makes the whole name suspect: which one is taken must not depend on chance.
        if (mayConnect !== undefined && !addresses.every(mayConnect)) callback(inside(host), '')
        else if (first === undefined) callback(Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' }), '')
        else if (all === true) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    )
  }
}

function inside(host: string): Error {
  return forbidden(`${host} leads to an address that is not public`)
}
