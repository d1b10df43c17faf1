/** Real receivers of notifications on loopback: a web server and a mail server, each with a certificate of its own. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'

const OPENSSL = 'openssl'

export function opensslMissing(): string | undefined {
  try {
    execFileSync(OPENSSL, ['version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'no openssl in PATH'
  }
}

/** Of its own authority, for these names and for 127.0.0.1. */
export function certificate(names: readonly string[]): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-test-cert-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  try {
    const alternatives = `subjectAltName=${[...names.map((name) => `DNS:${name}`), 'IP:127.0.0.1'].join(',')}`
    const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=adjutant-test -addext'.split(' ')
    execFileSync(OPENSSL, [...words, alternatives, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface HookServer extends AsyncDisposable {
  readonly port: number
  /** All that came, in order. */
  readonly received: readonly Received[]
  /** Connections that were made. */
  readonly connections: number
  /** Resolves with the n-th that came, from 1. */
  nth(count: number): Promise<Received>
}

/** @param answer default: 204 */
export async function hookServer(
  answer: (received: Received, response: ServerResponse, count: number) => void = (_received, response) => response.writeHead(204).end(),
  tls?: { readonly key: string; readonly cert: string },
): Promise<HookServer> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  let connections = 0
  const server = (tls === undefined ? createServer() : createTlsServer(tls)).on('request', (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') }
      received.push(one)
      answer(one, response, received.length)
      for (const wake of [...waiting]) wake()
    })
  })
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket.on('error', () => {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    received,
    get connections() {
      return connections
    },
    async nth(count) {
      for (;;) {
        const one = received[count - 1]
        if (one !== undefined) return one
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

export interface Letter {
  readonly from: string
  readonly to: readonly string[]
  /** As it came. */
  readonly raw: string
  readonly protectedBy: string | undefined
  readonly user: string | undefined
}

export interface MailServer extends AsyncDisposable {
  readonly port: number
  readonly letters: readonly Letter[]
}

export interface MailServerOptions {
  readonly tls?: { readonly key: string; readonly cert: string }
  readonly secure?: boolean
  /** Asked for. Default: none. */
  readonly password?: { readonly user: string; readonly password: string }
  /** Gives the code with which an address is refused; undefined: it is taken. */
  readonly refuse?: (address: string) => number | undefined
  /** Answers nothing to the letter itself. */
  readonly silent?: boolean
}

export async function mailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { tls, secure = false, password, refuse = () => undefined, silent = false } = options
  const letters: Letter[] = []
  const server = new SMTPServer({
    secure,
    ...(tls === undefined ? { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] } : tls),
    authOptional: password === undefined,
    allowInsecureAuth: false,
    logger: false,
    onAuth(auth, _session, callback) {
      if (auth.username === password?.user && auth.password === password?.password) callback(null, { user: auth.username })
      else callback(Object.assign(new Error('no such user'), { responseCode: 535 }))
    },
    onRcptTo({ address }, _session, callback) {
      const code = refuse(address)
      callback(code === undefined ? null : Object.assign(new Error(`no ${address} here`), { responseCode: code }))
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        letters.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          protectedBy: session.secure ? 'tls' : undefined,
          user: typeof session.user === 'string' ? session.user : undefined,
        })
        if (!silent) callback()
      })
    },
  })
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    letters,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
