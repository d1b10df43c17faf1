/** http_fetch through all rooms: what is tried again, held, refused and fenced. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { callId, type JsonObject, Registry, Session, type ToolResult } from '@adjutant/core'
import { scriptedApprover, scriptedAsker } from '@adjutant/testkit'
import { serveHttp } from '../../test/http-servers.ts'
import { createHttpTool, type HttpToolOptions } from './create-http-tool.ts'

interface Ran {
  readonly results: readonly ToolResult[]
  /** Held calls. */
  readonly asked: readonly string[]
}

async function ran(inputs: readonly JsonObject[], options: HttpToolOptions): Promise<Ran> {
  const namespaceRoot = await mkdtemp(join(tmpdir(), 'adjutant-fetch-'))
  const registry = new Registry()
  registry.add(
    [createHttpTool({ resolve: async () => ['127.0.0.1'], mayConnect: (address) => address === '127.0.0.1', ...options })],
    'test',
  )
  const asked: string[] = []
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot,
    mode: 'ask',
    approver: scriptedApprover((request) => {
      asked.push(String(request.call.input.url))
      return { type: 'deny' }
    }),
    asker: scriptedAsker(),
  })
  try {
    const calls = inputs.map((value, index) => ({
      id: callId(`call ${index}`),
      index,
      name: 'http_fetch',
      arguments: { ok: true as const, value },
      idFromProvider: true,
    }))
    return { results: await session.execute(calls), asked }
  } finally {
    await session.close()
    await rm(namespaceRoot, { recursive: true })
  }
}

describe('http_fetch in a session', () => {
  it('is tried again when the server says so, and its text is fenced', async () => {
    let asked = 0
    await using server = await serveHttp((_request, response) => {
      asked += 1
      if (asked < 3) response.writeHead(503, { 'Retry-After': '0' }).end()
      else response.writeHead(200, { 'Content-Type': 'text/plain' }).end('at last')
    })
    const { results, asked: held } = await ran([{ url: `http://a.example:${server.port}/` }], {})
    assert.equal(results[0]?.outcome, 'ok')
    assert.equal(results[0]?.attempts, 3)
    assert.match(results[0]?.text ?? '', /at last/)
    assert.ok(results[0]?.fence !== undefined)
    assert.deepEqual(held, [])
  })

  it('is not tried again where that changes nothing or may do harm', async () => {
    const seen: string[] = []
    await using server = await serveHttp((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      response.writeHead(request.url === '/missing' ? 404 : 503, { 'Retry-After': '0' }).end()
    })
    const base = `http://a.example:${server.port}`
    const { results, asked } = await ran(
      [{ url: `${base}/missing` }, { url: `${base}/write`, method: 'POST', body: 'x' }, { url: 'http://169.254.169.254/' }],
      {
        methods: ['GET', 'POST'],
      },
    )
    assert.deepEqual(
      results.map((result) => result.code),
      ['NOT_FOUND', 'DENIED_BY_PERSON', 'DENIED_BY_PERSON'],
    )
    assert.deepEqual(seen, ['GET /missing'])
    assert.deepEqual([...asked].sort(), [`${base}/write`, 'http://169.254.169.254/'].sort())
  })
})
