import assert from 'node:assert/strict'
import type { ApprovalDecision, DurableStore, LoadedSession, StoredApproval, StoredSession } from '@adjutant/core/contract'
import { type CaseContext, type DurableCase, failsWith, settled, started, user } from './case-context.ts'

const YES: ApprovalDecision = { type: 'approve', scope: 'once' }

interface Seen {
  readonly session: LoadedSession | undefined
  readonly sessions: readonly StoredSession[]
  readonly approvals: readonly StoredApproval[]
}

async function seenBy(store: DurableStore, cx: CaseContext, tenant: string): Promise<Seen> {
  return {
    session: await store.find(cx.key('s', tenant)),
    sessions: (await store.list(tenant)).items,
    approvals: (await store.approvals.list(tenant)).items,
  }
}

/** Nothing of one tenant is seen or changed by another, whatever their ids. */
export const TENANT_CASES: readonly DurableCase[] = [
  {
    name: 'keeps tenants apart on every verb, though all their ids are the same',
    async run(cx) {
      const elsewhere = await cx.elsewhere()
      const mine = await cx.hold()
      await mine.keep([user('mine'), started('a')], { state: 'open', checkpoint: { of: 'mine' } })
      const id = await cx.ask(mine, 'q', { reason: 'mine' })
      const before = await seenBy(cx.store, cx, cx.tenant)

      // Before the other has anything: nothing is there.
      assert.deepEqual(await seenBy(elsewhere, cx, cx.other), { session: undefined, sessions: [], approvals: [] })
      assert.deepEqual(await Array.fromAsync(elsewhere.steps(cx.key('s', cx.other))), [])
      assert.deepEqual(await Array.fromAsync(elsewhere.follow(cx.key('s', cx.other), { signal: new AbortController().signal })), [])
      assert.equal(await elsewhere.approvals.get(cx.other, id), undefined)
      await assert.rejects(elsewhere.approvals.decide(cx.other, id, { decision: YES, by: 'x' }), failsWith('NOT_FOUND'))
      const waiting = elsewhere.approvals.settled(cx.other, id, { signal: new AbortController().signal })
      await assert.rejects(cx.passing(waiting), failsWith('NOT_FOUND'))
      await assert.rejects(cx.hold('s', { principal: cx.principal(cx.other), create: false }, elsewhere), failsWith('NOT_FOUND'))

      // Though the one is held, the other is free; though the one has begun a call, the other has not.
      const theirs = await cx.hold('s', { principal: cx.principal(cx.other) }, elsewhere)
      await theirs.keep([user('theirs'), started('a'), settled('a')], { state: 'idle', checkpoint: { of: 'theirs' } })
      assert.equal(await cx.ask(theirs, 'q', { reason: 'theirs' }), id)
      const decided = await elsewhere.approvals.decide(cx.other, id, { decision: YES, by: 'somebody of theirs' })
      assert.equal(decided.reason, 'theirs')
      await theirs.keep([{ version: 1, type: 'answered', time: 1, approvalId: id, decision: YES, grants: [] }])
      assert.deepEqual((await elsewhere.find(cx.key('s', cx.other)))?.checkpoint?.body, { of: 'theirs' })
      assert.deepEqual(await seenBy(cx.store, cx, cx.tenant), before)

      const after = await seenBy(elsewhere, cx, cx.other)
      await cx.store.approvals.decide(cx.tenant, id, { decision: { type: 'deny' }, by: 'somebody of mine' })
      await mine.keep([settled('a'), user('more of mine')], { state: 'ended' })
      assert.deepEqual(await seenBy(elsewhere, cx, cx.other), after)
      assert.deepEqual(
        (await Array.fromAsync(cx.store.steps(cx.key()))).map(({ type }) => type),
        ['user', 'started', 'asked', 'call', 'user'],
      )
      // A place of one tenant's pages is none of the other's.
      for (const { next } of [await cx.store.list(cx.tenant, { limit: 1 }), await cx.store.approvals.list(cx.tenant, { limit: 1 })]) {
        assert.equal(next, undefined)
      }
      await theirs.close()
      await mine.close()
    },
  },
]
