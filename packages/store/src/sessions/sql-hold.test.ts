import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type HoldOptions, type SessionHold, sessionId, traceId } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { hot } from '../database/index.ts'
import { openStore, type Store } from '../open-store.ts'

const KEY = { tenantId: 'acme', sessionId: sessionId('s') }
const principal = { tenantId: 'acme', userId: 'ann', roles: [] }
const opened: Store[] = []
after(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
})

async function open(url: string, clock: ManualClock): Promise<Store> {
  const store = await openStore(url, { clock })
  opened.push(store)
  return store
}

async function take({ sessions }: Store, over: Partial<HoldOptions> = {}): Promise<SessionHold> {
  return await sessions.hold(KEY, { principal, traceId: traceId('1'.padStart(32, '0')), node: 'n', ...over })
}

for (const kind of STORE_KINDS) {
  describe(`the hold of a session on ${kind}`, () => {
    it('is over when it was let go, also when it was just being renewed', async () => {
      const clock = new ManualClock()
      const store = await open(await freshUrl(kind), clock)
      for (let round = 0; round < 5; round += 1) {
        const hold = await take(store)
        // The renewal is on its way when the hold is closed.
        const due = clock.advance(10_000)
        await hold.close()
        await due
        assert.equal((await store.sessions.find(KEY))?.session.holder, undefined)
      }
      await (await take(store)).close()
    })

    it('is not waited for when it was written under a clock that was a day ahead', { skip: kind === 'sqlite-memory' }, async () => {
      const url = await freshUrl(kind)
      const [ahead, right] = [new ManualClock(1_700_000_000_000 + 86_400_000), new ManualClock(1_700_000_000_000)]
      const wrong = await take(await open(url, ahead))
      const store = await open(url, right)
      await using hold = await take(store)
      assert.ok(hold.fence > wrong.fence)
      await assert.rejects(wrong.keep([]), { code: 'SESSION_LOST' })
      // Minutes may be a clock that goes a little wrong, or a long lease.
      await hold.close()
      const soon = await take(await open(url, new ManualClock(1_700_000_000_000 + 600_000)))
      await assert.rejects(take(store), { code: 'SESSION_BUSY' })
      await soon.close()
    })

    it('is given for up to an hour', async () => {
      const store = await open(await freshUrl(kind), new ManualClock())
      for (const leaseMs of [0, -1, 3_600_001, Number.NaN, Number.POSITIVE_INFINITY]) {
        await assert.rejects(take(store, { leaseMs }), { code: 'USAGE' })
      }
      assert.equal(await store.sessions.find(KEY), undefined)
      await (await take(store, { leaseMs: 3_600_000 })).close()
    })

    it('is not given while the session is being erased', async () => {
      const store = await open(await freshUrl(kind), new ManualClock())
      await (await take(store)).close()
      const set = (open: number): Promise<number> =>
        store.database.transaction('acme', (tx) =>
          tx.run(
            hot(`INSERT INTO erasures (tenant_id, subject, subject_id, at, reason, open) VALUES ('acme', 'session', 's', 1, 'asked', ?)
              ON CONFLICT (tenant_id, subject, subject_id) DO UPDATE SET open = excluded.open`),
            [open],
          ),
        )
      await set(1)
      await assert.rejects(take(store), { code: 'NOT_FOUND' })
      assert.equal((await store.sessions.find(KEY))?.session.holder, undefined)
      await set(0)
      await (await take(store)).close()
    })
  })
}
