import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Effect, ResourceClaim } from '../contract/tool.ts'
import type { Gate } from './run-batch.ts'
import { dependencies, type GraphCall, runGraph } from './run-graph.ts'

const keys = ['file:/w/a', 'file:/w/b', 'file:/w', 'queue:x'] as const
const claim = fc.record({ key: fc.constantFrom(...keys), mode: fc.constantFrom<ResourceClaim['mode']>('read', 'write') })

/** A call that touches what it declares: what it reads and what it writes. */
const anyCall = fc.record({
  effect: fc.option(fc.constantFrom<Effect>('read', 'write', 'dangerous'), { nil: undefined }),
  claims: fc.option(fc.array(claim, { maxLength: 2 }), { nil: undefined }),
  steps: fc.nat({ max: 3 }),
  gate: fc.option(fc.record({ steps: fc.nat({ max: 4 }), came: fc.constantFrom<Gate>('open', 'settled', 'waits') }), { nil: undefined }),
})

const leaves = ['file:/w/a', 'file:/w/b', 'queue:x']
const touched = (key: string): readonly string[] => (key === 'file:/w' ? ['file:/w/a', 'file:/w/b'] : [key])

async function pause(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await Promise.resolve()
}

describe('runGraph', () => {
  it('has the outcome of the model’s order, never overlaps a write, and lets a gate hold up only what depends on it (invariant 2)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 10 }), fc.integer({ min: 1, max: 4 }), async (made, limit) => {
        // A read declares reads only; what it declares nothing of may be anything.
        const calls = made.map((call) => ({
          ...call,
          claims: call.effect === 'read' ? call.claims?.map(({ key }) => ({ key, mode: 'read' as const })) : call.claims,
        }))
        const play = (world: Map<string, string>, index: number): string => {
          const call = calls[index]
          assert.ok(call !== undefined)
          const reads = call.claims === undefined ? leaves : call.claims.flatMap(({ key }) => touched(key))
          const seen = reads.map((key) => world.get(key) ?? '').join('|')
          const writes =
            call.effect === 'read'
              ? []
              : call.claims === undefined || call.effect === 'dangerous'
                ? leaves
                : call.claims.filter(({ mode }) => mode === 'write').flatMap(({ key }) => touched(key))
          for (const key of writes) world.set(key, `${index}(${world.get(key) ?? ''})`)
          return seen
        }
        const serial = new Map<string, string>()
        const before = dependencies(calls)
        const stays = new Set<number>()
        const expected = calls.map((call, index) => {
          const came = call.gate?.came ?? 'open'
          if (call.effect === undefined) return undefined
          if (before[index]?.some((each) => stays.has(each)) === true || came === 'waits') stays.add(index)
          return came === 'open' && !stays.has(index) ? play(serial, index) : undefined
        })
        const world = new Map<string, string>()
        const seen: (string | undefined)[] = calls.map(() => undefined)
        let reading = 0
        let writing = 0
        await runGraph(calls, limit, {
          gate: (index) => {
            const gate = calls[index]?.gate
            return gate === undefined ? undefined : pause(gate.steps).then(() => gate.came)
          },
          async run(index) {
            const alone = calls[index]?.effect !== 'read'
            assert.equal(writing, 0, 'a write was not alone')
            if (alone) assert.equal(reading, 0, 'a write overlapped a read')
            if (alone) writing += 1
            else reading += 1
            assert.ok(reading <= limit)
            await pause(calls[index]?.steps ?? 0)
            seen[index] = play(world, index)
            if (alone) writing -= 1
            else reading -= 1
            return undefined
          },
        })
        assert.deepEqual(seen, expected)
        assert.deepEqual([...world].sort(), [...serial].sort())
      }),
      { numRuns: 300 },
    )
  })

  it('runs what a waiting write does not touch', async () => {
    const calls: readonly GraphCall[] = [
      { effect: 'write', claims: [{ key: 'file:/w/a', mode: 'write' }] },
      { effect: 'read', claims: [{ key: 'file:/w/b', mode: 'read' }] },
      { effect: 'read', claims: [{ key: 'file:/w', mode: 'read' }] },
    ]
    assert.deepEqual(dependencies(calls), [[], [], [0]])
    const gate = Promise.withResolvers<Gate>()
    const ran: number[] = []
    await runGraph(calls, 4, {
      gate: (index) => (index === 0 ? gate.promise : undefined),
      async run(index) {
        ran.push(index)
        if (index === 1) gate.resolve('open')
        return undefined
      },
    })
    assert.deepEqual(ran, [1, 0, 2])
  })

  it('ends what has started before it rejects', async () => {
    const ended: number[] = []
    const read: GraphCall = { effect: 'read', claims: [] }
    await assert.rejects(
      runGraph([read, read], 2, {
        async run(index) {
          if (index === 0) throw new Error('broken')
          await pause(3)
          ended.push(index)
          return undefined
        },
      }),
      /broken/,
    )
    assert.deepEqual(ended, [1])
  })
})
