import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sessionId } from '@adjutant/core/contract'
import { ReadLog, sameContent } from './read-log.ts'

const state = { mtimeNs: 1n, size: 2n, inode: 3n }

describe('what a session has read', () => {
  it('is known to that session only', () => {
    const log = new ReadLog()
    log.note(sessionId('a'), '/f', state)
    assert.equal(log.seen(sessionId('a'), '/f'), state)
    assert.equal(log.seen(sessionId('b'), '/f'), undefined)
    assert.equal(log.seen(sessionId('a'), '/g'), undefined)
  })

  it('is bounded; what was read longest ago goes first', () => {
    const log = new ReadLog()
    const id = sessionId('a')
    log.note(id, '/first', state)
    for (let index = 0; index < 2_047; index += 1) log.note(id, `/${index}`, state)
    log.note(id, '/first', state)
    log.note(id, '/one-more', state)
    assert.equal(log.seen(id, '/first'), state)
    assert.equal(log.seen(id, '/0'), undefined)
    for (let index = 0; index < 256; index += 1) log.note(sessionId(`s${index}`), '/f', state)
    assert.equal(log.seen(id, '/first'), undefined)
  })

  it('is compared by content where that is known, else by time, size and file', () => {
    const seen = { ...state, sha256: 'x' }
    assert.ok(sameContent(seen, { ...state, mtimeNs: 9n, sha256: 'x' }))
    assert.ok(!sameContent(seen, { ...state, sha256: 'y' }))
    assert.ok(sameContent(seen, state))
    assert.ok(!sameContent(seen, { ...state, mtimeNs: 9n }))
    assert.ok(!sameContent(state, { ...state, inode: 9n }))
  })
})
