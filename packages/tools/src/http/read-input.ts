/** Owns reading the arguments of http_fetch: what is sent where, with which headers. Wrong ones are named. */
import { AdjutantError, type JsonObject, ownValue } from '@adjutant/core/contract'
import { optionalText, textField } from '../input-fields.ts'
import { canonicalText } from './canonical-url.ts'
import type { Outgoing } from './send-request.ts'

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export type HttpMethod = (typeof HTTP_METHODS)[number]

/** Said by the connection or the tool itself; another value would let two readers see two requests. */
const RESERVED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'expect',
  'accept-encoding',
  'http2-settings',
])
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
/** Visible ASCII, blanks, and letters of Latin-1: what a header may hold. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/
const MAX_HEADERS = 40
const ACCEPT =
  'text/html,application/xhtml+xml,application/json;q=0.9,application/xml;q=0.9,text/*;q=0.9,image/png,image/jpeg,image/webp,image/gif,*/*;q=0.5'

/** @throws AdjutantError INVALID_ARGUMENTS, UNSUPPORTED for another scheme than http and https */
export function readInput(input: JsonObject, methods: readonly HttpMethod[], userAgent: string): Outgoing {
  const url = canonicalText(textField(input, 'url'))
  const method = methodOf(optionalText(input, 'method') ?? 'GET', methods)
  const body = optionalText(input, 'body')
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new AdjutantError('INVALID_ARGUMENTS', `"body" cannot be sent with ${method}`, {
      hint: 'Put what is asked for into the address.',
    })
  }
  const given = headersOf(ownValue(input, 'headers'))
  const own: Record<string, string> = { 'user-agent': userAgent, accept: ACCEPT, 'accept-encoding': 'gzip, deflate, br' }
  if (body !== undefined) {
    own['content-type'] = looksLikeJson(body) ? 'application/json' : 'text/plain; charset=utf-8'
    own['content-length'] = String(Buffer.byteLength(body))
  }
  return { url, method, headers: { ...own, ...given }, body }
}

function methodOf(text: string, methods: readonly HttpMethod[]): HttpMethod {
  const upper = text.trim().toUpperCase()
  const found = methods.find((method) => method === upper)
  if (found === undefined) {
    throw new AdjutantError('INVALID_ARGUMENTS', `"method" must be one of ${methods.join(', ')}, got ${JSON.stringify(text.slice(0, 40))}`)
  }
  return found
}

function headersOf(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw new AdjutantError('INVALID_ARGUMENTS', '"headers" must be an object of texts')
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value)
  if (entries.length > MAX_HEADERS) throw new AdjutantError('INVALID_ARGUMENTS', `"headers" has more than ${MAX_HEADERS} members`)
  const headers: Record<string, string> = Object.create(null)
  for (const [name, text] of entries) {
    const lower = name.toLowerCase()
    if (!HEADER_NAME.test(name))
      throw new AdjutantError('INVALID_ARGUMENTS', `${JSON.stringify(name.slice(0, 100))} in "headers" is no name of a header`)
    if (RESERVED.has(lower)) throw new AdjutantError('INVALID_ARGUMENTS', `"headers" cannot set ${lower}: it is said by the connection`)
    if (typeof text !== 'string' || !HEADER_VALUE.test(text)) {
      throw new AdjutantError('INVALID_ARGUMENTS', `the header ${lower} must be a text on one line without special characters`)
    }
    if (lower in headers) throw new AdjutantError('INVALID_ARGUMENTS', `"headers" has ${lower} twice`)
    headers[lower] = text.trim()
  }
  return headers
}

function looksLikeJson(body: string): boolean {
  if (!/^\s*[[{]/.test(body)) return false
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}
