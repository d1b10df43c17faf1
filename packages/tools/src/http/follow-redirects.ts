/**
 * Owns redirects: each hop is a request of its own with all checks. At most {@link MAX_HOPS}; never from https to http; what was sent in the
 * name of one origin (headers, a body) does not go to another.
 */
import type { IncomingMessage } from 'node:http'
import { AdjutantError } from '@adjutant/core/contract'
import { forbidden } from './fetch-failure.ts'
import type { Outgoing } from './send-request.ts'

const MAX_HOPS = 5

export interface Arrival {
  readonly url: URL
  readonly response: IncomingMessage
  /** Redirects that were followed. */
  readonly hops: number
  /** Where the last answer leads, when it was not followed. */
  readonly leadsTo?: string
}

export interface RedirectOptions {
  /** `same-host`: a redirect to another host is told and not followed. */
  readonly redirects: 'any-host' | 'same-host'
  /** Sends one hop. `first` is the address of the call. */
  send(outgoing: Outgoing, first: URL): Promise<IncomingMessage>
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MAX_LOCATION = 8_192

/** @throws AdjutantError TOOL_FAILED for too many or malformed redirects, DENIED_BY_POLICY for https to http, and what `send` throws */
export async function followRedirects(start: Outgoing, options: RedirectOptions): Promise<Arrival> {
  let outgoing = start
  for (let hops = 0; ; hops += 1) {
    const response = await options.send(outgoing, start.url)
    const location = response.headers.location
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return { url: outgoing.url, response, hops }
    const next = nextHop(outgoing, response, location)
    if (next === undefined || (options.redirects === 'same-host' && next.url.host !== outgoing.url.host)) {
      return { url: outgoing.url, response, hops, leadsTo: leadsTo(outgoing.url, location) }
    }
    // Its connection is of no use any more; a body that never ends would hold it.
    response.destroy()
    if (hops === MAX_HOPS) {
      throw new AdjutantError(
        'TOOL_FAILED',
        `${start.url.href} redirects more than ${MAX_HOPS} times, last to ${next.url.href.slice(0, 300)}`,
        {
          hint: 'Fetch the last address, or another source.',
          grade: 'clarify',
        },
      )
    }
    outgoing = next
  }
}

/** Undefined when what was sent must not be sent there. */
function nextHop(from: Outgoing, response: IncomingMessage, location: string): Outgoing | undefined {
  try {
    return readHop(from, location, response.statusCode ?? 0)
  } catch (error) {
    response.destroy()
    throw error
  }
}

function readHop(from: Outgoing, location: string, status: number): Outgoing | undefined {
  const url = location.length > MAX_LOCATION ? null : URL.parse(bytesAsText(location), from.url.href)
  if (url !== null && url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw forbidden(`${from.url.href} redirects to ${url.protocol}, which is not fetched`)
  }
  if (url === null) {
    throw new AdjutantError('TOOL_FAILED', `${from.url.href} redirects to what is no address: ${JSON.stringify(location.slice(0, 200))}`, {
      hint: 'Use another source.',
    })
  }
  if (from.url.protocol === 'https:' && url.protocol === 'http:') {
    throw forbidden(`${from.url.href} redirects from https to http (${url.href.slice(0, 300)}), where everybody on the way can change it`)
  }
  if (url.hash === '') url.hash = from.url.hash
  url.username = ''
  url.password = ''
  const sameOrigin = url.origin === from.url.origin
  const reads = from.method === 'GET' || from.method === 'HEAD'
  if (reads) return { url, method: from.method, headers: sameOrigin ? from.headers : ownHeaders(from.headers), body: undefined }
  // RFC 9110 section 15.4: the answer to what was sent is elsewhere and is read from there.
  if (sameOrigin && (status === 303 || ((status === 301 || status === 302) && from.method === 'POST'))) {
    return { url, method: 'GET', headers: ownHeaders(from.headers), body: undefined }
  }
  return undefined
}

/** Those that the tool itself sends. */
function ownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => OWN_HEADERS.has(name)))
}

const OWN_HEADERS: ReadonlySet<string> = new Set(['user-agent', 'accept', 'accept-encoding', 'accept-language'])

function leadsTo(from: URL, location: string): string {
  return URL.parse(bytesAsText(location), from.href)?.href ?? location
}

/** Node gives headers as Latin-1; servers write addresses as UTF-8. */
function bytesAsText(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? header : text
}
