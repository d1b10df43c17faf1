/**
 * Owns the HTTP exchange of one model request: sends it, tries again while nothing of an answer has come (at most twice), watches
 * for silence, and gives the bytes of the answer. Refuses redirects (the key would travel on) and web pages.
 *
 * Every way out (the end, an error, an abort, a consumer that stops reading) closes the socket.
 */
import { AdjutantError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Clock } from '../contract/ports.ts'
import { type HttpFault, httpError, isTemporary, networkError, networkReason, toldInBody, withoutKey } from './model-error.ts'
import type { Provider } from './provider.ts'
import { LONGEST_WAIT, retryDelay } from './retry-delay.ts'
import { waited } from './waited.ts'

export interface Transport {
  readonly clock: Clock
  readonly fetch: typeof globalThis.fetch
  /** Milliseconds without a byte after which an answer counts as broken. Default 120 000. */
  readonly stallMs: number
  /** Further attempts after the first, before the first byte of an answer. Default 2. */
  readonly retries: number
}

export interface OutgoingRequest {
  /** Below the provider's base URL, e.g. `/chat/completions`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
}

/** An error body is read up to here; what comes after says nothing more. */
const ERROR_BODY_LIMIT = 64 * 1024

/**
 * Sends the request and gives the bytes of a 2xx answer.
 *
 * @throws AdjutantError MODEL_FAILED (4xx, redirect, web page), MODEL_UNAVAILABLE (network, 429, 5xx, silence before an answer),
 * CANCELLED; while reading also STREAM_BROKEN (the connection broke, or nothing came for `stallMs`)
 */
export async function openAnswer(
  provider: Provider,
  request: OutgoingRequest,
  transport: Transport,
  signal: AbortSignal,
): Promise<AsyncGenerator<Uint8Array, void, void>> {
  const text = JSON.stringify(request.body)
  for (let attempt = 0; ; attempt++) {
    if (signal.aborted) throw cancelled(provider)
    const connection = new Connection(provider, transport, signal)
    const outcome = await attemptOnce(provider, request, text, transport, connection)
    if (outcome.type === 'answer') return connection.bytes(outcome.response)
    connection.close()
    const delay =
      outcome.retry && attempt < transport.retries
        ? retryDelay(outcome.headers, attempt, transport.clock.now(), outcome.retryAfterMs)
        : undefined
    if (delay === undefined) {
      const tooLong = outcome.retry && attempt < transport.retries
      throw tooLong ? withHint(outcome.error, `It asks to wait more than ${LONGEST_WAIT / 1_000} seconds; try again later.`) : outcome.error
    }
    if (!(await waited(delay, transport.clock, signal))) throw cancelled(provider)
  }
}

type Attempt =
  | { readonly type: 'answer'; readonly response: Response }
  | {
      readonly type: 'fault'
      readonly error: AdjutantError
      readonly retry: boolean
      readonly headers?: Headers
      readonly retryAfterMs?: number | undefined
    }

async function attemptOnce(
  provider: Provider,
  request: OutgoingRequest,
  text: string,
  transport: Transport,
  connection: Connection,
): Promise<Attempt> {
  let response: Response
  try {
    response = await connection.guard(
      transport.fetch(`${provider.baseUrl}${request.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream, application/json', ...request.headers },
        body: text,
        redirect: 'manual',
        signal: connection.signal,
      }),
    )
  } catch (cause) {
    const known = connection.reasonBefore()
    return known === undefined
      ? { type: 'fault', error: networkError(provider, cause), retry: true }
      : { type: 'fault', error: known, retry: false }
  }
  if (response.status >= 300 && response.status < 400) return { type: 'fault', error: redirected(provider, response), retry: false }
  if (!response.ok) return refused(provider, response, connection)
  if (response.headers.get('content-type')?.includes('html') !== true) return { type: 'answer', response }
  const page = await connection.text(response)
  return { type: 'fault', error: httpError(provider, faultOf(response, page)), retry: false }
}

async function refused(provider: Provider, response: Response, connection: Connection): Promise<Attempt> {
  const fault = faultOf(response, await connection.text(response))
  const cancelledMeanwhile = connection.cancelled()
  if (cancelledMeanwhile !== undefined) return { type: 'fault', error: cancelledMeanwhile, retry: false }
  return {
    type: 'fault',
    error: httpError(provider, fault),
    retry: isTemporary(fault),
    headers: response.headers,
    retryAfterMs: toldInBody(fault),
  }
}

function faultOf(response: Response, body: string): HttpFault {
  return { status: response.status, headers: response.headers, body: body === '' ? response.statusText : body }
}

function redirected(provider: Provider, response: Response): AdjutantError {
  const target = response.headers.get('location') ?? 'elsewhere'
  return new AdjutantError(
    'MODEL_FAILED',
    `${provider.label} answered ${response.status}: ${provider.baseUrl} redirects to ${target.slice(0, 300)}`,
    {
      hint: 'Redirects are not followed, because the key would go along: name the final address.',
    },
  )
}

function withHint(error: AdjutantError, hint: string): AdjutantError {
  return new AdjutantError(error.code, error.message, { hint, cause: error })
}

export function cancelled(provider: Provider): AdjutantError {
  return new AdjutantError('CANCELLED', `the request to ${provider.label} was cancelled`)
}

/** One socket's life: joined to the caller's signal and to the watchdog. */
class Connection {
  readonly #provider: Provider
  readonly #clock: Clock
  readonly #stallMs: number
  readonly #outer: AbortSignal
  readonly #controller = new AbortController()
  readonly #onAbort = (): void => this.#controller.abort()
  #stalled = false

  constructor(provider: Provider, transport: Transport, outer: AbortSignal) {
    this.#provider = provider
    this.#clock = transport.clock
    this.#stallMs = transport.stallMs
    this.#outer = outer
    outer.addEventListener('abort', this.#onAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  close(): void {
    this.#outer.removeEventListener('abort', this.#onAbort)
    this.#controller.abort()
  }

  /** Waits for `work` under the watchdog. */
  async guard<T>(work: Promise<T>): Promise<T> {
    const disarm = this.#clock.after(this.#stallMs, () => {
      this.#stalled = true
      this.#controller.abort()
    })
    try {
      return await work
    } finally {
      disarm()
    }
  }

  cancelled(): AdjutantError | undefined {
    return this.#outer.aborted ? cancelled(this.#provider) : undefined
  }

  /** Why it ended before an answer, where that is known. */
  reasonBefore(): AdjutantError | undefined {
    if (this.#outer.aborted) return cancelled(this.#provider)
    if (!this.#stalled) return undefined
    const message = `${this.#provider.label}: no answer within ${this.#stallMs / 1_000} seconds`
    return new AdjutantError('MODEL_UNAVAILABLE', message, {
      hint: `Check that the server at ${this.#provider.baseUrl} works; try again later.`,
    })
  }

  /** The text of an error body, up to a limit; empty when it cannot be read. */
  async text(response: Response): Promise<string> {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const chunk of this.bytes(response)) {
        text += decoder.decode(chunk, { stream: true })
        if (text.length > ERROR_BODY_LIMIT) break
      }
    } catch {
      // The status alone has to do.
    }
    return text
  }

  async *bytes(response: Response): AsyncGenerator<Uint8Array, void, void> {
    const reader = response.body?.getReader()
    try {
      for (;;) {
        const read = reader === undefined ? undefined : await this.guard(reader.read())
        if (read?.value === undefined) return
        yield read.value
      }
    } catch (cause) {
      throw this.#broken(cause)
    } finally {
      this.close()
    }
  }

  #broken(cause: unknown): AdjutantError {
    if (this.#outer.aborted) return cancelled(this.#provider)
    if (this.#stalled) {
      const silence = `${this.#provider.label}: the answer stopped; nothing came for ${this.#stallMs / 1_000} seconds`
      return new AdjutantError('STREAM_BROKEN', silence)
    }
    const reason = withoutKey(this.#provider, networkReason(cause))
    return new AdjutantError('STREAM_BROKEN', `${this.#provider.label}: the connection broke in the middle of the answer (${reason})`, {
      cause,
    })
  }
}
