import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { connectMcpServer } from '@adjutant/core/mcp'
import { startStubMcpHttp } from '@adjutant/testkit'
import { type RunnerBench, runnerBench } from '../../test/runner-bench.ts'
import type { JsonObject } from '../contract/json.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { AgentTool } from '../contract/tool.ts'
import { systemClock } from '../util/system-clock.ts'
import { OriginGuards } from './origins.ts'
import type { CallRun } from './retry-run.ts'

/** The network is real and takes its time, the waits between attempts do not. */
async function settled(run: CallRun, bench: RunnerBench): Promise<RawOutcome> {
  let outcome: RawOutcome | undefined
  void run.outcome.then((value) => {
    outcome = value
  })
  while (outcome === undefined) await bench.clock.advance(1)
  return outcome
}

async function connected(options: Parameters<typeof startStubMcpHttp>[0] = {}) {
  const server = await startStubMcpHttp(options)
  const far = await connectMcpServer('far', { url: server.url }, { clock: systemClock })
  const tool = (name: string): AgentTool => {
    const found = far.tools.find((candidate) => candidate.name.endsWith(name))
    assert.ok(found !== undefined)
    // What a batch would wait for; here an attempt only ends by itself.
    return { ...found, limits: { ...found.limits, timeoutMs: Number.POSITIVE_INFINITY } }
  }
  const call = async (bench: RunnerBench, name: string, input: JsonObject = {}) => {
    const run = bench.run(tool(name), input)
    const outcome = await settled(run, bench)
    return { outcome, attempts: run.attempts }
  }
  const close = async (): Promise<void> => {
    await far.close()
    await server.close()
  }
  return { server, call, [Symbol.asyncDispose]: close }
}

describe('calls of a real MCP server', () => {
  it('are sent again when the server refused them unread, and run once', async () => {
    await using far = await connected()
    const bench = runnerBench()
    far.server.forgetSessions()
    const { outcome, attempts } = await far.call(bench, 'add')
    assert.equal(outcome.status, 'succeeded')
    assert.equal(attempts, 2)
    assert.equal(far.server.executions, 1)
    assert.deepEqual(
      bench.told.map(({ code }) => code),
      ['MCP_SERVER_UNAVAILABLE'],
    )
  })

  it('are never sent again when they may have taken effect', async () => {
    await using far = await connected()
    for (const [name, input] of [
      ['cut', {}],
      ['http', { code: 502 }],
      ['http', { code: 500 }],
    ] as const) {
      const { outcome, attempts } = await far.call(runnerBench(), name, input)
      assert.ok(outcome.status !== 'succeeded' && outcome.error.outcome === 'unknown')
      assert.equal(attempts, 1)
    }
  })

  it('are sent again when they only read, or were refused for now', async () => {
    await using reads = await connected({ readOnly: true })
    for (const [name, input] of [
      ['cut', {}],
      ['http', { code: 503 }],
    ] as const) {
      const { outcome, attempts } = await reads.call(runnerBench(), name, input)
      assert.ok(outcome.status === 'failed' && outcome.error.outcome === 'failed')
      assert.match(outcome.error.message, /It was tried 3 times\.$/)
      assert.equal(attempts, 3)
    }
    await using writes = await connected()
    assert.equal((await writes.call(runnerBench(), 'http', { code: 429 })).attempts, 3)
    assert.equal((await writes.call(runnerBench(), 'http', { code: 403 })).attempts, 1)
  })

  it('are turned away once the server is gone, and let through when it may be back', async () => {
    await using far = await connected({ readOnly: true })
    const { clock } = runnerBench()
    const origins = new OriginGuards({ clock, rules: [{ origin: 'mcp:*', circuit: { failures: 3, openMs: 10_000 } }] })
    const bench = runnerBench({ clock, origins })
    assert.equal((await far.call(bench, 'cut')).attempts, 3)
    const away = await far.call(bench, 'add')
    assert.ok(away.outcome.status === 'failed' && away.outcome.error.code === 'ORIGIN_UNAVAILABLE')
    assert.equal(far.server.executions, 0)
    await clock.advance(10_000)
    assert.equal((await far.call(bench, 'add')).outcome.status, 'succeeded')
    assert.equal((await far.call(bench, 'add')).outcome.status, 'succeeded')
  })
})
