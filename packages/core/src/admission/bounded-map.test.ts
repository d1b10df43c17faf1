import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { BoundedMap } from './bounded-map.ts'

describe('BoundedMap', () => {
  it('keeps exactly the entries used last', () => {
    const step = fc.tuple(fc.constantFrom<'get' | 'set'>('get', 'set'), fc.nat(8))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (capacity, steps) => {
        const map = new BoundedMap<number, string>(capacity)
        let used: number[] = []
        for (const [deed, key] of steps) {
          if (deed === 'get') {
            assert.equal(map.get(key), used.includes(key) ? `value ${key}` : undefined)
            if (!used.includes(key)) continue
          } else map.set(key, `value ${key}`)
          used = [...used.filter((other) => other !== key), key].slice(-capacity)
          assert.equal(map.size, used.length)
        }
        for (const key of [...used].reverse()) assert.equal(map.get(key), `value ${key}`)
      }),
      { numRuns: 200 },
    )
  })

  it('refuses a capacity that holds nothing', () => {
    for (const capacity of [0, -1, 1.5, Number.NaN]) assert.throws(() => new BoundedMap(capacity), RangeError)
  })
})
