import assert from 'node:assert/strict'
import { ApprovalConflict, type ApprovalDecision, type StoredApproval } from '@adjutant/core/contract'
import { answered, type DurableCase, failsWith, type Outcomes, outcomes, user } from './case-context.ts'

const YES: ApprovalDecision = { type: 'approve', scope: 'once' }
const NO: ApprovalDecision = { type: 'deny', reason: 'not that' }
const forever = (): AbortSignal => new AbortController().signal

function conflictOf(error: unknown): StoredApproval {
  assert.ok(error instanceof ApprovalConflict && error.code === 'CONFLICT', String(error))
  return error.current
}

/** @returns why somebody could not decide */
async function refusal(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** What waits for a person, and the one answer that it gets. */
export const APPROVAL_CASES: readonly DurableCase[] = [
  {
    name: 'keeps a question for whoever looks, exactly as it was asked, once',
    async run(cx) {
      await using hold = await cx.hold()
      const asked = cx.question('q', { expiresAt: cx.clock.now() + 60_000 })
      assert.equal(await cx.store.approvals.get(cx.tenant, asked.id), undefined)
      await hold.keep([{ version: 1, type: 'asked', time: 1, approval: asked }])
      for (const { approvals } of [cx.store, await cx.elsewhere()]) {
        assert.deepEqual(await approvals.get(cx.tenant, asked.id), { ...asked, ...cx.key(), state: 'pending', version: 1 })
      }
      await assert.rejects(cx.ask(hold, 'q'), failsWith('CONFLICT'))
      await using other = await cx.hold('another')
      await assert.rejects(cx.ask(other, 'q'), failsWith('CONFLICT'))
      assert.equal((await cx.store.approvals.list(cx.tenant)).items.length, 1)
    },
  },
  {
    name: 'is decided once: whoever is late learns who was first, and when',
    async run(cx) {
      await using hold = await cx.hold()
      const { approvals } = cx.store
      const answers: readonly (readonly [string, ApprovalDecision, StoredApproval['state']])[] = [
        ['yes', { type: 'approve', scope: 'tool' }, 'approved'],
        ['always', { type: 'approve', scope: 'always', of: 'call', tier: 'user' }, 'approved'],
        ['edit', { type: 'edit', input: { path: 'b' } }, 'edited'],
        ['no', NO, 'denied'],
        ['policy', { type: 'deny', by: 'policy' }, 'denied'],
      ]
      for (const [id, decision, state] of answers) {
        const asked = cx.question(id)
        await cx.ask(hold, id)
        cx.clock.leap(5)
        const decided = await approvals.decide(cx.tenant, asked.id, { decision, by: 'eve', version: 1 })
        const now = { ...asked, ...cx.key(), state, version: 2, decision, decidedAt: cx.clock.now(), decidedBy: 'eve' }
        assert.deepEqual(decided, now)
        assert.deepEqual(await (await cx.elsewhere()).approvals.get(cx.tenant, asked.id), now)
        cx.clock.leap(5)
        const late = await refusal(approvals.decide(cx.tenant, asked.id, { decision: YES, by: 'bob' }))
        assert.deepEqual(conflictOf(late), now)
        assert.match(String(late), /eve/)
        assert.match(String(late), new RegExp(new Date(now.decidedAt).toISOString()))
      }
      await assert.rejects(approvals.decide(cx.tenant, cx.question('unknown').id, { decision: YES, by: 'eve' }), failsWith('NOT_FOUND'))
      const id = await cx.ask(hold, 'seen')
      const stale = await refusal(approvals.decide(cx.tenant, id, { decision: YES, by: 'eve', version: 7 }))
      assert.equal(conflictOf(stale).state, 'pending')
      assert.equal((await approvals.get(cx.tenant, id))?.state, 'pending')
    },
  },
  {
    name: 'goes to one of many who decide at the same moment, the same for everybody',
    async run(cx) {
      await using hold = await cx.hold()
      const elsewhere = await cx.elsewhere()
      for (const round of ['one', 'two', 'three']) {
        const id = await cx.ask(hold, round)
        const deciders: readonly Promise<StoredApproval>[] = Array.from({ length: 10 }, (_, n) => {
          const { approvals } = n % 2 === 0 ? cx.store : elsewhere
          return approvals.decide(cx.tenant, id, { decision: n % 3 === 0 ? NO : YES, by: `person ${n}`, version: 1 })
        })
        const { values, reasons }: Outcomes<StoredApproval> = await cx.passing(outcomes(deciders))
        assert.equal(values.length, 1, `${values.length} have decided`)
        const [winner] = values
        for (const reason of reasons) assert.deepEqual(conflictOf(reason), winner)
        assert.deepEqual(await cx.store.approvals.get(cx.tenant, id), winner)
      }
    },
  },
  {
    name: 'is answered in any order',
    async run(cx) {
      await using hold = await cx.hold()
      const ids = ['a', 'b', 'c'].map((id) => cx.question(id).id)
      for (const id of ids) await cx.ask(hold, id)
      for (const id of ids.toReversed()) {
        const decided = await cx.store.approvals.decide(cx.tenant, id, { decision: YES, by: id })
        assert.deepEqual([decided.id, decided.decidedBy], [id, id])
      }
      for (const id of [ids[1], ids[0], ids[2]]) if (id !== undefined) await hold.keep([answered(id, { decision: YES })])
      const all = (await cx.store.approvals.list(cx.tenant)).items
      assert.ok(all.length === 3 && all.every(({ consumedAt, decidedBy, id }) => consumedAt !== undefined && decidedBy === id))
    },
  },
  {
    name: 'is expired from the very instant of its end on, and not a millisecond before',
    async run(cx) {
      await using hold = await cx.hold()
      const { approvals } = cx.store
      const expiresAt = cx.clock.now() + 1_000
      const [inTime, tooLate, unseen] = ['in time', 'too late', 'unseen'].map((id) => cx.question(id).id)
      assert.ok(inTime !== undefined && tooLate !== undefined && unseen !== undefined)
      for (const id of [inTime, tooLate, unseen]) await cx.ask(hold, id, { expiresAt })
      cx.clock.leap(999)
      assert.equal((await approvals.list(cx.tenant, { state: 'pending' })).items.length, 3)
      assert.equal((await approvals.decide(cx.tenant, inTime, { decision: YES, by: 'eve' })).state, 'approved')
      cx.clock.leap(1)
      const expired = { state: 'expired', version: 2, decidedAt: expiresAt } as const
      assert.deepEqual((await approvals.list(cx.tenant, { state: 'pending' })).items, [])
      const listed = (await approvals.list(cx.tenant, { state: 'expired' })).items
      assert.deepEqual(
        listed,
        [cx.question('too late'), cx.question('unseen')].map((asked) => ({
          ...asked,
          createdAt: expiresAt - 1_000,
          expiresAt,
          ...cx.key(),
          ...expired,
        })),
      )
      const late = await refusal(approvals.decide(cx.tenant, tooLate, { decision: YES, by: 'bob' }))
      assert.deepEqual(conflictOf(late), listed[0])
      assert.match(String(late), /expired/)
      assert.deepEqual(await (await cx.elsewhere()).approvals.get(cx.tenant, tooLate), listed[0])
      assert.deepEqual(await approvals.get(cx.tenant, unseen), listed[1])
      assert.equal((await approvals.get(cx.tenant, inTime))?.state, 'approved')
      cx.clock.leap(86_400_000)
      assert.deepEqual((await approvals.list(cx.tenant, { state: 'expired' })).items, listed, 'nothing of it changes later')
    },
  },
  {
    name: 'either expires or is decided when both happen at the same moment',
    async run(cx) {
      await using hold = await cx.hold()
      const elsewhere = await cx.elsewhere()
      for (const early of [0, 1, 2, 3]) {
        const id = await cx.ask(hold, `q${early}`, { expiresAt: cx.clock.now() + 50 })
        cx.clock.leap(50 - early)
        const deciders: readonly Promise<StoredApproval>[] = [cx.store, elsewhere].map(({ approvals }, n) =>
          approvals.decide(cx.tenant, id, { decision: YES, by: `person ${n}` }),
        )
        const lookers = [cx.store, elsewhere].flatMap(({ approvals }) => [
          approvals.settled(cx.tenant, id, { signal: forever() }),
          approvals.settled(cx.tenant, id, { signal: forever() }),
        ])
        const [{ values }, seen]: readonly [Outcomes<StoredApproval>, readonly StoredApproval[]] = await cx.passing(
          Promise.all([outcomes(deciders), Promise.all(lookers)]),
        )
        const now = await cx.store.approvals.get(cx.tenant, id)
        assert.equal(now?.state, values.length === 0 ? 'expired' : 'approved')
        if (early === 0) assert.equal(now?.state, 'expired')
        assert.ok(values.length <= 1)
        for (const each of seen) assert.deepEqual(each, now)
        assert.equal(now?.version, 2)
      }
    },
  },
  {
    name: 'is heard of by whoever waits for it: decided here, decided elsewhere, expired',
    async run(cx) {
      await using hold = await cx.hold()
      const elsewhere = await cx.elsewhere()
      for (const [n, by] of [cx.store, elsewhere].entries()) {
        const id = await cx.ask(hold, `q${n}`)
        const waiting = [cx.store, elsewhere].map(({ approvals }) => approvals.settled(cx.tenant, id, { signal: forever() }))
        await new Promise((resolve) => setImmediate(resolve))
        const decided = await by.approvals.decide(cx.tenant, id, { decision: NO, by: 'eve' })
        for (const each of await cx.passing(Promise.all(waiting))) assert.deepEqual(each, decided)
        assert.deepEqual(await cx.store.approvals.settled(cx.tenant, id, { signal: forever() }), decided)
      }
      const id = await cx.ask(hold, 'expires', { expiresAt: cx.clock.now() + 40 })
      const waiting = cx.store.approvals.settled(cx.tenant, id, { signal: forever() })
      assert.equal((await cx.passing(waiting)).state, 'expired')
      const open = await cx.ask(hold, 'open')
      const stop = new AbortController()
      const stopped = cx.store.approvals.settled(cx.tenant, open, { signal: stop.signal })
      const reason = new Error('enough')
      setImmediate(() => stop.abort(reason))
      await assert.rejects(cx.passing(stopped), reason)
      await assert.rejects(cx.store.approvals.settled(cx.tenant, open, { signal: AbortSignal.abort(reason) }), reason)
      const unknown = cx.store.approvals.settled(cx.tenant, cx.question('unknown').id, { signal: forever() })
      await assert.rejects(cx.passing(unknown), failsWith('NOT_FOUND'))
    },
  },
  {
    name: 'is taken once, by its own session, as it was decided',
    async run(cx) {
      await using hold = await cx.hold()
      await using other = await cx.hold('other')
      const { approvals } = cx.store
      const id = await cx.ask(hold, 'q')
      await approvals.decide(cx.tenant, id, { decision: NO, by: 'eve' })
      await assert.rejects(hold.keep([user('x'), answered('q', { decision: YES, by: 'eve' })]), failsWith('CONFLICT'), 'it was denied')
      await assert.rejects(hold.keep([answered('q')]), failsWith('CONFLICT'), 'it has not expired')
      await assert.rejects(other.keep([answered('q', { decision: NO })]), failsWith('CONFLICT'), 'it belongs to another session')
      assert.equal((await approvals.get(cx.tenant, id))?.consumedAt, undefined)
      await hold.keep([answered('q', { decision: NO, by: 'eve' })])
      const taken = await approvals.get(cx.tenant, id)
      assert.deepEqual([taken?.state, taken?.version, taken?.consumedAt, taken?.decidedBy], ['denied', 3, 1_700_000_000_500, 'eve'])
      await assert.rejects(hold.keep([user('again'), answered('q', { decision: NO, by: 'eve' })]), failsWith('CONFLICT'))
      assert.deepEqual((await hold.load()).session.steps, 2)
      const late = await refusal(approvals.decide(cx.tenant, id, { decision: YES, by: 'bob' }))
      assert.equal(conflictOf(late).decidedBy, 'eve')
      // What has expired is taken as that.
      const gone = await cx.ask(hold, 'gone', { expiresAt: cx.clock.now() + 1 })
      cx.clock.leap(1)
      await approvals.get(cx.tenant, gone)
      await hold.keep([answered('gone')])
      assert.notEqual((await approvals.get(cx.tenant, gone))?.consumedAt, undefined)
    },
  },
  {
    name: 'is decided by the step that takes it, when nobody had decided',
    async run(cx) {
      await using hold = await cx.hold()
      const { approvals } = cx.store
      const edit: ApprovalDecision = { type: 'edit', input: { path: 'b' } }
      for (const [id, decision, state] of [
        ['yes', YES, 'approved'],
        ['no', NO, 'denied'],
        ['edit', edit, 'edited'],
        ['nobody', undefined, 'expired'],
      ] as const) {
        await cx.ask(hold, id)
        const waiting = (await cx.elsewhere()).approvals.settled(cx.tenant, cx.question(id).id, { signal: forever() })
        await hold.keep([answered(id, decision === undefined ? {} : { decision, by: 'eve' })])
        const now = await cx.passing(waiting)
        assert.deepEqual(
          [now.state, now.version, now.decision, now.decidedBy],
          [state, 2, decision, decision === undefined ? undefined : 'eve'],
        )
        assert.deepEqual([now.decidedAt, now.consumedAt], [1_700_000_000_500, 1_700_000_000_500])
        const late = await refusal(approvals.decide(cx.tenant, now.id, { decision: YES, by: 'bob' }))
        assert.deepEqual(conflictOf(late), now)
      }
    },
  },
  {
    name: 'is cancelled when its session ends without it',
    async run(cx) {
      await using hold = await cx.hold()
      const { approvals } = cx.store
      const open = await cx.ask(hold, 'open')
      const decided = await cx.ask(hold, 'decided')
      await approvals.decide(cx.tenant, decided, { decision: YES, by: 'eve' })
      await using other = await cx.hold('other')
      const others = await cx.ask(other, 'of another')
      const waiting = (await cx.elsewhere()).approvals.settled(cx.tenant, open, { signal: forever() })
      await hold.keep([], { state: 'ended' })
      const now = await cx.passing(waiting)
      assert.deepEqual([now.state, now.version, now.decidedAt], ['cancelled', 2, (await approvals.get(cx.tenant, open))?.decidedAt])
      const late = await refusal(approvals.decide(cx.tenant, open, { decision: YES, by: 'bob' }))
      assert.equal(conflictOf(late).state, 'cancelled')
      assert.equal((await approvals.get(cx.tenant, decided))?.state, 'approved')
      assert.equal((await approvals.get(cx.tenant, others))?.state, 'pending')
    },
  },
  {
    name: 'is listed page by page, the one that waits longest first',
    async run(cx) {
      await using hold = await cx.hold()
      await using other = await cx.hold('other')
      for (let n = 0; n < 21; n += 1) {
        if (n % 4 === 0) cx.clock.leap(1)
        const id = await cx.ask(n % 3 === 0 ? other : hold, `q${String((n * 5) % 21).padStart(2, '0')}`)
        if (n % 2 === 0) await cx.store.approvals.decide(cx.tenant, id, { decision: YES, by: 'eve' })
      }
      const all = (await cx.store.approvals.list(cx.tenant)).items
      const order = (each: (typeof all)[number]): string => `${each.createdAt} ${each.id}`
      assert.equal(all.length, 21)
      assert.deepEqual(all.map(order), all.map(order).toSorted())
      const { sessionId } = cx.key('other')
      for (const filter of [{}, { state: 'pending' }, { sessionId }, { state: 'approved', sessionId }, { state: 'denied' }] as const) {
        const wanted = all.filter(
          (each) =>
            (!('state' in filter) || each.state === filter.state) && (!('sessionId' in filter) || each.sessionId === filter.sessionId),
        )
        const seen: typeof wanted = []
        for (let after: string | undefined; ; ) {
          const page = await cx.store.approvals.list(cx.tenant, { ...filter, limit: 4, ...(after === undefined ? {} : { after }) })
          assert.ok(page.items.length <= 4)
          seen.push(...page.items)
          after = page.next
          if (after === undefined) break
        }
        assert.deepEqual(seen, wanted, JSON.stringify(filter))
      }
      for (const wrong of [{ limit: 0 }, { limit: -1 }, { limit: 1_001 }, { after: 'W10' }]) {
        await assert.rejects(cx.store.approvals.list(cx.tenant, wrong), failsWith('USAGE'), JSON.stringify(wrong))
      }
    },
  },
]
