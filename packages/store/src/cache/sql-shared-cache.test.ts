/** A cache that several processes share: equal calls are answered, and nobody gets what is somebody else's or what was changed. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { SharedCache } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import fc from 'fast-check'
import { type CacheAnswer, type CacheCall, CacheNode } from '../../test/cache-node.ts'
import { type StoreChild, startScript } from '../../test/children.ts'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { eraseUser, hot, sweep } from '../database/index.ts'
import { openStore, type Store } from '../open-store.ts'
import { SqlSharedCache } from './sql-shared-cache.ts'

const opened: Store[] = []
after(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
})

async function open(url: string, options: Parameters<typeof openStore>[1] = {}): Promise<Store> {
  const store = await openStore(url, options)
  opened.push(store)
  return store
}

class Child {
  readonly #child: StoreChild

  constructor(url: string) {
    this.#child = startScript('./cache-child.ts', [url])
  }

  async ready(): Promise<void> {
    assert.equal(await this.#child.line(), 'ready')
  }

  async run(call: CacheCall): Promise<CacheAnswer> {
    this.#child.process.stdin.write(`${JSON.stringify(call)}\n`)
    return JSON.parse((await this.#child.line()) ?? 'null')
  }

  async end(): Promise<void> {
    this.#child.process.stdin.end()
    await this.#child.ended()
  }
}

for (const kind of STORE_KINDS) {
  describe(`a cache shared in ${kind}`, () => {
    if (kind !== 'sqlite-memory') {
      it('answers equal calls of two processes, until one of them changes what they rest on', { timeout: 90_000 }, async () => {
        const url = await freshUrl(kind)
        const [a, b] = [new Child(url), new Child(url)]
        await Promise.all([a.ready(), b.ready()])
        const same = async (call: CacheCall): Promise<void> => {
          const [first, second] = [await a.run(call), await b.run(call)]
          assert.deepEqual([second.output, second.cached], [first.output, true], JSON.stringify(call))
        }
        const anew = async (who: Child, call: CacheCall): Promise<void> => {
          assert.equal((await who.run(call)).cached, false, JSON.stringify(call))
        }
        for (const call of [{ tool: 'look', input: { q: 1 } }, { tool: 'lookAt', input: { at: 'a' } }, { tool: 'parts' }] as const)
          await same(call)
        assert.deepEqual((await b.run({ tool: 'look', input: { q: 1 } })).cached, true)
        // What a tool does not say to be the same elsewhere, and what JSON does not carry, stays in its process.
        for (const tool of ['own', 'odd'] as const) {
          assert.equal((await a.run({ tool })).cached, false)
          await anew(b, { tool })
          assert.equal((await a.run({ tool })).cached, true)
        }

        await b.run({ tool: 'writeAt', input: { at: 'b' } })
        await same({ tool: 'lookAt', input: { at: 'a' } })
        await b.run({ tool: 'writeAt', input: { at: 'a' } })
        await anew(a, { tool: 'lookAt', input: { at: 'a' } })
        await same({ tool: 'lookAt', input: { at: 'a' } })
        // It says nothing of what it changes: all of its scope, also what a process has of its own.
        await same({ tool: 'look', input: { q: 1 } })
        await a.run({ tool: 'own' })
        await b.run({ tool: 'write' })
        await anew(a, { tool: 'look', input: { q: 1 } })
        await anew(a, { tool: 'parts' })
        assert.equal((await a.run({ tool: 'own' })).cached, true)
        await b.run({ tool: 'writeAt', input: { at: 'zzz' } })
        await anew(a, { tool: 'own' })
        // Of another tenant nothing is touched.
        await same({ tool: 'look', input: { q: 2 } })
        await b.run({ tool: 'write', tenant: 'other' })
        assert.equal((await a.run({ tool: 'look', input: { q: 2 } })).cached, true)
        await a.end()
        await b.end()
      })
    }

    it('gives nothing of one principal or tenant to another, whatever is asked in which order', async () => {
      const store = await open(await freshUrl(kind))
      const ids = fc.constantFrom('a', 'b', 'a"', 'a,b', '__proto__')
      const calls = fc.array(
        fc.record({
          node: fc.nat({ max: 1 }),
          tool: fc.constantFrom('look', 'lookAt', 'own'),
          at: fc.constantFrom('x', 'y'),
          tenant: ids,
          user: ids,
          roles: fc.subarray(['dev', 'boss']),
        }),
        { minLength: 5, maxLength: 20 },
      )
      let round = 0
      await fc.assert(
        fc.asyncProperty(calls, async (asked) => {
          round += 1
          const nodes = [0, 1].map(
            () =>
              new CacheNode(store.cache, {
                gives: ({ tool, input, tenant, user, roles }) => ({ tool, input: { ...input }, tenant, user, roles: [...(roles ?? [])] }),
              }),
          )
          for (const { node, tool, at, tenant, user, roles } of asked) {
            const input = { at, round }
            const answer = await nodes[node]?.run({ tool, input, tenant, user, roles })
            assert.deepEqual(answer?.output, { tool, input, tenant, user, roles })
          }
        }),
        { numRuns: 15 },
      )
    })

    it('never gives what is older than the last change, whatever reads and writes of two processes do', async () => {
      const store = await open(await freshUrl(kind))
      const steps = fc.array(
        fc.record({ node: fc.nat({ max: 1 }), tool: fc.constantFrom('lookAt', 'look', 'writeAt', 'write'), at: fc.constantFrom('x', 'y') }),
        { minLength: 5, maxLength: 25 },
      )
      let round = 0
      await fc.assert(
        fc.asyncProperty(steps, async (asked) => {
          round += 1
          // What is true: how often something was written that this read would see.
          const world = { x: 0, y: 0, all: 0 }
          const seen = (call: CacheCall): number =>
            world.all + (call.tool === 'lookAt' ? world[call.input?.at === 'x' ? 'x' : 'y'] : world.x + world.y)
          const nodes = [0, 1].map(() => new CacheNode(store.cache, { gives: seen, scope: `service ${round}` }))
          for (const { node, tool, at } of asked) {
            if (tool === 'writeAt') world[at === 'x' ? 'x' : 'y'] += 1
            if (tool === 'write') world.all += 1
            const call = { tool, input: { at } }
            const answer = await nodes[node]?.run(call)
            if (tool === 'look' || tool === 'lookAt') assert.equal(answer?.output, seen(call), JSON.stringify(asked))
          }
        }),
        { numRuns: 15 },
      )
    })

    it('does not keep what was read while something was changed', async () => {
      const store = await open(await freshUrl(kind))
      const gate = Promise.withResolvers<void>()
      const slow = new CacheNode(store.cache, { gives: () => gate.promise.then(() => 'old') })
      const other = new CacheNode(store.cache, { gives: () => 'new' })
      const reading = slow.run({ tool: 'look' })
      await until(() => slow.runs === 1)
      // Joins the read on its way, and must not get what was true before the change.
      const written = other.run({ tool: 'write' })
      await written
      const joined = slow.run({ tool: 'look' })
      gate.resolve()
      assert.equal((await reading).output, 'old')
      assert.equal((await joined).cached, false)
      assert.equal(slow.runs, 2)
      assert.deepEqual(await other.run({ tool: 'look' }).then(({ output, cached }) => [typeof output, cached]), ['string', true])
      await other.run({ tool: 'write' })
      assert.deepEqual(await other.run({ tool: 'look' }).then(({ output, cached }) => [output, cached]), ['new', false])
    })

    it('is over in time, bounded in entries and bytes, and gone when its tenant is erased or swept', async () => {
      const clock = new ManualClock(1_700_000_000_000)
      const store = await open(await freshUrl(kind), { clock })
      const cache = new SqlSharedCache(store.database, { maxEntries: 10, maxBytes: 5_000, maxValueBytes: 1_000 })
      const node = (): CacheNode => new CacheNode(cache, { clock, gives: ({ input }) => 'x'.repeat(Number(input?.size ?? 1)) })
      const cached = async (input: { readonly q: number; readonly size?: number }): Promise<boolean> =>
        (await node().run({ tool: 'look', input })).cached
      assert.deepEqual([await cached({ q: 1 }), await cached({ q: 1 })], [false, true])
      await clock.advance(60_001)
      assert.equal(await cached({ q: 1 }), false)
      // Too large for one.
      assert.deepEqual([await cached({ q: 2, size: 2_000 }), await cached({ q: 2, size: 2_000 })], [false, false])
      for (let q = 10; q < 60; q++) await cached({ q, size: q % 2 === 0 ? 900 : 10 })
      const [size] = await store.database.read('acme', (tx) =>
        tx.all(hot<{ n: number; bytes: number }>('SELECT count(*) AS n, CAST(sum(bytes) AS bigint) AS bytes FROM cache')),
      )
      assert.ok(size !== undefined && size.n <= 20 && size.bytes <= 15_000, JSON.stringify(size))
      const mine = node()
      await mine.run({ tool: 'own' })
      assert.equal((await mine.run({ tool: 'own' })).cached, true)
      await eraseUser(store.database, { tenantId: 'acme', userId: 'ann' })
      assert.equal((await mine.run({ tool: 'own' })).cached, false)
      assert.equal(await cached({ q: 59, size: 10 }), false)
      await clock.advance(60_001)
      assert.equal((await sweep(store.database)).swept.cache, 1)
    })

    it('gives nothing that rests on more changes than are kept, and nothing from a clock that was wrong', async () => {
      const clock = new ManualClock(1_700_000_000_000)
      const store = await open(await freshUrl(kind), { clock })
      const node = new CacheNode(store.cache, { clock })
      await node.run({ tool: 'lookAt', input: { at: 'a' } })
      for (let n = 0; n < 499; n++) await store.cache.changed('acme', { origin: 'x', keys: ['file:/b'] })
      assert.equal((await node.run({ tool: 'lookAt', input: { at: 'a' } })).cached, true)
      for (let n = 0; n < 2; n++) await store.cache.changed('acme', { origin: 'x', keys: ['file:/b'] })
      assert.equal((await node.run({ tool: 'lookAt', input: { at: 'a' } })).cached, false)
      await store.database.transaction('acme', (tx) => tx.run(hot('UPDATE cache SET expires_at = expires_at + 86400000')))
      assert.equal((await new CacheNode(store.cache, { clock }).run({ tool: 'lookAt', input: { at: 'a' } })).cached, false)
    })
  })
}

describe('a shared cache that does not answer', () => {
  it('lets calls run as if there were none, asks again after a while, and tells what was changed meanwhile first', async () => {
    const clock = new ManualClock()
    const store = await open('sqlite::memory:', { clock })
    let away = false
    let asked = 0
    const guard = <T>(work: () => Promise<T>): Promise<T> => {
      asked += 1
      return away ? Promise.reject(new Error('gone')) : work()
    }
    const shaky: SharedCache = {
      look: (tenant, look) => guard(() => store.cache.look(tenant, look)),
      keep: (tenant, entry) => guard(() => store.cache.keep(tenant, entry)),
      changed: (tenant, change) => guard(() => store.cache.changed(tenant, change)),
    }
    const [a, b] = [new CacheNode(shaky, { clock }), new CacheNode(store.cache, { clock })]
    await a.run({ tool: 'look' })
    assert.equal((await b.run({ tool: 'look' })).cached, true)
    away = true
    assert.equal((await a.run({ tool: 'look' })).cached, false)
    const before = asked
    await a.run({ tool: 'write' })
    for (let n = 0; n < 300; n++) await a.run({ tool: 'writeAt', input: { at: `${n}` } })
    assert.equal((await a.run({ tool: 'look' })).cached, false)
    assert.equal(asked, before, 'it was left alone')
    // The others cannot know yet: no older than the tool allows.
    assert.equal((await b.run({ tool: 'look' })).cached, true)
    away = false
    await clock.advance(10_000)
    assert.equal((await a.run({ tool: 'look' })).cached, false)
    assert.equal((await a.run({ tool: 'look' })).cached, true)
    assert.equal((await b.run({ tool: 'look' })).cached, true)
    assert.equal((await b.run({ tool: 'look' })).output, (await a.run({ tool: 'look' })).output)
  })
})

async function until(is: () => boolean): Promise<void> {
  for (let turn = 0; !is(); turn++) {
    assert.ok(turn < 100_000, 'this never comes')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
