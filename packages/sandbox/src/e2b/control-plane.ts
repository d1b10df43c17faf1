/**
 * Owns the service's REST face: boxes are made, found, kept alive and deleted. Knows the second version of it and the first, finds out which one
 * there is and remembers it. What may have been made although nobody said so is looked for by its mark and deleted.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { type E2bConnection, isHost, type RemoteBox } from './connection.ts'
import type { Answer, Exchange, ExchangeRequest } from './exchange.ts'
import { isRecord, listOf, parseJson, recordOf, textOf } from './json-value.ts'

const RETRY_STATUS: readonly number[] = [408, 500, 502, 503, 504]
const REQUEST_MS = 30_000
const DELETE_ATTEMPTS = 5
/** The key of the mark by which a box is found again. */
const MARK = 'adjutant'

type Extension = 'timeout' | 'refreshes' | 'connect'
const EXTENSIONS: readonly Extension[] = ['timeout', 'refreshes', 'connect']

export interface NewBox {
  readonly template: string
  readonly seconds: number
  /** What it is found by. */
  readonly mark: string
  /** Hosts that may be reached. */
  readonly allow: readonly string[]
  readonly timeoutMs: number
}

export class ControlPlane {
  readonly #connection: E2bConnection
  readonly #exchange: Exchange
  /** Which creation there is, once known. */
  #version: 2 | 1 | undefined
  #extension: Extension = 'timeout'

  constructor(connection: E2bConnection, exchange: Exchange) {
    this.#connection = connection
    this.#exchange = exchange
    exchange.hide(connection.apiKey)
  }

  /** @throws AdjutantError SANDBOX_UNAVAILABLE */
  async create(box: NewBox): Promise<RemoteBox> {
    const { missing } = this.#connection
    if (missing !== undefined) {
      throw new AdjutantError('SANDBOX_UNAVAILABLE', `e2b: ${missing}`, { hint: 'Set E2B_API_KEY, or apiKey, to a key of the service.' })
    }
    let answer: Answer
    try {
      answer = await this.#create(box)
    } catch (error) {
      // Nobody knows whether it was made: the request may have arrived.
      await this.#sweep(box.mark)
      throw error
    }
    if (!answer.ok) {
      if (answer.status >= 500) await this.#sweep(box.mark)
      throw this.failure('making a box', answer)
    }
    const made = this.#boxOf(parseJson(answer.bytes.toString('utf8')))
    if (made !== undefined) return made
    await this.#sweep(box.mark)
    throw new AdjutantError('SANDBOX_UNAVAILABLE', 'e2b: making a box: the answer names no box', {
      hint: 'Check that the address is that of the service.',
    })
  }

  /** Nothing is left of it afterwards. @throws AdjutantError SANDBOX_UNAVAILABLE when that is not sure */
  async delete(id: string): Promise<void> {
    const answer = await this.#send('deleting a box', 'DELETE', `/sandboxes/${id}`, { attempts: DELETE_ATTEMPTS })
    if (!answer.ok && answer.status !== 404) throw this.failure('deleting a box', answer)
  }

  /** `undefined` when nobody can say. */
  async exists(id: string): Promise<boolean | undefined> {
    try {
      const answer = await this.#send('looking for a box', 'GET', `/sandboxes/${id}`, { attempts: 1 })
      return answer.ok ? true : answer.status === 404 ? false : undefined
    } catch {
      return undefined
    }
  }

  /** Ids of the boxes with this mark. */
  async list(mark: string): Promise<readonly string[]> {
    const query = `metadata=${encodeURIComponent(`${MARK}=${mark}`)}`
    // Whoever waits has failed already: not for long.
    const options = { timeoutMs: 10_000, attempts: 2 }
    let answer = await this.#send('listing boxes', 'GET', `/v2/sandboxes?${query}`, options)
    if (isAbsent(answer)) answer = await this.#send('listing boxes', 'GET', `/sandboxes?${query}`, options)
    if (!answer.ok) throw this.failure('listing boxes', answer)
    return listOf(parseJson(answer.bytes.toString('utf8')))
      .map(recordOf)
      .filter((box) => recordOf(box.metadata)[MARK] === mark)
      .flatMap((box) => textOf(box.sandboxID) ?? [])
      .filter(isId)
  }

  /**
   * Lets the box live this long from now. Services differ in which of the three ways they know.
   *
   * @throws AdjutantError SANDBOX_FAILED when it is gone
   */
  async extend(id: string, seconds: number, signal?: AbortSignal): Promise<void> {
    for (const way of EXTENSIONS.slice(EXTENSIONS.indexOf(this.#extension))) {
      const body = way === 'refreshes' ? { duration: seconds } : { timeout: seconds }
      const answer = await this.#send('keeping a box alive', 'POST', `/sandboxes/${id}/${way}`, {
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      })
      if (answer.ok) {
        this.#extension = way
        return
      }
      // Either the box or the way is unknown.
      if (answer.status === 404 && (await this.exists(id)) === false) {
        throw new AdjutantError('SANDBOX_FAILED', `e2b: box ${id} is gone`, { hint: 'Its time was over; open a new one.' })
      }
      if (!isAbsent(answer)) throw this.failure('keeping a box alive', answer)
    }
  }

  failure(what: string, answer: Answer): AdjutantError {
    const said = this.#exchange.said(answer.bytes)
    const message = `e2b: ${what}: the service answered ${answer.status}${said === '' ? '' : `: ${said}`}`
    const wait = answer.retryAfter === undefined ? 'later' : `in ${answer.retryAfter} s`
    if (answer.status === 401 || answer.status === 403) {
      return new AdjutantError('SANDBOX_UNAVAILABLE', message, { hint: 'Check the key: E2B_API_KEY, or apiKey.' })
    }
    if (answer.status === 429) {
      return new AdjutantError('SANDBOX_UNAVAILABLE', message, { grade: 'retry', hint: `Open fewer boxes at once, or try again ${wait}.` })
    }
    if (answer.status >= 500) {
      return new AdjutantError('SANDBOX_UNAVAILABLE', message, { grade: 'retry', hint: `The service is in trouble; try again ${wait}.` })
    }
    return new AdjutantError('SANDBOX_UNAVAILABLE', message, { hint: 'Check the template and the address of the service.' })
  }

  async #create(box: NewBox): Promise<Answer> {
    const common = {
      templateID: box.template,
      timeout: box.seconds,
      metadata: { [MARK]: box.mark },
      ...networkOf(box.allow),
    }
    const send = (path: string, body: object): Promise<Answer> =>
      this.#send('making a box', 'POST', path, { body: JSON.stringify(body), timeoutMs: box.timeoutMs, idempotent: false })
    if (this.#version !== 1) {
      const answer = await send('/v2/sandboxes', common)
      if (!isAbsent(answer)) {
        if (answer.ok) this.#version = 2
        return answer
      }
      // Also an unknown template is answered with 404, by whoever has this creation.
      if (this.#version === 2) return answer
    }
    const answer = await send('/sandboxes', { ...common, secure: true })
    if (answer.ok) this.#version = 1
    return answer
  }

  async #sweep(mark: string): Promise<void> {
    try {
      for (const id of await this.list(mark)) await this.delete(id)
    } catch {
      // What cannot be found ends with its time.
    }
  }

  #send(
    what: string,
    method: ExchangeRequest['method'],
    path: string,
    options: Partial<Pick<ExchangeRequest, 'body' | 'timeoutMs' | 'idempotent' | 'attempts' | 'signal'>> = {},
  ): Promise<Answer> {
    const { apiKey, apiUrl } = this.#connection
    return this.#exchange.send({
      what,
      method,
      url: `${apiUrl}${path}`,
      headers: {
        accept: 'application/json',
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }),
      },
      timeoutMs: REQUEST_MS,
      idempotent: true,
      code: 'SANDBOX_UNAVAILABLE',
      retryStatus: RETRY_STATUS,
      ...options,
    })
  }

  #boxOf(answer: unknown): RemoteBox | undefined {
    if (!isRecord(answer)) return undefined
    const id = textOf(answer.sandboxID)
    const domain = textOf(answer.domain)
    const accessToken = textOf(answer.envdAccessToken)
    const trafficToken = textOf(answer.trafficAccessToken)
    // Both become parts of addresses and headers.
    if (id === undefined || !isId(id)) return undefined
    if (domain !== undefined && domain !== '' && !isHost(domain)) return undefined
    for (const token of [accessToken, trafficToken]) if (token !== undefined && !/^[\x21-\x7e]{0,4096}$/.test(token)) return undefined
    return {
      id,
      envdVersion: textOf(answer.envdVersion) ?? '0.0.0',
      ...(domain === undefined || domain === '' ? {} : { domain }),
      ...(accessToken === undefined || accessToken === '' ? {} : { accessToken }),
      ...(trafficToken === undefined || trafficToken === '' ? {} : { trafficToken }),
    }
  }
}

/** Nobody from outside gets to a port of the box without its token, whatever may be reached from inside. */
function networkOf(allow: readonly string[]): object {
  if (allow.length === 0) return { allow_internet_access: false, network: { allowPublicTraffic: false } }
  return { network: { allowOut: allow, denyOut: ['0.0.0.0/0'], allowPublicTraffic: false } }
}

/** The way is unknown to the service, rather than what was asked of it. */
function isAbsent(answer: Answer): boolean {
  return answer.status === 404 || answer.status === 405 || answer.status === 501
}

function isId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(text)
}
