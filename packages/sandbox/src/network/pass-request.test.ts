import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { exchange, openGate, RawClient, serveHttp, serveTcp } from '../../test/network-gate.ts'

const get = (url: string, more = ''): string => `GET ${url} HTTP/1.1\r\nHost: ${url.replace(/^http:\/\/([^/?]*).*$/i, '$1')}\r\n${more}\r\n`

describe('a request to an allowed host', () => {
  it('goes through whole, there and back, and is written anew', async () => {
    await using server = await serveHttp(async (request, response) => {
      const body: Buffer[] = []
      for await (const chunk of request) body.push(chunk)
      response.writeHead(201, { 'X-Seen': 'yes', Connection: 'X-Gone', 'X-Gone': '1', 'Set-Cookie': ['a=1', 'b=2'] })
      response.end(
        JSON.stringify({ method: request.method, url: request.url, headers: request.rawHeaders, body: Buffer.concat(body).toString() }),
      )
    })
    await using opened = await openGate({ allow: [`a.example:${server.port}`] })
    const head =
      'Connection: x-hop, close\r\nX-Hop: 1\r\nProxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nUpgrade: h2c\r\nTE: trailers\r\nX-Kept: 1\r\n'
    const answer = await exchange(
      opened.gate,
      `POST http://A.example.:${server.port}/p/a?q=1&r HTTP/1.1\r\nHost: a.EXAMPLE:${server.port}\r\n${head}Content-Length: 5\r\n\r\nhello`,
    )
    assert.match(answer, /^HTTP\/1\.1 201 Created\r\n/)
    assert.match(answer, /X-Seen: yes\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/)
    assert.doesNotMatch(answer, /X-Gone/i)
    const seen: unknown = JSON.parse(/\{.*\}/s.exec(answer)?.[0] ?? '')
    assert.deepEqual(seen, {
      method: 'POST',
      url: '/p/a?q=1&r',
      headers: ['Host', `a.example:${server.port}`, 'X-Kept', '1', 'Content-Length', '5', 'Connection', 'close'],
      body: 'hello',
    })
    assert.deepEqual(opened.asked, ['a.example'])
    assert.deepEqual(opened.attempts, [{ way: 'HTTP', target: `a.example:${server.port}`, outcome: 'passed', address: '127.0.0.1' }])
    assert.ok(opened.gate.bytesSent > 5 && opened.gate.bytesReceived > 100)
    assert.deepEqual(opened.gate.refused, [])
  })

  it('takes bodies in chunks, none at all, and answers without an end of their own', async () => {
    await using server = await serveHttp((request, response) => {
      if (request.method === 'HEAD') response.writeHead(200, { 'Content-Length': '1000' }).end()
      else if (request.method === 'DELETE') response.writeHead(204).end()
      else request.pipe(response)
    })
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host] })
    const chunked = `PUT http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`
    assert.match(await exchange(opened.gate, chunked), /abc.*de/s)
    assert.match(
      await exchange(opened.gate, `HEAD http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      /Content-Length: 1000\r\n.*\r\n\r\n$/s,
    )
    assert.match(await exchange(opened.gate, `DELETE http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`), /^HTTP\/1\.1 204/)
    assert.match(await exchange(opened.gate, `GET http://${host} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200/)
  })

  it('breaks off where the server does, and says so where it never answers', async () => {
    await using server = await serveTcp((socket) => {
      socket.once('data', (chunk: Buffer) => {
        if (chunk.includes('/short')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
        else if (chunk.includes('/until-close')) socket.end('HTTP/1.1 200 OK\r\n\r\nno length')
        else if (chunk.includes('/switch')) socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nraw')
        else if (chunk.includes('/nonsense')) socket.end('SSH-2.0-x\r\n')
        else socket.destroy()
      })
    })
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host] })
    const short = await exchange(opened.gate, get(`http://${host}/short`))
    assert.ok(short.includes('Content-Length: 100') && short.endsWith('half'))
    assert.match(await exchange(opened.gate, get(`http://${host}/until-close`)), /\r\nno length\r\n0\r\n\r\n$/)
    assert.match(await exchange(opened.gate, get(`http://${host}/switch`)), /^HTTP\/1\.1 502 /)
    assert.match(await exchange(opened.gate, get(`http://${host}/nonsense`)), /^HTTP\/1\.1 502 /)
    assert.match(await exchange(opened.gate, get(`http://${host}/`)), /^HTTP\/1\.1 502 .*cannot be reached \(ECONNRESET\)\.\n$/s)
    assert.deepEqual(opened.gate.refused, [])
  })
})

describe('a request that is not allowed', () => {
  it('gets one sentence, is noted, and its name is never looked up', async () => {
    await using server = await serveHttp((_request, response) => void response.end('reached'))
    await using opened = await openGate({ allow: [`a.example:${server.port}`, '*.b.example'] })
    const refused = [
      `http://evil.example:${server.port}/`,
      'http://a.example/',
      'http://b.example/',
      'http://127.0.0.1/',
      'http://secret-0123456789.dns.evil.example/',
      `http://a.example:${server.port}.evil.example/`,
      `http://a.example:${server.port}@evil.example/`,
      'https://x.b.example/',
    ]
    for (const url of refused) {
      const answer = await exchange(opened.gate, get(url))
      assert.match(answer, /^HTTP\/1\.1 403 Forbidden\r\n/, url)
      assert.match(answer, /\r\n\r\nadjutant: [^\n]+\.\n$/, url)
    }
    assert.deepEqual(opened.asked, [])
    assert.equal(server.accepted.length, 0)
    assert.equal(opened.attempts.length, refused.length)
    assert.ok(opened.gate.refused.includes(`evil.example:${server.port}`))
    assert.ok(opened.gate.refused.includes('secret-0123456789.dns.evil.example:80'))
  })

  it('may not name another server in Host', async () => {
    await using server = await serveHttp((_request, response) => void response.end('reached'))
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host] })
    for (const other of [
      'evil.example',
      `evil.example:${server.port}`,
      'a.example',
      'a.example:1',
      '',
      ' ',
      `${host}@evil.example`,
      `${host}, evil.example`,
    ]) {
      assert.match(await exchange(opened.gate, `GET http://${host}/ HTTP/1.1\r\nHost: ${other}\r\n\r\n`), /^HTTP\/1\.1 403 /, other)
    }
    assert.match(
      await exchange(opened.gate, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`),
      /^HTTP\/1\.1 400 /,
    )
    assert.equal(server.accepted.length, 0)
  })

  it('is never sent on when two readers could see two ends of it', async () => {
    await using server = await serveHttp((_request, response) => void response.end('reached'))
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host] })
    const heads = [
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: chunked\r\nContent-Length: 5',
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding: chunked, chunked',
      'Transfer-Encoding: xchunked',
      'Transfer-Encoding : chunked',
      'Transfer-Encoding: identity',
      'Content-Length: 5\r\nContent-Length: 6',
      'Content-Length: +5',
      'Content-Length: 5, 5',
      'Content-Length: 0x5',
      'X: a\rTransfer-Encoding: chunked',
      'X: a\0b',
      ' Content-Length: 5',
    ]
    for (const head of heads) {
      const answer = await exchange(
        opened.gate,
        `POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n${head}\r\n\r\n0\r\n\r\nGET http://${host}/smuggled HTTP/1.1\r\n\r\n`,
      )
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, head)
    }
    assert.equal(server.accepted.length, 0)
  })

  it('is what follows another one on its connection', async () => {
    const urls: unknown[] = []
    await using server = await serveHttp((request, response) => {
      urls.push(request.url)
      response.end('reached')
    })
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host] })
    const answer = await exchange(opened.gate, `${get(`http://${host}/1`)}${get(`http://${host}/2`)}CONNECT ${host} HTTP/1.1\r\n\r\n`)
    assert.equal(answer.match(/HTTP\/1\.1/g)?.length ?? 0, answer.includes('reached') ? 1 : 0)
    assert.ok(!urls.includes('/2'))
  })
})

describe('hostile clients', () => {
  it('get no further with heads that are too long, malformed or endless', async () => {
    await using opened = await openGate({ allow: ['a.example'] })
    assert.match(
      await exchange(opened.gate, get('http://a.example/', `X: ${'a'.repeat(20_000)}\r\n`)),
      /^HTTP\/1\.1 400 .*more than 16384 bytes\.\n$/s,
    )
    assert.match(await exchange(opened.gate, get(`http://a.example/${'a'.repeat(20_000)}`)), /^HTTP\/1\.1 400 /)
    for (const text of [
      '\r\n\r\n\0\0',
      'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n',
      'GET http://a.example/ HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x00\x05hello',
      '{}\n',
    ])
      assert.match(await exchange(opened.gate, text), /^HTTP\/1\.1 400 /, JSON.stringify(text))
    assert.deepEqual(opened.asked, [])
  })

  it('lose their place when the head does not come, and when nothing moves', async () => {
    await using server = await serveTcp(() => {})
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host], limits: { connectMs: 1_000, idleMs: 5_000 } })
    const half = new RawClient(opened.gate).say('GET http://a.exa')
    const silent = new RawClient(opened.gate)
    const waiting = new RawClient(opened.gate).say(get(`http://${host}/`))
    while (server.accepted.length === 0) await opened.clock.advance(0)
    await opened.clock.advance(1_000)
    assert.equal(await half.all(), '')
    assert.equal(await silent.all(), '')
    await opened.clock.advance(4_000)
    assert.match(await waiting.all(), /^HTTP\/1\.1 504 .*did not answer in time\.\n$/s)
    while (opened.clock.pending > 0) await opened.clock.advance(1_000)
  })

  it('that leave early leave nothing behind', async () => {
    await using server = await serveTcp((socket) => void socket.on('data', () => {}))
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host] })
    const client = new RawClient(opened.gate).say(`POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\nhalf`)
    while (server.accepted.length === 0) await opened.clock.advance(0)
    client.socket.destroy()
    const [upstream] = server.accepted
    assert.ok(upstream !== undefined)
    if (!upstream.destroyed) await once(upstream.end(), 'close')
    while (opened.clock.pending > 0) await opened.clock.advance(0)
  })

  it('send any bytes without ending the gate', async () => {
    await using server = await serveHttp((_request, response) => void response.end('reached'))
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host] })
    const whole = `POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\nhi`
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.string({ unit: 'binary', maxLength: 20 }), async (at, noise) => {
        const client = new RawClient(opened.gate).say(whole.slice(0, at) + noise + whole.slice(at))
        client.socket.end()
        await client.all()
      }),
      { numRuns: 100 },
    )
    assert.match(await exchange(opened.gate, whole), /reached/)
    assert.deepEqual([...new Set(opened.asked)], ['a.example'])
  })
})

describe('limits', () => {
  it('count the bytes of both ways and end what exceeds them', async () => {
    await using server = await serveHttp((request, response) => {
      request.resume()
      response.end(request.url === '/big' ? 'x'.repeat(200_000) : 'small')
    })
    const host = `a.example:${server.port}`
    await using down = await openGate({ allow: [host], limits: { bytes: 100_000 } })
    const cut = await exchange(down.gate, get(`http://${host}/big`))
    assert.ok(cut.length < 110_000)
    assert.equal(down.gate.bytesReceived, 100_000)
    assert.match(await exchange(down.gate, get(`http://${host}/`)), /^HTTP\/1\.1 403 .*used up its 100000 bytes/s)
    await using up = await openGate({ allow: [host], limits: { bytes: 50_000 } })
    const body = 'y'.repeat(200_000)
    const answer = await exchange(
      up.gate,
      `POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    assert.ok(answer === '' || answer.includes('403') || answer.includes('small'))
    assert.equal(up.gate.bytesSent, 50_000)
  })

  it('count connections', async () => {
    await using server = await serveTcp(() => {})
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host], limits: { connections: 2 } })
    const held = [1, 2].map(() => new RawClient(opened.gate).say(get(`http://${host}/`)))
    while (server.accepted.length < 2) await opened.clock.advance(0)
    assert.match(await exchange(opened.gate, get(`http://${host}/`)), /^HTTP\/1\.1 403 .*has 2 connections open/s)
    for (const client of held) client.socket.destroy()
  })
})
