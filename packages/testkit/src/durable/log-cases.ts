import assert from 'node:assert/strict'
import type { JsonObject, KeptStep, SessionHold, StepRecord } from '@adjutant/core/contract'
import { STEP_EXAMPLES } from '../session-store-conformance.ts'
import { answered, type CaseContext, type DurableCase, failsWith, user, users } from './case-context.ts'

/** Texts that tempt a careless writer. */
const ODD = 'line\r\n"quoted" \\ \' \u0000 \u001a \u2028 🧭 \ud83d alone \udced, %_$1 ?'

async function follow(
  cx: CaseContext,
  options: { readonly after?: number; readonly store?: CaseContext['store']; readonly signal?: AbortSignal } = {},
): Promise<KeptStep[]> {
  const { after, store = cx.store, signal = new AbortController().signal } = options
  return await Array.fromAsync(store.follow(cx.key(), { signal, ...(after === undefined ? {} : { after }) }))
}

/** What is kept of a session: all of it, in order, exactly. */
export const LOG_CASES: readonly DurableCase[] = [
  {
    name: 'gives steps of every shape back unchanged, in order, with their numbers',
    async run(cx) {
      const hold = await cx.hold()
      // The question must not have expired, however often the clock was moved before.
      const expiresAt = cx.clock.now() + 60_000
      const examples = STEP_EXAMPLES.map((step) => (step.type === 'asked' ? { ...step, approval: { ...step.approval, expiresAt } } : step))
      let count = 0
      for (const step of examples) assert.equal(await hold.keep([step]), ++count)
      assert.deepEqual((await hold.load()).steps, examples)
      assert.deepEqual(await Array.fromAsync(cx.store.steps(cx.key())), examples)
      const elsewhere = await cx.elsewhere()
      assert.deepEqual((await elsewhere.find(cx.key()))?.steps, examples)
      await hold.keep([], { state: 'ended' })
      assert.deepEqual(
        await follow(cx, { store: elsewhere }),
        examples.map((step, index) => ({ number: index + 1, step })),
      )
      await hold.close()
    },
  },
  {
    name: 'keeps odd texts exactly, wherever they stand',
    async run(cx) {
      const principal = { ...cx.principal(cx.tenant, ODD), roles: [ODD] }
      const hold = await cx.hold('s', { principal, node: ODD })
      const input: JsonObject = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"":{"__proto__":null}}')
      const call = {
        id: cx.question(ODD).callId,
        index: 0,
        name: ODD,
        arguments: { ok: true, value: input },
        idFromProvider: true,
      } as const
      const approval = cx.question(ODD, { callId: call.id, tool: ODD, reason: ODD, rule: ODD, shown: input })
      const steps: readonly StepRecord[] = [
        user(ODD),
        { version: 1, type: 'batch', time: 1, calls: [call] },
        { version: 1, type: 'asked', time: 1, approval },
      ]
      await hold.keep(steps, { checkpoint: input })
      const decision = { type: 'edit', input } as const
      const decided = await cx.store.approvals.decide(cx.tenant, approval.id, { decision, by: ODD })
      assert.deepEqual({ ...decided, decision: undefined }, { ...decided, ...approval, decidedBy: ODD, decision: undefined })
      await hold.keep([answered(ODD, { decision, by: ODD })])
      for (const store of [cx.store, await cx.elsewhere()]) {
        assert.deepEqual((await Array.fromAsync(store.steps(cx.key()))).slice(0, 3), steps)
        const { session, checkpoint } = (await store.find(cx.key())) ?? {}
        assert.deepEqual(session?.principal, principal)
        assert.equal(session?.holder?.node, ODD)
        assert.ok(session?.title?.startsWith(ODD.slice(0, 20)), session?.title)
        assert.equal(JSON.stringify(checkpoint?.body), JSON.stringify(input))
        const kept = await store.approvals.get(cx.tenant, approval.id)
        assert.deepEqual([kept?.id, kept?.callId, kept?.decidedBy], [approval.id, call.id, ODD])
        assert.equal(JSON.stringify(kept?.shown), JSON.stringify(input))
        assert.equal(JSON.stringify(kept?.decision), JSON.stringify(decision))
      }
      assert.equal((await cx.store.list(cx.tenant, { userId: ODD })).items.length, 1)
      assert.equal((await cx.store.list(cx.tenant, { userId: ODD.replaceAll('\u0000', '') })).items.length, 0)
      assert.equal('polluted' in {}, false)
      await hold.close()
    },
  },
  {
    name: 'keeps all steps that are handed in together, or none of them',
    async run(cx) {
      const hold = await cx.hold()
      await hold.keep([user('first')], { state: 'open' })
      const unknown = [user('second'), answered('no such approval')]
      await assert.rejects(hold.keep(unknown, { state: 'idle', checkpoint: { half: true } }), failsWith('CONFLICT'))
      const loaded = await hold.load()
      assert.deepEqual(loaded.steps, [user('first')])
      assert.deepEqual([loaded.session.state, loaded.session.steps, loaded.checkpoint], ['open', 1, undefined])
      const half: readonly StepRecord[] = [
        { version: 1, type: 'asked', time: 1, approval: cx.question('half') },
        answered('half'),
        answered('half'),
      ]
      await assert.rejects(hold.keep(half), failsWith('CONFLICT'))
      assert.equal(await cx.store.approvals.get(cx.tenant, cx.question('half').id), undefined)
      // The numbers go on without a gap.
      assert.equal(await hold.keep([user('second')]), 2)
      await hold.close()
    },
  },
  {
    name: 'gives a checkpoint and what follows it: together they are the whole log',
    async run(cx) {
      const hold = await cx.hold()
      const all: StepRecord[] = []
      const add = async (count: number, checkpoint?: JsonObject): Promise<void> => {
        const steps = users(all.length + 1, all.length + count)
        all.push(...steps)
        assert.equal(await hold.keep(steps, checkpoint === undefined ? {} : { checkpoint }), all.length)
      }
      let after = 0
      for (const [count, marks] of [
        [3, false],
        [1, true],
        [0, true],
        [40, false],
        [7, true],
        [2, false],
        [0, false],
      ] as const) {
        const body: JsonObject = JSON.parse(`{"__proto__":${all.length},"odd":${JSON.stringify(ODD)},"n":0.1}`)
        await add(count, marks ? body : undefined)
        if (marks) after = all.length
        for (const { session, checkpoint, steps } of [await hold.load(), (await cx.store.find(cx.key())) ?? (await hold.load())]) {
          assert.equal(checkpoint?.afterStep ?? 0, after)
          assert.deepEqual(steps, all.slice(after))
          assert.equal(session.steps, all.length)
          if (marks) assert.equal(JSON.stringify(checkpoint?.body), JSON.stringify(body))
        }
        assert.deepEqual(await Array.fromAsync(cx.store.steps(cx.key())), all)
      }
      await hold.close()
    },
  },
  {
    name: 'is changed neither by what a reader does with what it got nor by what a writer does afterwards',
    async run(cx) {
      const hold = await cx.hold()
      const shown: JsonObject = { path: 'kept' }
      const checkpoint: JsonObject = { value: 'kept' }
      const approval = cx.question('q', { shown })
      const kept = structuredClone<readonly StepRecord[]>([user('kept'), { version: 1, type: 'asked', time: 1, approval }])
      const steps = structuredClone(kept)
      await hold.keep(steps, { checkpoint })
      for (const step of steps) Object.assign(step, { type: 'spoilt', approval: undefined })
      for (const mine of [shown, checkpoint]) Object.assign(mine, { path: 'spoilt', value: 'spoilt' })
      const read = await hold.load()
      Object.assign(read.session, { state: 'spoilt', principal: undefined })
      if (read.checkpoint !== undefined) Object.assign(read.checkpoint.body, { value: 'spoilt' })
      for await (const step of cx.store.steps(cx.key())) Object.assign(step, { type: 'spoilt' })
      const got = await cx.store.approvals.get(cx.tenant, approval.id)
      if (got !== undefined) Object.assign(got.shown, { path: 'spoilt' })
      assert.deepEqual(await Array.fromAsync(cx.store.steps(cx.key())), kept)
      assert.deepEqual((await hold.load()).checkpoint, { afterStep: 2, body: { value: 'kept' } })
      assert.equal((await hold.load()).session.state, 'idle')
      assert.deepEqual((await cx.store.approvals.get(cx.tenant, approval.id))?.shown, { path: 'kept' })
      await hold.close()
    },
  },
  {
    name: 'keeps bodies of five million characters',
    async run(cx) {
      const hold = await cx.hold()
      const text = '0123456789é🧭\u0000'.repeat(400_000).slice(0, 5_000_000)
      await hold.keep([user(text), user('small')], { checkpoint: { text } })
      await hold.keep([user(text)])
      const { checkpoint, steps } = await hold.load()
      assert.ok(checkpoint?.body.text === text && steps.length === 1)
      let same = 0
      for await (const step of cx.store.steps(cx.key())) if (step.type === 'user' && step.text === text) same += 1
      assert.equal(same, 2)
      await hold.close()
    },
  },
  {
    name: 'knows what a session is: its state, its title, when it changed',
    async run(cx) {
      const hold = await cx.hold()
      const createdAt = cx.clock.now()
      const session = async () => (await cx.store.find(cx.key()))?.session
      for (const state of ['open', 'waiting', 'idle', 'ended'] as const) {
        cx.clock.leap(10)
        await hold.keep([user(`${'🧭'.repeat(50)} ${state}`)], { state, safety: state === 'open' ? 'written' : 'durable' })
        const now = await session()
        assert.deepEqual([now?.state, now?.createdAt, now?.updatedAt], [state, createdAt, cx.clock.now()])
        assert.equal(now?.title, '🧭'.repeat(40), 'the first words of its first task')
      }
      await hold.keep([user('more')])
      assert.equal((await session())?.state, 'ended', 'what is not said stays')
      await hold.close()
    },
  },
  {
    name: 'is followed from any number while it is written: nothing is lost, nothing comes twice',
    async run(cx) {
      const hold = await cx.hold()
      const elsewhere = await cx.elsewhere()
      const last = 90
      await hold.keep(users(1, 10))
      const followers = [0, 3, 10, 11, 50, last].flatMap((after) => [
        { after, steps: follow(cx, { after }) },
        { after, steps: follow(cx, { after, store: elsewhere }) },
      ])
      const write = async (): Promise<void> => {
        for (let number = 11; number <= last; ) {
          const some = Math.min(last, number + (number % 5))
          await hold.keep(users(number, some), { safety: number % 2 === 0 ? 'durable' : 'written' })
          number = some + 1
        }
        await hold.keep([], { state: 'ended' })
      }
      await cx.passing(Promise.all([write(), ...followers.map(({ steps }) => steps)]))
      const all = users(1, last).map((step, index) => ({ number: index + 1, step }))
      for (const { after, steps } of followers) assert.deepEqual(await steps, all.slice(after), `after ${after}`)
      await hold.close()
    },
  },
  {
    name: 'is followed until whoever follows stops, and ends at once where there is nothing',
    async run(cx) {
      assert.deepEqual(await follow(cx), [])
      const hold: SessionHold = await cx.hold()
      await hold.keep(users(1, 5))
      const stopping = new AbortController()
      const seen: number[] = []
      const following = (async () => {
        for await (const { number } of cx.store.follow(cx.key(), { signal: stopping.signal })) {
          seen.push(number)
          if (number === 5) stopping.abort()
        }
      })()
      await cx.passing(following)
      assert.deepEqual(seen, [1, 2, 3, 4, 5])
      const waiting = new AbortController()
      const idle = follow(cx, { after: 5, signal: waiting.signal })
      await new Promise((resolve) => setImmediate(resolve))
      waiting.abort()
      assert.deepEqual(await cx.passing(idle), [])
      for await (const { number } of cx.store.follow(cx.key(), { signal: new AbortController().signal })) if (number === 2) break
      assert.equal(await hold.keep([user('more')]), 6)
      await hold.close()
    },
  },
  {
    name: 'lists sessions page by page, the one that changed last first',
    async run(cx) {
      const holds = await Promise.all(Array.from({ length: 23 }, (_, n) => cx.hold(`s${String(n).padStart(2, '0')}`)))
      // Some change at the same moment.
      for (const [n, hold] of holds.entries()) {
        if (n % 3 === 0) cx.clock.leap(1)
        await hold.keep([user('x')], { state: n % 2 === 0 ? 'idle' : 'waiting' })
      }
      const all = (await cx.store.list(cx.tenant, { limit: 1_000 })).items
      assert.equal(all.length, 23)
      const order = (each: (typeof all)[number]): string => `${each.updatedAt} ${each.sessionId}`
      assert.deepEqual(all.map(order), all.map(order).toSorted().reverse())
      for (const filter of [{}, { state: 'waiting' }, { userId: 'ann' }, { state: 'open' }, { userId: 'nobody' }] as const) {
        const wanted = all.filter(
          (each) =>
            (!('state' in filter) || each.state === filter.state) && (!('userId' in filter) || each.principal.userId === filter.userId),
        )
        const seen: typeof wanted = []
        for (let after: string | undefined; ; ) {
          const page = await cx.store.list(cx.tenant, { ...filter, limit: 5, ...(after === undefined ? {} : { after }) })
          assert.ok(page.items.length <= 5)
          seen.push(...page.items)
          after = page.next
          if (after === undefined) break
        }
        assert.deepEqual(seen, wanted, JSON.stringify(filter))
      }
      for (const wrong of [{ limit: 0 }, { limit: 1_001 }, { limit: 1.5 }, { limit: Number.NaN }, { after: 'no page gave this' }]) {
        await assert.rejects(cx.store.list(cx.tenant, wrong), failsWith('USAGE'), JSON.stringify(wrong))
      }
      for (const hold of holds) await hold.close()
    },
  },
]
