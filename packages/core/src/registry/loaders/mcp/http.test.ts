import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { startStubMcpHttp, testContext } from '@adjutant/testkit'
import { callError, callText } from '../../../../test/fixtures/mcp/call-tool.ts'
import { until } from '../../../../test/fixtures/process/until.ts'
import { connectMcpServer, type McpConnection } from './index.ts'

function connect(url: string, headers?: Readonly<Record<string, string>>): Promise<McpConnection> {
  return connectMcpServer('far', { url, ...(headers === undefined ? {} : { headers }) }, { clock: systemClock })
}

describe('an MCP server over HTTP', () => {
  it('is sent the headers of its configuration, and ends the session at the close', async () => {
    await using server = await startStubMcpHttp()
    const far = await connect(server.url, { Authorization: 'Bearer t' })
    assert.equal(await callText(far, 'add'), '1')
    assert.equal(server.lastHeaders.authorization, 'Bearer t')
    await Promise.all([far.close(), far.close()])
    assert.deepEqual(server.ended, ['session-1'])
    assert.match((await callError(far, 'add')).message, /is closed/)
  })

  for (const lostStatus of [404, 400] as const) {
    it(`that forgot the session (HTTP ${lostStatus}) is given a new one; the call is not sent again`, async () => {
      await using server = await startStubMcpHttp({ lostStatus })
      await using far = await connect(server.url)
      assert.equal(await callText(far, 'add'), '1')
      // The contexts are there before, so that all three are on their way when the session is lost.
      await using a = await testContext()
      await using b = await testContext()
      await using c = await testContext()
      server.forgetSessions()
      const lost = await Promise.all([callError(far, 'add', {}, a), callError(far, 'add', {}, b), callError(far, 'cut', {}, c)])
      for (const error of lost) {
        assert.deepEqual([error.code, error.outcome, error.grade], ['MCP_SERVER_UNAVAILABLE', 'not-run', 'retry'])
        assert.match(error.message, /MCP server "far" lost the session and did not run the call; a new session was opened/)
      }
      assert.equal(server.executions, 1)
      assert.equal(server.listings, 2)
      assert.equal(await callText(far, 'add'), '2')
      assert.equal(far.tools.length, 5)
    })
  }

  it('that forgot the session and is gone says so', async () => {
    await using server = await startStubMcpHttp()
    await using far = await connect(server.url)
    await server.close()
    const error = await callError(far, 'add')
    assert.deepEqual([error.code, error.outcome], ['MCP_SERVER_UNAVAILABLE', 'not-run'])
    assert.match(error.message, /MCP server "far" cannot be reached/)
  })

  it('that breaks off an answer leaves the outcome unknown, without waiting for a timeout', async () => {
    await using server = await startStubMcpHttp()
    await using far = await connect(server.url)
    const error = await callError(far, 'cut')
    assert.deepEqual([error.code, error.outcome, error.grade], ['MCP_SERVER_UNAVAILABLE', 'unknown', 'final'])
    assert.match(error.message, /stopped answering in the middle of this call/)
    assert.equal(await callText(far, 'add'), '1')
  })

  it('that answers without an end is given up', async () => {
    await using server = await startStubMcpHttp()
    await using far = await connect(server.url)
    const error = await callError(far, 'flood')
    assert.deepEqual([error.code, error.outcome], ['MCP_SERVER_UNAVAILABLE', 'unknown'])
    assert.match(error.message, /the answer is longer than 67108864 bytes/)
    assert.equal(await callText(far, 'add'), '1')
  })

  it('is told of an abort', async () => {
    await using server = await startStubMcpHttp()
    await using far = await connect(server.url)
    const controller = new AbortController()
    await using cx = await testContext({ signal: controller.signal })
    const calling = callError(far, 'wait', {}, cx)
    await until(() => server.waiting === 1, 'the call arrives')
    controller.abort()
    assert.deepEqual([(await calling).code, (await calling).outcome], ['CANCELLED', 'unknown'])
    await until(() => server.cancelled.length === 1, 'the cancellation arrives')
  })

  it('is closed in the middle of a call', async () => {
    await using server = await startStubMcpHttp()
    const far = await connect(server.url)
    const calling = callError(far, 'wait')
    await until(() => server.waiting === 1, 'the call arrives')
    await far.close()
    assert.deepEqual([(await calling).code, (await calling).outcome], ['MCP_SERVER_UNAVAILABLE', 'unknown'])
  })

  for (const [code, outcome, grade] of [
    [401, 'not-run', 'final'],
    [403, 'not-run', 'final'],
    [413, 'not-run', 'final'],
    [429, 'not-run', 'retry'],
    [500, 'unknown', 'final'],
    [502, 'unknown', 'final'],
  ] as const) {
    it(`that answers a call with ${code}: the call is ${outcome}`, async () => {
      await using server = await startStubMcpHttp()
      await using far = await connect(server.url)
      const error = await callError(far, 'http', { code })
      assert.deepEqual([error.code, error.outcome, error.grade], ['MCP_SERVER_UNAVAILABLE', outcome, grade])
      assert.match(error.message, new RegExp(`HTTP ${code}`))
    })
  }
})
