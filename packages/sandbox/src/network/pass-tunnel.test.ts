import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { certificate, exchange, openGate, RawClient, serveHttp, serveHttps, serveTcp } from '../../test/network-gate.ts'
import { isPublicAddress } from './public-address.ts'
import type { NetworkGate } from './start-network-gate.ts'

/** Opens a tunnel to `authority`; the socket when it is open. */
async function tunnel(gate: NetworkGate, authority: string): Promise<Socket> {
  const client = connectTcp(gate.socketPath)
  client.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  const [answer]: unknown[] = await once(client, 'data')
  assert.equal(String(answer), 'HTTP/1.1 200 Connection established\r\n\r\n')
  return client
}

async function secure(gate: NetworkGate, authority: string, servername: string): Promise<TLSSocket> {
  const socket = connect({ socket: await tunnel(gate, authority), servername, ca: certificate().cert })
  await once(socket, 'secureConnect')
  return socket
}

async function textOf(socket: TLSSocket): Promise<string> {
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) text += String(chunk)
  return text
}

describe('an encrypted tunnel', () => {
  it('reaches the server itself, with its own certificate', async () => {
    const big = 'z'.repeat(300_000)
    await using server = await serveHttps((request, response) => void response.end(`${request.url} ${big}`))
    await using opened = await openGate({ allow: [`a.example:${server.port}`] })
    const socket = await secure(opened.gate, `A.example:${server.port}`, 'a.example')
    socket.write(`GET /secret HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`)
    const text = await textOf(socket)
    assert.ok(text.includes(`/secret ${big}`))
    assert.ok(opened.gate.bytesReceived > 300_000)
    assert.deepEqual(
      opened.attempts.map((attempt) => attempt.outcome),
      ['passed'],
    )
  })

  it('is closed with an alert when another server is asked for, or none', async () => {
    await using server = await serveHttps((_request, response) => void response.end('reached'))
    await using opened = await openGate({ allow: [`a.example:${server.port}`, `b.example:${server.port}`] })
    for (const servername of ['b.example', 'evil.example', 'x.a.example', '']) {
      const client = connect({ socket: await tunnel(opened.gate, `a.example:${server.port}`), servername, rejectUnauthorized: false })
      const error = await new Promise<unknown>((resolve) => client.once('error', resolve))
      assert.match(String(error), /unrecognized.?name/i, servername)
    }
    assert.deepEqual(opened.gate.refused, [`a.example:${server.port}`])
    assert.equal(opened.gate.bytesSent, 0)
  })

  it('passes nothing before the client has said whom it wants', async () => {
    const heard: Buffer[] = []
    await using server = await serveTcp((socket) => {
      socket.on('data', (chunk: Buffer) => heard.push(chunk))
      socket.write('220 I speak first\r\n')
    })
    await using opened = await openGate({ allow: [`a.example:${server.port}`], limits: { connectMs: 1_000 } })
    const client = new RawClient(opened.gate).say(`CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`)
    await client.hears('established')
    client.say(Uint8Array.of(22, 3, 1))
    await opened.clock.advance(1_000)
    assert.equal(await client.all(), 'HTTP/1.1 200 Connection established\r\n\r\n')
    assert.deepEqual(heard, [])
  })

  it('ends when nothing moves, and when its bytes are used up', async () => {
    await using server = await serveHttps((_request, response) => void response.write('x'.repeat(10_000)))
    const authority = `a.example:${server.port}`
    await using idle = await openGate({ allow: [authority], limits: { idleMs: 2_000 } })
    const quiet = await secure(idle.gate, authority, 'a.example')
    const closed = new Promise((resolve) => quiet.once('close', resolve))
    quiet.on('error', () => {})
    await idle.clock.advance(2_000)
    await closed
    await using small = await openGate({ allow: [authority], limits: { bytes: 5_000 } })
    const cut = await secure(small.gate, authority, 'a.example')
    cut.on('error', () => {})
    cut.write('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')
    cut.resume()
    await new Promise((resolve) => cut.once('close', resolve))
    assert.equal(small.gate.bytesReceived, 5_000)
    assert.deepEqual(small.gate.refused, [authority])
  })
})

describe('a plain tunnel', () => {
  it('carries requests of the allowed host, read like any other', async () => {
    await using server = await serveHttp((request, response) => {
      response.write(`${request.method} ${request.headers.host} `)
      request.pipe(response)
    })
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host] })
    const inside = `POST /x HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\nhi`
    const together = await exchange(opened.gate, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n${inside}`)
    assert.match(together, new RegExp(`established\\r\\n\\r\\nHTTP/1\\.1 200 .*POST ${host} `, 's'))
    const apart = new RawClient(opened.gate).say(`CONNECT ${host} HTTP/1.1\r\n\r\n`)
    await apart.hears('established')
    for (const sign of inside) {
      apart.say(sign)
      await opened.clock.advance(0)
    }
    assert.match(await apart.all(), /hi\r\n0\r\n\r\n$/)
  })

  it('carries nothing else', async () => {
    await using server = await serveTcp((socket) => void socket.on('data', () => socket.end('reached')))
    const host = `a.example:${server.port}`
    await using opened = await openGate({ allow: [host], limits: { connectMs: 1_000 } })
    const hidden = [
      `GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
      `GET http://evil.example/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      `CONNECT evil.example:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'SSH-2.0-OpenSSH_9.2\r\n',
      '\0\0\0\x08\x04\xd2\x16\x2f',
      '\x80\x2e\x01\x03\x01',
    ]
    for (const text of hidden)
      assert.doesNotMatch(await exchange(opened.gate, `CONNECT ${host} HTTP/1.1\r\n\r\n${text}`), /reached/, JSON.stringify(text))
    const half = new RawClient(opened.gate).say(`CONNECT ${host} HTTP/1.1\r\n\r\nGET /half`)
    await half.hears('established')
    await opened.clock.advance(2_000)
    assert.doesNotMatch(await half.all(), /reached/)
  })
})

describe('CONNECT', () => {
  it('is refused to hosts and ports that are not listed, unseen by any resolver', async () => {
    await using opened = await openGate({ allow: ['a.example', '*.b.example:8443'] })
    const refused = [
      'a.example:22',
      'a.example:25',
      'evil.example:443',
      'b.example:8443',
      'x.b.example:443',
      '127.0.0.1:443',
      '[::1]:443',
      '169.254.169.254:80',
      'localhost:80',
    ]
    for (const authority of refused)
      assert.match(
        await exchange(opened.gate, `CONNECT ${authority} HTTP/1.1\r\n\r\n`),
        /^HTTP\/1\.1 403 Forbidden\r\n.*adjutant: [^\n]+\.\n$/s,
        authority,
      )
    assert.deepEqual(opened.gate.refused, refused)
    for (const odd of ['a.example', 'a.example:', 'http://a.example:443', 'user@a.example:443', 'a.example:443/x', '/', '*'])
      assert.match(await exchange(opened.gate, `CONNECT ${odd} HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 40[03] /, odd)
    assert.deepEqual(opened.asked, [])
  })

  it('is refused when the name leads inside, by whatever of its addresses', async () => {
    const addresses = {
      'meta.example': ['169.254.169.254'],
      'mixed.example': ['93.184.215.14', '10.0.0.1'],
      'mapped.example': ['::ffff:127.0.0.1'],
      'nat64.example': ['64:ff9b::7f00:1'],
      'loop.example': ['127.0.0.1'],
      'odd.example': ['not an address'],
    }
    const names = Object.keys(addresses)
    // The policy that is used when none is given.
    await using opened = await openGate({ allow: [...names, '127.0.0.1', '[::1]'], addresses, mayConnect: isPublicAddress })
    for (const host of [...names, '127.0.0.1', '[::1]'])
      assert.match(await exchange(opened.gate, `CONNECT ${host}:443 HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 403 .*not public/s, host)
    assert.deepEqual(opened.asked, names)
  })

  it('connects to the address that was checked, whatever the name says the next time', async () => {
    await using server = await serveTcp((socket) => void socket.end())
    const answers = [['127.0.0.1'], ['10.9.9.9']]
    let asked = 0
    await using opened = await openGate({ allow: [`a.example:${server.port}`], resolve: async () => answers[asked++] ?? [] })
    const first = new RawClient(opened.gate).say(`CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`)
    await first.hears('established')
    assert.equal(asked, 1)
    assert.match(await exchange(opened.gate, `CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 403 /)
    assert.equal(asked, 2)
    first.socket.destroy()
  })

  it('tries the other addresses of a name when one does not answer', async () => {
    await using server = await serveTcp((socket) => void socket.resume())
    const options = { allow: [`a.example:${server.port}`], mayConnect: (address: string) => address.startsWith('127.0.0.') }
    await using opened = await openGate({ ...options, addresses: { 'a.example': ['127.0.0.2', '127.0.0.3', '127.0.0.1'] } })
    const client = new RawClient(opened.gate).say(`CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`)
    await client.hears('established')
    assert.deepEqual(opened.attempts, [{ way: 'CONNECT', target: `a.example:${server.port}`, outcome: 'passed', address: '127.0.0.1' }])
    client.socket.destroy()
    await using none = await openGate({ ...options, addresses: { 'a.example': ['127.0.0.2', '127.0.0.3'] } })
    assert.match(
      await exchange(none.gate, `CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`),
      /^HTTP\/1\.1 502 Bad Gateway.*ECONNREFUSED/s,
    )
  })

  it('says when there is no address, nobody, or no answer in time', async () => {
    await using closed = await serveTcp(() => {})
    const { port } = closed
    await closed[Symbol.asyncDispose]()
    const addresses = { 'none.example': [] }
    await using opened = await openGate({ allow: ['none.example', `a.example:${port}`], addresses })
    assert.match(
      await exchange(opened.gate, 'CONNECT none.example:443 HTTP/1.1\r\n\r\n'),
      /^HTTP\/1\.1 502 .*none\.example has no address/s,
    )
    assert.match(await exchange(opened.gate, `CONNECT a.example:${port} HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 502 .*\(ECONNREFUSED\)/s)
    const asked = Promise.withResolvers<void>()
    await using slow = await openGate({
      allow: ['slow.example'],
      limits: { connectMs: 3_000 },
      resolve: () => {
        asked.resolve()
        return new Promise(() => {})
      },
    })
    const client = new RawClient(slow.gate).say('CONNECT slow.example:443 HTTP/1.1\r\n\r\n')
    await asked.promise
    await slow.clock.advance(3_000)
    assert.match(await client.all(), /^HTTP\/1\.1 504 .*did not answer in time/s)
    assert.deepEqual(slow.gate.refused, [])
  })
})
