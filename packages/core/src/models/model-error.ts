/**
 * Owns turning what a provider answers (or a network that does not) into one AdjutantError that says who said what, under which
 * request id, and what to do. Never lets the key through: some servers repeat it in their message.
 */
import { AdjutantError } from '../contract/errors.ts'
import type { Provider } from './provider.ts'
import { oneLine, type ProviderErrorBody, readErrorBody } from './provider-error-body.ts'

export interface HttpFault {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** True when the same request may succeed a little later. */
export function isTemporary(fault: HttpFault): boolean {
  const told = fault.headers.get('x-should-retry')
  if (told === 'true') return true
  if (told === 'false' || readErrorBody(fault.body).code === 'insufficient_quota') return false
  return fault.status === 408 || fault.status === 409 || fault.status === 425 || fault.status === 429 || fault.status >= 500
}

/** Milliseconds that the provider asks to wait, where the body says it (the headers are read elsewhere). */
export function toldInBody(fault: HttpFault): number | undefined {
  return readErrorBody(fault.body).retryAfterMs
}

/**
 * The error of an HTTP answer that is not 2xx.
 *
 * 401, 403, 404, 400 and other 4xx are MODEL_FAILED with what to set; 408, 409, 425, 429 and 5xx (529 too) MODEL_UNAVAILABLE.
 */
export function httpError(provider: Provider, fault: HttpFault): AdjutantError {
  const said = readErrorBody(fault.body)
  const requestId = said.requestId ?? fault.headers.get('x-request-id') ?? fault.headers.get('request-id') ?? undefined
  const words = said.message === '' ? 'without a message' : withoutKey(provider, said.message)
  const kind = said.code ?? said.type
  const details = [...(kind === undefined ? [] : [kind]), ...(requestId === undefined ? [] : [`request ${oneLine(requestId)}`])]
  const message = `${provider.label} answered ${fault.status}: ${words}${details.length === 0 ? '' : ` (${details.join(', ')})`}`
  if (isTemporary(fault)) {
    return new AdjutantError('MODEL_UNAVAILABLE', message, {
      hint: `The provider at ${provider.baseUrl} is busy or down; try again later.`,
    })
  }
  return new AdjutantError('MODEL_FAILED', message, { hint: hintFor(provider, fault.status, said) })
}

function hintFor(provider: Provider, status: number, said: ProviderErrorBody): string {
  const words = said.message.toLowerCase()
  if (said.page) return `That is a web page, not an API: check the address ${provider.baseUrl}.`
  if (said.code === 'insufficient_quota')
    return `The account of the key in ${provider.keyVariable} has no quota left: check its plan and billing.`
  if (status === 401 || said.code === 'API_KEY_INVALID' || (status === 403 && provider.apiKey === undefined)) {
    return provider.apiKey === undefined
      ? `The server wants a key: set ${provider.keyVariable}.`
      : `The key in ${provider.keyVariable} was not accepted: set a valid one for ${provider.baseUrl}.`
  }
  if (status === 403) return `The key in ${provider.keyVariable} may not use "${provider.modelName}": use another key or another model.`
  if (words.includes('v1/responses')) return `"${provider.modelName}" is not behind this API: use openai-responses:${provider.modelName}.`
  if (status === 404 || said.code === 'model_not_found') {
    const versioned = /\/v\d/.test(provider.baseUrl) ? '' : ' Most compatible servers have their API below /v1.'
    return `Check the model name "${provider.modelName}" and the address ${provider.baseUrl}.${versioned}`
  }
  if (
    status === 413 ||
    /too long|context (length|window)|too many (prompt_)?tokens|number of (input )?tokens|tokens exceeded/.test(words)
  ) {
    return `The conversation is longer than "${provider.modelName}" takes: start a new one, or use a model with a larger context.`
  }
  return `The request does not suit "${provider.modelName}": check the model name, or use a model that can call tools.`
}

/** The error of a connection that could not be made, or broke before an answer. */
export function networkError(provider: Provider, cause: unknown): AdjutantError {
  const reason = networkReason(cause)
  return new AdjutantError(
    'MODEL_UNAVAILABLE',
    `${provider.label}: no connection to ${provider.baseUrl} (${withoutKey(provider, reason)})`,
    {
      hint: `Check that a server is reachable at ${provider.baseUrl}.`,
      cause,
    },
  )
}

/** `fetch` says only "fetch failed"; what is wrong is in its causes. */
export function networkReason(cause: unknown): string {
  const said: string[] = []
  for (let error = cause, depth = 0; error instanceof Error && depth < 5; error = innerOf(error), depth++) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
    const message = error.message === '' ? code : error.message
    if (message !== undefined && message !== 'fetch failed' && message !== 'terminated') said.push(message)
  }
  return said.length === 0 ? (cause instanceof Error ? cause.message : String(cause)) : oneLine(said.join(': '))
}

function innerOf(error: Error): unknown {
  return error instanceof AggregateError && error.message === '' ? error.errors[0] : error.cause
}

export function withoutKey(provider: Provider, text: string): string {
  const key = provider.apiKey
  return key === undefined || key.length < 6 ? text : text.replaceAll(key, '•••')
}
