import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AdjutantError } from '../contract/errors.ts'
import { InteractionLock } from './interaction-lock.ts'

describe('InteractionLock', () => {
  it('has one holder at a time, served in the order they came, whoever leaves (B4)', async () => {
    const anyWaiters = fc.array(fc.record({ steps: fc.nat({ max: 3 }), leaves: fc.boolean(), fails: fc.boolean() }), { maxLength: 15 })
    await fc.assert(
      fc.asyncProperty(anyWaiters, async (waiters) => {
        const lock = new InteractionLock()
        const order: number[] = []
        let holders = 0
        const controllers = waiters.map(() => new AbortController())
        const runs = waiters.map((waiter, index) =>
          lock.run(async () => {
            holders += 1
            assert.equal(holders, 1)
            order.push(index)
            for (let step = 0; step < waiter.steps; step += 1) await Promise.resolve()
            holders -= 1
            if (waiter.fails) throw new Error(`fails ${index}`)
          }, controllers[index]?.signal),
        )
        for (const [index, waiter] of waiters.entries()) if (waiter.leaves) controllers[index]?.abort()
        const ends = await Promise.allSettled(runs)
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        )
        for (const [index, waiter] of waiters.entries()) {
          // The first holds it at once, so its abort is the work's own business.
          const ran = order.includes(index)
          assert.equal(ran, index === 0 || !waiter.leaves)
          const end = ends[index]
          if (!ran) assert.ok(end?.status === 'rejected' && AdjutantError.isInstance(end.reason) && end.reason.code === 'CANCELLED')
        }
        assert.equal(lock.held, false)
        assert.equal(lock.waiting, 0)
      }),
      { numRuns: 150 },
    )
  })

  it('lets its holder take it again from inside', async () => {
    const lock = new InteractionLock()
    assert.equal(await lock.run(() => lock.run(async () => 'inner')), 'inner')
    assert.equal(lock.held, false)
  })

  it('does not take work that outlived its hold for the holder', async () => {
    const lock = new InteractionLock()
    let late: Promise<boolean> | undefined
    let go = (): void => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    await lock.run(async () => {
      late = gate.then(() => lock.run(async () => lock.held))
    })
    let release = (): void => {}
    const holding = lock.run(
      () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    )
    go()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(lock.waiting, 1, 'the late work slipped in beside the holder')
    release()
    await holding
    assert.equal(await late, true)
  })

  it('refuses a waiter that was cancelled before it came', async () => {
    await assert.rejects(
      new InteractionLock().run(async () => {}, AbortSignal.abort()),
      (error: unknown) => AdjutantError.isInstance(error) && error.code === 'CANCELLED',
    )
  })
})
