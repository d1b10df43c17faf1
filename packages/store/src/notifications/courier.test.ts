import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core'
import { type AskedApproval, approvalId, callId, type SessionHold, type StepRecord, sessionId, traceId } from '@adjutant/core/contract'
import { countingIds, ManualClock } from '@adjutant/testkit'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { WAITING } from '../../test/waiting-approval.ts'
import { eraseSession } from '../database/index.ts'
import { type OpenStoreOptions, openStore, type Store } from '../open-store.ts'
import type { AttemptReport, Courier, DeliverOptions } from './courier.ts'
import type { Notification } from './notification.ts'
import type { NotifySettings } from './notify-target.ts'

const TENANT = 'acme'
const START = 1_700_000_000_000
const ALL = ['approval.waiting', 'approval.decided', 'approval.expired', 'job.ended'] as const
const BOT: NotifySettings = { event: { name: 'bot' }, on: ALL }

interface Bench {
  readonly store: Store
  readonly clock: ManualClock
  readonly url: string
}

const opened: Store[] = []
after(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
})

async function open(url: string, options: OpenStoreOptions = {}): Promise<Store> {
  const store = await openStore(url, { notify: [BOT], ids: countingIds(), ...options })
  opened.push(store)
  return store
}

async function bench(kind: (typeof STORE_KINDS)[number], options: OpenStoreOptions = {}): Promise<Bench> {
  const clock = new ManualClock(START)
  const url = await freshUrl(kind)
  return { clock, url, store: await open(url, { clock, ...options }) }
}

async function hold({ store }: Bench, id = 's'): Promise<SessionHold> {
  const principal = { tenantId: TENANT, userId: 'ann', roles: [] }
  return await store.sessions.hold(
    { tenantId: TENANT, sessionId: sessionId(id) },
    { principal, traceId: traceId('1'.padStart(32, '0')), node: 'n', leaseMs: 3_600_000 },
  )
}

function asked(name: string, over: Partial<AskedApproval> = {}): StepRecord {
  const { expiresAt: _, ...approval } = WAITING.approval
  return {
    version: 1,
    type: 'asked',
    time: START,
    approval: { ...approval, id: approvalId(name), callId: callId(name), createdAt: START, ...over },
  }
}

/** What came, and what came of each attempt. */
class Ear {
  readonly heard: Notification[] = []
  readonly attempts: AttemptReport[] = []

  listener = (notification: Notification): void => void this.heard.push(notification)
  onAttempt = (report: AttemptReport): void => void this.attempts.push(report)
}

/** A little time passes, again and again, until it is so: databases need some too. */
async function until(clock: ManualClock, enough: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await enough())) await clock.advance(1)
}

/** Ends what is under way while time passes. */
async function passing<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let over = false
  const done = work.finally(() => {
    over = true
  })
  await until(clock, () => over)
  return await done
}

function deliver(store: Store, ear: Ear, over: DeliverOptions = {}): Courier {
  return store.notifications.deliver({ events: { bot: ear.listener }, onAttempt: ear.onAttempt, ...over })
}

for (const kind of STORE_KINDS) {
  describe(`notifications in ${kind}`, { timeout: 60_000 }, () => {
    it('tell of a question with it or not at all, and of its answer however it was given', async () => {
      const cx = await bench(kind)
      const { store, clock } = cx
      const held = await hold(cx)
      await held.keep([asked('a'), asked('b'), asked('c', { expiresAt: START + 5_000 })])
      // The second one of this name undoes all of it.
      await assert.rejects(held.keep([asked('d'), asked('a')]), (error) => AdjutantError.isInstance(error))
      const edit = { type: 'edit', input: { path: 'geheim' } } as const
      await store.sessions.approvals.decide(TENANT, approvalId('a'), { decision: edit, by: 'eve' })
      const answered = { version: 1, type: 'answered', time: START, grants: [] } as const
      await held.keep([
        { ...answered, approvalId: approvalId('a'), decision: edit, by: 'eve' },
        { ...answered, approvalId: approvalId('b'), decision: { type: 'deny', reason: 'geheim' }, by: 'ann' },
      ])
      const ear = new Ear()
      await using _courier = deliver(store, ear)
      await until(clock, () => ear.attempts.length === 5)
      clock.leap(6_000)
      await until(clock, () => ear.attempts.length === 6)
      const said = ear.heard
        .map(({ type, data }) => `${type} ${data.approvalId} ${data.state ?? ''} ${data.decidedBy ?? ''}`.trimEnd())
        .toSorted()
      assert.deepEqual(said, [
        'approval.decided a edited eve',
        'approval.decided b denied ann',
        'approval.expired c expired',
        'approval.waiting a',
        'approval.waiting b',
        'approval.waiting c',
      ])
      assert.doesNotMatch(JSON.stringify(ear.heard), /geheim/)
      assert.equal(new Set(ear.heard.map(({ id }) => id)).size, 6)
      assert.deepEqual(ear.heard.find(({ type }) => type === 'approval.waiting')?.data.arguments, { path: 'a.txt', key: '[REDACTED]' })
      const { items } = await store.notifications.list(TENANT)
      assert.deepEqual([...new Set(items.map(({ state }) => state))], ['delivered'])
    })

    it('tell of the end of a job, however it ended, and not of what carries sessions on', async () => {
      const { store, clock } = await bench(kind)
      const ear = new Ear()
      const job = { tenantId: TENANT, kind: 'tool.0123', payload: { name: 'build', input: { password: 'geheim' } } }
      const worker = store.jobs.work({
        'tool.0123': async () => ({ text: 'geheim' }),
        breaks: async () => {
          throw new AdjutantError('TOOL_FAILED', 'geheim')
        },
        'session.resume': async () => undefined,
      })
      const ids = [
        (await store.jobs.enqueue(job)).id,
        (await store.jobs.enqueue({ tenantId: TENANT, kind: 'breaks', payload: {}, maxAttempts: 2 })).id,
        (await store.jobs.enqueue({ tenantId: TENANT, kind: 'nobody', payload: {} })).id,
        (await store.jobs.enqueue({ tenantId: TENANT, kind: 'session.resume', payload: {} })).id,
      ]
      await store.jobs.cancel(TENANT, ids[2] ?? '')
      await until(clock, async () =>
        (await Promise.all(ids.map((id) => store.jobs.get(TENANT, id)))).every((one) => one?.endedAt !== undefined),
      )
      const courier = deliver(store, ear)
      await until(clock, () => ear.attempts.length === 3)
      await passing(clock, Promise.all([courier.stop(), worker.stop()]))
      assert.deepEqual(
        ear.heard.map(({ data }) => `${data.kind} ${data.tool ?? ''} ${data.state} ${data.attempts} ${data.code ?? ''}`).toSorted(),
        ['breaks  dead 2 TOOL_FAILED', 'nobody  cancelled 0 ', 'tool build succeeded 1 '],
      )
      assert.doesNotMatch(JSON.stringify(ear.heard), /geheim/)
    })

    it('are tried again under the same id after delays that double, then stay until somebody asks', async () => {
      const cx = await bench(kind)
      const { store, clock } = cx
      await (await hold(cx)).keep([asked('a')])
      const ear = new Ear()
      const ids: string[] = []
      let [at, broken] = [0, true]
      const bot = (notification: Notification): void => {
        ids.push(notification.id)
        at = clock.now()
        if (broken) throw new Error('not now')
      }
      await using _courier = deliver(store, ear, { events: { bot }, attempts: 4, firstDelayMs: 10_000 })
      for (const [index, delay] of [10_000, 20_000, 40_000].entries()) {
        await until(clock, () => ear.attempts.length === index + 1)
        const [row] = (await store.notifications.list(TENANT, { state: 'pending' })).items
        const waits = (row?.nextAt ?? 0) - at
        assert.ok(waits >= delay && waits < delay + 1_000, `${waits}`)
        assert.equal(row?.attempt, index + 1)
        assert.equal(row?.lastError, 'not now')
        assert.equal(ids.length, index + 1)
        clock.leap(delay)
      }
      await until(clock, () => ear.attempts.length === 4)
      assert.deepEqual(
        ear.attempts.map(({ outcome }) => outcome),
        ['again', 'again', 'again', 'dead'],
      )
      const [dead] = (await store.notifications.list(TENANT, { state: 'failed' })).items
      assert.equal(new Set(ids).size, 1)
      assert.equal(dead?.id, ids[0])
      broken = false
      await store.notifications.retry(TENANT, dead?.id ?? '')
      await until(clock, () => ear.attempts.length === 5)
      await assert.rejects(store.notifications.retry(TENANT, dead?.id ?? ''), { code: 'CONFLICT' })
      await assert.rejects(store.notifications.retry('other', dead?.id ?? ''), { code: 'NOT_FOUND' })
      assert.equal((await store.notifications.list(TENANT)).items[0]?.state, 'delivered')
    })

    it('are each in one hand, whoever else delivers', async () => {
      const cx = await bench(kind)
      const { clock } = cx
      const held = await hold(cx)
      const names = Array.from({ length: 40 }, (_, index) => `a${index}`)
      await held.keep(names.map((name) => asked(name)))
      const ear = new Ear()
      const stores =
        kind === 'sqlite-memory' ? [cx.store, cx.store] : [cx.store, await open(cx.url, { clock }), await open(cx.url, { clock })]
      const couriers = stores.map((store) => deliver(store, ear, { concurrency: 3, perTarget: 3 }))
      await until(clock, () => ear.attempts.length >= names.length)
      await passing(clock, Promise.all(couriers.map((courier) => courier.stop())))
      assert.deepEqual(ear.heard.map(({ data }) => data.approvalId).toSorted(), names.toSorted())
      assert.ok(ear.attempts.every(({ outcome, attempt }) => outcome === 'delivered' && attempt === 1))
    })

    it('go to somebody else when their courier was away for too long, and its word does not count', async () => {
      const cx = await bench(kind)
      const { store, clock, url } = cx
      await (await hold(cx)).keep([asked('a')])
      const [slow, quick] = [new Ear(), new Ear()]
      const hangs = Promise.withResolvers<void>()
      const bot = async (notification: Notification): Promise<void> => {
        slow.listener(notification)
        await hangs.promise
        throw new Error('it failed here')
      }
      // Its clock stands still, as for a process that was suspended.
      const asleep = new ManualClock(START)
      const first = kind === 'sqlite-memory' ? store : await open(url, { clock: asleep })
      const sleeper = deliver(first, slow, { events: { bot }, attemptMs: 100_000 })
      await until(first === store ? clock : asleep, () => slow.heard.length === 1)
      clock.leap(300_001)
      const waker = deliver(store, quick)
      await until(clock, () => quick.attempts.length === 1)
      hangs.resolve()
      await until(first === store ? clock : asleep, () => slow.attempts.length === 1)
      assert.deepEqual([slow.attempts[0]?.outcome, quick.attempts[0]?.outcome, quick.attempts[0]?.attempt], ['lost', 'delivered', 2])
      assert.equal(slow.heard[0]?.id, quick.heard[0]?.id)
      const [row] = (await store.notifications.list(TENANT)).items
      assert.deepEqual([row?.state, row?.attempt, row?.lastError], ['delivered', 2, undefined])
      await passing(clock, waker.stop())
      await passing(asleep, sleeper.stop())
    })

    it('to a target that hangs hold up no others', async () => {
      const cx = await bench(kind, { notify: [BOT, { event: { name: 'hangs' }, on: ALL }] })
      const held = await hold(cx)
      const names = Array.from({ length: 12 }, (_, index) => `a${index}`)
      await held.keep(names.map((name) => asked(name)))
      const ear = new Ear()
      let hanging = 0
      const hangs = (_notification: Notification, { signal }: { readonly signal: AbortSignal }): Promise<void> => {
        hanging += 1
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
      }
      const courier = deliver(cx.store, ear, { events: { bot: ear.listener, hangs }, concurrency: 4, perTarget: 2 })
      await until(cx.clock, () => ear.attempts.length === 12)
      assert.equal(ear.heard.length, 12)
      assert.ok(hanging <= 2)
      await passing(cx.clock, courier.stop({ graceMs: 1 }))
      const left = (await cx.store.notifications.list(TENANT, { state: 'pending' })).items
      assert.equal(left.length, 12)
      assert.ok(
        left.every(({ nextAt }) => nextAt !== undefined && nextAt <= cx.clock.now()),
        'what was in hand is free at once',
      )
      assert.equal(courier.inHand, 0)
    })

    it('for functions of other processes wait for those; for targets of no configuration they are given up in the end', async () => {
      const cx = await bench(kind)
      const { store, clock, url } = cx
      if (kind === 'sqlite-memory') return
      await (await hold(cx)).keep([asked('a')])
      const ear = new Ear()
      await using other = await openStore(url, { clock, notify: [{ event: { name: 'else' }, on: ALL }] })
      const early = other.notifications.deliver({ events: { else: ear.listener }, onAttempt: ear.onAttempt, giveUpMs: 10_000 })
      const mine = store.notifications.deliver({ events: {}, onAttempt: ear.onAttempt, giveUpMs: 10_000 })
      for (let turn = 0; turn < 20; turn++) await clock.advance(100)
      await passing(clock, Promise.all([early.stop(), mine.stop()]))
      assert.equal((await store.notifications.list(TENANT)).items[0]?.state, 'pending')
      assert.equal(ear.attempts.length, 0)
      clock.leap(10_000)
      await using _late = other.notifications.deliver({ events: { else: ear.listener }, giveUpMs: 10_000 })
      await until(clock, async () => (await store.notifications.list(TENANT)).items[0]?.state === 'failed')
      assert.match((await store.notifications.list(TENANT)).items[0]?.lastError ?? '', /in no configuration/)
    })

    it('are of one tenant, are sealed with the rest, and go with their session', async () => {
      const cx = await bench(kind, { encryptionKey: `k:${Buffer.alloc(32, 9).toString('base64')}` })
      const { store } = cx
      const held = await hold(cx)
      await held.keep([asked('a', { tool: 'a_tool_of_this_name' })])
      await held.close()
      assert.equal((await store.notifications.list('other')).items.length, 0)
      const [row] = await store.database.system(({ db }) => db.selectFrom('deliveries').selectAll().execute())
      assert.doesNotMatch(Buffer.from(row?.body ?? []).toString('latin1'), /a_tool_of_this_name/)
      assert.equal((await store.notifications.list(TENANT)).items[0]?.notification.data.tool, 'a_tool_of_this_name')
      await eraseSession(store.database, { tenantId: TENANT, sessionId: sessionId('s') })
      assert.equal((await store.notifications.list(TENANT)).items.length, 0)
    })

    it('are listed in pages, the newest first', async () => {
      const cx = await bench(kind)
      const held = await hold(cx)
      for (let count = 0; count < 5; count++) {
        await held.keep([asked(`a${count}`)])
        cx.clock.leap(1)
      }
      const names: unknown[] = []
      for (let after: string | undefined; ; ) {
        const page = await cx.store.notifications.list(TENANT, { limit: 2, ...(after === undefined ? {} : { after }) })
        names.push(...page.items.map(({ notification }) => notification.data.approvalId))
        if (page.next === undefined) break
        after = page.next
      }
      assert.deepEqual(names, ['a4', 'a3', 'a2', 'a1', 'a0'])
    })
  })
}

describe('a courier', () => {
  it('refuses limits that are none', async () => {
    await using store = await openStore('sqlite::memory:')
    assert.throws(() => store.notifications.deliver({ concurrency: 0 }), { code: 'USAGE', message: /concurrency/ })
    assert.throws(() => store.notifications.deliver({ attemptMs: Number.NaN }), { code: 'USAGE', message: /attemptMs/ })
  })
})
