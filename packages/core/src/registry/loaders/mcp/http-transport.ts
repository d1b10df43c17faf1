import {
  type AuthProvider,
  extractWWWAuthenticateParams,
  type FetchLike,
  InsufficientScopeError,
  isJSONRPCRequest,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client'
import type { Clock } from '../../../contract/ports.ts'
import type { HttpServerConfig } from './config.ts'
import { limitedFetch } from './limited-fetch.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import { ListingTap } from './listing-tap.ts'
import type { SignIn, SignInSite } from './oauth/sign-in.ts'
import { AnswerContexts } from './running-calls.ts'

/**
 * The client's wire to a server over Streamable HTTP. What it adds: a request whose answer stream ended without an answer (the
 * server died) is told so, instead of waiting for its timeout; a request that was refused for want of a sign-in waits for one and is
 * sent again, as it was not looked at; and closing ends the session at the server.
 */

export interface HttpTransportOptions {
  readonly clock: Clock
  readonly signIn?: SignIn | undefined
  /** Lets other time limits stand still while a person signs in. */
  readonly patient?: <T>(work: () => Promise<T>) => Promise<T>
}

/** What a request gets when its stream ended without an answer; told apart by being this very object. */
export const STREAM_ENDED = Object.freeze({ reason: 'the stream ended without an answer' })

type PostOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>

/** How long the server may take to end the session. */
const TERMINATE_MS = 1_000
/** A server that is never content with what a person signed in for is given up. */
const MAX_SIGN_INS = 3

export class HttpTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  readonly hasPerRequestStream = true
  readonly tap = new ListingTap()
  readonly #clock: Clock
  readonly #url: URL
  readonly #inner: StreamableHTTPClientTransport
  readonly #contexts = new AnswerContexts()
  readonly #signIn: SignIn | undefined
  readonly #patient: <T>(work: () => Promise<T>) => Promise<T>
  readonly #end = new AbortController()
  readonly #waiting = new Set<string | number>()
  #closing: Promise<void> | undefined

  constructor(config: HttpServerConfig, { clock, signIn, patient = (work) => work() }: HttpTransportOptions) {
    this.#clock = clock
    this.#signIn = signIn
    this.#patient = patient
    const limited = tellingRefused(limitedFetch(MAX_MESSAGE_BYTES))
    this.#url = new URL(config.url)
    this.#inner = new StreamableHTTPClientTransport(this.#url, {
      ...(config.headers === undefined ? {} : { requestInit: { headers: { ...config.headers } } }),
      fetch: limited,
      ...(signIn === undefined ? {} : { authProvider: this.#signsInBy(signIn) }),
      reconnectionScheduler: (reconnect, delay) => clock.after(delay, reconnect),
    })
    this.#inner.onclose = () => this.onclose?.()
    this.#inner.onerror = (error) => this.onerror?.(error)
    this.#inner.onmessage = (message: JSONRPCMessage) => this.#receive(message)
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version)
  }

  start(): Promise<void> {
    return this.#inner.start()
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    this.tap.sent(message)
    const { requestSignal, headers } = options
    const shared = { ...(requestSignal === undefined ? {} : { requestSignal }), ...(headers === undefined ? {} : { headers }) }
    if (!isJSONRPCRequest(message)) return this.#post(message, shared)
    const { id } = message
    this.#contexts.sent(message)
    this.#waiting.add(id)
    requestSignal?.addEventListener('abort', () => this.#forget(id), { once: true })
    try {
      await this.#post(message, { ...shared, onRequestStreamEnd: () => this.#streamEnded(id) })
    } catch (error) {
      this.#forget(id)
      throw error
    }
  }

  async #post(message: JSONRPCMessage, options: PostOptions): Promise<void> {
    const signIn = this.#signIn
    for (let round = 0; ; round++) {
      const token = signIn?.accessToken
      try {
        return await this.#inner.send(message, options)
      } catch (error) {
        if (signIn === undefined || round >= MAX_SIGN_INS || !InsufficientScopeError.isInstance(error)) throw error
        const { requiredScope: scope, resourceMetadataUrl } = error
        await signIn.renew({ refused: token, more: true, scope, resourceMetadataUrl }, this.#signInSite(globalThis.fetch))
      }
    }
  }

  #signsInBy(signIn: SignIn): AuthProvider {
    return {
      token: async () => signIn.accessToken,
      onUnauthorized: ({ response, fetchFn }) => {
        const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response)
        return signIn.renew({ refused: response.headers.get(REFUSED) ?? undefined, scope, resourceMetadataUrl }, this.#signInSite(fetchFn))
      },
    }
  }

  #signInSite(fetchFn: FetchLike): SignInSite {
    return { serverUrl: this.#url, fetchFn, patient: this.#patient, signal: this.#end.signal }
  }

  /** Ends the session and the connection. Never rejects; may be called any number of times. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#end.abort(new Error('the connection was closed'))
    const late = Promise.withResolvers<void>()
    const takeBack = this.#clock.after(TERMINATE_MS, late.resolve)
    // A server that is gone, or that keeps no sessions, has nothing to end.
    await Promise.race([this.#inner.terminateSession().catch(() => {}), late.promise])
    takeBack()
    await this.#inner.close().catch(() => {})
  }

  #receive(message: JSONRPCMessage): void {
    if ('id' in message && message.id !== undefined && !('method' in message)) this.#waiting.delete(message.id)
    this.#contexts.received(message, () => this.onmessage?.(this.tap.received(message)))
  }

  #forget(id: string | number): void {
    this.#waiting.delete(id)
    this.#contexts.forget(id)
  }

  #streamEnded(id: string | number): void {
    if (!this.#waiting.delete(id)) return
    this.#contexts.forget(id)
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message: STREAM_ENDED.reason, data: STREAM_ENDED } })
  }
}

/** Which token a refusal was for: by the time it is looked at, another one may be there. Told in a header of our own making. */
const REFUSED = 'adjutant-refused-token'

function tellingRefused(fetchIt: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetchIt(url, init)
    if (response.status !== 401) return response
    const [, token] = /^Bearer (.+)$/.exec(new Headers(init?.headers).get('authorization') ?? '') ?? []
    const headers = new Headers(response.headers)
    headers.delete(REFUSED)
    if (token !== undefined) headers.set(REFUSED, token)
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
  }
}
