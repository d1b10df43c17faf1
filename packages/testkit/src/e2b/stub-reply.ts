/** Owns one request to the stub and its answer, with what goes wrong on purpose. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

const MAX_BODY_BYTES = 256 << 20

/** What a request is for. */
export type E2bStubPlace =
  | 'create'
  | 'get'
  | 'list'
  | 'delete'
  | 'extend'
  | 'start'
  | 'process'
  | 'filesystem'
  | 'read'
  | 'write'
  | 'execute'
  | 'contexts'

export type E2bStubFault =
  /** This status instead of an answer; with `done`, after the request was carried out. */
  | { readonly status: number; readonly retryAfter?: string; readonly message?: string; readonly done?: boolean }
  /** The connection breaks after this many bytes of the answer. */
  | { readonly cut: number }
  /** Nothing is done before this has settled. */
  | { readonly wait: Promise<void> }

export interface E2bStubRequest {
  readonly place: E2bStubPlace
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A refusal in the words of the Connect protocol. */
export class StubRefusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const STATUS: Readonly<Record<string, number>> = {
  invalid_argument: 400,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  unimplemented: 501,
  internal: 500,
}

export class StubReply {
  readonly #response: ServerResponse | undefined
  #left = Number.POSITIVE_INFINITY

  /** @param response undefined: what is answered goes nowhere */
  constructor(response: ServerResponse | undefined) {
    this.#response = response
    response?.on('error', () => undefined)
  }

  cutAfter(bytes: number): void {
    this.#left = bytes
  }

  begin(type: string): void {
    this.#response?.writeHead(200, { 'content-type': type })
    this.#response?.flushHeaders()
  }

  /** Waits when the other side does not read. */
  async write(bytes: Uint8Array): Promise<void> {
    const response = this.#open()
    if (response === undefined) return
    if (bytes.length > this.#left) {
      const rest = bytes.subarray(0, this.#left)
      this.#left = 0
      // What was written must have left before the connection breaks.
      response.write(rest, () => response.destroy())
      return
    }
    this.#left -= bytes.length
    if (response.write(bytes)) return
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go)
        response.off('close', go)
        resolve()
      }
      response.on('drain', go)
      response.on('close', go)
    })
  }

  end(): void {
    this.#open()?.end()
  }

  json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.bytes(status, Buffer.from(JSON.stringify(value)), { 'content-type': 'application/json', ...headers })
  }

  bytes(status: number, bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): void {
    const response = this.#open()
    if (response === undefined || response.headersSent) return
    response.writeHead(status, { ...headers, 'content-length': String(bytes.length) })
    if (bytes.length > this.#left) response.write(bytes.subarray(0, this.#left), () => response.destroy())
    else response.end(bytes)
  }

  refuse(error: unknown): void {
    if (error instanceof StubRefusal) this.json(STATUS[error.code] ?? 500, { code: error.code, message: error.message })
    else this.json(500, { code: 'internal', message: error instanceof Error ? error.message : String(error) })
  }

  /** Undefined when nobody listens any more. */
  #open(): ServerResponse | undefined {
    return this.#response === undefined || this.#response.destroyed || this.#response.writableEnded ? undefined : this.#response
  }
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request) {
    if (!Buffer.isBuffer(piece)) continue
    length += piece.length
    if (length > MAX_BODY_BYTES) throw new StubRefusal('invalid_argument', 'the request is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

export type StubRecord = Readonly<Record<string, unknown>>

export function stubRecord(value: unknown): StubRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** @throws StubRefusal */
export function stubJson(bytes: Uint8Array): StubRecord {
  try {
    return stubRecord(JSON.parse(Buffer.from(bytes).toString('utf8') || '{}'))
  } catch {
    throw new StubRefusal('invalid_argument', 'the request is no JSON')
  }
}

export function stubText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Names and texts of a record; what is no text is left out. */
export function stubTexts(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(stubRecord(value)).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])))
}
