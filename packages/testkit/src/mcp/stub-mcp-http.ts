import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isJsonObject, type JsonObject, type JsonValue } from '@adjutant/core/contract'

/** An MCP server over Streamable HTTP (older protocol, with sessions) that can lose its sessions and break off answers. */
export interface StubMcpHttp extends AsyncDisposable {
  readonly url: string
  /** How often the tool `add` ran. */
  readonly executions: number
  /** How often `tools/list` was answered. */
  readonly listings: number
  /** Calls of `wait` that arrived. */
  readonly waiting: number
  /** Headers of the last request. */
  readonly lastHeaders: Readonly<Record<string, string | string[] | undefined>>
  /** What was cancelled: the reasons. */
  readonly cancelled: readonly string[]
  /** Sessions that were ended by the client. */
  readonly ended: readonly string[]
  /** As after a restart: all sessions are unknown from now on. */
  forgetSessions(): void
  /** Closes it; may be called twice. */
  close(): Promise<void>
}

/** Tools: `add` (a write, counted), `cut` (the answer's stream breaks off), `wait` (never answers), `flood` (answers 70 MB), `http` (answers with status `code`). */
export async function startStubMcpHttp(
  options: {
    readonly lostStatus?: 404 | 400 /** All tools say that they only read. */
    readonly readOnly?: boolean
    /** Wants a bearer token of this authorisation server. */
    readonly protectedBy?: { readonly issuer: string; isValid(token: string): boolean }
  } = {},
): Promise<StubMcpHttp> {
  const sessions = new Set<string>()
  const cancelled: string[] = []
  const ended: string[] = []
  let made = 0
  let executions = 0
  let listings = 0
  let waiting = 0
  let lastHeaders: Readonly<Record<string, string | string[] | undefined>> = {}

  const server = createServer((request, response) => {
    lastHeaders = request.headers
    receive(request, response).catch(() => response.destroy())
  })

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { protectedBy } = options
    if (protectedBy !== undefined) {
      if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ resource: url(), authorization_servers: [protectedBy.issuer] }))
        return
      }
      const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
      if (!protectedBy.isValid(token)) {
        response.setHeader('www-authenticate', 'Bearer')
        return reply(response, 401)
      }
    }
    const session = request.headers['mcp-session-id']
    if (request.method === 'GET') return reply(response, 405)
    if (request.method === 'DELETE') {
      if (typeof session === 'string' && sessions.delete(session)) ended.push(session)
      return reply(response, 200)
    }
    const message = await read(request)
    if (message.method === 'initialize') {
      const id = `session-${++made}`
      sessions.add(id)
      response.setHeader('mcp-session-id', id)
      const { params } = message
      const protocolVersion = (params !== undefined && isJsonObject(params) ? params.protocolVersion : undefined) ?? ''
      return answer(response, message, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'http', version: '1' } })
    }
    if (message.method === 'server/discover') return error(response, message, -32601, 'Method not found')
    if (typeof session !== 'string' || !sessions.has(session)) return lost(response, message)
    if (message.id === undefined) {
      const params = message.params
      if (message.method === 'notifications/cancelled' && params !== undefined && isJsonObject(params))
        cancelled.push(String(params.reason))
      return reply(response, 202)
    }
    if (message.method === 'tools/list') {
      listings++
      const tools = ['add', 'cut', 'wait', 'http', 'flood'].map((name) => ({
        name,
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: options.readOnly === true },
      }))
      return answer(response, message, { tools })
    }
    if (message.method === 'tools/call' && message.params !== undefined && isJsonObject(message.params))
      return call(response, message, message.params)
    error(response, message, -32601, 'Method not found')
  }

  function call(response: ServerResponse, message: JsonObject, { name, arguments: input }: JsonObject): void {
    switch (name) {
      case 'add':
        executions++
        answer(response, message, { content: [{ type: 'text', text: String(executions) }] })
        break
      case 'cut':
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(': working\n\n', () => response.destroy())
        break
      case 'flood':
        response.setHeader('content-type', 'application/json')
        response.end(Buffer.alloc(70_000_000, ' '))
        break
      case 'wait':
        waiting++
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(': working\n\n')
        break
      default:
        reply(response, input !== undefined && isJsonObject(input) ? Number(input.code) : 500)
    }
  }

  function lost(response: ServerResponse, message: JsonObject): void {
    response.statusCode = options.lostStatus ?? 404
    error(response, message, -32001, 'Session not found')
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const url = (): string => `http://127.0.0.1:${port}/mcp`
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: url(),
    cancelled,
    ended,
    get executions() {
      return executions
    },
    get listings() {
      return listings
    },
    get waiting() {
      return waiting
    },
    get lastHeaders() {
      return lastHeaders
    },
    forgetSessions: () => sessions.clear(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function read(request: IncomingMessage): Promise<JsonObject> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const message: unknown = JSON.parse(body)
  return isJsonObject(message) ? message : {}
}

function reply(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

function answer(response: ServerResponse, { id }: JsonObject, result: JsonObject): void {
  send(response, { id: id ?? null, result })
}

function error(response: ServerResponse, { id }: JsonObject, code: number, message: string): void {
  send(response, { id: id ?? null, error: { code, message } })
}

function send(response: ServerResponse, message: { readonly [key: string]: JsonValue }): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
}
