import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { countByte } from './count-byte.ts'

describe('countByte', () => {
  it('counts like a plain loop, for any bytes, value, length and alignment', () => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    const few = fc.array(fc.constantFrom(9, 10, 11, 0x8a, 0xff, 0), { maxLength: 300 }).map((values) => Uint8Array.from(values))
    fc.assert(
      fc.property(fc.oneof(bytes, few), fc.constantFrom(10, 0, 255, 0x8a), fc.nat(7), (all, value, from) => {
        const part = all.subarray(from)
        assert.equal(countByte(part, value), part.filter((byte) => byte === value).length)
      }),
      { numRuns: 1_000 },
    )
  })

  it('does not run over when every byte is one', () => {
    const all = new Uint8Array(70_001).fill(10)
    assert.equal(countByte(all, 10), 70_001)
    assert.equal(countByte(all.subarray(3), 10), 69_998)
  })
})
