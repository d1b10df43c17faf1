/**
 * Owns what an HTTP request does, by its method and where it goes. The method says what it is meant to do; headers and members that
 * override it count as well, and of several the worst. A host that only this machine or network reaches makes it dangerous, whatever the
 * method. Pure; never throws; what cannot be read is dangerous. Names are not resolved and redirects not followed: see `hostKindOf`.
 */
import type { CommandPart, CommandReading, Effect } from '@adjutant/core/contract'
import { type GraphqlVerdict, graphqlEffect } from './graphql-effect.ts'
import { type HostKind, hostKindOf } from './host-kind.ts'

export interface HttpCall {
  /** In any case. Default: GET. */
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** As text, where it is known. Longer than 64 KiB: only its beginning is looked at for an overriding method. */
  readonly body?: string
}

export interface HttpReadOptions {
  /** Hosts (`localhost`, `10.0.0.7`, `api.internal:8080`) that are meant to be reached although they are not public. Default: none. */
  readonly trustedHosts?: readonly string[]
}

/** Offsets of the parts are into the URL as given. */
export interface HttpReading extends CommandReading {
  /** Upper case; `''` when it is none. */
  readonly method: string
  /** As browsers write it: punycode, decimal addresses, no dots to climb, no fragment, no password. Absent when the URL is none. */
  readonly url?: string
  /** Lower case, without the dot at its end. */
  readonly host?: string
  readonly port?: number
  readonly hostKind?: HostKind
}

const MAX_URL_CHARS = 65_536
const MAX_BODY_CHARS = 65_536
const METHOD = /^[A-Za-z][A-Za-z-]{0,30}$/

const EFFECTS: ReadonlyMap<string, Effect> = new Map([
  ['GET', 'read'],
  ['HEAD', 'read'],
  ['OPTIONS', 'read'],
  ['POST', 'write'],
  ['PUT', 'write'],
  ['PATCH', 'write'],
  ['DELETE', 'dangerous'],
])
const OVERRIDES: ReadonlySet<string> = new Set(['x-http-method-override', 'x-http-method', 'x-method-override', 'x-original-method'])

const HOST_REASONS: Readonly<Record<Exclude<HostKind, 'public'>, string>> = {
  loopback: 'reaches this machine',
  'link-local': 'reaches the local link',
  metadata: 'reaches a service that hands out credentials of the machine',
  private: 'reaches the own network',
  reserved: 'reaches an address that is no public host',
}

interface Verdict {
  readonly effect: Effect
  readonly reason: string
}

/**
 * @example
 * ```ts
 * readHttpCall({ method: 'GET', url: 'http://0xa9fea9fe/latest/meta-data' })
 * // { effect: 'dangerous', host: '169.254.169.254', hostKind: 'metadata', … }
 * ```
 */
export function readHttpCall(call: HttpCall, options: HttpReadOptions = {}): HttpReading {
  const given = typeof call.url === 'string' ? call.url : ''
  const method = typeof (call.method ?? 'GET') === 'string' ? (call.method ?? 'GET').trim().toUpperCase() : ''
  const verdicts: Verdict[] = []
  const url = given.length > MAX_URL_CHARS ? undefined : parsed(given)
  const headers = headersOf(call.headers)
  verdicts.push(judgeMethod(method, url, headers, call.body))
  for (const name of overridesOf(headers, url, call.body)) verdicts.push(overridden(name))
  if (url === undefined) {
    verdicts.push(
      dangerous(given.length > MAX_URL_CHARS ? `the address is longer than ${MAX_URL_CHARS} characters` : 'the address is no URL'),
    )
    return { ...readingOf(verdicts, given), method }
  }
  const host = url.hostname.replace(/\.$/, '')
  const hostKind = hostKindOf(url.hostname)
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') verdicts.push(dangerous(`${url.protocol} is not HTTP`))
  else if (hostKind !== 'public' && !isTrusted(host, port, options.trustedHosts ?? []))
    verdicts.push(dangerous(`${host} ${HOST_REASONS[hostKind]}`))
  if (url.username !== '' || url.password !== '') verdicts.push(dangerous('the address carries a user name before the host'))
  const asked = headers.get('host')
  if (asked?.some((name) => hostOf(name) !== host) === true) verdicts.push(dangerous('its Host header names another host than the address'))
  url.username = ''
  url.password = ''
  url.hash = ''
  return { ...readingOf(verdicts, given), method, url: url.href, host, port, hostKind }
}

function judgeMethod(
  method: string,
  url: URL | undefined,
  headers: ReadonlyMap<string, readonly string[]>,
  body: string | undefined,
): Verdict {
  const effect = METHOD.test(method) ? EFFECTS.get(method) : undefined
  if (effect === undefined) return dangerous(`${JSON.stringify(method.slice(0, 40))} is a method that is not known`)
  const asGraphql = url === undefined ? undefined : graphqlOf(method, url, headers, body)
  if (asGraphql !== undefined) return { effect: asGraphql.effect, reason: `${method} ${asGraphql.reason}` }
  return {
    effect,
    reason: effect === 'read' ? `${method} only reads` : effect === 'write' ? `${method} changes something` : `${method} deletes something`,
  }
}

/** Only where the address says that it is GraphQL: anything may be called `query` in a body. */
function graphqlOf(
  method: string,
  url: URL,
  headers: ReadonlyMap<string, readonly string[]>,
  body: string | undefined,
): GraphqlVerdict | undefined {
  const contentType = headers.get('content-type')?.join(' ').toLowerCase() ?? ''
  const declared = /\bapplication\/graphql\b/.test(contentType)
  if (!declared && !/(?:^|\/)(?:graphql|gql)(?:\/|$)/i.test(url.pathname)) return undefined
  if (method === 'GET') {
    const query = url.searchParams.get('query')
    const verdict = query === null ? undefined : graphqlEffect(query)
    return verdict === undefined || verdict.effect === 'read' ? undefined : verdict
  }
  if (method !== 'POST' || body === undefined || body.length > MAX_BODY_CHARS) return undefined
  if (declared && !/json/.test(contentType)) return graphqlEffect(body)
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  const requests: readonly unknown[] = Array.isArray(value) ? value : [value]
  let worst: GraphqlVerdict | undefined
  for (const request of requests) {
    const query = typeof request === 'object' && request !== null && 'query' in request ? request.query : undefined
    const verdict = typeof query === 'string' ? graphqlEffect(query) : undefined
    if (verdict === undefined) return undefined
    if (worst === undefined || rank(verdict.effect) > rank(worst.effect)) worst = verdict
  }
  return worst
}

function overridesOf(headers: ReadonlyMap<string, readonly string[]>, url: URL | undefined, body: string | undefined): readonly string[] {
  const found: string[] = []
  for (const [name, values] of headers) if (OVERRIDES.has(name)) found.push(...values)
  for (const [name, value] of url?.searchParams ?? []) if (/^(?:_method|x-http-method-override|_httpmethod)$/i.test(name)) found.push(value)
  const member = /(?:^|[&{,\s"])_method"?\s{0,8}[=:]\s{0,8}"?([A-Za-z-]{1,31})/.exec((body ?? '').slice(0, MAX_BODY_CHARS))?.[1]
  if (member !== undefined) found.push(member)
  return found
}

function overridden(given: string): Verdict {
  const name = given.trim().toUpperCase()
  const effect = EFFECTS.get(name)
  if (effect === undefined) return dangerous(`its method is overridden by ${JSON.stringify(name.slice(0, 40))}, which is not known`)
  return { effect, reason: `its method is overridden by ${name}` }
}

/** Names in lower case; entries that are no text are left out. */
function headersOf(given: HttpCall['headers']): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>()
  for (const [name, value] of Object.entries(given ?? {})) {
    const values = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
    const lower = name.trim().toLowerCase()
    const known = headers.get(lower)
    if (known === undefined) headers.set(lower, values)
    else known.push(...values)
  }
  return headers
}

function parsed(given: string): URL | undefined {
  const url = URL.parse(given)
  return url === null || url.hostname === '' ? (url?.protocol === 'file:' ? url : undefined) : url
}

function hostOf(authority: string): string {
  return (URL.parse(`http://${authority.trim()}/`)?.hostname ?? '').replace(/\.$/, '')
}

function isTrusted(host: string, port: number, trusted: readonly string[]): boolean {
  return trusted.some((name) => {
    const url = URL.parse(`http://${name}/`)
    if (url === null || url.hostname.replace(/\.$/, '') !== host) return false
    // Without a port: every port.
    return !/:\d+$/.test(name) || Number(url.port === '' ? 80 : url.port) === port
  })
}

function readingOf(verdicts: readonly Verdict[], given: string): CommandReading {
  const worstFirst = verdicts.toSorted((one, other) => rank(other.effect) - rank(one.effect))
  const [worst] = worstFirst
  const effect = worst?.effect ?? 'dangerous'
  const parts: readonly CommandPart[] = [{ start: 0, end: given.length, effect, reason: worst?.reason ?? '' }]
  // What a read is read for says nothing beside a worse reason.
  const reasons = worstFirst.filter((verdict) => verdict.effect !== 'read' || effect === 'read').map(({ reason }) => reason)
  return { effect, reasons: [...new Set(reasons)], parts }
}

function rank(effect: Effect): number {
  return effect === 'read' ? 0 : effect === 'write' ? 1 : 2
}

function dangerous(reason: string): Verdict {
  return { effect: 'dangerous', reason }
}
