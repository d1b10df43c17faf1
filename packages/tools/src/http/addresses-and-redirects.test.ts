import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fetchFailure as failure, fetchText as text } from '../../test/fetching.ts'
import { serveHttp, serveHttps } from '../../test/http-servers.ts'
import type { HttpToolOptions } from './create-http-tool.ts'
import { isPublicAddress } from './public-address.ts'

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
