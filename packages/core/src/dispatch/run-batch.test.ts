import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Effect } from '../contract/tool.ts'
import { planBatch } from './plan-batch.ts'
import { type BatchWork, type Gate, runBatch } from './run-batch.ts'

const work = (run: BatchWork['run']): BatchWork => ({ run })

describe('runBatch', () => {
  it('has the outcome of the serial order, whatever finishes first (invariant 2)', async () => {
    const anyCalls = fc.array(fc.record({ effect: fc.constantFrom<Effect>('read', 'write'), steps: fc.nat({ max: 4 }) }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(anyCalls, fc.constantFrom('strict', 'segmented'), fc.integer({ min: 1, max: 5 }), async (calls, strategy, limit) => {
        const plan = planBatch(
          calls.map((call) => call.effect),
          strategy,
        )
        let world = 0
        let reading = 0
        let writing = 0
        let mostReading = 0
        const seen: number[] = []
        await runBatch(
          plan,
          limit,
          work(async (index) => {
            const call = calls[index]
            assert.ok(call !== undefined)
            if (call.effect === 'write') {
              assert.equal(reading + writing, 0, 'a write overlapped')
              writing += 1
              for (let step = 0; step < call.steps; step += 1) await Promise.resolve()
              world += 1
              writing -= 1
            } else {
              assert.equal(writing, 0, 'a read overlapped a write')
              reading += 1
              mostReading = Math.max(mostReading, reading)
              for (let step = 0; step < call.steps; step += 1) await Promise.resolve()
              seen[index] = world
              reading -= 1
            }
          }),
        )
        assert.ok(mostReading <= limit)
        let writes = 0
        for (const [index, call] of calls.entries()) {
          if (call.effect === 'write') writes += 1
          else assert.equal(seen[index], writes, 'a read saw another world than in serial order')
        }
      }),
      { numRuns: 200 },
    )
  })

  it('really runs reads side by side, up to the limit', async () => {
    let inside = 0
    let most = 0
    let open = (): void => {}
    const all = new Promise<void>((resolve) => {
      open = resolve
    })
    await runBatch(
      [{ members: [0, 1, 2, 3, 4], concurrent: true }],
      3,
      work(async () => {
        inside += 1
        most = Math.max(most, inside)
        if (inside === 3) open()
        await all
        inside -= 1
      }),
    )
    assert.equal(most, 3)
  })

  it('waits for what is in flight when one member breaks, then rejects', async () => {
    const events: string[] = []
    await assert.rejects(
      runBatch(
        [{ members: [0, 1, 2], concurrent: true }],
        2,
        work(async (index) => {
          if (index === 0) throw new Error('broken')
          await new Promise((resolve) => setImmediate(resolve))
          events.push(`${index} done`)
        }),
      ),
      /broken/,
    )
    assert.deepEqual(events, ['1 done'])
  })

  it('lets nobody wait for a member that waits for a person, and counts it only when it runs', async () => {
    const gates = new Map([0, 1, 2].map((index) => [index, Promise.withResolvers<Gate>()]))
    const ran: number[] = []
    let inside = 0
    let most = 0
    const batch = runBatch([{ members: [0, 1, 2, 3, 4, 5], concurrent: true }], 2, {
      gate: (index) => gates.get(index)?.promise,
      async run(index) {
        inside += 1
        most = Math.max(most, inside)
        ran.push(index)
        if (index === 5) for (const gate of [2, 0, 1]) gates.get(gate)?.resolve(gate === 1 ? 'settled' : 'open')
        await Promise.resolve()
        inside -= 1
        return undefined
      },
    })
    await batch
    assert.deepEqual(ran, [3, 4, 5, 2, 0])
    assert.ok(most <= 2)
  })

  it('waits for open gates when one breaks', async () => {
    const late = Promise.withResolvers<Gate>()
    const batch = runBatch([{ members: [0, 1], concurrent: true }], 2, {
      gate: (index) => (index === 0 ? Promise.reject(new Error('gate broke')) : late.promise),
      run: () => assert.fail('nothing may start'),
    })
    late.resolve('open')
    await assert.rejects(batch, /gate broke/)
  })

  it('stops after the wave in which a call stays as it is', async () => {
    for (const concurrent of [true, false]) {
      for (const late of [true, false]) {
        const ran: number[] = []
        const plan = [
          { members: [0, 1, 2], concurrent },
          { members: [3], concurrent: false },
        ]
        await runBatch(plan, 2, {
          gate: (index) => (index === 1 && !late ? Promise.resolve('waits') : undefined),
          // A rule may ask at the last moment.
          run: async (index) => {
            if (index === 1) return 'waits'
            ran.push(index)
            return undefined
          },
        })
        assert.deepEqual(ran, concurrent ? [0, 2] : [0])
      }
    }
  })
})
