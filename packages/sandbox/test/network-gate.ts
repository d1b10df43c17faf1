/** Real servers, a certificate of their own and raw clients for tests of the gate. Names are looked up in a table; loopback is allowed by a policy. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@adjutant/testkit'
import type { NetworkAttempt } from '../src/network/attempts.ts'
import { type NetworkGate, type NetworkGateOptions, startNetworkGate } from '../src/network/start-network-gate.ts'

export interface Certificate {
  readonly key: Buffer
  readonly cert: Buffer
}

const OPENSSL = 'openssl'
let made: Certificate | undefined

/** For `*.example`, `a.example` and `b.example`, by openssl. */
export function certificate(): Certificate {
  if (made !== undefined) return made
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-test-cert-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const names = 'subjectAltName=DNS:a.example,DNS:b.example,DNS:*.a.example'
    const args = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=a.example -addext ${names}`
    execFileSync(OPENSSL, [...args.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' })
    made = { key: readFileSync(key), cert: readFileSync(cert) }
    return made
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export interface TestServer extends AsyncDisposable {
  readonly port: number
  /** Connections accepted so far. */
  readonly accepted: readonly Socket[]
}

export async function serveHttp(listener: RequestListener): Promise<TestServer> {
  return await listening(createServer(listener))
}

export async function serveHttps(listener: RequestListener): Promise<TestServer> {
  return await listening(createTlsServer(certificate(), listener))
}

export async function serveTcp(listener: (socket: Socket) => void): Promise<TestServer> {
  return await listening(createTcpServer({ allowHalfOpen: true }, listener))
}

async function listening(server: Server): Promise<TestServer> {
  const accepted: Socket[] = []
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    accepted.push(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    accepted,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of accepted) socket.destroy()
      await closed
    },
  }
}

export interface TestGate extends AsyncDisposable {
  readonly gate: NetworkGate
  readonly clock: ManualClock
  readonly attempts: NetworkAttempt[]
  /** Names that were looked up, in order. */
  readonly asked: string[]
}

/** All names are on loopback unless `addresses` says otherwise. */
export async function openGate(
  options: Partial<NetworkGateOptions> & { readonly addresses?: Readonly<Record<string, readonly string[]>> },
): Promise<TestGate> {
  const clock = new ManualClock()
  const attempts: NetworkAttempt[] = []
  const asked: string[] = []
  const { addresses = {}, ...rest } = options
  const gate = await startNetworkGate({
    allow: [],
    clock,
    async resolve(host) {
      asked.push(host)
      return addresses[host] ?? ['127.0.0.1']
    },
    mayConnect: (address) => address === '127.0.0.1',
    tried: (event) => attempts.push(event),
    ...rest,
  })
  return { gate, clock, attempts, asked, [Symbol.asyncDispose]: () => gate.close() }
}

/** A client that says what it is told and keeps what it hears. */
export class RawClient {
  readonly socket: Socket
  readonly #closed: Promise<unknown>
  #heard = ''

  constructor(gate: NetworkGate) {
    this.socket = connect({ path: gate.socketPath, allowHalfOpen: true })
    this.socket.on('error', () => {})
    this.socket.on('data', (chunk: Buffer) => {
      this.#heard += chunk.toString('latin1')
    })
    // `once` would reject on a reset, which is one of the ways to be refused.
    this.#closed = new Promise((resolve) => this.socket.once('close', resolve))
    this.socket.once('end', () => this.socket.end())
  }

  get heard(): string {
    return this.#heard
  }

  say(text: string | Uint8Array): this {
    this.socket.write(text)
    return this
  }

  /** All that was heard, once the other side has closed. */
  async all(): Promise<string> {
    await this.#closed
    return this.#heard
  }

  /** Once this was heard, or the other side has closed. */
  async hears(text: string): Promise<string> {
    while (!this.#heard.includes(text) && !this.socket.destroyed)
      await Promise.race([new Promise((resolve) => this.socket.once('data', resolve)), this.#closed])
    return this.#heard
  }
}

/** Says it all at once and hears the whole answer. */
export async function exchange(gate: NetworkGate, text: string): Promise<string> {
  return await new RawClient(gate).say(text).all()
}
