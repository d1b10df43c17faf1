import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { findLimitsFault } from './check-limits.ts'

describe('findLimitsFault', () => {
  it('finds nothing wrong with limits that are right', () => {
    assert.equal(findLimitsFault(undefined), undefined)
    assert.equal(findLimitsFault({}), undefined)
    assert.equal(
      findLimitsFault({
        timeoutMs: 1,
        maxResultChars: 100,
        maxResultTokens: 100,
        clip: 'json',
        retries: 0,
        cacheTtlMs: 1_000,
        rate: { calls: 5, perMs: 60_000, per: 'tenant' },
        cost: { units: 2, unit: 'query', microPrice: 0 },
        loop: { identical: 3, watched: true },
      }),
      undefined,
    )
  })

  for (const [limits, message, hint] of [
    [{ timeoutMs: -1 }, 'limits.timeoutMs is -1', /number above 0/],
    [{ timeoutMS: 5 }, 'limits.timeoutMS is unknown', /Use timeoutMs/],
    [{ retries: 4 }, 'limits.retries is 4', /from 0 to 3/],
    [{ clip: 'middle' }, 'limits.clip is "middle"', /head-tail/],
    [{ rate: 5 }, 'limits.rate is 5', /calls\?/],
    [{ rate: { calls: 0 } }, 'limits.rate.calls is 0', /at least 1/],
    [{ rate: { call: 1 } }, 'limits.rate.call is unknown', /Use calls/],
    [{ cost: { microPrice: Number.NaN } }, 'limits.cost.microPrice is NaN', /at least 0/],
    [{ loop: { watched: 'no' } }, 'limits.loop.watched is "no"', /true or false/],
    [[], 'limits is a list', /timeoutMs\?/],
    [null, 'limits is null', /timeoutMs\?/],
  ] as const)
    it(`says ${message}`, () => {
      const fault = findLimitsFault(limits)
      assert.equal(fault?.message, message)
      assert.match(fault?.hint ?? '', hint)
    })

  it('never throws', () => {
    fc.assert(fc.property(fc.anything(), (value) => void findLimitsFault(value)))
  })
})
