import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { admitted, makeTool, networkError, runnerBench, scripted, TIMEOUT_MS } from '../../test/runner-bench.ts'
import { AdjutantError, type ErrorOutcome } from '../contract/errors.ts'
import type { AgentTool, Effect } from '../contract/tool.ts'

const httpError = (status: number, headers: Record<string, string> = {}): Error =>
  Object.assign(new Error(`HTTP ${status}`), { response: { status, headers: new Headers(headers) } })

describe('further attempts', () => {
  it('follow a failure that may pass, with growing waits, one key, and are told', async () => {
    const bench = runnerBench()
    const { tool, keys } = scripted([networkError(), networkError('ETIMEDOUT'), 'done'])
    const run = bench.run(tool)
    await bench.clock.advance(60_000)
    assert.deepEqual(await run.outcome, { status: 'succeeded', output: 'done' })
    assert.equal(run.attempts, 3)
    assert.equal(run.cached, false)
    assert.deepEqual(bench.started, [2, 3])
    assert.deepEqual(
      bench.told.map(({ attempt, delayMs, code }) => [attempt, delayMs, code]),
      [
        [2, 250, 'TOOL_FAILED'],
        [3, 500, 'TOOL_FAILED'],
      ],
    )
    assert.deepEqual(new Set(keys).size, 1)
    assert.equal(bench.clock.pending, 0)
  })

  it('wait for any time up to the ceiling, by chance', async () => {
    for (const [random, expected] of [
      [0, [0, 0, 0]],
      [0.999_999, [500, 1_000, 2_000]],
    ] as const) {
      const bench = runnerBench({ random: () => random })
      const run = bench.run(scripted([networkError()], { limits: { retries: 3 } }).tool)
      await bench.clock.advance(60_000)
      await run.outcome
      assert.deepEqual(
        bench.told.map(({ delayMs }) => delayMs),
        expected,
      )
    }
  })

  it('follow what may pass only', async () => {
    const cases: readonly (readonly [Error, boolean])[] = [
      [networkError('ECONNREFUSED'), true],
      [networkError('EAI_AGAIN'), true],
      [networkError('EPIPE'), true],
      [networkError('UND_ERR_SOCKET'), true],
      [new AggregateError([Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })], 'all addresses'), true],
      [networkError('UND_ERR_INVALID_ARG'), false],
      [networkError('ENOENT'), false],
      [httpError(408), true],
      [httpError(425), true],
      [httpError(429), true],
      [httpError(500), true],
      [httpError(502), true],
      [httpError(503), true],
      [httpError(504), true],
      [httpError(400), false],
      [httpError(404), false],
      [httpError(501), false],
      [Object.assign(new Error('x'), { statusCode: 503 }), true],
      [Object.assign(new Error('x'), { status: '503' }), false],
      [new Error('the report is wrong'), false],
      [new AdjutantError('MCP_SERVER_UNAVAILABLE', 'down'), true],
      [new AdjutantError('MCP_SERVER_UNAVAILABLE', 'no key', { grade: 'final', cause: networkError() }), false],
      [new AdjutantError('NOT_FOUND', 'no file', { cause: networkError() }), false],
      [new AdjutantError('CONFLICT', 'changed meanwhile', { grade: 'retry' }), true],
      [new AdjutantError('TOOL_FAILED', 'so it is', { grade: 'final', cause: networkError() }), false],
    ]
    for (const [error, again] of cases) {
      const bench = runnerBench()
      const { tool, keys } = scripted([error, 'done'])
      const run = bench.run(tool)
      await bench.clock.advance(10_000)
      assert.equal((await run.outcome).status, again ? 'succeeded' : 'failed', error.message)
      assert.equal(keys.length, again ? 2 : 1, error.message)
    }
  })

  it('are as many as the tool, else the host, else the default says, and never more than three', async () => {
    const cases: readonly (readonly [number | undefined, number | undefined, number])[] = [
      [undefined, undefined, 3],
      [0, undefined, 1],
      [1, 3, 2],
      [undefined, 0, 1],
      [undefined, 3, 4],
      [99, undefined, 4],
      [-1, undefined, 1],
      [Number.NaN, undefined, 1],
    ]
    for (const [asked, host, attempts] of cases) {
      const bench = runnerBench(host === undefined ? {} : { defaults: { retries: host } })
      const { tool, keys } = scripted([networkError()], asked === undefined ? {} : { limits: { retries: asked } })
      const run = bench.run(tool)
      await bench.clock.advance(200_000)
      const outcome = await run.outcome
      assert.equal(outcome.status, 'failed')
      assert.equal(keys.length, attempts)
      assert.equal(run.attempts, attempts)
      if (outcome.status === 'failed' && attempts > 1) assert.match(outcome.error.message, new RegExp(`It was tried ${attempts} times`))
    }
  })

  it('wait as long as a server asks, and say so when that is too long', async () => {
    const bench = runnerBench({ random: () => 0 })
    const run = bench.run(scripted([httpError(429, { 'Retry-After': '20' }), 'done']).tool)
    await bench.clock.advance(19_999)
    assert.equal(run.attempts, 1)
    await bench.clock.advance(1)
    assert.equal((await run.outcome).status, 'succeeded')
    const later = runnerBench({ random: () => 0 })
    const { tool, keys } = scripted([httpError(503, { 'Retry-After': new Date(later.clock.now() + 600_000).toUTCString() }), 'done'])
    const outcome = await later.run(tool).outcome
    assert.equal(keys.length, 1)
    assert.ok(outcome.status === 'failed')
    assert.match(outcome.error.message, /^HTTP 503\. It asks not to be tried again for 600 s\.$/)
    assert.equal(later.clock.pending, 0)
  })

  it('do not wait longer than a minute together', async () => {
    const bench = runnerBench({ random: () => 0 })
    const { tool, keys } = scripted([httpError(429, { 'Retry-After': '35' })], { limits: { retries: 3 } })
    const run = bench.run(tool)
    await bench.clock.advance(1_000_000)
    assert.equal((await run.outcome).status, 'failed')
    assert.equal(keys.length, 2)
  })

  it('are not made for what may have taken effect (invariant 5): any effect, declaration and error', async () => {
    const outcomes: readonly ErrorOutcome[] = ['not-run', 'failed', 'unknown']
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Effect>('read', 'write', 'dangerous'),
        fc.constantFrom(undefined, true, false),
        fc.constantFrom(...outcomes),
        fc.constantFrom('retry', 'clarify', 'final'),
        fc.constantFrom('TOOL_FAILED', 'MCP_SERVER_UNAVAILABLE', 'CONFLICT', 'TIMEOUT', 'OUTCOME_UNKNOWN'),
        fc.boolean(),
        async (effect, repeatable, outcome, grade, code, lower) => {
          const bench = runnerBench()
          const error = new AdjutantError(code, 'x', { outcome, grade, ...(lower ? { cause: networkError() } : {}) })
          const { tool, keys } = scripted([error], { effect, ...(repeatable === undefined ? {} : { repeatable }) })
          const run = bench.run(tool)
          await bench.clock.advance(100_000)
          const end = await run.outcome
          assert.equal(run.attempts, keys.length)
          const harmless = repeatable ?? effect === 'read'
          if (outcome === 'unknown' || (outcome !== 'not-run' && !harmless) || grade === 'final') assert.equal(keys.length, 1)
          else if (grade === 'retry') assert.equal(keys.length, 3)
          assert.ok(end.status !== 'succeeded')
          assert.equal(end.error.outcome, outcome)
          assert.equal(end.error.grade, grade)
          assert.equal(end.error.hint, error.hint)
          assert.equal(bench.clock.pending, 0)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('follow a timeout of what is repeatable, three time limits long in all', async () => {
    const stops = (spec: Partial<AgentTool>): AgentTool =>
      makeTool({
        ...spec,
        execute: (_input, cx) =>
          new Promise((_resolve, reject) => {
            const { signal } = cx
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
      })
    const bench = runnerBench()
    const run = bench.run(stops({ limits: { retries: 3 } }))
    await bench.clock.advance(3 * TIMEOUT_MS + 5_000)
    const outcome = await run.outcome
    assert.equal(outcome.status, 'timed-out')
    assert.equal(run.attempts, 3)
    const once = runnerBench()
    const write = once.run(stops({ effect: 'write' }))
    await once.clock.advance(10 * TIMEOUT_MS)
    const end = await write.outcome
    assert.ok(end.status === 'timed-out' && end.error.outcome === 'unknown')
    assert.equal(write.attempts, 1)
  })

  it('are not made beside an attempt that was left behind running', async () => {
    const bench = runnerBench()
    let starts = 0
    const tool = makeTool({
      execute() {
        starts += 1
        return new Promise(() => {})
      },
    })
    const run = bench.run(tool)
    await bench.clock.advance(20 * TIMEOUT_MS)
    assert.equal((await run.outcome).status, 'timed-out')
    assert.equal(starts, 1)
    assert.equal(bench.clock.pending, 0)
  })

  it('end at once when the call is cancelled between two of them', async () => {
    const bench = runnerBench()
    const { tool, keys } = scripted([networkError()])
    const run = bench.run(tool)
    await bench.clock.advance(0)
    assert.equal(bench.clock.pending, 1)
    run.cancel()
    run.cancel()
    assert.equal(bench.clock.pending, 0)
    const outcome = await run.outcome
    assert.ok(outcome.status === 'cancelled')
    assert.equal(outcome.error.outcome, 'failed')
    assert.match(outcome.error.message, /cancelled before attempt 2; the one before it failed: fetch failed/)
    await bench.clock.advance(100_000)
    assert.equal(keys.length, 1)
  })

  it('survive a listener that throws', async () => {
    const bench = runnerBench()
    const run = bench.runner.run(admitted(scripted([networkError(), 'done']).tool, {}, 'read'), bench.host, TIMEOUT_MS, () => {
      throw new Error('listener')
    })
    await bench.clock.advance(100_000)
    const outcome = await run.outcome
    assert.ok(outcome.status === 'failed' && outcome.error.code === 'INTERNAL')
    assert.equal(bench.clock.pending, 0)
  })

  it('look at no error for ever, however it is made', async () => {
    const circle = new Error('circle')
    circle.cause = circle
    const wide = new AggregateError(Array.from({ length: 20_000 }, () => new Error('part')))
    const hostile = new Proxy(new Error('proxy'), {
      get(target, key) {
        if (key === 'code' || key === 'status' || key === 'response') throw new Error('no')
        return Reflect.get(target, key)
      },
    })
    let deep: Error = new Error('bottom')
    for (let depth = 0; depth < 2_000; depth += 1) deep = new Error('deep', { cause: deep })
    for (const error of [circle, wide, hostile, deep]) {
      const bench = runnerBench()
      assert.equal((await bench.run(scripted([error]).tool).outcome).status, 'failed')
    }
  })
})
