import assert from 'node:assert/strict'
import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import { describe, it } from 'node:test'
import { type ConnectionOptions, connect } from 'node:tls'
import fc from 'fast-check'
import { ClientHelloReader, type HelloReading } from './client-hello.ts'

/** What a real client sends first. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const [near, far] = duplexPair()
  const client = connect({ ...options, socket: near })
  client.on('error', () => {})
  const [bytes]: unknown[] = await once(far, 'data')
  client.destroy()
  far.destroy()
  assert.ok(Buffer.isBuffer(bytes))
  return bytes
}

function readAll(bytes: Uint8Array, size = bytes.length): HelloReading {
  const reader = new ClientHelloReader()
  let reading: HelloReading = { type: 'more' }
  for (let at = 0; at < bytes.length && reading.type === 'more'; at += size) reading = reader.push(bytes.subarray(at, at + size))
  return reading
}

/** The hello's bytes in records of `size` bytes. */
function recut(hello: Buffer, size: number): Buffer {
  const body = hello.subarray(5)
  const records: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, piece.length >> 8, piece.length & 255]), piece)
  }
  return Buffer.concat(records)
}

function extension(kind: number, body: readonly number[]): number[] {
  return [kind >> 8, kind & 255, body.length >> 8, body.length & 255, ...body]
}

function sni(name: string): number[] {
  const bytes = [...Buffer.from(name, 'latin1')]
  return extension(0, [0, bytes.length + 3, 0, 0, bytes.length, ...bytes])
}

function madeHello(extensions: readonly number[]): Buffer {
  const body = [3, 3, ...Array<number>(32).fill(7), 0, 0, 2, 0x13, 1, 1, 0, extensions.length >> 8, extensions.length & 255, ...extensions]
  const message = [1, 0, body.length >> 8, body.length & 255, ...body]
  return Buffer.from([22, 3, 1, message.length >> 8, message.length & 255, ...message])
}

describe('ClientHelloReader', () => {
  it('reads the name of real clients, old and new, in pieces of any size', async () => {
    for (const options of [
      {},
      { maxVersion: 'TLSv1.2' },
      { minVersion: 'TLSv1.3' },
      { ALPNProtocols: ['h2', 'http/1.1'] },
    ] satisfies ConnectionOptions[]) {
      const hello = await helloOf({ ...options, servername: 'www.example.com' })
      for (const size of [1, 2, 3, 5, 7, 64, 1_000, hello.length])
        assert.deepEqual(readAll(hello, size), { type: 'hello', name: 'www.example.com' })
      for (let cut = 0; cut < hello.length; cut += 1) assert.deepEqual(readAll(hello.subarray(0, cut)), { type: 'more' })
      assert.deepEqual(readAll(recut(hello, 300), 1), { type: 'hello', name: 'www.example.com' })
      assert.deepEqual(readAll(Buffer.concat([hello, Buffer.from('more')])), { type: 'hello', name: 'www.example.com' })
    }
    assert.deepEqual(readAll(await helloOf({ servername: '' })), { type: 'hello', name: undefined })
  })

  it('keeps all bytes to be passed on', async () => {
    const hello = await helloOf({ servername: 'a.example' })
    const reader = new ClientHelloReader()
    for (const byte of hello) reader.push(Uint8Array.of(byte))
    assert.deepEqual(reader.bytes, hello)
  })

  it('refuses two names, hidden names and malformed ones', () => {
    assert.deepEqual(readAll(madeHello(sni('a.example'))), { type: 'hello', name: 'a.example' })
    const refused: readonly (readonly [number[], RegExp])[] = [
      [[...sni('a.example'), ...sni('b.example')], /two servers/],
      [[...sni('a.example'), ...extension(0xfe0d, [0, 1, 2])], /encrypted/],
      [extension(0, []), /malformed/],
      [extension(0, [0, 0]), /malformed/],
      [extension(0, [0, 4, 1, 0, 1, 97]), /malformed/],
      [extension(0, [0, 9, 0, 0, 1, 97, 0, 0, 2, 98, 98]), /malformed/],
      [sni('a\0b'), /malformed/],
      [sni('a b'), /malformed/],
      [[...sni('a.example'), 9, 9], /malformed/],
    ]
    for (const [extensions, reason] of refused) {
      const reading = readAll(madeHello(extensions))
      assert.ok(reading.type === 'refused' && reason.test(reading.reason), JSON.stringify(reading))
    }
  })

  it('refuses what never becomes a hello, early', () => {
    assert.deepEqual(readAll(Buffer.from('GET / HTTP/1.1')), { type: 'not-tls' })
    assert.deepEqual(readAll(Buffer.from([0x80, 0x2e, 1, 3, 1])), { type: 'not-tls' })
    assert.equal(readAll(Buffer.from([22, 2, 0, 0, 1])).type, 'refused')
    assert.equal(readAll(Buffer.from([22, 3, 1, 0, 0])).type, 'refused')
    assert.equal(readAll(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])).type, 'refused')
    assert.equal(readAll(Buffer.from([22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff])).type, 'refused')
    assert.equal(readAll(recut(madeHello(sni(`${'a'.repeat(200)}.example`)), 1), 1).type, 'refused')
  })

  it('reads any bytes without throwing, the same in any pieces', () => {
    const valid = madeHello(sni('a.example'))
    const broken = fc
      .array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
      .map((changes) => changes.reduce((bytes, [at, byte]) => bytes.fill(byte, at, at + 1), Buffer.from(valid)))
    fc.assert(
      fc.property(fc.oneof(broken, fc.uint8Array({ maxLength: 200 })), fc.integer({ min: 1, max: 50 }), (bytes, size) => {
        assert.deepEqual(readAll(bytes, size), readAll(bytes))
      }),
      { numRuns: 1_000 },
    )
  })
})
