import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { graphqlEffect } from './graphql-effect.ts'
import { hostKindOf } from './host-kind.ts'
import { readHttpCall } from './read-http-call.ts'

const PUBLIC = 'https://example.com/a'
const effectOf = (method: string, url = PUBLIC, more: { headers?: Record<string, string>; body?: string } = {}) =>
  readHttpCall({ method, url, ...more }).effect

describe('the method', () => {
  it('says what a request does; one that is not known is dangerous', () => {
    for (const method of ['GET', 'get', ' HEAD ', 'OPTIONS']) assert.equal(effectOf(method), 'read')
    for (const method of ['POST', 'PUT', 'patch']) assert.equal(effectOf(method), 'write')
    for (const method of ['DELETE', 'PURGE', 'TRACE', 'CONNECT', 'PROPFIND', '', 'GET\r\nX: y', 'GET /', '__proto__', 'constructor'])
      assert.equal(effectOf(method), 'dangerous', method)
    assert.equal(readHttpCall({ url: PUBLIC }).effect, 'read')
  })

  it('counts when it is overridden, and the worse of the two holds', () => {
    assert.equal(effectOf('GET', PUBLIC, { headers: { 'X-HTTP-Method-Override': 'delete' } }), 'dangerous')
    assert.equal(effectOf('GET', PUBLIC, { headers: { 'x-method-override': 'PUT' } }), 'write')
    assert.equal(effectOf('POST', PUBLIC, { headers: { 'X-HTTP-Method': 'GET' } }), 'write')
    assert.equal(effectOf('GET', PUBLIC, { headers: { 'X-HTTP-Method-Override': 'x y' } }), 'dangerous')
    assert.equal(effectOf('POST', PUBLIC, { body: 'a=1&_method=DELETE' }), 'dangerous')
    assert.equal(effectOf('POST', PUBLIC, { body: '{"_method": "delete"}' }), 'dangerous')
    assert.equal(effectOf('GET', `${PUBLIC}?_method=DELETE`), 'dangerous')
    assert.equal(effectOf('GET', `${PUBLIC}?%5Fmethod=PUT`), 'write')
  })
})

describe('GraphQL', () => {
  const send = (query: unknown, url = 'https://example.com/graphql') =>
    readHttpCall({ method: 'POST', url, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(query) }).effect

  it('tells queries from mutations', () => {
    assert.equal(send({ query: '{ me { id } }' }), 'read')
    assert.equal(
      send({ query: 'query Q($a: In = {b: "}"}) @x(y: 1) { me(a: {b: "mutation {"}) { id } } fragment F on T { deleteMe }' }),
      'read',
    )
    assert.equal(send({ query: '# mutation\nquery { a(x: """ } mutation { """) }' }), 'read')
    assert.equal(send({ query: 'mutation { addUser(name: "x") { id } }' }), 'write')
    assert.equal(send({ query: 'query { a } mutation { b }' }), 'write')
    assert.equal(send({ query: 'mutation M { x: deleteUser(id: 1) { id } }' }), 'dangerous')
    assert.equal(send([{ query: '{ a }' }, { query: 'mutation { b }' }]), 'write')
    assert.equal(effectOf('GET', 'https://example.com/graphql?query=mutation{a}'), 'write')
    assert.equal(effectOf('GET', 'https://example.com/graphql?query={a}'), 'read')
  })

  it('takes nothing for a query that is not one', () => {
    for (const odd of [
      { query: 'SELECT 1' },
      { query: '{ a' },
      { query: '} {' },
      { query: '"' },
      { id: 'persisted' },
      'x',
      null,
      [],
      [{ query: '{ a }' }, {}],
    ])
      assert.equal(send(odd), 'write', JSON.stringify(odd))
    assert.equal(send({ query: '{ a }' }, 'https://example.com/search'), 'write')
    assert.equal(graphqlEffect(''), undefined)
  })
})

describe('the host', () => {
  const kinds: readonly (readonly [string, string])[] = [
    ['http://example.com', 'public'],
    ['http://8.8.8.8', 'public'],
    ['http://[2606:4700::1111]', 'public'],
    ['http://localhost:3000', 'loopback'],
    ['http://LOCALHOST.', 'loopback'],
    ['http://a.localhost', 'loopback'],
    ['http://127.1', 'loopback'],
    ['http://0x7f000001', 'loopback'],
    ['http://017700000001', 'loopback'],
    ['http://2130706433', 'loopback'],
    ['http://0', 'loopback'],
    ['http://[::1]', 'loopback'],
    ['http://[::]', 'loopback'],
    ['http://[::ffff:127.0.0.1]', 'loopback'],
    ['http://[::127.0.0.1]', 'loopback'],
    ['http://[64:ff9b::7f00:1]', 'loopback'],
    ['http://[2002:7f00:1::]', 'loopback'],
    ['http://①②⑦.⓪.⓪.①', 'loopback'],
    ['http://169.254.169.254/latest', 'metadata'],
    ['http://0xA9FEA9FE', 'metadata'],
    ['http://0251.0376.0251.0376', 'metadata'],
    ['http://2852039166', 'metadata'],
    ['http://169.254.43518', 'metadata'],
    ['http://[::ffff:a9fe:a9fe]', 'metadata'],
    ['http://[fd00:ec2::254]', 'metadata'],
    ['http://metadata.google.internal./x', 'metadata'],
    ['http://100.100.100.200', 'metadata'],
    ['http://169.254.1.1', 'link-local'],
    ['http://[fe80::1]', 'link-local'],
    ['http://10.0.0.1', 'private'],
    ['http://172.31.255.255', 'private'],
    ['http://172.32.0.1', 'public'],
    ['http://192.168.1.1', 'private'],
    ['http://100.64.0.1', 'private'],
    ['http://[fc00::1]', 'private'],
    ['http://intranet', 'private'],
    ['http://db.svc.cluster.local', 'private'],
    ['http://127.0.0.1.nip.io', 'private'],
    ['http://host.docker.internal', 'private'],
    ['http://255.255.255.255', 'reserved'],
    ['http://224.0.0.1', 'reserved'],
    ['http://localhost.example.com', 'public'],
    ['http://10.example.com', 'public'],
  ]

  it('is told by its canonical name, in every notation', () => {
    for (const [url, kind] of kinds) {
      const reading = readHttpCall({ method: 'GET', url })
      assert.equal(reading.hostKind, kind, `${url} ${JSON.stringify(reading)}`)
      assert.equal(reading.effect, kind === 'public' ? 'read' : 'dangerous', url)
    }
  })

  it('every notation of an address is of the same kind', () => {
    const byte = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(byte, byte, byte, byte, (a, b, c, d) => {
        const dotted = `${a}.${b}.${c}.${d}`
        const number = ((a * 256 + b) * 256 + c) * 256 + d
        const hex = (one: number) => one.toString(16)
        const forms = [
          dotted,
          `${number}`,
          `0x${hex(number)}`,
          `0${a.toString(8)}.${b}.${c * 256 + d}`,
          `0x${hex(a)}.${b * 65_536 + c * 256 + d}`,
          `[::ffff:${dotted}]`,
          `[64:ff9b::${dotted}]`,
        ]
        for (const form of forms) assert.equal(readHttpCall({ url: `http://${form}/` }).hostKind, hostKindOf(dotted), form)
      }),
      { numRuns: 300 },
    )
  })

  it('may be trusted by name and port', () => {
    const read = (url: string, trusted: string) => readHttpCall({ method: 'GET', url }, { trustedHosts: [trusted] }).effect
    assert.equal(read('http://localhost:3000/x', 'localhost'), 'read')
    assert.equal(read('http://localhost:3000/x', 'LOCALHOST:3000'), 'read')
    assert.equal(read('http://localhost:3001/x', 'localhost:3000'), 'dangerous')
    assert.equal(read('http://2130706433/x', '127.0.0.1'), 'read')
    assert.equal(read('http://169.254.169.254/', 'localhost'), 'dangerous')
    assert.equal(readHttpCall({ method: 'DELETE', url: 'http://localhost/' }, { trustedHosts: ['localhost'] }).effect, 'dangerous')
  })
})

describe('the address', () => {
  it('is made canonical, and what is none is dangerous', () => {
    const { url, host, port } = readHttpCall({ url: 'HTTPS://EXAMPLE.com.:443/a/../b/%7euser/./c?x=1#y' })
    assert.deepEqual([url, host, port], ['https://example.com./b/%7euser/c?x=1', 'example.com', 443])
    for (const odd of [
      '',
      'example.com',
      '/a',
      'http://',
      'file:///etc/passwd',
      'ftp://example.com/',
      'gopher://example.com/',
      'javascript:alert(1)',
      'data:text/plain,x',
      'http://a b/',
      'http://exa\0mple.com/',
    ])
      assert.equal(effectOf('GET', odd), 'dangerous', odd)
    assert.equal(effectOf('GET', 'https://example.com@evil.example/'), 'dangerous')
    assert.equal(effectOf('GET', 'https://ann:secret@example.com/'), 'dangerous')
    assert.equal(readHttpCall({ url: 'https://ann:secret@example.com/' }).url, 'https://example.com/')
    assert.equal(effectOf('GET', PUBLIC, { headers: { Host: 'other.example' } }), 'dangerous')
    assert.equal(effectOf('GET', PUBLIC, { headers: { host: 'EXAMPLE.com:443' } }), 'read')
  })

  it('of any kind never throws and ends soon', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' })),
        fc.dictionary(fc.string(), fc.string()),
        fc.string(),
        (method, url, headers, body) => {
          const reading = readHttpCall({ method, url, headers, body })
          assert.ok(reading.reasons.length > 0)
          assert.ok(['read', 'write', 'dangerous'].includes(reading.effect))
        },
      ),
    )
    for (const bit of ['"', '{', '"""', '#', '_method', '(', 'a ', '\\']) {
      const long = bit.repeat(60_000)
      assert.equal(
        readHttpCall({ method: 'POST', url: 'https://example.com/graphql', headers: { 'content-type': 'application/graphql' }, body: long })
          .effect.length > 0,
        true,
      )
      assert.equal(readHttpCall({ method: 'POST', url: `https://example.com/${long}` }).effect.length > 0, true)
    }
  })
})
