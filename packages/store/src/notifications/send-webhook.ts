/**
 * Owns one attempt to tell a webhook: signed by Standard Webhooks with each of its secrets, over one connection that is used for nothing else. The name is
 * looked up here, every address of it is checked, and the connection goes to what was checked. Redirects are not followed; of the answer only the head is read.
 */
import { lookup as systemLookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { retryAfterMs } from '@adjutant/core'
import type { Clock } from '@adjutant/core/contract'
import { Webhook } from 'standardwebhooks'
import { DeliveryFailure } from './delivery-failure.ts'
import type { Notification } from './notification.ts'
import { isTrustedHost, type WebhookSettings } from './notify-target.ts'
import { isPublicAddress } from './public-address.ts'

/** All addresses of a name. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

export interface SendWebhookOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Default: as the machine resolves names. */
  readonly resolve?: ResolveHost
  /** Where people look at what is told of. */
  readonly link?: string
}

const MAX_HEAD_BYTES = 16_384
const GONE = 410

const resolveHost: ResolveHost = async (host) => (await systemLookup(host, { all: true })).map(({ address }) => address)

/** @throws DeliveryFailure */
export async function sendWebhook(notification: Notification, webhook: WebhookSettings, options: SendWebhookOptions): Promise<void> {
  const body = JSON.stringify(options.link === undefined ? notification : { ...notification, link: options.link })
  const now = options.clock.now()
  const at = new Date(now)
  const signature = webhook.secrets.map((secret) => new Webhook(secret).sign(notification.id, at, body)).join(' ')
  const response = await post(webhook, options, body, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'adjutant',
    'webhook-id': notification.id,
    'webhook-timestamp': String(Math.floor(now / 1_000)),
    'webhook-signature': signature,
  })
  const { statusCode: status = 0, headers } = response
  // The head says all that is asked.
  response.destroy()
  if (status >= 200 && status < 300) return
  if (status === GONE) throw new DeliveryFailure('it wants nothing more (410)', { final: true })
  if (status >= 300 && status < 400) throw new DeliveryFailure(`it points elsewhere (${status}), which is not followed`)
  throw new DeliveryFailure(`it answered ${status}`, { retryAfterMs: retryAfterMs(headers, now) })
}

function post(
  webhook: WebhookSettings,
  { signal, resolve = resolveHost }: SendWebhookOptions,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const url = new URL(webhook.url)
  const anywhere = isTrustedHost(url, webhook.trustedHosts ?? [])
  const mayConnect = (address: string): boolean => anywhere || isPublicAddress(address)
  const { promise, resolve: give, reject } = Promise.withResolvers<IncomingMessage>()
  const address = url.hostname.replace(/^\[(.*)\]$/s, '$1')
  // An address needs no look-up, so nothing else would see it.
  if (isIP(address) !== 0 && !mayConnect(address)) return Promise.reject(inside())
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, {
    method: 'POST',
    headers: { ...headers },
    agent: false,
    lookup: checkedLookup(mayConnect, resolve),
    maxHeaderSize: MAX_HEAD_BYTES,
    insecureHTTPParser: false,
    signal,
    ...(webhook.ca === undefined ? {} : { ca: webhook.ca }),
  } satisfies RequestOptions & { readonly ca?: string })
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      if (socket.remoteAddress !== undefined && !mayConnect(socket.remoteAddress)) request.destroy(inside())
    })
  })
  // A connection may break more than once, also after its answer was given.
  request.on('error', (error) => reject(signal.aborted ? stopped(signal) : failureOf(error)))
  request.once('response', give)
  request.once('upgrade', (_response, socket) => socket.destroy())
  // An answer that is none, such as a change of protocol that nobody asked for, ends it without an error.
  request.once('close', () => reject(new DeliveryFailure('it gave no answer')))
  request.end(body)
  return promise
}

function checkedLookup(mayConnect: (address: string) => boolean, resolve: ResolveHost): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = found
        // One address inside makes the whole name suspect: which one is taken must not depend on chance.
        if (!addresses.every(mayConnect)) callback(inside(), '')
        else if (first === undefined) callback(new DeliveryFailure('its name has no address'), '')
        else if (all === true) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(failureOf(error), ''),
    )
  }
}

function inside(): DeliveryFailure {
  return new DeliveryFailure('it leads to an address that is not public; name the host in trustedHosts where it is one of your own', {
    final: true,
  })
}

function stopped(signal: AbortSignal): DeliveryFailure {
  return signal.reason instanceof DeliveryFailure ? signal.reason : new DeliveryFailure('it was stopped', { cause: signal.reason })
}

/** Only the code: messages hold addresses. */
function failureOf(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no reason given'
  return new DeliveryFailure(`it could not be reached (${code})`, { cause: error })
}
