/** Real servers on loopback under names of a table, with a certificate of their own, for tests of what fetches. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const OPENSSL = 'openssl'

export interface TestServer extends AsyncDisposable {
  readonly port: number
  readonly accepted: readonly Socket[]
}

export async function serveHttp(listener: RequestListener): Promise<TestServer> {
  return await listening(createServer(listener))
}

export async function serveHttps(listener: RequestListener, names: readonly string[]): Promise<TestServer & { readonly ca: string }> {
  const { key, cert } = certificate(names)
  return Object.assign(await listening(createTlsServer({ key, cert }, listener)), { ca: cert })
}

/** Answers every connection with these bytes, once it has said something. */
export async function serveBytes(answer: (socket: Socket, request: string) => void): Promise<TestServer> {
  return await listening(
    createTcpServer((socket) => {
      socket.once('data', (chunk: Buffer) => answer(socket, chunk.toString('latin1')))
    }),
  )
}

async function listening(server: Server): Promise<TestServer> {
  const accepted: Socket[] = []
  const accept = (socket: Socket): void => {
    socket.on('error', () => {})
    accepted.push(socket)
  }
  server.on('connection', accept)
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

/** Of its own authority, for these names. */
export function certificate(names: readonly string[]): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-test-cert-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=test -addext'.split(' ')
    const alternatives = `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`
    execFileSync(OPENSSL, [...words, alternatives, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
