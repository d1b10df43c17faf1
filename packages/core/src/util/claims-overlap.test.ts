import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { claimsConflict, comparableKey, sameResource } from './claims-overlap.ts'

describe('sameResource', () => {
  for (const [a, b, same] of [
    ['file:/w/a', 'file:/w/a', true],
    ['file:/w', 'file:/w/a/b', true],
    ['file:/w/a/b', 'file:/w', true],
    ['file:/', 'file:/etc/passwd', true],
    ['file:/w/A', 'file:/w/a', true],
    ['file:/w/b/../a', 'file:/w/a/x', true],
    ['file:/etc', 'file:/etcx', false],
    ['file:/w/a', 'file:/w/b', false],
    ['queue:a', 'queue:a/b', false],
    ['queue:a', 'queue:a', true],
  ] as const)
    it(`${a} and ${b}: ${same}`, () => assert.equal(sameResource(comparableKey(a), comparableKey(b)), same))
})

describe('claimsConflict', () => {
  it('lets two readers be, and parts a writer from both', () => {
    const reads = [{ key: 'file:/w', mode: 'read' }] as const
    const writes = [{ key: 'file:/w/a', mode: 'write' }] as const
    assert.equal(claimsConflict(reads, reads), false)
    assert.equal(claimsConflict(reads, writes), true)
    assert.equal(claimsConflict(writes, writes), true)
    assert.equal(claimsConflict(writes, []), false)
  })
})
