/**
 * Owns where the service is and who asks: addresses, domain, key. Options win over the variables of the environment that was given.
 * Refuses keys and addresses that cannot be sent, without ever showing a key.
 */
import { AdjutantError } from '@adjutant/core/contract'

/** Where boxes are served behind one address and chosen by headers. */
const SHARED_DOMAINS: readonly string[] = ['e2b.app', 'e2b.dev', 'e2b.pro']
const DEFAULT_DOMAIN = 'e2b.app'
export const ENVD_PORT = 49_983
export const INTERPRETER_PORT = 49_999

export interface E2bConnectionOptions {
  /** `E2B_API_KEY`. Needed for the service itself; a self-hosted one may go without. */
  readonly apiKey?: string
  /** `E2B_DOMAIN`. Default `e2b.app`. */
  readonly domain?: string
  /** `E2B_API_URL`. Default `https://api.DOMAIN`. */
  readonly apiUrl?: string
  /** `E2B_SANDBOX_URL`: one address for all boxes, which are chosen by headers. Default: the service's own way. */
  readonly sandboxUrl?: string
  /** `E2B_DEBUG`: everything on this machine, `http://localhost:3000` and `http://localhost:PORT`. Default false. */
  readonly debug?: boolean
  /** `E2B_VALIDATE_API_KEY`: a key for the service itself must begin with `e2b_`. Default true. */
  readonly validateApiKey?: boolean
  /** Where the variables above are looked up. Default: nowhere. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** One box, as the service names it. */
export interface RemoteBox {
  readonly id: string
  readonly domain?: string
  readonly envdVersion: string
  readonly accessToken?: string
  readonly trafficToken?: string
}

export interface E2bConnection {
  readonly apiUrl: string
  readonly apiKey?: string
  /** True for the service itself, false for a self-hosted one. */
  readonly hosted: boolean
  /** Why nothing can be sent yet, e.g. no key. */
  readonly missing?: string
  /** Without a slash at its end. */
  boxUrl(box: RemoteBox, port: number): string
}

/** @throws AdjutantError CONFIG_INVALID */
export function e2bConnection(options: E2bConnectionOptions): E2bConnection {
  const env = options.env ?? {}
  const apiKey = options.apiKey ?? nonEmpty(env.E2B_API_KEY)
  const domain = options.domain ?? nonEmpty(env.E2B_DOMAIN) ?? DEFAULT_DOMAIN
  const debug = options.debug ?? env.E2B_DEBUG?.toLowerCase() === 'true'
  const validate = options.validateApiKey ?? env.E2B_VALIDATE_API_KEY?.toLowerCase() !== 'false'
  const given = options.apiUrl ?? nonEmpty(env.E2B_API_URL)
  const sandboxUrl = options.sandboxUrl ?? nonEmpty(env.E2B_SANDBOX_URL)
  if (apiKey !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(apiKey)) {
    throw invalid('apiKey (E2B_API_KEY) holds what cannot be sent in a header, e.g. a space or a line break')
  }
  if (!isHost(domain)) throw invalid(`domain (E2B_DOMAIN) is ${shown(domain)} and must be a host name like ${DEFAULT_DOMAIN}`)
  const apiUrl = address('apiUrl (E2B_API_URL)', given ?? (debug ? 'http://localhost:3000' : `https://api.${domain}`))
  const shared = sandboxUrl === undefined ? undefined : address('sandboxUrl (E2B_SANDBOX_URL)', sandboxUrl)
  const hosted = given === undefined && !debug && SHARED_DOMAINS.includes(domain)
  const missing = !hosted
    ? undefined
    : apiKey === undefined
      ? 'no key is given'
      : validate && !apiKey.startsWith('e2b_')
        ? 'the key does not begin with e2b_'
        : undefined
  return {
    apiUrl,
    ...(apiKey === undefined ? {} : { apiKey }),
    hosted,
    ...(missing === undefined ? {} : { missing }),
    boxUrl(box, port) {
      if (shared !== undefined) return shared
      if (debug) return `http://localhost:${port}`
      const at = box.domain ?? domain
      // The interpreter has no shared address: only what is served by the box's own daemon is.
      if (port === ENVD_PORT && SHARED_DOMAINS.includes(at)) return `https://sandbox.${at}`
      return `https://${port}-${box.id}.${at}`
    },
  }
}

/** A host name, with a port where one is given. */
export function isHost(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})(?::\d{1,5})?$/.test(text)
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text
}

function address(name: string, text: string): string {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalid(`${name} is no http or https address`)
  }
  // Would end in messages of whoever fetches it.
  if (url.username !== '' || url.password !== '') throw invalid(`${name} holds a name or a password; give the key as apiKey`)
  if (url.search !== '' || url.hash !== '') throw invalid(`${name} must have no ? and no #`)
  return url.href.replace(/\/$/, '')
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}

function invalid(why: string): AdjutantError {
  return new AdjutantError('CONFIG_INVALID', `e2b: ${why}`)
}
