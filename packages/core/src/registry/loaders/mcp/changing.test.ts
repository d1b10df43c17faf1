import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CallContext, callId, Session, systemClock, type ToolCall, type ToolSnapshot } from '@adjutant/core'
import { countingIds, ManualClock, scriptedApprover, scriptedAsker, startStubMcpHttp, stubMcpServer, testContext } from '@adjutant/testkit'
import { callError, callText, toolOf } from '../../../../test/fixtures/mcp/call-tool.ts'
import { until } from '../../../../test/fixtures/process/until.ts'
import { Registry } from '../../registry.ts'
import { connectMcpServer, type McpConnection } from './index.ts'

function call(name: string, id: string): ToolCall {
  return { id: callId(id), index: 0, name, arguments: { ok: true, value: {} }, idFromProvider: true }
}

describe('a server that changes its tools', () => {
  for (const discover of ['refuse', 'answer'] as const) {
    it(`is asked for them again, though it did not announce it (newer protocol: ${discover === 'answer'})`, async () => {
      const clock = new ManualClock()
      const told: number[] = []
      await using stub = await connectMcpServer('stub', stubMcpServer({ more: true, discover }), {
        clock,
        onToolsChanged: ({ tools }) => void told.push(tools.length),
      })
      const [before, echo] = [stub.tools.length, toolOf(stub, 'echo')]
      await callText(stub, 'grow')
      await callText(stub, 'grow')
      assert.equal(stub.tools.length, before, 'several changes are listed once')
      await clock.advance(100)
      await until(() => told.length > 0, 'the new list')
      assert.deepEqual(told, [before + 2])
      assert.equal(toolOf(stub, 'grown2').name, 'mcp__stub__grown2')
      assert.equal(toolOf(stub, 'echo'), echo, 'a tool that is as it was stays the same')
    })
  }

  it('is asked to tell of it, where the protocol wants that, and asked again when it stopped', async () => {
    const clock = new ManualClock()
    let changes = 0
    await using stub = await connectMcpServer('stub', stubMcpServer({ more: true, discover: 'answer', announce: true }), {
      clock,
      onToolsChanged: () => void changes++,
    })
    const grow = async (): Promise<void> => {
      await callText(stub, 'grow')
      await clock.advance(30_000)
    }
    await grow()
    await until(() => changes === 1, 'the first change')
    await callText(stub, 'unsubscribe')
    await callText(stub, 'grow')
    // Nobody was told of this one; it is found when the server is asked again.
    for (let round = 0; round < 100 && changes < 2; round++) {
      await clock.advance(1_000)
      await callText(stub, 'executions')
    }
    assert.equal(changes, 2)
    assert.ok(stub.tools.some(({ name }) => name.endsWith('grown2')))
  })

  it('gives a turn in flight the tools it began with, and the next turn the new ones', async () => {
    const registry = new Registry()
    let session: Session | undefined
    await using stub = await connectMcpServer('stub', stubMcpServer({ more: true }), {
      clock: systemClock,
      onToolsChanged: (connection) => {
        registry.remove(connection.name)
        registry.add(connection.tools, connection.name)
        session?.useTools(registry.snapshot())
      },
    })
    registry.add(stub.tools, stub.name)
    const seen: ToolSnapshot[] = []
    // Within the turn: the server changes its tools, and the change has arrived before the next call of the same turn runs.
    registry.add(
      [
        {
          ...toolOf(stub, 'echo'),
          name: 'wait_for_change',
          execute: async (_input: unknown, _cx: CallContext) => {
            await callText(stub, 'grow')
            await until(() => stub.tools.some(({ name }) => name.endsWith('grown1')), 'the change')
            if (session !== undefined) seen.push(session.tools)
            return 'changed'
          },
        },
      ],
      'test',
    )
    await using folder = await testContext()
    session = new Session({
      tools: registry.snapshot(),
      namespaceRoot: await folder.namespace.directory(),
      mode: 'allow',
      approver: scriptedApprover(() => ({ type: 'approve', scope: 'once' })),
      asker: scriptedAsker(),
      ids: countingIds(),
    })
    const grown = 'mcp__stub__grown1'
    const first = await session.execute([call('wait_for_change', 'c1'), call(grown, 'c2')])
    assert.deepEqual(
      first.map(({ code }) => code),
      [undefined, 'UNKNOWN_TOOL'],
    )
    assert.ok(seen[0]?.get(grown) !== undefined, 'the session had the new tools while the turn ran')
    const [second] = await session.execute([call(grown, 'c3')])
    assert.equal(second?.text, 'called grown1')
    await session.close()
  })

  it('for ever is asked less and less often', async () => {
    const clock = new ManualClock()
    await using stub = await connectMcpServer('stub', stubMcpServer({ more: true, restless: true }), { clock })
    const listings = async (): Promise<number> => stub.tools.filter(({ name }) => name.includes('grown')).length
    let last = await listings()
    let rounds = 0
    for (let waited = 0; waited < 60_000; waited += 500) {
      await clock.advance(500)
      // What was asked for arrives before the time goes on.
      await callText(stub, 'executions')
      const now = await listings()
      if (now !== last) rounds++
      last = now
    }
    assert.ok(rounds >= 3 && rounds <= 12, `${rounds} lists in a minute`)
  })
})

describe('a server that ended', () => {
  it('is started again by itself, after a wait that doubles', async () => {
    const clock = new ManualClock()
    await using stub = await connectMcpServer('stub', stubMcpServer(), { clock })
    const before = await callText(stub, 'pid')
    await callError(stub, 'die')
    const pending = clock.pending
    assert.ok(pending > 0, 'it will be tried')
    await clock.advance(500)
    await until(() => clock.pending > 0, 'the server is started')
    assert.notEqual(await callText(stub, 'pid'), before)
  })

  it('and does not start again is not run: the call says so, and the next one tries again', async () => {
    const clock = new ManualClock()
    const config = { ...stubMcpServer(), env: {} as Record<string, string> }
    await using stub = await connectMcpServer('stub', config, { clock })
    config.env.STUB_MCP_INSTEAD = '{"exit":3,"complain":["no licence"]}'
    await callError(stub, 'die')
    const error = await callError(stub, 'echo')
    assert.deepEqual([error.code, error.outcome], ['MCP_SERVER_UNAVAILABLE', 'not-run'])
    assert.match(error.message, /exit code 9 and could not be connected again; the call was not run: .*exit code 3/)
    config.env.STUB_MCP_INSTEAD = '{}'
    assert.equal(await callText(stub, 'echo'), '{}')
  })

  it('is not started again after the close', async () => {
    const clock = new ManualClock()
    await using cx = await testContext()
    const stub = await connectMcpServer('stub', stubMcpServer(), { clock, logger: cx.log })
    await callError(stub, 'die')
    await stub.close()
    await clock.advance(600_000)
    assert.deepEqual(
      cx.logged.filter(({ message }) => /again/.test(message)),
      [],
    )
    assert.match((await callError(stub, 'echo')).message, /is closed/)
  })
})

describe('a session lost over HTTP', () => {
  it('is opened again for a call that only reads, which is then sent a second time', async () => {
    await using server = await startStubMcpHttp({ readOnly: true })
    await using far: McpConnection = await connectMcpServer('far', { url: server.url }, { clock: systemClock })
    assert.equal(await callText(far, 'add'), '1')
    server.forgetSessions()
    assert.equal(await callText(far, 'add'), '2')
    assert.equal(server.listings, 2)
  })
})
