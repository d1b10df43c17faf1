import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Clock, callId, isJsonObject, type Progress, Session, systemClock, type ToolCall } from '@adjutant/core'
import {
  countingIds,
  ManualClock,
  type StubMcpBehaviour,
  scriptedApprover,
  scriptedAsker,
  stubMcpServer,
  testContext,
} from '@adjutant/testkit'
import { callError, callText, callTool, toolOf } from '../../../../test/fixtures/mcp/call-tool.ts'
import { until } from '../../../../test/fixtures/process/until.ts'
import { readProcess } from '../../../util/process-table.ts'
import { Registry } from '../../registry.ts'
import { connectMcpServer, type McpConnection } from './index.ts'

function connect(behaviour: StubMcpBehaviour = {}, clock: Clock = systemClock): Promise<McpConnection> {
  return connectMcpServer('stub', stubMcpServer(behaviour), { clock })
}

for (const discover of ['refuse', 'answer'] as const) {
  describe(`a call of an MCP tool, newer protocol: ${discover === 'answer'}`, () => {
    it('gives what the server gives', async () => {
      await using stub = await connect({ discover })
      const text = '{"a":[1,"ü\\u2028",null],"__proto__":{"b":1},"constructor":{}}'
      const input: unknown = JSON.parse(text)
      assert.ok(isJsonObject(input))
      assert.equal(await callText(stub, 'echo', input), JSON.stringify(input))
    })

    it('gives a tool its own error', async () => {
      await using stub = await connect({ discover })
      const output = await callTool(stub, 'failing')
      assert.deepEqual([output.isError, output.parts], [true, [{ type: 'text', text: 'the disk is full' }]])
    })

    it('passes on a refusal of the server', async () => {
      await using stub = await connect({ discover })
      const error = await callError(stub, 'refuse')
      assert.equal(error.code, 'TOOL_FAILED')
      assert.match(error.message, /MCP server "stub" refused refuse: .*those arguments will not do/)
    })

    it('says that it is unknown what became of it when the answer cannot be read', async () => {
      await using stub = await connect({ discover })
      const error = await callError(stub, 'malformed')
      assert.deepEqual([error.code, error.outcome], ['MCP_PROTOCOL', 'unknown'])
      assert.equal(await callText(stub, 'echo'), '{}')
    })

    it('tells the server of an abort', async () => {
      await using stub = await connect({ discover })
      const controller = new AbortController()
      await using cx = await testContext({ signal: controller.signal })
      const calling = callError(stub, 'slow', {}, cx)
      // In the wire before the abort: the server reads in order.
      await callText(stub, 'tick')
      controller.abort()
      const error = await calling
      assert.deepEqual([error.code, error.outcome], ['CANCELLED', 'failed'])
      assert.match(await callText(stub, 'cancelled'), /abort/i)
    })

    it('of a write that was stopped has an unknown outcome, and one that was never sent has none', async () => {
      await using stub = await connect({ discover })
      const controller = new AbortController()
      await using cx = await testContext({ signal: controller.signal })
      const calling = callError(stub, 'wait', {}, cx)
      await callText(stub, 'tick')
      controller.abort()
      assert.equal((await calling).outcome, 'unknown')
      assert.equal((await callError(stub, 'echo', {}, cx)).outcome, 'not-run')
      assert.equal(await callText(stub, 'executions'), '0')
    })

    it('shows an image once, as an image', async () => {
      await using stub = await connect({ discover })
      const output = await callTool(stub, 'image')
      assert.deepEqual(
        output.parts.map((part) => part.type),
        ['image'],
      )
      const note = '(the image/png beside this)'
      assert.deepEqual(output.structured, { picture: { url: note, data: note, width: 20 } })
    })

    it('takes an answer of 20 MB', async () => {
      await using stub = await connect({ discover })
      assert.equal((await callText(stub, 'long', { size: 20_000_000 })).length, 20_000_000)
    })
  })
}

describe('a server that dies', () => {
  it('in the middle of a call: the call is unknown and not sent again, the next one starts the server anew', async () => {
    await using stub = await connect()
    const died = await callError(stub, 'die')
    assert.deepEqual([died.code, died.outcome, died.grade], ['MCP_SERVER_UNAVAILABLE', 'unknown', 'final'])
    assert.match(died.message, /MCP server "stub" has ended with exit code 9 in the middle of this call/)
    assert.ok(!died.message.includes('cannot go on'), 'what a server writes on stderr is not for the model')
    assert.equal(await callText(stub, 'echo'), '{}')
    assert.equal(await callText(stub, 'executions'), '1')
  })

  it('takes only the calls with it that it had, each told truthfully', async () => {
    await using stub = await connect()
    await using other = await connectMcpServer('other', stubMcpServer(), { clock: systemClock })
    const [writing, dying] = [callError(stub, 'wait'), callError(stub, 'die')]
    assert.deepEqual([(await writing).outcome, (await dying).outcome], ['unknown', 'unknown'])
    assert.equal(await callText(other, 'echo'), '{}')
  })

  it('is asked once more for what only reads, and never for what writes', async () => {
    await using stub = await connect()
    const reading = callText(stub, 'slow')
    const writing = callError(stub, 'wait')
    const before = await callText(stub, 'pid')
    await callError(stub, 'die')
    assert.equal((await writing).outcome, 'unknown')
    // The new server has the read again: it can be finished there.
    let after = before
    while (after === before) after = await callText(stub, 'pid')
    while ((await callText(stub, 'finish')) === 'nothing to finish');
    assert.equal(await reading, 'finished at last')
  })

  it('is logged with its last words', async () => {
    await using cx = await testContext()
    await using stub = await connectMcpServer('stub', stubMcpServer(), { clock: systemClock, logger: cx.log })
    await callError(stub, 'die')
    const warning = cx.logged.find(({ level }) => level === 'warn')
    assert.match(warning?.message ?? '', /MCP server "stub" has ended with exit code 9/)
    assert.deepEqual(warning?.fields, { lastWords: ['cannot go on'] })
  })
})

describe('closing a server', () => {
  it('ends the calls it has, and fails the later ones', async () => {
    const stub = await connect()
    const running = callError(stub, 'wait')
    await callText(stub, 'tick')
    await Promise.all([stub.close(), stub.close()])
    assert.deepEqual([(await running).code, (await running).outcome], ['MCP_SERVER_UNAVAILABLE', 'unknown'])
    assert.match((await callError(stub, 'echo')).message, /is closed/)
    await stub.close()
  })

  it('ends one that ignores the end of stdin and SIGTERM', async () => {
    const stub = await connect({ ignoreEnd: true, ignoreTerm: true })
    await stub.close()
  })

  it('is not logged as a death', async () => {
    await using cx = await testContext()
    const stub = await connectMcpServer('stub', stubMcpServer(), { clock: systemClock, logger: cx.log })
    await stub.close()
    assert.deepEqual(
      cx.logged.filter(({ level }) => level === 'warn'),
      [],
    )
  })

  it('ends a server behind a shell that does not pass signals on', async () => {
    const { command, args } = stubMcpServer({ ignoreEnd: true })
    const server = [command, ...args].map((word) => `'${word}'`).join(' ')
    // A shell gives what it runs in the background its own stdin only when asked to.
    const stub = await connectMcpServer('stub', { command: 'sh', args: ['-c', `exec 3<&0; ${server} <&3 & wait`] }, { clock: systemClock })
    const pid = Number(await callText(stub, 'pid'))
    assert.equal(readProcess(pid)?.dead, false)
    await stub.close()
    assert.ok(readProcess(pid)?.dead ?? true)
  })
})

describe('a noisy server', () => {
  it('is not stopped by a full stderr', async () => {
    await using stub = await connect()
    for (let round = 0; round < 5; round++) assert.equal(await callText(stub, 'flood'), 'ok')
  })
})

describe('the time of a call', () => {
  it('starts anew with each sign of progress, and ends without one', async () => {
    const clock = new ManualClock()
    await using stub = await connectMcpServer('stub', { ...stubMcpServer(), timeoutMs: 1_000 }, { clock: systemClock })
    await using folder = await testContext()
    const registry = new Registry()
    registry.add(stub.tools, stub.name)
    const told: Progress[] = []
    const session = new Session({
      tools: registry.snapshot(),
      namespaceRoot: await folder.namespace.directory(),
      mode: 'allow',
      approver: scriptedApprover(() => ({ type: 'approve', scope: 'once' })),
      asker: scriptedAsker(),
      clock,
      ids: countingIds(),
      events: (event) => void (event.type === 'progress' && told.push(event.progress)),
    })
    const call: ToolCall = {
      id: callId('c1'),
      index: 0,
      name: toolOf(stub, 'slow').name,
      arguments: { ok: true, value: {} },
      idFromProvider: true,
    }
    const running = session.execute([call])
    await callText(stub, 'executions')
    for (let tick = 1; tick <= 5; tick++) {
      await callText(stub, 'tick')
      await until(() => told.length === tick, 'the progress arrives')
      await clock.advance(900)
    }
    await clock.advance(200)
    const [result] = await running
    assert.equal(result?.code, 'TIMEOUT')
    assert.match(await callText(stub, 'cancelled'), /./)
    await session.close()
  })
})
