import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { Turns } from './turns.ts'

const rejectsWith = (code: string) => (error: unknown) => AdjutantError.isInstance(error) && error.code === code

describe('Turns', () => {
  it('come in the order in which they were asked for, so many at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 20 }), async (atOnce, number) => {
        const turns = new Turns('things', atOnce, 100)
        const order: number[] = []
        let most = 0
        await Promise.all(
          Array.from({ length: number }, async (_, index) => {
            const leave = await turns.take()
            order.push(index)
            most = Math.max(most, turns.active)
            await new Promise((resolve) => setImmediate(resolve))
            leave()
            leave()
          }),
        )
        assert.deepEqual(
          order,
          Array.from({ length: number }, (_, index) => index),
        )
        assert.deepEqual([most, turns.active, turns.waiting], [Math.min(atOnce, number), 0, 0])
      }),
      { numRuns: 30 },
    )
  })

  it('are refused when too many wait', async () => {
    const turns = new Turns('things', 1, 1)
    const leave = await turns.take()
    const waiting = turns.take()
    await assert.rejects(turns.take(), rejectsWith('OVERLOADED'))
    leave()
    ;(await waiting)()
    assert.equal(turns.active, 0)
  })

  it('are given up by who stops waiting, and go to the next one', async () => {
    const turns = new Turns('things', 1, 10)
    const leave = await turns.take()
    const stop = new AbortController()
    const given = turns.take(stop.signal)
    const next = turns.take()
    stop.abort()
    await assert.rejects(given, rejectsWith('CANCELLED'))
    await assert.rejects(turns.take(AbortSignal.abort()), rejectsWith('CANCELLED'))
    leave()
    ;(await next)()
    assert.deepEqual([turns.active, turns.waiting], [0, 0])
  })
})
