import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { AdjutantError, type JsonObject, ToolOutput } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import { fetchFailure as failure, runFetch as run, fetchText as text } from '../../test/fetching.ts'
import { serveBytes, serveHttp, serveHttps } from '../../test/http-servers.ts'

describe('hostile servers', () => {
  it('cannot fill the memory, packed or not', async () => {
    const zeros = Buffer.alloc(50_000_000)
    const packed: Readonly<Record<string, readonly [string, Buffer]>> = {
      '/gzip': ['gzip', gzipSync(zeros)],
      '/deflate': ['deflate', deflateSync(zeros)],
      '/raw': ['deflate', deflateRawSync(zeros)],
      '/br': ['br', brotliCompressSync(zeros)],
    }
    await using server = await serveHttp((request, response) => {
      const [coding, body] = packed[request.url ?? ''] ?? []
      if (request.url === '/long') response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 9_000_000_000 }).write('x')
      else if (request.url === '/endless') {
        response.writeHead(200, { 'Content-Type': 'text/plain' })
        const more = (): void => {
          while (!response.destroyed && response.write(zeros.subarray(0, 65_536)));
        }
        response.on('drain', more)
        more()
      } else response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': coding ?? '' }).end(body)
    })
    for (const path of [...Object.keys(packed), '/long', '/endless'])
      await failure({ url: `http://a.example:${server.port}${path}` }, 'TOO_LARGE', { maxBytes: 1_000_000 })
  })

  it('are read in every packing, and told when it is broken or unknown', async () => {
    const body = 'wörds '.repeat(1_000)
    const answers: Readonly<Record<string, readonly [string, Buffer]>> = {
      '/gzip': ['x-gzip', gzipSync(body)],
      '/deflate': ['deflate', deflateSync(body)],
      '/raw': ['Deflate', deflateRawSync(body)],
      '/br': ['br', brotliCompressSync(body)],
      '/plain': ['identity', Buffer.from(body)],
      '/cut': ['gzip', gzipSync(body).subarray(0, 30)],
      '/lie': ['gzip', Buffer.from(body)],
      '/twice': ['gzip, gzip', gzipSync(gzipSync(body))],
      '/zstd': ['zstd', Buffer.from('x')],
    }
    await using server = await serveHttp((request, response) => {
      const [coding, bytes] = answers[request.url ?? ''] ?? []
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': coding ?? '' }).end(bytes)
    })
    const url = (path: string): string => `http://a.example:${server.port}${path}`
    for (const path of ['/gzip', '/deflate', '/raw', '/br', '/plain']) assert.ok((await text({ url: url(path) })).endsWith(body), path)
    for (const path of ['/cut', '/lie']) await failure({ url: url(path) }, 'TOOL_FAILED')
    for (const path of ['/twice', '/zstd']) await failure({ url: url(path) }, 'UNSUPPORTED')
  })

  it('that break off, promise too much or speak no HTTP are told as they are', async () => {
    await using server = await serveBytes((socket, request) => {
      if (request.startsWith('GET /short')) socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf')
      else if (request.startsWith('GET /chunk'))
        socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel')
      else if (request.startsWith('GET /both'))
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')
      else if (request.startsWith('GET /heads')) socket.end(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`)
      else if (request.startsWith('GET /none')) socket.end()
      else if (request.startsWith('GET /switch'))
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nraw')
      else socket.end('SSH-2.0-x\r\n')
    })
    const url = (path: string): string => `http://a.example:${server.port}${path}`
    assert.match((await failure({ url: url('/short') }, 'TOOL_FAILED')).message, /broke off after 4 of 100 bytes/)
    assert.match((await failure({ url: url('/chunk') }, 'TOOL_FAILED')).message, /broke off after 3 bytes/)
    for (const path of ['/both', '/none', '/ssh', '/switch']) await failure({ url: url(path) }, 'TOOL_FAILED')
    await failure({ url: url('/heads') }, 'TOO_LARGE')
  })

  it('that are slow lose the call when its time is over', async () => {
    await using server = await serveHttp((request, response) => {
      if (request.url === '/silent') return
      response.writeHead(200, { 'Content-Type': 'text/plain' }).write('drip')
    })
    for (const path of ['/silent', '/drip']) {
      const clock = new ManualClock()
      const before = server.accepted.length
      const failed = failure({ url: `http://a.example:${server.port}${path}` }, 'TIMEOUT', { clock, timeoutMs: 2_000 })
      while (server.accepted.length === before) await clock.advance(0)
      await clock.advance(2_000)
      assert.match((await failed).message, /within 2 s/)
      assert.equal(clock.pending, 0)
    }
  })

  it('that never resolve lose it as well, and a stopped call ends at once', async () => {
    const clock = new ManualClock()
    const asked = Promise.withResolvers<void>()
    const resolve = (): Promise<readonly string[]> => {
      asked.resolve()
      return new Promise(() => {})
    }
    const failed = failure({ url: 'http://a.example/' }, 'TIMEOUT', { clock, resolve })
    await asked.promise
    await clock.advance(30_000)
    await failed
    await using server = await serveHttp(() => stop.abort())
    const stop = new AbortController()
    await assert.rejects(
      run({ url: `http://a.example:${server.port}/` }, {}, stop.signal),
      (error) => AdjutantError.isInstance(error) && error.code === 'CANCELLED',
    )
  })

  it('with a certificate that is not theirs are not spoken to', async () => {
    let asked = 0
    await using server = await serveHttps(
      (_request, response) => {
        asked += 1
        response.end('safe')
      },
      ['a.example'],
    )
    const at = (host: string): JsonObject => ({ url: `https://${host}:${server.port}/` })
    assert.match(await text(at('a.example'), { ca: server.ca }), /safe$/)
    for (const [input, options] of [
      [at('a.example'), {}],
      [at('b.example'), { ca: server.ca }],
    ] as const) {
      const error = await failure(input, 'TOOL_FAILED', options)
      assert.match(error.message, /certificate of [ab]\.example is not valid/)
      assert.equal(error.grade, 'final')
    }
    await failure({ url: `http://a.example:${server.port}/` }, 'TOOL_FAILED')
    assert.equal(asked, 1)
  })

  it('may answer anything without more than an error', async () => {
    let answer = ''
    await using server = await serveBytes((socket) => void socket.end(Buffer.from(answer, 'latin1')))
    const whole = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n<p>hello <a href=x>y'
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.string({ unit: 'binary', maxLength: 12 }), async (at, noise) => {
        answer = whole.slice(0, at) + noise + whole.slice(at)
        const result = await run({ url: `http://a.example:${server.port}/` }).catch((error: unknown) => error)
        assert.ok(typeof result === 'string' || result instanceof ToolOutput || AdjutantError.isInstance(result), String(result))
      }),
      { numRuns: 100 },
    )
  })
})

describe('a call that has ended', () => {
  it('has closed its connections, however it ended', async () => {
    const drip = (response: ServerResponse, head: OutgoingHttpHeaders, status = 200): void =>
      void response.writeHead(status, head).write('drip')
    await using server = await serveHttp((request, response) => {
      if (request.url === '/pdf') drip(response, { 'Content-Type': 'application/pdf' })
      else if (request.url === '/large') drip(response, { 'Content-Type': 'text/plain', 'Content-Length': 1_000_000_000 })
      else if (request.url === '/packed') drip(response, { 'Content-Type': 'text/plain', 'Content-Encoding': 'zstd' })
      else if (request.url === '/inside') drip(response, { Location: 'http://10.0.0.1/' }, 302)
      else if (request.url === '/file') drip(response, { Location: 'file:///etc/passwd' }, 302)
      else if (request.url === '/loop') drip(response, { Location: '/loop' }, 302)
      else if (request.url === '/broken') drip(response, { 'Content-Type': 'image/png' }, 500)
      else if (request.url === '/fails') drip(response, { 'Content-Type': 'text/plain', 'Content-Length': 1_000_000_000 }, 500)
      else response.end('whole')
    })
    for (const path of ['/pdf', '/large', '/packed', '/inside', '/file', '/loop', '/broken', '/fails', '/whole']) {
      await run({ url: `http://a.example:${server.port}${path}` }).catch(() => {})
      // The other end of a connection sees its end a little later.
      await Promise.all(
        server.accepted.map((socket) => (socket.destroyed ? undefined : new Promise((resolve) => socket.once('close', resolve)))),
      )
    }
    assert.ok(server.accepted.length >= 14)
  })
})
