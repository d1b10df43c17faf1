import {
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

/**
 * The client's wire to a server over Streamable HTTP. What it adds: a request whose answer stream ended without an answer (the
 * server died) is told so, instead of waiting for its timeout; and closing ends the session at the server.
 */

/** What a request gets when its stream ended without an answer; told apart by being this very object. */
export const STREAM_ENDED = Object.freeze({ reason: 'the stream ended without an answer' })

/** How long the server may take to end the session. */
const TERMINATE_MS = 1_000

export class HttpTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  readonly hasPerRequestStream = true
  readonly tap = new ListingTap()
  readonly #clock: Clock
  readonly #inner: StreamableHTTPClientTransport
  readonly #waiting = new Set<string | number>()
  #closing: Promise<void> | undefined

  constructor(config: HttpServerConfig, clock: Clock) {
    this.#clock = clock
    this.#inner = new StreamableHTTPClientTransport(new URL(config.url), {
      ...(config.headers === undefined ? {} : { requestInit: { headers: { ...config.headers } } }),
      fetch: limitedFetch(MAX_MESSAGE_BYTES),
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
    if (!isJSONRPCRequest(message)) return this.#inner.send(message, shared)
    const { id } = message
    this.#waiting.add(id)
    requestSignal?.addEventListener('abort', () => this.#waiting.delete(id), { once: true })
    try {
      await this.#inner.send(message, { ...shared, onRequestStreamEnd: () => this.#streamEnded(id) })
    } catch (error) {
      this.#waiting.delete(id)
      throw error
    }
  }

  /** Ends the session and the connection. Never rejects; may be called any number of times. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const late = Promise.withResolvers<void>()
    const takeBack = this.#clock.after(TERMINATE_MS, late.resolve)
    // A server that is gone, or that keeps no sessions, has nothing to end.
    await Promise.race([this.#inner.terminateSession().catch(() => {}), late.promise])
    takeBack()
    await this.#inner.close().catch(() => {})
  }

  #receive(message: JSONRPCMessage): void {
    if ('id' in message && message.id !== undefined && !('method' in message)) this.#waiting.delete(message.id)
    this.onmessage?.(this.tap.received(message))
  }

  #streamEnded(id: string | number): void {
    if (!this.#waiting.delete(id)) return
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message: STREAM_ENDED.reason, data: STREAM_ENDED } })
  }
}
