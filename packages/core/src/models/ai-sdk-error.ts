/**
 * Owns what an AI SDK model throws, or says in its stream, as one AdjutantError: with the provider's own words, the HTTP status where there is
 * one, and what to do. The SDK's error classes are known by their fields: they may come from any copy of the package.
 */
import { AdjutantError } from '../contract/errors.ts'
import { isPart, numberIn, stringIn } from './ai-sdk-parts.ts'
import { isTemporary, networkReason } from './model-error.ts'
import { oneLine, readErrorBody } from './provider-error-body.ts'

export interface AiSdkFault {
  readonly error: AdjutantError
  /** The same request may succeed a little later. */
  readonly temporary: boolean
  /** For the time to wait. */
  readonly headers?: Headers
  readonly retryAfterMs?: number | undefined
}

/** @param label the model, for people */
export function aiSdkFault(label: string, thrown: unknown): AiSdkFault {
  if (AdjutantError.isInstance(thrown)) return { error: thrown, temporary: thrown.code === 'MODEL_UNAVAILABLE' }
  const fields = isPart(thrown) ? thrown : {}
  const status = numberIn(fields, 'statusCode')
  const body = stringIn(fields, 'responseBody') ?? ''
  const said = readErrorBody(body)
  const words = oneLine(said.message || stringIn(fields, 'message') || networkReason(thrown))
  if (status === undefined) {
    // Without a status it is a connection that failed (which the SDK marks), or a fault in the request or the answer.
    const temporary = fields.isRetryable === true || isOverload(thrown)
    const error = new AdjutantError(temporary ? 'MODEL_UNAVAILABLE' : 'MODEL_FAILED', `${label}: ${words}`, { cause: thrown })
    return { error, temporary }
  }
  const headers = headersOf(fields.responseHeaders)
  const temporary = isTemporary({ status, headers, body })
  const error = new AdjutantError(temporary ? 'MODEL_UNAVAILABLE' : 'MODEL_FAILED', `${label} answered ${status}: ${words}`, {
    cause: thrown,
    ...(status === 401 || status === 403 ? { hint: 'Check the key that the AI SDK provider of this model was made with.' } : {}),
  })
  return { error, temporary, headers, retryAfterMs: said.retryAfterMs }
}

/** Errors in the middle of a stream are often plain objects, or text, as the provider sent them. */
function isOverload(thrown: unknown): boolean {
  const text =
    typeof thrown === 'string' ? thrown : isPart(thrown) ? JSON.stringify([thrown.type, thrown.code, thrown.status, thrown.error]) : ''
  return /overload|rate.?limit|unavailable|server_error|too.?many/i.test(text ?? '')
}

function headersOf(value: unknown): Headers {
  const headers = new Headers()
  if (!isPart(value)) return headers
  for (const [name, content] of Object.entries(value)) {
    if (typeof content !== 'string') continue
    try {
      headers.set(name, content)
    } catch {
      // A header that cannot be one says nothing about waiting.
    }
  }
  return headers
}
