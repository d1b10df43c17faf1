/** Counts that several processes share: as many places as there are, whoever takes them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type AgentTool, RateLimiter, sessionId, systemClock } from '@adjutant/core'
import { ManualClock } from '@adjutant/testkit'
import { startScript } from '../../test/children.ts'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { hot, sweep } from '../database/index.ts'
import { openStore, type Store } from '../open-store.ts'
import { SqlRateStore } from './sql-rate-store.ts'

const opened: Store[] = []
after(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
})

async function open(url: string, options: Parameters<typeof openStore>[1] = {}): Promise<Store> {
  const store = await openStore(url, options)
  opened.push(store)
  return store
}

for (const kind of STORE_KINDS) {
  describe(`rates counted in ${kind}`, () => {
    if (kind !== 'sqlite-memory') {
      it('of two hundred in four processes exactly fifty get a place, though the clock of one is a day ahead', {
        timeout: 90_000,
      }, async () => {
        const url = await freshUrl(kind)
        const store = await open(url)
        // On one machine there is one clock.
        const ahead = kind === 'postgres' ? 86_400_000 : 0
        const children = [0, 0, 0, ahead].map((ms) => startScript('./rate-child.ts', [url, 'acme', 'k', '50', '3600000', '50', String(ms)]))
        for (const child of children) assert.equal(await child.line(), 'ready')
        for (const child of children) child.process.stdin.end('go\n')
        const taken = await Promise.all(children.map(async (child) => Number(await child.line())))
        for (const child of children) await child.ended()
        assert.equal(
          taken.reduce((sum, one) => sum + one, 0),
          50,
          JSON.stringify(taken),
        )
        const late = await store.rates.take('k', 50, 3_600_000, 'acme')
        assert.ok(!late.taken && late.waitMs > 0 && late.waitMs <= 3_600_000, JSON.stringify(late))
        await store.rates.giveBack('k', 50, 3_600_000, 'acme')
        assert.equal((await store.rates.take('k', 50, 3_600_000, 'acme')).taken, true)
        assert.equal((await store.rates.take('k', 50, 3_600_000, 'acme')).taken, false)
        assert.equal((await store.rates.take('k', 50, 3_600_000, 'other')).taken, true)
      })
    }

    it('begin anew when the window is over, also one that was begun under a clock that was wrong, and are swept away', async () => {
      const clock = new ManualClock(1_700_000_000_000)
      const { database: db } = await open(await freshUrl(kind), { clock })
      const store = new SqlRateStore(db, { time: 'clock' })
      const take = async (times: number): Promise<string> => {
        let said = ''
        for (let n = 0; n < times; n++) {
          const { taken, waitMs } = await store.take('k', 2, 1_000, 'acme')
          said += taken ? '+' : `-${waitMs} `
        }
        return said
      }
      assert.equal(await take(3), '++-1000 ')
      await clock.advance(999)
      assert.equal(await take(1), '-1 ')
      await clock.advance(1)
      assert.equal(await take(3), '++-1000 ')
      // Giving back from a window that is over makes no place too many.
      await clock.advance(1_000)
      await store.giveBack('k', 2, 1_000, 'acme')
      assert.equal(await take(3), '++-1000 ')
      assert.equal((await store.take('wrong', 1, 1_000, 'acme')).taken, true)
      await db.transaction('acme', (tx) => tx.run(hot('UPDATE rates SET ends_at = ends_at + 86400000')))
      assert.equal((await store.take('wrong', 1, 1_000, 'acme')).taken, true)
      await clock.advance(300_000_000)
      await sweep(db)
      assert.deepEqual(await db.read('acme', (tx) => tx.all(hot('SELECT key FROM rates'))), [])
    })

    it('serve a limiter: each tenant, user and session apart, and what was taken is given back when another rule has no place', async () => {
      const store = await open(await freshUrl(kind))
      const limiter = new RateLimiter({
        clock: systemClock,
        store: store.rates,
        rules: [{ tools: 'l*', calls: 3, perMs: 3_600_000, per: 'tenant' }],
      })
      const look: AgentTool = {
        name: 'look',
        description: 'For tests.',
        inputSchema: true,
        origin: { kind: 'function', from: 'test' },
        tier: 'core',
        lifetime: 'session',
        effect: 'read',
        limits: { rate: { calls: 2, perMs: 3_600_000 } },
        execute: async () => undefined,
      }
      const take = async (tenantId: string, userId: string): Promise<boolean> =>
        (await limiter.take({ tool: look, principal: { tenantId, userId, roles: [] }, sessionId: sessionId('s') })) === undefined
      assert.deepEqual([await take('a', 'x'), await take('a', 'x'), await take('a', 'x')], [true, true, false])
      assert.deepEqual([await take('a', 'y'), await take('a', 'y'), await take('b', 'x')], [true, false, true])
      // A place is given back without anybody waiting for it: the last statement before this one may still be on its way.
      let left: readonly number[] = []
      for (let looks = 0; looks < 1_000 && left.join() !== '1,1,1,2,3'; looks += 1) {
        const rows = await store.database.system((tx) => tx.all(hot<{ n: number }>('SELECT taken AS n FROM rates ORDER BY taken')), {
          readOnly: true,
        })
        left = rows.map(({ n }) => n)
      }
      assert.deepEqual(left, [1, 1, 1, 2, 3])
    })

    it('refuse every call while the database is away', async () => {
      const store = await open(await freshUrl(kind), { retryLimitMs: 50 })
      const limiter = new RateLimiter({ clock: systemClock, store: store.rates, rules: [{ tools: '*', calls: 3, perMs: 1_000 }] })
      await store.database.close()
      const tool: AgentTool = {
        name: 'look',
        description: 'For tests.',
        inputSchema: true,
        origin: { kind: 'function', from: 'test' },
        tier: 'core',
        lifetime: 'session',
        effect: 'read',
        execute: async () => undefined,
      }
      const error = await limiter.take({ tool, principal: { tenantId: 'a', userId: 'x', roles: [] }, sessionId: sessionId('s') })
      assert.equal(error?.code, 'RATE_LIMITED')
      assert.match(error?.message ?? '', /does not answer/)
    })
  })
}
