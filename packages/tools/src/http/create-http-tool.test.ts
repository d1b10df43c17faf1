import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { AdjutantError, type ErrorCode, type JsonObject, ToolOutput } from '@adjutant/core/contract'
import { ManualClock, testContext } from '@adjutant/testkit'
import fc from 'fast-check'
import { serveBytes, serveHttp, serveHttps } from '../../test/http-servers.ts'
import { createHttpTool, type HttpToolOptions } from './create-http-tool.ts'
import { isPublicAddress } from './public-address.ts'

/** Every name is on loopback, and only loopback may be connected to, unless the test says otherwise. */
const LOCAL: HttpToolOptions = { resolve: async () => ['127.0.0.1'], mayConnect: (address) => address === '127.0.0.1' }

async function run(input: JsonObject, options: HttpToolOptions = {}, signal?: AbortSignal): Promise<unknown> {
  await using cx = await testContext(signal === undefined ? {} : { signal })
  const execution = createHttpTool({ ...LOCAL, ...options }).execute(input, cx)
  assert.ok(execution instanceof Promise)
  return await execution
}

async function text(input: JsonObject, options?: HttpToolOptions): Promise<string> {
  const output = await run(input, options)
  assert.equal(typeof output, 'string')
  return String(output)
}

async function failure(input: JsonObject, code: ErrorCode, options?: HttpToolOptions): Promise<AdjutantError> {
  try {
    await run(input, options)
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error), String(error))
    assert.equal(error.code, code, error.message)
    assert.ok(error.hint.length > 0)
    return error
  }
  return assert.fail(`expected ${code}`)
}

describe('http_fetch', () => {
  it('reads a page as text with its title and links, and says where it came from', async () => {
    await using server = await serveHttp((request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8')
      response.end(
        `<title>T &amp; t</title><nav>menu</nav><main><h1>Größe</h1><p>See <a href="/b">b</a>. ${'word '.repeat(60)}<script>x()</script></main>${request.headers['user-agent']}`,
      )
    })
    const url = `http://a.example:${server.port}/p`
    const page = await text({ url })
    assert.match(
      page,
      new RegExp(
        `^HTTP 200 · ${url} · text/html · \\d+ bytes, main content\nTitle: T & t\n\n# Größe\n\nSee \\[b\\]\\(http://a\\.example:${server.port}/b\\)\\. word`,
      ),
    )
    assert.doesNotMatch(page, /menu|x\(\)|adjutant/)
    assert.match(await text({ url, source: true }), /<script>x\(\)<\/script>.*adjutant-http-fetch/)
  })

  it('gives JSON and text as they are, in whatever encoding', async () => {
    const bodies: Readonly<Record<string, readonly [type: string | undefined, body: Buffer | string, expected: string]>> = {
      '/json': ['application/vnd.api+json', '{"a": [1,\n2]}', '{"a": [1,\n2]}'],
      '/latin': ['text/plain; charset="iso-8859-2"', Buffer.from([0xb1, 0xe6]), 'ąć'],
      '/japanese': ['text/plain;charset=Shift_JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
      '/mark': ['text/plain; charset=iso-8859-1', Buffer.from('\ufeffäö', 'utf16le'), 'äö'],
      '/meta': ['text/html', Buffer.from('<meta charset="windows-1251"><p>\xcc\xe8\xf0', 'latin1'), 'Мир'],
      '/xml': ['application/xml', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe4</a>', 'latin1'), '<a>ä</a>'],
      '/none': [undefined, 'plain ü', 'plain ü'],
      '/octets': ['application/octet-stream', 'name = "x"', 'name = "x"'],
      '/old': ['text/plain', Buffer.from('caf\xe9 \x80', 'latin1'), 'café €'],
      '/unknown': ['text/plain; charset=nonsense', 'ü', 'ü'],
    }
    await using server = await serveHttp((request, response) => {
      const [type, body] = bodies[request.url ?? ''] ?? []
      if (type !== undefined) response.setHeader('Content-Type', type)
      response.end(body)
    })
    for (const [path, [, , expected]] of Object.entries(bodies)) {
      const got = await text({ url: `http://a.example:${server.port}${path}` })
      assert.ok(got.split('\n\n').slice(1).join('\n\n').endsWith(expected), `${path}: ${got}`)
    }
  })

  it('gives images as images, and tells the type and size of anything else', async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
    await using server = await serveHttp((request, response) => {
      if (request.url === '/pdf') response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': 3_000_000 }).write('%PDF-')
      else if (request.url === '/lie') response.writeHead(200, { 'Content-Type': 'image/png' }).end('<html>no picture</html>')
      else if (request.url === '/zip') response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end('PK\x03\x04\0\0')
      else response.writeHead(200, { 'Content-Type': request.url === '/png' ? 'image/png' : 'text/plain' }).end(png)
    })
    const base = `http://a.example:${server.port}`
    for (const path of ['/png', '/as-text']) {
      const output = await run({ url: base + path })
      assert.ok(output instanceof ToolOutput)
      assert.deepEqual(output.parts[1], { type: 'image', mimeType: 'image/png', data: png.toString('base64') })
    }
    assert.match(await text({ url: `${base}/pdf` }), /application\/pdf\n\[Not shown: 2\.9 MiB\./)
    assert.match(await text({ url: `${base}/zip` }), /\[Not shown: 6 bytes, ZIP archive/)
    assert.match(await text({ url: `${base}/lie` }), /\[Not shown: 23 bytes/)
  })

  it('asks with HEAD for headers only, without cookies', async () => {
    await using server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': 99_999_999, ETag: '"1"', 'Set-Cookie': 'session=1' }).end()
    })
    const got = await text({ url: `http://a.example:${server.port}/`, method: 'head' })
    assert.match(got, /^HTTP 200 .*\netag: "1"/ms)
    assert.doesNotMatch(got, /session/)
  })

  it('is a read by its arguments, and what changes something only where that was allowed', async () => {
    const tool = createHttpTool({ methods: ['GET', 'POST', 'DELETE'], trustedHosts: ['10.0.0.7:8080'] })
    const effect = (input: JsonObject): string => (typeof tool.effect === 'function' ? tool.effect(input) : tool.effect)
    assert.equal(effect({ url: 'https://example.com/' }), 'read')
    assert.equal(effect({ url: 'https://example.com/', method: 'POST' }), 'write')
    assert.equal(effect({ url: 'https://example.com/', method: 'DELETE' }), 'dangerous')
    assert.equal(effect({ url: 'https://example.com/', headers: { 'X-HTTP-Method-Override': 'DELETE' } }), 'dangerous')
    assert.equal(effect({ url: 'http://169.254.169.254/' }), 'dangerous')
    assert.equal(effect({ url: 'http://10.0.0.7:8080/' }), 'read')
    assert.equal(effect({ url: 7 }), 'dangerous')
    assert.equal(tool.untrusted, true)
    await failure({ url: 'http://a.example/', method: 'POST' }, 'INVALID_ARGUMENTS')
    await using server = await serveHttp((request, response) => {
      response.write(`${request.method} ${request.headers['content-type']} ${request.headers['x-a']} `)
      request.pipe(response)
    })
    const sent = await text(
      { url: `http://a.example:${server.port}/`, method: 'POST', body: '{"a":"ü"}', headers: { 'X-A': '1' } },
      { methods: ['POST'] },
    )
    assert.ok(sent.endsWith('POST application/json 1 {"a":"ü"}'))
  })

  it('says what is wrong with its arguments', async () => {
    for (const url of [
      '',
      'example.com',
      '//example.com',
      'http://',
      'http://user:secret@a.example/',
      `http://a.example/${'a'.repeat(9_000)}`,
      'http://a.example:99999/',
    ])
      assert.doesNotMatch((await failure({ url }, 'INVALID_ARGUMENTS')).message, /secret/)
    assert.match((await failure({ url: 'example.com/a' }, 'INVALID_ARGUMENTS')).hint, /https:\/\/example\.com\/a/)
    for (const url of ['file:///etc/passwd', 'ftp://a.example/', 'javascript:1', 'data:text/plain,x', 'gopher://a.example/'])
      await failure({ url }, 'UNSUPPORTED')
    const url = 'http://a.example/'
    for (const input of [
      { url, body: 'x' },
      { url, headers: [] },
      { url, headers: { Host: 'b.example' } },
      { url, headers: { 'transfer-encoding': 'chunked' } },
      { url, headers: { 'a b': 'x' } },
      { url, headers: { a: 'x\r\nb: y' } },
      { url, headers: { a: 1 } },
      { url, headers: { a: '1', A: '2' } },
      { url, source: 'yes' },
      { url: 7 },
      {},
    ])
      await failure(input, 'INVALID_ARGUMENTS')
    for (const options of [{ methods: [] }, { timeoutMs: 0 }, { maxBytes: 1.5 }])
      assert.throws(() => createHttpTool(options), AdjutantError)
  })
})

describe('addresses inside', () => {
  it('are never connected to, in any notation, by any name', async () => {
    await using server = await serveHttp((_request, response) => void response.end('reached'))
    const { port } = server
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '017700000001',
      '0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[2001:0:1::1]',
      '169.254.169.254',
      '10.0.0.1',
      '①②⑦.0.0.1',
    ]
    for (const host of hosts) await failure({ url: `http://${host}:${port}/` }, 'DENIED_BY_POLICY', { mayConnect: isPublicAddress })
    for (const addresses of [['127.0.0.1'], ['93.184.215.14', '127.0.0.1'], ['::1'], ['::ffff:10.0.0.1'], ['0.0.0.0'], ['nonsense']])
      await failure({ url: `http://a.example:${port}/` }, 'DENIED_BY_POLICY', {
        mayConnect: isPublicAddress,
        resolve: async () => addresses,
      })
    await failure({ url: `http://localhost:${port}/` }, 'DENIED_BY_POLICY', { mayConnect: isPublicAddress })
    assert.equal(server.accepted.length, 0)
  })

  it('are never reached by a redirect', async () => {
    await using target = await serveHttp((_request, response) => void response.end('reached'))
    const targets = [
      'http://169.254.169.254/latest/meta-data/',
      `http://localhost:${target.port}/`,
      `http://127.0.0.2:${target.port}/`,
      `http://0x7f.2:${target.port}/`,
      `//[::1]:${target.port}/`,
      `http://inside.example:${target.port}/`,
    ]
    await using server = await serveHttp((request, response) => {
      const index = Number(request.url?.slice(1))
      response.writeHead(302, { Location: index >= 100 ? `/${index - 100}` : (targets[index] ?? '/') }).end()
    })
    const resolve = async (host: string): Promise<readonly string[]> => (host === 'a.example' ? ['127.0.0.1'] : ['127.0.0.2'])
    for (const index of targets.keys()) {
      for (const hop of [index, index + 100, index + 200])
        await failure({ url: `http://a.example:${server.port}/${hop}` }, 'DENIED_BY_POLICY', { resolve })
    }
    assert.equal(target.accepted.length, 0)
  })

  it('are not reached by a name that changes its answer', async () => {
    await using server = await serveHttp((request, response) => {
      if (request.url === '/again') response.end('reached')
      else response.writeHead(302, { Location: '/again' }).end()
    })
    const asked: string[] = []
    const resolve = async (host: string): Promise<readonly string[]> => {
      asked.push(host)
      // The first answer is fine; whoever asked twice for one connection would get the second.
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2']
    }
    await failure({ url: `http://a.example:${server.port}/` }, 'DENIED_BY_POLICY', { resolve })
    assert.equal(asked.length, 2)
    asked.length = 0
    assert.match(await text({ url: `http://a.example:${server.port}/again` }, { resolve }), /reached/)
    assert.equal(asked.length, 1)
  })

  it('are reached when the host was named for it, and not by redirect from elsewhere', async () => {
    await using inside = await serveHttp((_request, response) => void response.end('reached'))
    await using outside = await serveHttp(
      (_request, response) => void response.writeHead(302, { Location: `http://127.0.0.1:${inside.port}/` }).end(),
    )
    const options: HttpToolOptions = {
      trustedHosts: [`127.0.0.1:${inside.port}`, 'api.example'],
      mayConnect: (address) => address === '127.0.0.9',
      resolve: async (host) => (host === 'api.example' ? ['127.0.0.1'] : ['127.0.0.9']),
    }
    assert.match(await text({ url: `http://127.0.0.1:${inside.port}/` }, options), /reached/)
    assert.match(await text({ url: `http://api.example:${inside.port}/` }, options), /reached/)
    await failure({ url: `http://127.0.0.1:${outside.port}/` }, 'DENIED_BY_POLICY', options)
    const fromTrusted = { ...options, trustedHosts: [...(options.trustedHosts ?? []), `127.0.0.1:${outside.port}`] }
    await failure({ url: `http://127.0.0.1:${outside.port}/` }, 'DENIED_BY_POLICY', fromTrusted)
  })
})

describe('redirects', () => {
  it('are followed five times, keep the fragment, and drop what belongs to another host', async () => {
    const seen: unknown[] = []
    await using second = await serveHttp((request, response) => {
      seen.push([request.headers.authorization, request.headers.accept === undefined, request.headers['user-agent'] !== undefined])
      response.end('there')
    })
    await using first = await serveHttp((request, response) => {
      const left = Number(request.url?.slice(1))
      seen.push(request.headers.authorization)
      response
        .writeHead(left % 2 === 0 ? 301 : 308, { Location: left > 0 ? `/${left - 1}` : `http://b.example:${second.port}/ä` })
        .end('moved')
    })
    const url = (left: number): string => `http://a.example:${first.port}/${left}#part`
    const got = await text({ url: url(4), headers: { Authorization: 'Bearer x' } })
    assert.match(got, new RegExp(`http://b\\.example:${second.port}/%C3%A4#part \\(after 5 redirects\\)`))
    assert.deepEqual(seen, [...Array<string>(5).fill('Bearer x'), [undefined, false, true]])
    assert.match((await failure({ url: url(5) }, 'TOOL_FAILED')).message, /more than 5 times/)
    const told = await text({ url: url(0) }, { redirects: 'same-host' })
    assert.match(told, new RegExp(`It redirects to http://b\\.example:${second.port}/%C3%A4, which was not followed`))
  })

  it('never go from https to http, to other schemes, or nowhere', async () => {
    const places = ['http://a.example/', 'file:///etc/passwd', 'javascript:alert(1)', 'http://', `http://${'a'.repeat(9_000)}/`]
    await using server = await serveHttps(
      (request, response) => void response.writeHead(302, { Location: places[Number(request.url?.slice(1))] ?? '' }).end(),
      ['a.example'],
    )
    const base = `https://a.example:${server.port}`
    for (const index of [0, 1, 2]) await failure({ url: `${base}/${index}` }, 'DENIED_BY_POLICY', { ca: server.ca })
    for (const index of [3, 4]) await failure({ url: `${base}/${index}` }, 'TOOL_FAILED', { ca: server.ca })
  })

  it('never carry a body to another address', async () => {
    const seen: string[] = []
    await using server = await serveHttp((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      if (request.url === '/done') response.end('done')
      else response.writeHead(Number(request.url?.slice(1)), { Location: '/done' }).end()
    })
    const post = (status: number) =>
      text({ url: `http://a.example:${server.port}/${status}`, method: 'POST', body: 'x' }, { methods: ['POST'] })
    for (const status of [301, 302, 303]) assert.match(await post(status), /done$/)
    for (const status of [307, 308]) assert.match(await post(status), /not followed/)
    assert.equal(seen.filter((line) => line.startsWith('POST /done')).length, 0)
  })
})

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

describe('failures', () => {
  it('carry the status, what the server says, and how long to wait', async () => {
    await using server = await serveHttp((request, response) => {
      const status = Number(request.url?.slice(1))
      response
        .writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '7', 'Set-Cookie': 'a=1' })
        .end(`{"error":\n"code ${status}"}`)
    })
    const at = (status: number): JsonObject => ({ url: `http://a.example:${server.port}/${status}` })
    assert.match((await failure(at(404), 'NOT_FOUND')).message, /answered 404 Not Found: \{"error": "code 404"\}$/)
    await failure(at(410), 'NOT_FOUND')
    for (const status of [400, 401, 403, 429, 500, 503]) {
      const error = await failure(at(status), 'TOOL_FAILED')
      assert.deepEqual(error.cause, { status, headers: { 'retry-after': '7', 'retry-after-ms': undefined } })
    }
  })

  it('of names and connections say which it was, and whether something was sent', async () => {
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    await failure({ url: 'http://nowhere.example/' }, 'NOT_FOUND', { resolve: () => Promise.reject(missing) })
    await failure({ url: 'http://nowhere.example/' }, 'NOT_FOUND', { resolve: async () => [] })
    await using server = await serveBytes((socket) => void socket.resetAndDestroy())
    const url = `http://a.example:${server.port}/`
    const lost = await failure({ url }, 'TOOL_FAILED')
    assert.equal(lost.outcome, 'failed')
    assert.ok(lost.cause instanceof Error && 'code' in lost.cause && lost.cause.code === 'ECONNRESET')
    assert.equal((await failure({ url, method: 'POST', body: 'x' }, 'TOOL_FAILED', { methods: ['POST'] })).outcome, 'unknown')
    await server[Symbol.asyncDispose]()
    assert.equal((await failure({ url, method: 'POST', body: 'x' }, 'TOOL_FAILED', { methods: ['POST'] })).outcome, 'not-run')
  })
})
