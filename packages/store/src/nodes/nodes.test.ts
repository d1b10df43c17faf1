import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { type Clock, type SessionHold, type StepRecord, sessionId, traceId } from '@adjutant/core/contract'
import { ManualClock } from '@adjutant/testkit'
import { startScript } from '../../test/children.ts'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { WAITING } from '../../test/waiting-approval.ts'
import { type OpenStoreOptions, openStore, type Store } from '../open-store.ts'

const KEY = { tenantId: 'acme', sessionId: sessionId('s') }
const never = new AbortController().signal
const opened: Store[] = []
after(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
})

async function open(url: string, options: OpenStoreOptions): Promise<Store> {
  const store = await openStore(url, { retryLimitMs: 60_000, ...options })
  opened.push(store)
  return store
}

async function hold({ sessions }: Store, node: string): Promise<SessionHold> {
  const principal = { tenantId: KEY.tenantId, userId: 'ann', roles: [] }
  return await sessions.hold(KEY, { principal, traceId: traceId('1'.padStart(32, '0')), node })
}

const task = (text: string): StepRecord => ({ version: 1, type: 'user', at: 0, text })

for (const kind of STORE_KINDS) {
  describe(`nodes in ${kind}`, { timeout: 60_000 }, () => {
    it('are listed with what they have in hand, as long as they give signs of life', async (t) => {
      const clock = new ManualClock()
      const store = await open(await freshUrl(kind), { clock })
      const first = await store.nodes.join({ id: 'one', address: 'build-7', does: ['tool', 'notifications'] })
      clock.leap(1)
      const second = await store.nodes.join({ id: 'on' })
      const held = await hold(store, first.id)
      const [list] = [await store.nodes.list()]
      assert.deepEqual(
        list.map(({ id, alive, sessions, jobs }) => ({ id, alive, sessions, jobs })),
        [
          { id: 'one', alive: true, sessions: 1, jobs: 0 },
          { id: 'on', alive: true, sessions: 0, jobs: 0 },
        ],
      )
      assert.equal(list[0]?.address, 'build-7')
      assert.deepEqual([list[0]?.does, list[1]?.does], [['tool', 'notifications'], []])
      await held.close()
      const job = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      t.after(() => job.resolve())
      const worker = store.jobs.work(
        {
          wait: async () => {
            begun.resolve()
            await job.promise
            return undefined
          },
        },
        { node: second.id },
      )
      await store.jobs.enqueue({ tenantId: 'acme', kind: 'wait', payload: {} })
      let over = false
      void begun.promise.then(() => {
        over = true
      })
      // In small steps: leases must not run out while a database is slow.
      while (!over) await clock.advance(1)
      assert.deepEqual(
        (await store.nodes.list()).map(({ sessions, jobs }) => [sessions, jobs]),
        [
          [0, 0],
          [0, 1],
        ],
      )
      job.resolve()
      let drained = false
      second.add(worker)
      void second.drain().then(() => {
        drained = true
      })
      while (!drained) await clock.advance(1)
      assert.deepEqual(
        (await store.nodes.list()).map(({ id }) => id),
        ['one'],
      )
      // Asleep for long: it counts as dead, is swept, and is there again with its next sign.
      clock.leap(61_000)
      const [asleep] = await store.nodes.list()
      assert.equal(asleep?.alive, false)
      assert.equal(await store.nodes.sweep(), 1)
      assert.deepEqual(await store.nodes.list(), [])
      while ((await store.nodes.list()).length === 0) await clock.advance(100)
      assert.equal((await store.nodes.list())[0]?.alive, true)
      let left = false
      void first.drain().then(() => {
        left = true
      })
      while (!left) await clock.advance(1)
    })
  })
}

describe('a node that leaves', () => {
  it('takes nothing new, leaves who waits first, gives the rest its time, and then goes whatever failed', async () => {
    const clock = new ManualClock()
    const warned: string[] = []
    await using store = await openStore('sqlite::memory:', { clock, warn: (message) => void warned.push(message) })
    const node = await store.nodes.join()
    const said: string[] = []
    node.add({ stop: async ({ graceMs }) => void said.push(`worker ${graceMs}`) })
    node.add({ leave: () => void said.push('session') })
    node.add({
      leave() {
        throw new Error('it could not')
      },
      stop: () => Promise.reject(new Error('it would not')),
    })
    const gone = node.add({ leave: () => void said.push('never') })
    gone()
    assert.equal(node.leaving.aborted, false)
    const draining = node.drain({ graceMs: 5 })
    assert.equal(node.leaving.aborted, true)
    node.add({ leave: () => void said.push('late') })
    assert.deepEqual(await draining, { problems: ['it could not', 'it would not'] })
    assert.deepEqual(said, ['session', 'worker 5', 'late'])
    assert.equal(node.drain(), node.drain())
    assert.deepEqual(warned, ['leaving: it could not', 'leaving: it would not'])
    assert.deepEqual(await store.nodes.list(), [])
    assert.equal(clock.pending, 0)
  })

  it('has a name, and signs that come', async () => {
    await using store = await openStore('sqlite::memory:')
    await assert.rejects(store.nodes.join({ id: 'a b' }), { code: 'USAGE' })
    await assert.rejects(store.nodes.join({ signMs: 0 }), { code: 'USAGE' })
  })
})

for (const kind of STORE_KINDS.filter((each) => each !== 'sqlite-memory')) {
  describe(`a process that was suspended, on ${kind}`, () => {
    it('writes nothing when it comes back: not to its session, its job or its delivery', { timeout: 90_000 }, async () => {
      const url = await freshUrl(kind)
      // An hour later: every lease of the other process is over.
      const later: Clock = { ...systemClock, now: () => systemClock.now() + 3_000_000 }
      const before = await open(url, { notify: [{ event: { name: 'bot' }, on: ['approval.waiting'] }] })
      const asker = await before.sessions.hold(
        { ...KEY, sessionId: sessionId('asks') },
        { principal: { tenantId: 'acme', userId: 'ann', roles: [] }, traceId: traceId('1'.padStart(32, '0')), node: 'parent' },
      )
      await asker.keep([{ version: 1, type: 'asked', time: 1, approval: WAITING.approval }])
      await asker.close()
      const { id } = await before.jobs.enqueue({ tenantId: 'acme', kind: 'slow', payload: {}, maxAttempts: 2 })
      const child = startScript('./work-child.ts', [url])
      assert.deepEqual(JSON.parse((await child.line()) ?? 'null'), { inHand: 1 })
      const [other] = await before.nodes.list()
      assert.deepEqual([other?.id, other?.sessions, other?.jobs], ['child', 1, 1])
      child.process.kill('SIGSTOP')

      const store = await open(url, { clock: later, notify: [{ event: { name: 'bot' }, on: ['approval.waiting'] }] })
      const taken = await hold(store, 'parent')
      await taken.keep([task('the parent')])
      const told = Promise.withResolvers<string>()
      const worker = store.jobs.work({ slow: async () => 'the parent' })
      const courier = store.notifications.deliver({
        events: { bot: () => {} },
        onAttempt: ({ outcome, attempt }) => told.resolve(`${outcome} at ${attempt}`),
      })
      assert.equal((await store.jobs.settled('acme', id, { signal: never })).result, 'the parent')
      assert.equal(await told.promise, 'delivered at 2')

      child.process.kill('SIGCONT')
      child.process.stdin.end('go\n')
      assert.deepEqual(JSON.parse((await child.line()) ?? 'null'), { kept: 'SESSION_LOST', delivery: 'lost' })
      assert.deepEqual(JSON.parse((await child.line()) ?? 'null'), { left: true })
      await child.ended()
      const steps = await Array.fromAsync(store.sessions.steps(KEY))
      assert.deepEqual(steps, [task('the parent')])
      const job = await store.jobs.get('acme', id)
      assert.deepEqual([job?.state, job?.result, job?.attempt], ['succeeded', 'the parent', 2])
      const [delivery] = (await store.notifications.list('acme')).items
      assert.deepEqual([delivery?.state, delivery?.attempt], ['delivered', 2])
      await Promise.all([worker.stop(), courier.stop(), taken.close()])
    })
  })
}
