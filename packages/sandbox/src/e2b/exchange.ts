/**
 * Owns one request to the service: its time, its retries, how much of an answer is read, and what is said when it fails. Retried is what may
 * be sent twice, and what was refused before it began (429). Refuses redirections: a key goes to nobody but whom it was given for.
 * Keys are taken out of every message.
 */
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import { parseJson, recordOf, textOf } from './json-value.ts'

const MAX_ANSWER_BYTES = 16 << 20
const ATTEMPTS = 3
const FIRST_WAIT_MS = 200
/** Whoever asks for more patience than this is not waited for. */
const LONGEST_WAIT_MS = 30_000

export interface ExchangeRequest {
  /** For messages, e.g. `making a box`. */
  readonly what: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A form is made anew for each attempt. */
  readonly body?: string | Uint8Array<ArrayBuffer> | (() => FormData)
  readonly signal?: AbortSignal
  /** Milliseconds until the answer has come; for a stream, until it begins. */
  readonly timeoutMs: number
  /** May be sent twice. */
  readonly idempotent: boolean
  /** Who failed when nobody answers. */
  readonly code: 'SANDBOX_UNAVAILABLE' | 'SANDBOX_FAILED'
  /** Answers after which it is sent again, where it may be. */
  readonly retryStatus: readonly number[]
  /** Default 3. */
  readonly attempts?: number
  /** Bytes of the answer. Default 16 777 216. */
  readonly maxBytes?: number
}

export interface Answer {
  readonly status: number
  readonly ok: boolean
  readonly bytes: Buffer
  /** Seconds that the service asks to wait. */
  readonly retryAfter?: number
}

export interface AnswerStream {
  readonly status: number
  readonly ok: boolean
  readonly body: AsyncIterable<Uint8Array>
}

export class Exchange {
  readonly #clock: Clock
  readonly #secrets = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Never shown from now on. */
  hide(secret: string | undefined): void {
    if (secret !== undefined && secret !== '') this.#secrets.add(secret)
  }

  unhide(secret: string | undefined): void {
    if (secret !== undefined) this.#secrets.delete(secret)
  }

  /** The whole answer, whatever its status. @throws AdjutantError CANCELLED, TOO_LARGE, or the request's code when there is none */
  async send(request: ExchangeRequest): Promise<Answer> {
    return this.#repeat(request, async () => {
      await using timed = this.#timed(request)
      const response = await timed.fetch()
      const bytes = await timed.read(response, request.maxBytes ?? MAX_ANSWER_BYTES)
      const retryAfter = this.#retryAfter(response)
      return { status: response.status, ok: response.ok, bytes, ...(retryAfter === undefined ? {} : { retryAfter }) }
    })
  }

  /** An answer that is read as it comes; the request's time ends when it begins, its signal ends it always. */
  async open(request: ExchangeRequest): Promise<AnswerStream> {
    const timed = this.#timed(request)
    try {
      const response = await timed.fetch()
      timed.untime()
      return { status: response.status, ok: response.ok, body: timed.chunks(response) }
    } catch (error) {
      await timed[Symbol.asyncDispose]()
      throw error
    }
  }

  /** What an answer says went wrong, without secrets and not longer than a person reads. */
  said(bytes: Uint8Array): string {
    const text = Buffer.from(bytes.subarray(0, 4_096)).toString('utf8')
    const record = recordOf(parseJson(text))
    return this.clean(textOf(record.message) ?? text)
  }

  clean(text: string): string {
    let clean = text
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '[hidden]')
    clean = clean.replace(/[\p{Cc}\s]+/gu, ' ').trim()
    return clean.length > 300 ? `${clean.slice(0, 300)}…` : clean
  }

  async #repeat(request: ExchangeRequest, attempt: () => Promise<Answer>): Promise<Answer> {
    const most = request.attempts ?? ATTEMPTS
    for (let made = 1; ; made += 1) {
      const backoff = FIRST_WAIT_MS * 2 ** (made - 1)
      let wait: number | undefined
      try {
        const answer = await attempt()
        const again = answer.status === 429 || (request.idempotent && request.retryStatus.includes(answer.status))
        wait = (answer.retryAfter ?? 0) * 1_000 || (answer.retryAfter === undefined ? backoff : 0)
        if (!again || made >= most || wait > LONGEST_WAIT_MS) return answer
      } catch (error) {
        if (!AdjutantError.isInstance(error) || error.code !== request.code || !request.idempotent || made >= most) throw error
        wait = backoff
      }
      await this.#wait(wait, request)
    }
  }

  #wait(ms: number, request: ExchangeRequest): Promise<void> {
    const { signal } = request
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        take()
        reject(cancelled(request))
      }
      const take = this.#clock.after(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      if (signal?.aborted === true) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    })
  }

  #retryAfter(response: Response): number | undefined {
    const text = response.headers.get('retry-after')
    if (text === null) return undefined
    if (/^\d{1,9}$/.test(text)) return Number(text)
    const date = Date.parse(text)
    return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - this.#clock.now()) / 1_000))
  }

  #timed(request: ExchangeRequest): TimedFetch {
    return new TimedFetch(request, this.#clock, (text) => this.clean(text))
  }
}

/** One fetch under a deadline and a signal, both of which also end the reading of its body. */
class TimedFetch implements AsyncDisposable {
  readonly #request: ExchangeRequest
  readonly #clean: (text: string) => string
  readonly #abort = new AbortController()
  readonly #untime: () => void
  #late = false
  readonly #stop = (): void => this.#abort.abort()

  constructor(request: ExchangeRequest, clock: Clock, clean: (text: string) => string) {
    this.#request = request
    this.#clean = clean
    this.#untime = clock.after(request.timeoutMs, () => {
      this.#late = true
      this.#abort.abort()
    })
    if (request.signal?.aborted === true) this.#abort.abort()
    else request.signal?.addEventListener('abort', this.#stop, { once: true })
  }

  untime(): void {
    this.#untime()
  }

  async fetch(): Promise<Response> {
    const { method, url, headers, body } = this.#request
    try {
      return await fetch(url, {
        method,
        headers,
        redirect: 'error',
        signal: this.#abort.signal,
        ...(body === undefined ? {} : { body: typeof body === 'function' ? body() : body }),
      })
    } catch (error) {
      throw this.#failed(error)
    }
  }

  async read(response: Response, most: number): Promise<Buffer> {
    const pieces: Uint8Array[] = []
    let length = 0
    for await (const piece of this.chunks(response)) {
      pieces.push(piece)
      length += piece.length
      if (length > most) throw new AdjutantError('TOO_LARGE', `e2b: ${this.#request.what}: the answer has more than ${most} bytes`)
    }
    return Buffer.concat(pieces, length)
  }

  async *chunks(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
    const { body } = response
    try {
      if (body === null) return
      for await (const piece of body) yield piece
    } catch (error) {
      throw this.#failed(error)
    } finally {
      await this[Symbol.asyncDispose]()
    }
  }

  /** Also gives up what was not read, so that no connection is held. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#untime()
    this.#request.signal?.removeEventListener('abort', this.#stop)
    this.#abort.abort()
    return Promise.resolve()
  }

  #failed(error: unknown): AdjutantError {
    const { signal, code, what, timeoutMs } = this.#request
    if (signal?.aborted === true) return cancelled(this.#request)
    if (this.#late) return new AdjutantError(code, `e2b: ${what}: no answer within ${timeoutMs} ms`)
    return new AdjutantError(code, `e2b: ${what}: ${this.#clean(reasonOf(error))}`, {
      ...(code === 'SANDBOX_UNAVAILABLE' ? { hint: 'Check that the service can be reached from here, and its address.' } : {}),
    })
  }
}

function cancelled(request: ExchangeRequest): AdjutantError {
  return new AdjutantError('CANCELLED', `e2b: ${request.what} was stopped`)
}

/** The innermost reason: what is thrown says only that fetching failed. */
function reasonOf(error: unknown): string {
  let reason = error
  for (let depth = 0; depth < 5 && reason instanceof Error && reason.cause instanceof Error; depth += 1) reason = reason.cause
  return reason instanceof Error ? reason.message || reason.name : String(reason)
}
