/**
 * Owns how the daemon in one box is spoken to: calls and streams of the Connect protocol over JSON, and its plain HTTP for the bytes of files.
 * A refusal of the daemon is an {@link EnvdRefusal} with its code; everything else is SANDBOX_FAILED.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { type E2bConnection, ENVD_PORT, type RemoteBox } from './connection.ts'
import { EnvelopeReader, envelopeOf } from './envelopes.ts'
import type { Answer, Exchange, ExchangeRequest } from './exchange.ts'
import { isRecord, type JsonRecord, parseJson, recordOf, textOf } from './json-value.ts'

/** Of the box's own gateway; 502 is how it says that there is no such box, so waiting does not help. */
const RETRY_STATUS: readonly number[] = [503, 504]
const CALL_MS = 30_000
/** Seconds between signs of life in a stream. */
const PING_SECONDS = '30'

export class EnvdRefusal extends Error {
  /** As in the Connect protocol, e.g. `not_found`. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'EnvdRefusal'
    this.code = code
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Whose rights and home are used. Default: the service's default user. */
  readonly user?: string
  /** May be sent twice. Default false. */
  readonly idempotent?: boolean
  /** Default 30 000. */
  readonly timeoutMs?: number
}

export class Envd {
  readonly box: RemoteBox
  readonly #exchange: Exchange
  readonly #base: string
  readonly #user: string | undefined

  constructor(connection: E2bConnection, exchange: Exchange, box: RemoteBox, user: string | undefined) {
    this.box = box
    this.#exchange = exchange
    this.#base = connection.boxUrl(box, ENVD_PORT)
    this.#user = user
  }

  /** @param method e.g. `filesystem.Filesystem/Stat` @throws EnvdRefusal, AdjutantError SANDBOX_FAILED, CANCELLED */
  async call(method: string, message: JsonRecord, options: CallOptions = {}): Promise<JsonRecord> {
    const answer = await this.#exchange.send({
      ...this.#request(`box ${this.box.id}: ${method}`, `/${method}`, options),
      method: 'POST',
      body: JSON.stringify(message),
      headers: { ...this.headers(), 'content-type': 'application/json', 'Connect-Protocol-Version': '1' },
    })
    if (!answer.ok) throw this.#refused(method, answer)
    return recordOf(parseJson(answer.bytes.toString('utf8')))
  }

  /**
   * One call whose answers come one after the other. Ends when the daemon says that it is over.
   *
   * @param endsAfterMs the daemon itself ends what it started after this long, also when nobody is there any more
   * @throws EnvdRefusal, AdjutantError SANDBOX_FAILED (also when the stream is cut), CANCELLED
   */
  async *stream(method: string, message: JsonRecord, endsAfterMs: number, options: CallOptions = {}): AsyncGenerator<JsonRecord> {
    const answer = await this.#exchange.open({
      ...this.#request(`box ${this.box.id}: ${method}`, `/${method}`, options),
      method: 'POST',
      body: new Uint8Array(envelopeOf(JSON.stringify(message))),
      headers: {
        ...this.headers(),
        'content-type': 'application/connect+json',
        'Connect-Protocol-Version': '1',
        'Connect-Timeout-Ms': String(Math.ceil(endsAfterMs)),
        'Keepalive-Ping-Interval': PING_SECONDS,
      },
    })
    if (!answer.ok) {
      const pieces: Uint8Array[] = []
      for await (const piece of answer.body) if (pieces.length < 16) pieces.push(piece)
      throw this.#refused(method, { status: answer.status, ok: false, bytes: Buffer.concat(pieces) })
    }
    const reader = new EnvelopeReader()
    for await (const chunk of answer.body) {
      for (const envelope of this.#whole(method, reader, chunk)) {
        const record = parseJson(envelope.message.toString('utf8'))
        if (!isRecord(record)) throw this.#broken(method, 'a message is no JSON object')
        if (!envelope.end) {
          yield record
          continue
        }
        if (record.error === undefined) return
        const error = recordOf(record.error)
        throw new EnvdRefusal(textOf(error.code) ?? 'unknown', this.#exchange.clean(textOf(error.message) ?? 'without a reason'))
      }
    }
    throw this.#broken(method, reader.empty ? 'the stream ended before its end' : 'the stream was cut within a message')
  }

  /** The whole file. @throws EnvdRefusal, AdjutantError TOO_LARGE, SANDBOX_FAILED */
  async readFile(path: string, maxBytes: number): Promise<Buffer> {
    const answer = await this.#exchange.send({
      ...this.#request(`reading ${path}`, this.#filesPath(path), { idempotent: true }),
      method: 'GET',
      headers: this.headers(),
      maxBytes,
    })
    if (!answer.ok) throw this.#refused(`reading ${path}`, answer)
    return answer.bytes
  }

  /** Makes or replaces the file, with its folders. @throws EnvdRefusal, AdjutantError SANDBOX_FAILED */
  async writeFile(path: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    // Not changed by the caller while it is being sent, perhaps twice.
    const content = new Blob([new Uint8Array(bytes)])
    const answer = await this.#exchange.send({
      ...this.#request(`writing ${path}`, this.#filesPath(path), { idempotent: true, ...(signal === undefined ? {} : { signal }) }),
      method: 'POST',
      headers: this.headers(),
      body: () => {
        const form = new FormData()
        form.append('file', content, path)
        return form
      },
    })
    if (!answer.ok) throw this.#refused(`writing ${path}`, answer)
  }

  headers(port = ENVD_PORT): Record<string, string> {
    const { id, accessToken, trafficToken } = this.box
    return {
      'E2b-Sandbox-Id': id,
      'E2b-Sandbox-Port': String(port),
      ...(accessToken === undefined ? {} : { 'X-Access-Token': accessToken }),
      ...(trafficToken === undefined ? {} : { 'E2B-Traffic-Access-Token': trafficToken }),
      ...(port !== ENVD_PORT || this.#user === undefined
        ? {}
        : { Authorization: `Basic ${Buffer.from(`${this.#user}:`).toString('base64')}` }),
    }
  }

  #filesPath(path: string): string {
    const query = new URLSearchParams({ path })
    if (this.#user !== undefined) query.set('username', this.#user)
    return `/files?${query.toString()}`
  }

  #request(
    what: string,
    path: string,
    options: CallOptions,
  ): Pick<ExchangeRequest, 'what' | 'url' | 'timeoutMs' | 'idempotent' | 'code' | 'retryStatus' | 'signal'> {
    return {
      what,
      url: `${this.#base}${path}`,
      timeoutMs: options.timeoutMs ?? CALL_MS,
      idempotent: options.idempotent ?? false,
      code: 'SANDBOX_FAILED',
      retryStatus: RETRY_STATUS,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }
  }

  #whole(method: string, reader: EnvelopeReader, chunk: Uint8Array): ReturnType<EnvelopeReader['push']> {
    try {
      return reader.push(chunk)
    } catch (error) {
      throw this.#broken(method, error instanceof Error ? error.message : String(error))
    }
  }

  #broken(method: string, why: string): AdjutantError {
    return new AdjutantError('SANDBOX_FAILED', `e2b: box ${this.box.id}: ${method}: ${why}`)
  }

  #refused(what: string, answer: Answer): EnvdRefusal | AdjutantError {
    const said = this.#exchange.said(answer.bytes)
    if (answer.status === 502) {
      return new AdjutantError('SANDBOX_FAILED', `e2b: box ${this.box.id} is gone${said === '' ? '' : `: ${said}`}`, {
        hint: 'Its time was over, or it was ended from outside; open a new one.',
      })
    }
    if (answer.status === 401 || answer.status === 403) {
      return new AdjutantError('SANDBOX_FAILED', `e2b: box ${this.box.id} refuses its token: ${said}`)
    }
    const code = textOf(recordOf(parseJson(answer.bytes.toString('utf8'))).code) ?? CODES[answer.status] ?? 'unknown'
    return new EnvdRefusal(code, `${what}: ${answer.status}${said === '' ? '' : `: ${said}`}`)
  }
}

/** What plain statuses mean, where no code is said. */
const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_argument',
  404: 'not_found',
  429: 'resource_exhausted',
  501: 'unimplemented',
  507: 'no_space',
}

/** A refusal that the caller has no answer to. */
export function unexpected(error: unknown, box: RemoteBox): AdjutantError {
  if (AdjutantError.isInstance(error)) return error
  const said = error instanceof Error ? error.message : String(error)
  return new AdjutantError('SANDBOX_FAILED', `e2b: box ${box.id}: ${said}`, { cause: error })
}
