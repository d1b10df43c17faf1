import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import { makeTool, networkError, type RunnerBenchOptions, runnerBench, scripted } from '../../test/runner-bench.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { Principal } from '../contract/principal.ts'
import { type AgentTool, ToolOutput } from '../contract/tool.ts'
import { ResultCache } from './cache.ts'

const TTL = { cacheTtlMs: 1_000 }

function cached(options: RunnerBenchOptions = {}, bounds: { maxEntries?: number; maxBytes?: number } = {}) {
  const { clock = new ManualClock() } = options
  const cache = new ResultCache({ clock, ...bounds })
  return { cache, ...runnerBench({ ...options, clock, cache }) }
}

/** Counts its runs and gives the number of each. */
function counter(spec: Partial<AgentTool> = {}) {
  let runs = 0
  const tool = makeTool({ limits: TTL, ...spec, execute: async () => (runs += 1) })
  return { tool, runs: () => runs }
}

function outputOf(outcome: RawOutcome): unknown {
  assert.ok(outcome.status === 'succeeded')
  return outcome.output
}

describe('the cache', () => {
  it('answers an equal call until its time is over, counted from the start of the first', async () => {
    const bench = cached()
    const { tool } = counter()
    const first = bench.run(tool, { a: 1, b: [2] })
    assert.equal(outputOf(await first.outcome), 1)
    assert.deepEqual([first.attempts, first.cached], [1, false])
    const second = bench.run(tool, { b: [2], a: 1 })
    assert.equal(outputOf(await second.outcome), 1)
    assert.deepEqual([second.attempts, second.cached], [0, true])
    await bench.clock.advance(1_000)
    assert.equal(outputOf(await bench.run(tool, { a: 1, b: [2] }).outcome), 1)
    await bench.clock.advance(1)
    assert.equal(outputOf(await bench.run(tool, { a: 1, b: [2] }).outcome), 2)
    assert.equal(bench.clock.pending, 0)
  })

  it('counts the time from the start of the call that ran: its result is as old as that', async () => {
    const bench = cached()
    let runs = 0
    const tool = makeTool({
      limits: TTL,
      execute: () => new Promise((resolve) => void bench.clock.after(600, () => resolve(++runs))),
    })
    const cachedAfter = async (ms: number): Promise<boolean> => {
      const first = bench.run(tool)
      await bench.clock.advance(600)
      await first.outcome
      await bench.clock.advance(ms)
      const second = bench.run(tool)
      await bench.clock.advance(10_000)
      await second.outcome
      return second.cached
    }
    assert.equal(await cachedAfter(400), true)
    assert.equal(await cachedAfter(401), false)
  })

  it('answers only calls of tools that allow it, that read, and that succeeded', async () => {
    const plain = counter({ limits: {} })
    const zero = counter({ limits: { cacheTtlMs: 0 } })
    const odd = counter({ limits: { cacheTtlMs: Number.NaN } })
    const write = counter({ effect: 'write' })
    for (const { tool, runs } of [plain, zero, odd, write]) {
      const bench = cached()
      await bench.run(tool).outcome
      await bench.run(tool).outcome
      assert.equal(runs(), 2)
    }
    for (const bad of [new Error('no'), new ToolOutput([{ type: 'text', text: 'no' }], { isError: true })]) {
      const bench = cached()
      const { tool, keys } = scripted([bad, 'yes'], { limits: TTL })
      await bench.run(tool).outcome
      assert.equal(outputOf(await bench.run(tool).outcome), 'yes')
      assert.equal(keys.length, 2)
    }
  })

  it('leaves volatile arguments out, and nothing else', async () => {
    const bench = cached()
    const { tool, runs } = counter({ volatile: ['/nonce', '/trace/id', '/list/0', '/none/at/all', ''] })
    const input = (nonce: number, id: number, item: number, query: string): JsonObject => ({
      nonce,
      trace: { id, kept: true },
      list: [item, 'x'],
      query,
    })
    await bench.run(tool, input(1, 1, 1, 'a')).outcome
    assert.equal(bench.run(tool, input(2, 3, 4, 'a')).cached, true)
    await bench.run(tool, input(1, 1, 1, 'b')).outcome
    assert.equal(runs(), 2)
  })

  it('never answers another principal, tool or definition (invariant 9)', async () => {
    const text = fc.constantFrom('a', 'b', 'a","b', '')
    const principal = fc.record({
      tenantId: text,
      userId: text,
      roles: fc.array(text, { maxLength: 3 }),
      attributes: fc.dictionary(text, fc.oneof(text, fc.integer({ max: 2 }))),
    })
    const input = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 2 })), { maxKeys: 2 })
    const same = (a: Principal, b: Principal): boolean =>
      a.tenantId === b.tenantId &&
      a.userId === b.userId &&
      [...new Set(a.roles)].sort().join('|') === [...new Set(b.roles)].sort().join('|') &&
      JSON.stringify(Object.entries(a.attributes ?? {}).sort()) === JSON.stringify(Object.entries(b.attributes ?? {}).sort())
    await fc.assert(
      fc.asyncProperty(principal, principal, input, input, fc.nat(2), async (one, two, first, second, which) => {
        const clock = new ManualClock()
        const cache = new ResultCache({ clock })
        const { tool } = counter()
        const tools = [tool, { ...tool, execute: tool.execute }, { ...tool, description: 'another' }]
        await runnerBench({ clock, cache, principal: one, session: 'one' }).run(tool, first).outcome
        const run = runnerBench({ clock, cache, principal: two, session: 'two' }).run(tools[which] ?? tool, second)
        await run.outcome
        const order = (object: object): string => JSON.stringify(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
        assert.equal(run.cached, which === 0 && same(one, two) && order(first) === order(second))
      }),
      { numRuns: 400 },
    )
  })

  it('gives each reader a value of its own', async () => {
    const bench = cached()
    const made = { rows: [{ id: 1, at: new Date(5) }], count: 1 }
    const { tool, keys } = scripted([made], { limits: TTL })
    const first = outputOf(await bench.run(tool).outcome)
    const expected = structuredClone(made)
    made.rows.length = 0
    for (let reader = 0; reader < 3; reader += 1) {
      const value = outputOf(await bench.run(tool).outcome)
      assert.deepEqual(value, expected)
      assert.ok(typeof value === 'object' && value !== null && 'rows' in value && Array.isArray(value.rows))
      value.rows.splice(0, 1)
    }
    assert.equal(first, made)
    assert.equal(keys.length, 1)
    const picture = new ToolOutput([{ type: 'text', text: 'x' }], { structured: { a: [1] } })
    const parts = scripted([picture], { limits: TTL })
    await bench.run(parts.tool).outcome
    const again = outputOf(await bench.run(parts.tool).outcome)
    assert.ok(again instanceof ToolOutput && again !== picture)
    assert.deepEqual(again, picture)
  })

  it('does not keep what cannot be given twice', async () => {
    class Handle {
      readonly open = true
    }
    const circle: { self?: unknown } = {}
    circle.self = circle
    const cases: readonly unknown[] = [
      new Handle(),
      { a: () => 1 },
      new Map(),
      Buffer.from('x'),
      circle,
      Object.assign([1], { beside: 2 }),
      { [Symbol('s')]: 1 },
      'x'.repeat(2_000_000),
    ]
    for (const value of cases) {
      const bench = cached({}, { maxBytes: 1_000_000 })
      const { tool, keys } = scripted([value], { limits: TTL })
      await bench.run(tool).outcome
      await bench.run(tool).outcome
      assert.equal(keys.length, 2)
      assert.equal(bench.cache.size, 0)
    }
  })

  it('is bounded in entries and bytes', async () => {
    const bench = cached({}, { maxEntries: 10, maxBytes: 10_000 })
    const { tool } = scripted(['x'.repeat(400)], { limits: { cacheTtlMs: Number.POSITIVE_INFINITY } })
    for (let call = 0; call < 50; call += 1) {
      await bench.run(tool, { call }).outcome
      assert.ok(bench.cache.size <= 10)
    }
    const big = cached({}, { maxEntries: 1_000, maxBytes: 10_000 })
    for (let call = 0; call < 50; call += 1) await big.run(tool, { call }).outcome
    assert.ok(big.cache.size >= 5 && big.cache.size <= 12, String(big.cache.size))
  })

  it('drops what a write may have changed: by resources, else all of its origin and tenant', async () => {
    const file = { kind: 'module', from: 'files' } as const
    const at = (key: string) => (): { key: string; mode: 'read' }[] => [{ key, mode: 'read' }]
    const writes = (key: string): Partial<AgentTool> => ({ effect: 'write', resources: () => [{ key, mode: 'write' }] })
    const cases: readonly (readonly [Partial<AgentTool>, Partial<AgentTool>, boolean])[] = [
      [{ resources: at('file:/work/src') }, writes('file:/work/src/a.ts'), true],
      [{ resources: at('file:/work/src') }, writes('file:/work/srcx'), false],
      [{ resources: at('db:users') }, writes('db:users'), true],
      [{ resources: at('db:users') }, writes('db:orders'), false],
      [{ resources: at('db:users') }, { ...writes('db:users'), origin: file }, true],
      [{}, { effect: 'write' }, true],
      [{}, { effect: 'dangerous' }, true],
      [{}, { effect: 'write', origin: file }, false],
      [{ resources: at('db:users') }, { effect: 'write' }, true],
      [{}, { resources: () => [{ key: 'db:users', mode: 'write' }] }, true],
    ]
    for (const [read, write, dropped] of cases) {
      const bench = cached()
      const { tool, runs } = counter(read)
      await bench.run(tool).outcome
      await bench.run(scripted([new Error('half done')], write).tool).outcome
      await bench.run(tool).outcome
      assert.equal(runs(), dropped ? 2 : 1, JSON.stringify([read, write]))
    }
  })
})

describe('equal calls at the same time', () => {
  function slow(spec: Partial<AgentTool> = {}) {
    const open: { resolve(value: unknown): void; reject(error: unknown): void }[] = []
    const tool = makeTool({
      limits: TTL,
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

  it('are one execution', async () => {
    const bench = cached()
    const { tool, open } = slow()
    const runs = Array.from({ length: 5 }, () => bench.run(tool))
    assert.equal(open.length, 1)
    open[0]?.resolve({ n: 1 })
    const values = await Promise.all(runs.map(async (run) => outputOf(await run.outcome)))
    for (const value of values) assert.deepEqual(value, { n: 1 })
    assert.equal(new Set(values).size, 5)
    assert.deepEqual(
      runs.map((run) => [run.attempts, run.cached]),
      [
        [1, false],
        [0, true],
        [0, true],
        [0, true],
        [0, true],
      ],
    )
  })

  it('share a failure, with its further attempts', async () => {
    const bench = cached()
    const { tool, keys } = scripted([networkError()], { limits: TTL })
    const runs = Array.from({ length: 3 }, () => bench.run(tool))
    await bench.clock.advance(60_000)
    for (const run of runs) assert.equal((await run.outcome).status, 'failed')
    assert.equal(keys.length, 3)
    assert.equal(bench.cache.size, 0)
  })

  it('are cancelled each for itself: a waiter', async () => {
    const bench = cached()
    const { tool, open } = slow()
    const [first, second, third] = [bench.run(tool), bench.run(tool), bench.run(tool)]
    second.cancel()
    const outcome = await second.outcome
    assert.ok(outcome.status === 'cancelled' && outcome.error.outcome === 'not-run')
    open[0]?.resolve('x')
    assert.equal(outputOf(await first.outcome), 'x')
    assert.equal(outputOf(await third.outcome), 'x')
    assert.equal(open.length, 1)
    assert.equal(bench.clock.pending, 0)
  })

  it('are cancelled each for itself: the first, whose execution ends with it', async () => {
    const bench = cached()
    const { tool, open } = slow()
    const [first, second, third] = [bench.run(tool), bench.run(tool), bench.run(tool)]
    first.cancel()
    assert.equal((await first.outcome).status, 'cancelled')
    await bench.clock.advance(0)
    assert.equal(open.length, 2)
    open[1]?.resolve('y')
    assert.equal(outputOf(await second.outcome), 'y')
    assert.equal(outputOf(await third.outcome), 'y')
    assert.deepEqual([second.attempts, second.cached, third.attempts, third.cached], [1, false, 0, true])
    assert.equal(bench.clock.pending, 0)
  })

  it('run each for themselves where the result cannot be given twice, or nobody could be asked', async () => {
    const stream = cached()
    const { tool, open } = slow()
    const runs = Array.from({ length: 3 }, () => stream.run(tool))
    open[0]?.resolve(new Map())
    await stream.clock.advance(0)
    assert.equal(open.length, 3)
    for (const one of open) one.resolve(new Map())
    assert.equal(new Set(await Promise.all(runs.map(async (run) => outputOf(await run.outcome)))).size, 3)
    const asking = cached()
    const person = scripted([new AdjutantError('QUESTION_UNANSWERED', 'nobody'), 'asked'], { limits: TTL })
    const [one, two] = [asking.run(person.tool), asking.run(person.tool)]
    assert.equal((await one.outcome).status, 'failed')
    assert.equal(outputOf(await two.outcome), 'asked')
  })

  it('are not joined, and their result is not kept, once something was changed', async () => {
    const bench = cached()
    const { tool, open } = slow()
    const before = bench.run(tool)
    await bench.run(scripted(['written'], { effect: 'write' }).tool).outcome
    const after = bench.run(tool)
    assert.equal(open.length, 2)
    open[1]?.resolve('new')
    open[0]?.resolve('old')
    assert.equal(outputOf(await before.outcome), 'old')
    assert.equal(outputOf(await after.outcome), 'new')
    assert.equal(outputOf(await bench.run(tool).outcome), 'new')
    assert.equal(open.length, 2)
  })
})
