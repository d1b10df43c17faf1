import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AdjutantError } from '../contract/errors.ts'
import { callId } from '../contract/ids.ts'
import type { ToolResult } from '../contract/result.ts'
import { OrderBarrier } from './order-barrier.ts'

const result = (index: number): ToolResult => ({
  id: callId(`call_${index}`),
  name: 'tool',
  outcome: 'ok',
  isError: false,
  text: `${index}`,
  parts: [],
})
const internal = (about: RegExp) => (error: unknown) =>
  AdjutantError.isInstance(error) && error.code === 'INTERNAL' && about.test(error.message)

describe('OrderBarrier', () => {
  it('gives results in call order, in whatever order they came', () => {
    const order = fc.nat(30).chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count }))
    fc.assert(
      fc.property(order, (arrivals) => {
        const barrier = new OrderBarrier(arrivals.length)
        arrivals.forEach((index, put) => {
          assert.equal(barrier.complete, put === arrivals.length)
          barrier.put(index, result(index))
        })
        assert.equal(barrier.complete, true)
        assert.deepEqual(
          barrier.results().map(({ id }) => id),
          [...arrivals.keys()].map((index) => `call_${index}`),
        )
      }),
    )
  })

  it('refuses a second result and keeps the first', () => {
    const barrier = new OrderBarrier(1)
    barrier.put(0, result(0))
    assert.throws(() => barrier.put(0, result(9)), internal(/second result.*position 0 \(call_9\)/))
    assert.equal(barrier.results()[0]?.id, 'call_0')
  })

  it('refuses to give results before the last one is there, naming it', () => {
    const barrier = new OrderBarrier(3)
    barrier.put(0, result(0))
    barrier.put(2, result(2))
    assert.equal(barrier.complete, false)
    assert.throws(() => barrier.results(), internal(/position 1/))
  })

  it('refuses a position outside of the batch and a count that is none', () => {
    for (const index of [-1, 2, 0.5, Number.NaN]) assert.throws(() => new OrderBarrier(2).put(index, result(0)), internal(/batch of 2/))
    for (const count of [-1, 1.5, Number.NaN]) assert.throws(() => new OrderBarrier(count), internal(/batch/))
    assert.deepEqual(new OrderBarrier(0).results(), [])
  })
})
