/**
 * Owns reading the error bodies of providers and of what stands before them (gateways, proxies): JSON in several forms, HTML
 * pages, plain text, nothing. What it gives is one readable line, bounded, without control characters: it is shown in terminals.
 */
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'

export interface ProviderErrorBody {
  /** What the provider says, one line; empty when it says nothing. */
  readonly message: string
  /** e.g. `rate_limit_error`, `invalid_request_error`. */
  readonly type?: string
  /** e.g. `model_not_found`, `insufficient_quota`. */
  readonly code?: string
  readonly requestId?: string
  /** Milliseconds after which to ask again, where the body says so. */
  readonly retryAfterMs?: number
  /** It was a web page: most often a wrong address or a proxy in between. */
  readonly page: boolean
}

const MESSAGE_LIMIT = 1_000

/**
 * Reads an error body of any form.
 *
 * @example
 * ```ts
 * readErrorBody('{"error":{"message":"invalid x-api-key","type":"authentication_error"}}').message // 'invalid x-api-key'
 * ```
 */
export function readErrorBody(body: string): ProviderErrorBody {
  const text = body.trim()
  if (text === '') return { message: '', page: false }
  const json = parse(text)
  if (json !== undefined) return fromJson(json) ?? { message: oneLine(text), page: false }
  if (looksLikePage(text)) return { message: pageText(text), page: true }
  return { message: oneLine(text), page: false }
}

/** True for HTML, whatever the content type says. */
function looksLikePage(text: string): boolean {
  return /^\s*(?:<!doctype html|<html|<head|<body|<center|<h1)/i.test(text.slice(0, 1_000).replace(/<!--.*?-->/gs, ''))
}

function fromJson(value: JsonValue): ProviderErrorBody | undefined {
  const whole = Array.isArray(value) ? value.find(isJsonObject) : value
  if (typeof whole === 'string') return { message: oneLine(whole), page: false }
  if (!isJsonObject(whole)) return undefined
  const nested = ownValue(whole, 'error')
  const error = isJsonObject(nested) ? nested : whole
  const said = typeof nested === 'string' ? nested : messageOf(error)
  if (said === undefined) return undefined
  const type = textOf(error, 'type') ?? textOf(error, 'status')
  const details = detailsOf(error)
  const code = textOf(error, 'code') ?? details.reason
  const requestId = textOf(whole, 'request_id')
  return {
    message: oneLine([said, ...further(error, said)].join(': ')),
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(details.retryAfterMs === undefined ? {} : { retryAfterMs: details.retryAfterMs }),
    page: false,
  }
}

function messageOf(error: JsonObject): string | undefined {
  const plain = textOf(error, 'message') ?? textOf(error, 'detail') ?? textOf(error, 'error_description') ?? textOf(error, 'title')
  if (plain !== undefined) return plain
  const list = ownValue(error, 'detail') ?? ownValue(error, 'errors')
  if (!Array.isArray(list)) return undefined
  const said = list
    .map((item: JsonValue) => (typeof item === 'string' ? item : isJsonObject(item) ? listed(item) : ''))
    .filter((item) => item !== '')
  return said.length === 0 ? undefined : said.join('; ')
}

/** One entry of a validation list: `{ loc: ['body', 'messages', 0], msg: 'field required' }`. */
function listed(item: JsonObject): string {
  const said = textOf(item, 'msg') ?? textOf(item, 'message') ?? ''
  const place = ownValue(item, 'loc')
  return Array.isArray(place) && said !== '' ? `${place.join('.')}: ${said}` : said
}

/** What a router or a tool-call check adds and without which the message alone says little. */
function further(error: JsonObject, said: string): string[] {
  const found: string[] = []
  const metadata = ownValue(error, 'metadata')
  const raw = isJsonObject(metadata) ? textOf(metadata, 'raw') : undefined
  if (raw !== undefined) {
    const inner = parse(raw)
    found.push(inner === undefined ? raw : (fromJson(inner)?.message ?? raw))
  }
  const generation = textOf(error, 'failed_generation')
  if (generation !== undefined) found.push(`the model wrote ${generation}`)
  return found.filter((text) => text !== '' && !said.includes(text))
}

/** The `details` of a google.rpc status: a list of typed objects. */
function detailsOf(error: JsonObject): { readonly reason?: string; readonly retryAfterMs?: number } {
  const list = ownValue(error, 'details')
  if (!Array.isArray(list)) return {}
  const details = list.filter(isJsonObject)
  const ofType = (name: string): JsonObject | undefined =>
    details.find((detail) => textOf(detail, '@type')?.endsWith(`/google.rpc.${name}`))
  const reason = textOf(ofType('ErrorInfo') ?? {}, 'reason')
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(ofType('RetryInfo') ?? {}, 'retryDelay') ?? '')?.[1]
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(seconds === undefined ? {} : { retryAfterMs: Math.ceil(Number(seconds) * 1_000) }),
  }
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = ownValue(object, key)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function pageText(html: string): string {
  const part = html.slice(0, 100_000)
  const title = /<title[^>]*>([^<]*)<\/title/i.exec(part)?.[1]
  if (title !== undefined && title.trim() !== '') return oneLine(title)
  return oneLine(part.replace(/<(script|style)\b.*?<\/\1>/gis, ' ').replace(/<[^>]*>/g, ' '))
}

function parse(text: string): JsonValue | undefined {
  if (!/^[[{"]/.test(text)) return undefined
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** One line, no control characters, at most 1 000 characters, never cut inside one. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, MESSAGE_LIMIT * 4)
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g, ' ')
    .trim()
  return line.length > MESSAGE_LIMIT ? `${line.slice(0, MESSAGE_LIMIT).toWellFormed()}…` : line.toWellFormed()
}
