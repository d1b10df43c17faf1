import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import { admitted, makeTool, networkError, runnerBench, scripted, TIMEOUT_MS } from '../../test/runner-bench.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { AgentTool, Effect } from '../contract/tool.ts'
import { ResultCache } from './cache.ts'
import { OriginGuards } from './origins.ts'
import { ResultMemory } from './result-memory.ts'

/** Milliseconds that a stopped call may take: an abort has to be through within a second. */
const GRACE_MS = 1_000

function everything() {
  const clock = new ManualClock()
  const cache = new ResultCache({ clock })
  const memory = new ResultMemory()
  const origins = new OriginGuards({ clock, rules: [{ origin: '*', concurrency: 2, queue: 3, circuit: { failures: 4, openMs: 2_000 } }] })
  return { cache, memory, origins, ...runnerBench({ clock, cache, memory, origins }) }
}

describe('CallRunner', () => {
  it('runs a call as it is where there is nothing to add', async () => {
    const bench = runnerBench()
    const output = { of: 'the tool' }
    for (const effect of ['read', 'write', 'dangerous'] as const) {
      const run = bench.run(scripted([output], { effect }).tool)
      const outcome = await run.outcome
      assert.ok(outcome.status === 'succeeded')
      assert.equal(outcome.output, output)
      assert.deepEqual([run.attempts, run.cached], [1, false])
    }
    assert.equal(bench.clock.pending, 0)
  })

  it('hands a finished failure on as it is', async () => {
    const error = new AdjutantError('NOT_FOUND', 'there is no a.txt')
    const outcome = await runnerBench().run(scripted([error]).tool).outcome
    assert.ok(outcome.status === 'failed')
    assert.equal(outcome.error, error)
  })

  it('stops a running attempt, and does not start another', async () => {
    const bench = everything()
    let starts = 0
    const tool = makeTool({
      execute(_input, cx) {
        starts += 1
        return new Promise((_resolve, reject) => {
          const { signal } = cx
          signal.addEventListener('abort', () => reject(networkError()))
        })
      },
    })
    const run = bench.run(tool)
    run.cancel()
    const outcome = await run.outcome
    assert.ok(outcome.status === 'cancelled' && outcome.error.outcome === 'failed')
    await bench.clock.advance(60_000)
    assert.equal(starts, 1)
    assert.equal(bench.clock.pending, 0)
  })

  it('does nothing when it is cancelled after the end', async () => {
    const bench = everything()
    const run = bench.run(scripted(['done']).tool)
    await run.outcome
    run.cancel()
    assert.equal((await run.outcome).status, 'succeeded')
    assert.equal(bench.clock.pending, 0)
  })

  it('remembers before it looks into the cache, and remembers nothing that came out of the cache', async () => {
    const bench = everything()
    const tool = makeTool({
      limits: { cacheTtlMs: 1_000 },
      resources: () => [{ key: 'db:a', mode: 'read' }],
      remember: {},
      execute: async () => 'text',
    })
    await runnerBench({ clock: bench.clock, cache: bench.cache, session: 'another' }).run(tool).outcome
    const fromCache = bench.run(tool)
    await fromCache.outcome
    assert.equal(fromCache.cached, true)
    assert.equal(bench.memory.size, 0)
    await bench.clock.advance(2_000)
    await bench.run(tool).outcome
    assert.equal(bench.memory.size, 1)
    await bench.clock.advance(2_000)
    const fromMemory = bench.run(tool)
    await fromMemory.outcome
    assert.equal(fromMemory.cached, true)
    assert.equal(bench.cache.size, 1)
  })

  it('settles every call once, within its limits, with nothing left over: any calls, failures, times and cancels (invariants 1, 5, 10)', async () => {
    interface Behaviour {
      readonly effect: Effect
      readonly takes: number
      readonly ends: 'value' | 'network' | 'down' | 'not-run' | 'bad' | 'hangs' | 'deaf'
      readonly kind: 'plain' | 'cached' | 'remembered' | 'both'
    }
    interface Launch {
      readonly which: number
      readonly at: number
      readonly cancelAfter: number | undefined
    }
    const behaviour: fc.Arbitrary<Behaviour> = fc.record({
      effect: fc.constantFrom<Effect>('read', 'read', 'read', 'write', 'dangerous'),
      takes: fc.constantFrom(0, 10, 700, 12_000),
      ends: fc.constantFrom('value', 'value', 'value', 'network', 'down', 'not-run', 'bad', 'hangs', 'deaf'),
      kind: fc.constantFrom('plain', 'cached', 'remembered', 'both'),
    })
    const launch: fc.Arbitrary<Launch> = fc.record({
      which: fc.nat(2),
      at: fc.constantFrom(0, 0, 5, 300, 3_000),
      cancelAfter: fc.option(fc.constantFrom(0, 1, 100, 900, 11_000), { nil: undefined, freq: 2 }),
    })
    const met = { cached: 0, cancelledUnrun: 0, again: 0, turnedAway: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviour, { minLength: 1, maxLength: 3 }),
        fc.array(launch, { minLength: 1, maxLength: 12 }),
        async (behaviours, launches) => {
          const bench = everything()
          const { clock } = bench
          const ends = new Map<number, number>()
          const starts = new Map<number, number>()
          const cancels = new Map<number, number>()
          const tools = behaviours.map(
            ({ effect, takes, ends: end, kind }): AgentTool =>
              makeTool({
                effect,
                limits: kind === 'cached' || kind === 'both' ? { cacheTtlMs: 500 } : {},
                ...(kind === 'remembered' || kind === 'both' ? { remember: { version: async () => 'v' } } : {}),
                resources: () => [{ key: 'db:a', mode: effect === 'read' ? 'read' : 'write' }],
                execute(_input, cx) {
                  starts.set(number(cx.callId), (starts.get(number(cx.callId)) ?? 0) + 1)
                  return new Promise((resolve, reject) => {
                    const { signal } = cx
                    if (end !== 'deaf') signal.addEventListener('abort', () => reject(signal.reason))
                    if (end !== 'hangs' && end !== 'deaf') clock.after(takes, () => (end === 'value' ? resolve('x') : reject(failure(end))))
                  })
                },
              }),
          )
          const all = launches.map(({ which, at, cancelAfter }, index) => {
            const kind = which % behaviours.length
            const one = behaviours[kind]
            const tool = tools[kind]
            assert.ok(one !== undefined && tool !== undefined)
            const launched = Promise.withResolvers<void>()
            clock.after(at, () => {
              const call = admitted(tool, {}, one.effect, index)
              const run = bench.runner.run(call, bench.host, TIMEOUT_MS)
              if (cancelAfter !== undefined) {
                clock.after(cancelAfter, () => {
                  if (!ends.has(index)) cancels.set(index, clock.monotonic())
                  run.cancel()
                })
              }
              run.outcome
                .then((outcome) => {
                  assert.equal(ends.has(index), false)
                  ends.set(index, clock.monotonic())
                  const ran = starts.get(index) ?? 0
                  assert.equal(run.attempts, ran)
                  assert.ok(ran <= 3)
                  const isSure = one.effect === 'read' || one.ends === 'not-run'
                  if (!isSure) assert.ok(ran <= 1, 'what may have taken effect ran twice')
                  if (run.cached) assert.equal(ran, 0)
                  if (run.cached) met.cached += 1
                  if (ran > 1) met.again += 1
                  if (outcome.status === 'cancelled' && ran === 0) met.cancelledUnrun += 1
                  if (outcome.status === 'failed' && ran === 0) met.turnedAway += 1
                  if (outcome.status !== 'succeeded' && outcome.error.outcome === 'not-run' && one.ends !== 'not-run') assert.equal(ran, 0)
                  launched.resolve()
                })
                .catch(launched.reject)
            })
            return launched.promise
          })
          await clock.advance(400_000)
          await Promise.all(all)
          for (const [index, at] of cancels) assert.ok((ends.get(index) ?? Number.POSITIVE_INFINITY) - at <= GRACE_MS, `call ${index}`)
          assert.equal(clock.pending, 0)
        },
      ),
      { numRuns: 150 },
    )
    for (const [what, often] of Object.entries(met)) assert.ok(often > 20, `${what}: ${often}`)
  })
})

function number(id: string): number {
  return Number(id.slice('call_'.length))
}

function failure(end: string): Error {
  switch (end) {
    case 'network':
      return networkError()
    case 'down':
      return new AdjutantError('MCP_SERVER_UNAVAILABLE', 'down')
    case 'not-run':
      return new AdjutantError('MCP_SERVER_UNAVAILABLE', 'lost the session', { outcome: 'not-run' })
    default:
      return new Error('the report is wrong')
  }
}
