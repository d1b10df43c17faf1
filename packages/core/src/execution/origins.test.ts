import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import { makeTool, networkError, runnerBench, scripted, TIMEOUT_MS } from '../../test/runner-bench.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { AgentTool } from '../contract/tool.ts'
import { OriginGuards, type OriginRule } from './origins.ts'

const origin = { kind: 'mcp', from: 'files' } as const

/** Calls that end when the test says so. */
function gated(spec: Partial<AgentTool> = {}) {
  const open: { resolve(value: unknown): void; reject(error: unknown): void }[] = []
  const tool = makeTool({
    origin,
    ...spec,
    execute(_input, cx) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      open.push({ resolve, reject })
      const { signal } = cx
      signal.addEventListener('abort', () => reject(signal.reason))
      return promise
    },
  })
  return { tool, open }
}

function guarded(rules: readonly OriginRule[] = []) {
  const clock = new ManualClock()
  const origins = new OriginGuards({ clock, rules })
  return { origins, ...runnerBench({ clock, origins, defaults: { retries: 0 } }) }
}

describe('the circuit of an origin', () => {
  const down = new AdjutantError('MCP_SERVER_UNAVAILABLE', 'it is down')

  it('opens after failures in a row, turns calls away unrun, lets one through later, and closes when that succeeds', async () => {
    const bench = guarded([{ origin: 'mcp:*', circuit: { failures: 3, openMs: 10_000 } }])
    const { tool, keys } = scripted([down], { origin })
    for (let call = 0; call < 3; call += 1) assert.equal((await bench.run(tool).outcome).status, 'failed')
    const away = bench.run(tool)
    const outcome = await away.outcome
    assert.ok(outcome.status === 'failed')
    assert.equal(outcome.error.code, 'ORIGIN_UNAVAILABLE')
    assert.equal(outcome.error.outcome, 'not-run')
    assert.equal(outcome.error.message, 'mcp:files did not answer 3 times in a row and is left alone; it is tried again in 10 s.')
    assert.equal(away.attempts, 0)
    assert.equal(keys.length, 3)
    await bench.clock.advance(10_000)
    const { tool: slow, open } = gated()
    const probe = bench.run(slow)
    const beside = await bench.run(slow).outcome
    assert.ok(beside.status === 'failed')
    assert.match(beside.error.message, /it is being tried right now/)
    assert.equal(open.length, 1)
    open[0]?.resolve('back')
    assert.equal((await probe.outcome).status, 'succeeded')
    assert.equal((await bench.run(scripted(['fine'], { origin }).tool).outcome).status, 'succeeded')
  })

  it('stays open for twice as long after each probe that fails, up to eight times', async () => {
    const bench = guarded([{ origin: '*', circuit: { failures: 1, openMs: 1_000 } }])
    const { tool, keys } = scripted([down], { origin })
    await bench.run(tool).outcome
    for (const [index, seconds] of [1, 2, 4, 8, 8, 8].entries()) {
      await bench.clock.advance(seconds * 1_000 - 1)
      assert.ok((await bench.run(tool).outcome).status === 'failed')
      assert.equal(keys.length, index + 1)
      await bench.clock.advance(1)
      await bench.run(tool).outcome
      assert.equal(keys.length, index + 2)
    }
  })

  it('counts only what lies in the environment', async () => {
    const answers = [
      new AdjutantError('NOT_FOUND', 'no such file'),
      new AdjutantError('INVALID_ARGUMENTS', 'wrong'),
      new AdjutantError('MCP_SERVER_UNAVAILABLE', 'no key', { grade: 'final' }),
      new Error('the report is wrong'),
      Object.assign(new Error('HTTP 404'), { status: 404 }),
      Object.assign(new Error('HTTP 429'), { status: 429 }),
    ]
    for (const answer of answers) {
      const bench = guarded([{ origin: '*', circuit: { failures: 2 } }])
      // A failure of the environment, an answer, a failure: never two in a row.
      const { tool, keys } = scripted([down, answer, down, answer, down, answer], { origin })
      for (let call = 0; call < 6; call += 1) await bench.run(tool).outcome
      assert.equal(keys.length, 6, answer.message)
    }
    for (const failure of [down, networkError(), Object.assign(new Error('HTTP 503'), { status: 503 })]) {
      const bench = guarded([{ origin: '*', circuit: { failures: 2 } }])
      const { tool, keys } = scripted([failure], { origin })
      for (let call = 0; call < 6; call += 1) await bench.run(tool).outcome
      assert.equal(keys.length, 2, failure.message)
    }
  })

  it('is open for the origin alone, is shared by sessions, and is not there for built-in tools', async () => {
    const clock = new ManualClock()
    const origins = new OriginGuards({ clock, rules: [{ origin: 'mcp:*', circuit: { failures: 1 } }] })
    const one = runnerBench({ clock, origins, session: 'one', defaults: { retries: 0 } })
    const two = runnerBench({ clock, origins, session: 'two', defaults: { retries: 0 } })
    await one.run(scripted([down], { origin }).tool).outcome
    const away = await two.run(scripted(['fine'], { origin: { ...origin } }).tool).outcome
    assert.ok(away.status === 'failed' && away.error.code === 'ORIGIN_UNAVAILABLE')
    const other = { kind: 'mcp', from: 'mail' } as const
    assert.equal((await two.run(scripted(['fine'], { origin: other }).tool).outcome).status, 'succeeded')
    const builtIn = { kind: 'built-in', from: '@adjutant/tools' } as const
    const { tool, keys } = scripted([networkError()], { origin: builtIn })
    for (let call = 0; call < 20; call += 1) await one.run(tool).outcome
    assert.equal(keys.length, 20)
  })

  it('opens between two attempts: what the first came to is told, and that there is no second', async () => {
    const clock = new ManualClock()
    const origins = new OriginGuards({ clock, rules: [{ origin: '*', circuit: { failures: 1 } }] })
    const bench = runnerBench({ clock, origins })
    const { tool, keys } = scripted([down], { origin })
    const run = bench.run(tool)
    const outcome = await run.outcome
    assert.ok(outcome.status === 'failed')
    assert.equal(outcome.error.code, 'MCP_SERVER_UNAVAILABLE')
    assert.equal(outcome.error.outcome, 'failed')
    assert.match(outcome.error.message, /^it is down\. It was not tried again: mcp:files did not answer and is left alone/)
    assert.equal(keys.length, 1)
    assert.equal(clock.pending, 0)
  })

  it('gives the probe to the next call when the first was cancelled', async () => {
    const bench = guarded([{ origin: '*', circuit: { failures: 1, openMs: 1_000 } }])
    await bench.run(scripted([down], { origin }).tool).outcome
    await bench.clock.advance(1_000)
    const { tool, open } = gated()
    const probe = bench.run(tool)
    probe.cancel()
    assert.equal((await probe.outcome).status, 'cancelled')
    const next = bench.run(tool)
    assert.equal(open.length, 2)
    open[1]?.resolve('back')
    assert.equal((await next.outcome).status, 'succeeded')
  })

  it('takes no word from calls that went before it opened', async () => {
    const bench = guarded([{ origin: '*', circuit: { failures: 1, openMs: 1_000 } }])
    const { tool, open } = gated()
    const early = bench.run(tool)
    const failing = bench.run(tool)
    open[1]?.reject(down)
    await failing.outcome
    open[0]?.resolve('late')
    await early.outcome
    assert.ok((await bench.run(tool).outcome).status === 'failed')
    assert.equal(open.length, 2)
  })
})

describe('the places of an origin', () => {
  it('are as many as its rule says; the others wait in order', async () => {
    const bench = guarded([{ origin: 'mcp:files', concurrency: 2 }])
    const { tool, open } = gated()
    const runs = [0, 1, 2, 3].map(() => bench.run(tool))
    assert.equal(open.length, 2)
    open[1]?.resolve('second')
    await runs[1]?.outcome
    assert.equal(open.length, 3)
    open[2]?.resolve('third')
    assert.deepEqual(await runs[2]?.outcome, { status: 'succeeded', output: 'third' })
    open[0]?.resolve('first')
    await runs[0]?.outcome
    open[3]?.resolve('fourth')
    assert.deepEqual(await runs[3]?.outcome, { status: 'succeeded', output: 'fourth' })
    assert.equal(bench.clock.pending, 0)
  })

  it('turn away unrun what finds the queue full, and what waits too long', async () => {
    const bench = guarded([{ origin: '*', concurrency: 1, queue: 1 }])
    const { tool, open } = gated({ limits: { timeoutMs: Number.POSITIVE_INFINITY } })
    const first = bench.run(tool)
    const second = bench.run(gated().tool)
    const third = await bench.run(tool).outcome
    assert.ok(third.status === 'failed')
    assert.equal(third.error.code, 'OVERLOADED')
    assert.equal(third.error.outcome, 'not-run')
    await bench.clock.advance(TIMEOUT_MS)
    const waited = await second.outcome
    assert.ok(waited.status === 'failed' && waited.error.code === 'OVERLOADED')
    assert.match(waited.error.message, /its turn did not come within 10000 ms/)
    assert.equal(second.attempts, 0)
    open[0]?.resolve('done')
    await first.outcome
    assert.equal(bench.clock.pending, 0)
    assert.equal(open.length, 1)
  })

  it('are left at once by who is cancelled in the queue', async () => {
    const bench = guarded([{ origin: '*', concurrency: 1, queue: 1 }])
    const { tool, open } = gated()
    const first = bench.run(tool)
    const second = bench.run(tool)
    second.cancel()
    const outcome = await second.outcome
    assert.ok(outcome.status === 'cancelled' && outcome.error.outcome === 'not-run')
    const third = bench.run(tool)
    open[0]?.resolve('a')
    await first.outcome
    open[1]?.resolve('c')
    assert.deepEqual(await third.outcome, { status: 'succeeded', output: 'c' })
    assert.equal(open.length, 2)
    assert.equal(bench.clock.pending, 0)
  })

  it('are not held between attempts', async () => {
    const clock = new ManualClock()
    const origins = new OriginGuards({ clock, rules: [{ origin: '*', concurrency: 1 }] })
    const bench = runnerBench({ clock, origins })
    const failing = bench.run(scripted([networkError(), 'done'], { origin }).tool)
    await clock.advance(0)
    assert.equal((await bench.run(scripted(['other'], { origin }).tool).outcome).status, 'succeeded')
    await clock.advance(10_000)
    assert.equal((await failing.outcome).status, 'succeeded')
  })

  it('are all turned away, however many wait, when the circuit opens meanwhile', async () => {
    const bench = guarded([{ origin: '*', concurrency: 1, queue: 2_000, circuit: { failures: 1 } }])
    const { tool, open } = gated()
    const runs = Array.from({ length: 2_000 }, () => bench.run(tool))
    open[0]?.reject(new AdjutantError('MCP_SERVER_UNAVAILABLE', 'down'))
    const outcomes = await Promise.all(runs.map((run) => run.outcome))
    assert.equal(outcomes.filter((outcome) => outcome.status === 'failed' && outcome.error.code === 'ORIGIN_UNAVAILABLE').length, 1_999)
    assert.equal(open.length, 1)
    assert.equal(bench.clock.pending, 0)
  })

  it('never hold more than their number, and lose nobody, in any order of ends and cancels', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.tuple(fc.constantFrom('start', 'end', 'fail', 'cancel'), fc.nat(9)), { maxLength: 40 }),
        async (concurrency, steps) => {
          const bench = guarded([{ origin: '*', concurrency, queue: 4, circuit: false }])
          const { tool, open } = gated()
          const runs: ReturnType<typeof bench.run>[] = []
          let settled = 0
          for (const [step, number] of steps) {
            if (step === 'start') {
              const run = bench.run(tool)
              runs.push(run)
              void run.outcome.then(() => (settled += 1))
            } else if (step === 'end') open[number]?.resolve('x')
            else if (step === 'fail') open[number]?.reject(new Error('x'))
            else runs[number]?.cancel()
            await bench.clock.advance(0)
            assert.ok(bench.origins.of(origin).bulkhead?.active === Math.min(concurrency, runs.length - settled))
          }
          for (const run of runs) run.cancel()
          await bench.clock.advance(1_000)
          assert.equal(settled, runs.length)
          assert.equal(bench.clock.pending, 0)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('OriginGuards', () => {
  it('takes of each member the first rule that says something', () => {
    const origins = new OriginGuards({
      clock: new ManualClock(),
      rules: [
        { origin: 'mcp:files', concurrency: 2 },
        { origin: 'mcp:*', concurrency: 8, circuit: false },
      ],
    })
    const files = origins.of(origin)
    assert.equal(files.bulkhead?.limit, 2)
    assert.equal(files.circuit, undefined)
    assert.equal(origins.of({ kind: 'mcp', from: 'mail' }).bulkhead?.limit, 8)
    const own = origins.of({ kind: 'function', from: 'mcp:files' })
    assert.equal(own.bulkhead, undefined)
    assert.notEqual(own.circuit, undefined)
    assert.equal(origins.of({ ...origin }), files)
  })

  it('is bounded, and keeps what is in use', async () => {
    const bench = guarded([{ origin: '*', concurrency: 1 }])
    const { tool, open } = gated()
    const run = bench.run(tool)
    const guard = bench.origins.of(origin)
    for (let number = 0; number < 5_000; number += 1) bench.origins.of({ kind: 'mcp', from: `server-${number}` })
    assert.ok(bench.origins.size <= 1_000)
    assert.equal(bench.origins.of(origin), guard)
    open[0]?.resolve('x')
    await run.outcome
  })

  it('refuses rules that make no sense', () => {
    const clock = new ManualClock()
    const wrong: readonly OriginRule[] = [
      { origin: '' },
      { origin: '*', concurrency: 0 },
      { origin: '*', concurrency: 1.5 },
      { origin: '*', queue: -1 },
      { origin: '*', circuit: { failures: 0 } },
      { origin: '*', circuit: { openMs: Number.NaN } },
    ]
    for (const rule of wrong) {
      assert.throws(() => new OriginGuards({ clock, rules: [{ origin: '*' }, rule] }), {
        code: 'CONFIG_INVALID',
        message: /rule 2 for origins/,
      })
    }
  })
})
