import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** An OAuth authorisation server on loopback: registers clients, knows one person who always agrees, and checks what it is given. */
export interface StubAuthorisationServer extends AsyncDisposable {
  readonly issuer: string
  /** Grants that were asked for, in order: `authorization_code`, `refresh_token`. */
  readonly grants: readonly string[]
  /** Addresses to go back to that were registered. */
  readonly registered: readonly string[]
  isValid(token: string): boolean
  /** No access token is valid from now on; refreshing gives another. */
  expireTokens(): void
  /** No refresh token is valid from now on. */
  revokeAll(): void
}

interface Grant {
  readonly challenge: string
  readonly redirect: string
}

export async function startStubAuthorisationServer(): Promise<StubAuthorisationServer> {
  const grants: string[] = []
  const registered: string[] = []
  const codes = new Map<string, Grant>()
  const access = new Set<string>()
  const refresh = new Set<string>()
  let made = 0
  let issuer = ''

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  })

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer)
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return json(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        })
      case '/register': {
        const body: unknown = JSON.parse(await text(request))
        const uris = typeof body === 'object' && body !== null && 'redirect_uris' in body ? body.redirect_uris : undefined
        if (!Array.isArray(uris)) return json(response, 400, { error: 'invalid_client_metadata' })
        registered.push(...uris.map(String))
        return json(response, 201, { client_id: `client-${++made}`, redirect_uris: uris, token_endpoint_auth_method: 'none' })
      }
      case '/authorize': {
        const { redirect_uri: redirect = '', state = '', code_challenge: challenge = '' } = Object.fromEntries(url.searchParams)
        if (!registered.includes(redirect) || challenge === '') return json(response, 400, { error: 'invalid_request' })
        const code = `code-${++made}`
        codes.set(code, { challenge, redirect })
        const back = new URL(redirect)
        back.searchParams.set('code', code)
        back.searchParams.set('state', state)
        response.writeHead(302, { location: back.href }).end()
        return
      }
      case '/token':
        return token(response, new URLSearchParams(await text(request)))
      default:
        return json(response, 404, { error: 'not_found' })
    }
  }

  function token(response: ServerResponse, form: URLSearchParams): void {
    const kind = form.get('grant_type') ?? ''
    grants.push(kind)
    if (kind === 'authorization_code') {
      const code = form.get('code') ?? ''
      const grant = codes.get(code)
      codes.delete(code)
      const proof = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (grant === undefined || grant.challenge !== proof || grant.redirect !== form.get('redirect_uri')) {
        json(response, 400, { error: 'invalid_grant' })
        return
      }
    } else if (!refresh.delete(form.get('refresh_token') ?? '')) {
      json(response, 400, { error: 'invalid_grant' })
      return
    }
    const issued = { access_token: `access-${++made}`, token_type: 'Bearer', expires_in: 3_600, refresh_token: `refresh-${made}` }
    access.add(issued.access_token)
    refresh.add(issued.refresh_token)
    json(response, 200, issued)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return {
    issuer,
    grants,
    registered,
    isValid: (given) => access.has(given),
    expireTokens: () => access.clear(),
    revokeAll: () => {
      access.clear()
      refresh.clear()
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function text(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}
