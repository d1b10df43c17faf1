import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sessionId, traceId } from '@adjutant/core/contract'
import { openStore } from './open-store.ts'

const principal = { tenantId: 'acme', userId: 'ann', roles: [] }
const key = { tenantId: 'acme', sessionId: sessionId('s_1') }
const hold = { principal, traceId: traceId('1'.padStart(32, '0')), node: 'here' }

describe('openStore', () => {
  it('keeps a session that another process can take', async () => {
    await using store = await openStore('sqlite::memory:')
    const first = await store.sessions.hold(key, hold)
    assert.equal(await first.keep([{ version: 1, type: 'user', at: 0, text: 'hello \u0000' }], { state: 'open' }), 1)
    await assert.rejects(store.sessions.hold(key, hold), { code: 'SESSION_BUSY' })
    await first.close()
    await assert.rejects(first.keep([{ version: 1, type: 'user', at: 0, text: 'late' }]), { code: 'SESSION_LOST' })
    await using second = await store.sessions.hold(key, hold)
    const loaded = await second.load()
    assert.deepEqual(loaded.steps, [{ version: 1, type: 'user', at: 0, text: 'hello \u0000' }])
    assert.equal(loaded.session.title, 'hello \u0000')
    assert.equal(second.fence, 2)
    await assert.rejects(store.sessions.hold(key, { ...hold, principal: { ...principal, userId: 'bob' } }), { code: 'NOT_FOUND' })
  })
})
