import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { boundMemory, PAGE_BYTES } from './bounded-memory.ts'
import { wasm } from './web-assembly.ts'

describe('memory with a bound', () => {
  it('grows up to it and says when it was refused', () => {
    const memory = new wasm.Memory({ initial: 1, maximum: 8 })
    const bounded = boundMemory(memory)
    bounded.setLimit(3 * PAGE_BYTES)
    assert.equal(memory.grow(1), 1)
    assert.equal(bounded.exhausted(), false)
    assert.throws(() => memory.grow(2), RangeError)
    assert.equal(bounded.exhausted(), true)
    assert.equal(memory.grow(1), 2)
    assert.equal(bounded.exhausted(), false)
    bounded.setLimit(Number.POSITIVE_INFINITY)
    assert.throws(() => memory.grow(100), RangeError)
    assert.equal(bounded.exhausted(), true)
    assert.equal(bounded.bytes(), 3 * PAGE_BYTES)
  })
})
