import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError, type JsonObject, ToolOutput } from '@adjutant/core/contract'
import { fetchFailure as failure, runFetch as run, fetchText as text } from '../../test/fetching.ts'
import { serveBytes, serveHttp } from '../../test/http-servers.ts'
import { createHttpTool } from './create-http-tool.ts'

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
