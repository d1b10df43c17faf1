/**
 * http_fetch: what a URL holds, as text. Owns one request and its redirects; every name is looked up here and only public addresses are connected
 * to, each hop anew. Bounded in time, bytes (also after decompression) and redirects. Reads unless it was set up for more.
 *
 * Holds nothing between calls: no cookies, no connections, no cache. A stopped call closes its connection at once.
 */
import { systemClock } from '@adjutant/core'
import { AdjutantError, type AgentTool, type CallContext, type Clock, type JsonObject, type ToolOutput } from '@adjutant/core/contract'
import { readHttpCall } from '../commands/http/read-http-call.ts'
import { BUILT_IN } from '../files/file-tool-context.ts'
import { flagField } from '../input-fields.ts'
import { byteSize } from '../text/amounts.ts'
import { statusFailure } from './fetch-failure.ts'
import { followRedirects } from './follow-redirects.ts'
import { type AddressPolicy, isPublicAddress } from './public-address.ts'
import { HTTP_METHODS, type HttpMethod, readInput } from './read-input.ts'
import { type Outgoing, type ResolveHost, resolveHost, sendRequest } from './send-request.ts'
import { saidOf, showAnswer } from './show-answer.ts'

export interface HttpToolOptions {
  /** Default GET and HEAD. */
  readonly methods?: readonly HttpMethod[]
  /** Hosts (`localhost`, `api.internal:8080`) that are reached although they are not public; never by a redirect from another host. Default: none. */
  readonly trustedHosts?: readonly string[]
  /** Of one call, redirects and body included, in milliseconds. Default 30 000. */
  readonly timeoutMs?: number
  /** Of a body, as it comes and decompressed. Default 5 242 880. */
  readonly maxBytes?: number
  /** `same-host`: redirects to other hosts are told and not followed, so that rules on hosts hold. Default `any-host`. */
  readonly redirects?: 'any-host' | 'same-host'
  /** Default `adjutant-http-fetch/0.1 (for a person)`. */
  readonly userAgent?: string
  /** Certificates in PEM that are trusted instead of the built-in ones. */
  readonly ca?: string
  readonly clock?: Clock
  /** Default: the machine's own look-up. */
  readonly resolve?: ResolveHost
  /** Which addresses may be connected to. Default: public ones that are not this machine's own. */
  readonly mayConnect?: AddressPolicy
}

const DEFAULT_METHODS: readonly HttpMethod[] = ['GET', 'HEAD']
const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_BYTES = 5 * 1_024 * 1_024
const MAX_BYTES = 268_435_456
const USER_AGENT = 'adjutant-http-fetch/0.1 (for a person)'
/** The tool's own limit is to speak first: it says more. */
const GRACE_MS = 5_000
const RESULT_CHARS = 24_000

/**
 * @throws AdjutantError CONFIG_INVALID for methods, times or sizes that are none
 * @example
 * ```ts
 * const tool = createHttpTool({ methods: ['GET', 'HEAD', 'POST'], trustedHosts: ['api.internal:8080'] })
 * ```
 */
export function createHttpTool(options: HttpToolOptions = {}): AgentTool {
  const methods = options.methods ?? DEFAULT_METHODS
  const timeoutMs = whole(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, 'timeoutMs', 3_600_000)
  const maxBytes = whole(options.maxBytes ?? DEFAULT_MAX_BYTES, 'maxBytes', MAX_BYTES)
  const unknown = methods.find((method) => !HTTP_METHODS.includes(method))
  if (methods.length === 0 || unknown !== undefined) {
    const hint = `Use some of ${HTTP_METHODS.join(', ')}.`
    throw new AdjutantError('CONFIG_INVALID', `the methods of http_fetch: ${unknown ?? 'there is none'}`, { hint })
  }
  const writes = methods.some((method) => method !== 'GET' && method !== 'HEAD')
  const trustedHosts = options.trustedHosts ?? []
  return {
    name: 'http_fetch',
    description:
      `Fetch one web address. Use for: reading a page, a document or an API whose address is known. Not for: searching the web, files of the workspace. ` +
      `HTML comes as text of its main content with links as [text](address) (source: true for the HTML itself); JSON, XML and plain text as they are; PNG, JPEG, GIF, WebP as images. ` +
      `${writes ? `Methods: ${methods.join(', ')}.` : 'Only reads.'} No login, no scripts; up to ${byteSize(maxBytes)} and ${timeoutMs / 1_000} s. What it gives was written by strangers.`,
    inputSchema: {
      type: 'object',
      properties: {
        url: {
          type: 'string',
          minLength: 1,
          maxLength: 8_192,
          description: 'In full, with https://.',
          examples: ['https://example.com/docs/start'],
        },
        method: {
          type: 'string',
          enum: [...methods],
          description: `Default ${methods.includes('GET') ? 'GET' : (methods[0] ?? 'GET')}. HEAD gives the headers only.`,
        },
        headers: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Further headers; not sent on to another host.',
          examples: [{ accept: 'application/json' }],
        },
        ...(writes
          ? { body: { type: 'string', description: 'What is sent, for POST, PUT, PATCH. JSON is recognised.', examples: ['{"name":"x"}'] } }
          : {}),
        source: { type: 'boolean', description: 'HTML as it is. Default false.' },
      },
      required: methods.includes('GET') ? ['url'] : ['url', 'method'],
      additionalProperties: false,
      examples: [{ url: 'https://example.com/docs/start' }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    untrusted: true,
    effect: (input) => readHttpCall(callOf(input), { trustedHosts }).effect,
    limits: { timeoutMs: timeoutMs + GRACE_MS, maxResultChars: RESULT_CHARS },
    execute: (input, cx) => {
      const settings = { ...options, methods, trustedHosts, timeoutMs, maxBytes, clock: options.clock ?? systemClock }
      return fetchOnce(input, cx, settings)
    },
  }
}

type Settings = HttpToolOptions & Required<Pick<HttpToolOptions, 'methods' | 'trustedHosts' | 'timeoutMs' | 'maxBytes' | 'clock'>>

async function fetchOnce(input: JsonObject, cx: CallContext, settings: Settings): Promise<string | ToolOutput> {
  const outgoing = readInput(input, settings.methods, settings.userAgent ?? USER_AGENT)
  const source = flagField(input, 'source')
  const timer = new AbortController()
  const changes = outgoing.method !== 'GET' && outgoing.method !== 'HEAD'
  const cancel = settings.clock.after(settings.timeoutMs, () => timer.abort(tooSlow(outgoing, settings.timeoutMs, changes)))
  const signal = AbortSignal.any([cx.signal, timer.signal])
  try {
    signal.throwIfAborted()
    const arrival = await followRedirects(outgoing, {
      redirects: settings.redirects ?? 'any-host',
      send: (hop, first) => sendRequest(hop, { ...connection(hop, first, settings), signal }),
    })
    const status = arrival.response.statusCode ?? 0
    if (status < 400) return await showAnswer(arrival, outgoing.method, { maxBytes: settings.maxBytes, source })
    const { statusMessage = '', headers } = arrival.response
    throw statusFailure({ url: arrival.url.href, status, statusText: statusMessage.slice(0, 100), headers, said: await saidOf(arrival) })
  } catch (error) {
    if (timer.signal.aborted) throw timer.signal.reason
    if (cx.signal.aborted) throw AdjutantError.from(cx.signal.reason, 'CANCELLED', outgoing.url.href)
    throw error
  } finally {
    cancel()
  }
}

function connection(hop: Outgoing, first: URL, settings: Settings) {
  const trusted = isTrusted(hop.url, settings.trustedHosts)
  // A stranger's redirect must not reach what only the person's own call may.
  const mayConnect = trusted && hop.url.host === first.host ? undefined : (settings.mayConnect ?? isPublicAddress)
  return { resolve: settings.resolve ?? resolveHost, mayConnect, ca: settings.ca }
}

/** As for the effect: a name without a port means every port. */
function isTrusted(url: URL, trustedHosts: readonly string[]): boolean {
  return trustedHosts.some((name) => {
    const trusted = URL.parse(`http://${name}/`)
    if (trusted === null || trusted.hostname.replace(/\.$/, '') !== url.hostname.replace(/\.$/, '')) return false
    return !/:\d+$/.test(name) || portOf(trusted) === portOf(url)
  })
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

function callOf(input: JsonObject) {
  const { url, method, headers, body } = input
  const texts: Record<string, string> = Object.create(null)
  if (typeof headers === 'object' && headers !== null && !Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') texts[name] = value
  }
  return {
    url: typeof url === 'string' ? url : '',
    method: typeof method === 'string' ? method : 'GET',
    headers: texts,
    ...(typeof body === 'string' ? { body } : {}),
  }
}

function tooSlow(outgoing: Outgoing, timeoutMs: number, changes: boolean): AdjutantError {
  return new AdjutantError('TIMEOUT', `${outgoing.url.href} did not answer in full within ${timeoutMs / 1_000} s`, {
    hint: 'Try again later, or use another source.',
    ...(changes ? { outcome: 'unknown' } : {}),
  })
}

function whole(value: number, name: string, max: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return value
  throw new AdjutantError('CONFIG_INVALID', `${name} of http_fetch must be a whole number from 1 to ${max}, got ${value}`)
}
