import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { callId, type MeteringRecord, sessionId, traceId } from '@adjutant/core/contract'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { hot } from '../database/index.ts'
import { openStore, type Store } from '../open-store.ts'

const opened: Store[] = []
after(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
})

const START = 1_700_000_000_000

function record(n: number, tenant = 'acme'): MeteringRecord {
  return {
    version: 1,
    at: new Date(START + n).toISOString(),
    sessionId: sessionId('s'),
    traceId: traceId('1'.padStart(32, '0')),
    tenant,
    user: 'ann \u0000',
    callId: callId(`call \u0000 ${n}`),
    tool: 'search',
    units: n + 0.25,
    unit: 'kB',
    microPrice: n,
  }
}

for (const kind of STORE_KINDS) {
  describe(`metering on ${kind}`, () => {
    it('keeps what calls used, of each tenant by itself, and gives it back by time', async () => {
      const store = await openStore(await freshUrl(kind))
      opened.push(store)
      const { metering } = store
      await metering.append([])
      // Two that are alike are two.
      await metering.append([record(3), record(3), record(1)])
      await metering.append(Array.from({ length: 450 }, (_, n) => record(10 + n)))
      await metering.append([record(2), record(2, 'other')])
      const all = await Array.fromAsync(metering.read('acme'))
      assert.deepEqual(
        all.map(({ at }) => at - START),
        [1, 2, 3, 3, ...Array.from({ length: 450 }, (_, n) => 10 + n)],
      )
      const { version: _, at: __, tenant: ___, user, ...rest } = record(1)
      assert.deepEqual(all[0], { ...rest, userId: user, at: START + 1 })
      const some = await Array.fromAsync(metering.read('acme', { from: START + 2, to: START + 11 }))
      assert.deepEqual(
        some.map(({ at }) => at - START),
        [2, 3, 3, 10],
      )
      assert.equal((await Array.fromAsync(metering.read('other'))).length, 1)
    })

    it('keeps all that is handed in together or none, and counts what is handed in again once', async () => {
      const store = await openStore(await freshUrl(kind))
      opened.push(store)
      const { metering } = store
      const records = [record(1), record(2, 'other'), record(3)]
      const wrong: MeteringRecord = { ...record(4), at: 'no time' }
      await assert.rejects(metering.append([...records, wrong]))
      const count = async (): Promise<number> =>
        (await store.database.system((tx) => tx.get(hot<{ n: number }>('SELECT count(*) AS n FROM metering')), { readOnly: true }))?.n ?? -1
      assert.equal(await count(), 0)
      await metering.append(records)
      await metering.append(records)
      assert.equal(await count(), 3)
    })
  })
}
