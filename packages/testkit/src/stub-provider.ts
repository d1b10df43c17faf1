import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'

/** What the server does with one request. */
export interface StubReply {
  /** Default 200. */
  readonly status?: number
  /** Default: `content-type: text/event-stream` with chunks, `application/json` with a body. */
  readonly headers?: Readonly<Record<string, string>>
  /** A promise holds the answer back until it settles: a provider that is slow at this place. */
  readonly chunks?: readonly (string | Uint8Array | Promise<string>)[]
  readonly body?: string
  /**
   * After the chunks: `end` finishes properly (default), `cut` breaks the connection, `stall` says nothing more and stays open.
   * `silent` does not even send headers, `refuse` breaks the connection before them.
   */
  readonly ending?: 'end' | 'cut' | 'stall' | 'silent' | 'refuse'
}

/** One request as it came. */
export interface StubRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Settles when the client has closed this request's connection, or got the whole answer. `true`: it hung up before the end. */
  readonly closed: Promise<boolean>
}

export interface StubProvider {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly requests: readonly StubRequest[]
  /** The request of that number (0-based), as soon as it has come. */
  request(index: number): Promise<StubRequest>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A provider's endpoint on the loopback interface that misbehaves as it is told: one reply for each request, in order; a request
 * beyond the last gets status 599.
 *
 * @example
 * ```ts
 * await using provider = await startStubProvider([{ status: 429, headers: { 'retry-after': '1' } }, { chunks: [sse({ … })] }])
 * ```
 */
export async function startStubProvider(replies: readonly StubReply[]): Promise<StubProvider> {
  const requests: StubRequest[] = []
  const waiting = new Map<number, (request: StubRequest) => void>()
  let count = 0

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = replies[count] ?? { status: 599, body: `no reply is left (there were ${replies.length})` }
    count += 1
    const closed = new Promise<boolean>((resolve) => response.on('close', () => resolve(!response.writableFinished)))
    response.on('error', () => {})
    const chunks: Buffer[] = []
    for await (const chunk of incoming) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
    const request: StubRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      text: Buffer.concat(chunks).toString('utf8'),
      closed,
    }
    requests.push(request)
    waiting.get(requests.length - 1)?.(request)
    await answer(reply, response)
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the stub provider got no port')
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    request(index) {
      const known = requests[index]
      return known === undefined ? new Promise((resolve) => waiting.set(index, resolve)) : Promise.resolve(known)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Each value as one `data:` event of a stream; text as it is. */
export function sse(...events: readonly unknown[]): string {
  return events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')
}

async function answer(reply: StubReply, response: ServerResponse): Promise<void> {
  const ending = reply.ending ?? 'end'
  if (ending === 'silent') return
  if (ending === 'refuse') {
    response.destroy()
    return
  }
  const type = reply.body === undefined ? 'text/event-stream' : 'application/json'
  response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers })
  response.flushHeaders()
  for (const chunk of reply.body === undefined ? (reply.chunks ?? []) : [reply.body]) response.write(await chunk)
  if (ending === 'end') response.end()
  // What was written must have left before the connection breaks, or the client sees no answer at all.
  if (ending === 'cut') response.write('', () => response.socket?.end(() => response.destroy()))
}
