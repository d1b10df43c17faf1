import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { boxName, isLeftover, ownerOf, thisOwner } from './box-name.ts'

describe('boxName', () => {
  it('says who made it, whatever the label, and is a plain file name', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(),
        fc.nat(),
        fc.oneof(fc.string(), fc.constantFrom('../..', 'a/b', '\n')),
        (pidNamespace, pid, startTime, label) => {
          const owner = { pidNamespace, pid, startTime }
          const name = boxName(owner, label)
          assert.match(name, /^[A-Za-z0-9-]{1,150}$/)
          assert.deepEqual(ownerOf(name), owner)
        },
      ),
    )
  })

  it('is never the same twice', () => {
    const owner = { pidNamespace: 1, pid: 2, startTime: 3 }
    assert.equal(new Set(Array.from({ length: 1000 }, () => boxName(owner, 'a'))).size, 1000)
  })

  it('is nobody else’s', () => {
    for (const name of ['adjutant-1-2-3-zz-a', 'adjutant', 'system.slice', `adjutant-1-2-3-${'0'.repeat(31)}-a`, ''])
      assert.equal(ownerOf(name), undefined)
  })
})

describe('isLeftover', { skip: process.platform === 'linux' ? false : 'needs Linux' }, () => {
  it('knows the living from the gone, by more than the pid, and does not judge what it cannot see', () => {
    const owner = thisOwner()
    assert.ok(owner)
    const seenFrom = owner.pidNamespace
    assert.equal(isLeftover(boxName(owner, 'a'), seenFrom), false)
    assert.equal(isLeftover(boxName({ ...owner, startTime: owner.startTime - 1 }, 'a'), seenFrom), true)
    const gone = { ...owner, pid: spawnSync('/bin/true').pid }
    assert.equal(isLeftover(boxName(gone, 'a'), seenFrom), true)
    assert.equal(isLeftover(boxName(gone, 'a'), seenFrom + 1), false)
    assert.equal(isLeftover('something-else', seenFrom), false)
  })
})
