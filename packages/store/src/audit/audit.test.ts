import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { verifyAudit } from '@adjutant/core'
import { AdjutantError, type ApprovalDecision, approvalId, type SessionHold, sessionId, traceId } from '@adjutant/core/contract'
import { auditSinkConformance, ManualClock, sealedExamples } from '@adjutant/testkit'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { WAITING } from '../../test/waiting-approval.ts'
import { eraseSession, hot } from '../database/index.ts'
import { type OpenStoreOptions, openStore, type Store } from '../open-store.ts'
import { DESK_CHAIN } from './desk-audit.ts'
import { SqlAuditSink } from './sql-audit-sink.ts'

const KEY = 'a key of sixteen bytes'
const YES: ApprovalDecision = { type: 'approve', scope: 'once' }
const opened: Store[] = []
after(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
})

async function open(url: string, options: OpenStoreOptions = {}): Promise<Store> {
  const store = await openStore(url, options)
  opened.push(store)
  return store
}

async function ask(store: Store, tenantId: string, ids: readonly string[], expiresAt?: number): Promise<SessionHold> {
  const principal = { tenantId, userId: 'ann', roles: [] }
  const hold = await store.sessions.hold(
    { tenantId, sessionId: WAITING.key.sessionId },
    { principal, traceId: traceId('7'.padStart(32, '0')), node: 'n', leaseMs: 600_000 },
  )
  const { expiresAt: _, ...asked } = WAITING.approval
  await hold.keep(
    ids.map((id) => {
      const approval = { ...asked, id: approvalId(id), ...(expiresAt === undefined ? {} : { expiresAt }) }
      return { version: 1, type: 'asked', time: 1, approval } as const
    }),
  )
  return hold
}

for (const kind of STORE_KINDS) {
  let store: Promise<Store> | undefined
  let tenants = 0
  // A tenant for each sink: it holds nothing yet.
  auditSinkConformance(`the sink of ${kind}`, async () => {
    store ??= freshUrl(kind).then((url) => open(url))
    tenants += 1
    return (await store).audit(`tenant ${tenants}`)
  })

  describe(`audit logs on ${kind}`, () => {
    it('are carried on by one of two processes: the other one is told, and nothing of it is kept', async () => {
      const url = await freshUrl(kind)
      const first = (await open(url)).audit('acme')
      const id = sessionId('s')
      const examples = sealedExamples(id, 450)
      await first.open(id)
      await first.append(id, examples.slice(0, 3))
      if (kind !== 'sqlite-memory') {
        const second = (await open(url)).audit('acme')
        assert.equal((await second.open(id)).seq, 3)
        await second.append(id, examples.slice(3, 4))
        await assert.rejects(first.append(id, examples.slice(3, 4)), { code: 'CONFLICT' })
        await assert.rejects(first.append(id, sealedExamples(id, 2, { seq: 3, hash: examples[2]?.hash ?? '' })), { code: 'CONFLICT' })
        await second.append(id, examples.slice(4), 'written')
        await second.close(id)
      } else await first.append(id, examples.slice(3), 'written')
      assert.equal((await Array.fromAsync(first.read(id))).length, 450)
      const report = await verifyAudit(first.lines(id), { sessionId: id })
      assert.deepEqual([report.ok, report.records], [true, 450], JSON.stringify(report.problems))
      await first.close(id)
    })

    it('take records that were kept though nobody heard of it when they are handed in again', async () => {
      const { database } = await open(await freshUrl(kind))
      const fails = { before: 0, after: 0 }
      const unsure = new AdjutantError('STORE_FAILED', 'the connection was lost while committing', { outcome: 'unknown' })
      const sink = new SqlAuditSink(
        {
          kind: database.kind,
          read: (...args) => database.read(...args),
          transaction: async (...args) => {
            if (fails.before-- > 0) throw unsure
            const came = await database.transaction(...args)
            if (fails.after-- > 0) throw unsure
            return came
          },
        },
        'acme',
      )
      const id = sessionId('s')
      const [first, second, third, fourth] = sealedExamples(id, 4)
      assert.ok(first !== undefined && second !== undefined && third !== undefined && fourth !== undefined)
      await sink.open(id)
      await sink.append(id, [first])
      // Only whoever is in doubt may do that: otherwise it is a record put in twice.
      await assert.rejects(sink.append(id, [first]), { code: 'CONFLICT' })
      Object.assign(fails, { before: 0, after: 1 })
      await assert.rejects(sink.append(id, [second, third]), unsure)
      Object.assign(fails, { before: 0, after: 0 })
      await sink.append(id, [second, third])
      Object.assign(fails, { before: 1, after: 0 })
      await assert.rejects(sink.append(id, [fourth]), unsure)
      Object.assign(fails, { before: 0, after: 0 })
      await sink.append(id, [fourth])
      assert.deepEqual(
        (await Array.fromAsync(sink.read(id))).map(({ seq }) => seq),
        [1, 2, 3, 4],
      )
    })

    it('refuse a change, and leave out what was erased', async () => {
      const one = await open(await freshUrl(kind))
      const sink = one.audit('acme')
      const { sessionId: id } = WAITING.key
      const hold = await ask(one, 'acme', [])
      await sink.open(id)
      await sink.append(id, sealedExamples(id, 2))
      await sink.close(id)
      await assert.rejects(one.database.transaction('acme', (tx) => tx.run(hot("UPDATE audit SET text = 'x' WHERE tenant_id = 'acme'"))))
      await assert.rejects(one.database.transaction('acme', (tx) => tx.run(hot("DELETE FROM audit WHERE tenant_id = 'acme'"))))
      assert.deepEqual(await Array.fromAsync(one.audit('other').read(id)), [])
      await eraseSession(one.database, { tenantId: 'acme', sessionId: id })
      assert.deepEqual(await Array.fromAsync(sink.read(id)), [])
      assert.equal((await Array.fromAsync(sink.lines(id))).length, 2)
      // The numbers go on: what follows is joined to what was there.
      assert.equal((await sink.open(id)).seq, 2)
      await hold.close()
    })
  })

  describe(`decisions on ${kind}`, () => {
    it('are on record with each decision: who, when, on what, and nobody who lost', async () => {
      const clock = new ManualClock()
      const one = await open(await freshUrl(kind), { clock, auditKey: KEY })
      const { approvals } = one.sessions
      const hold = await ask(one, 'acme', ['yes', 'no', 'edit'])
      const others = await ask(one, 'other', ['yes'])
      const decide = (id: string, decision: ApprovalDecision, by: string) => approvals.decide('acme', approvalId(id), { decision, by })
      await decide('edit', { type: 'edit', input: { path: 'secret.txt' } }, 'eve')
      clock.leap(10)
      await decide('no', { type: 'deny', reason: 'words of a person' }, 'bob')
      await assert.rejects(decide('no', YES, 'too late'), { code: 'CONFLICT' })
      await assert.rejects(decide('nothing', YES, 'nobody'), { code: 'NOT_FOUND' })
      await decide('yes', { type: 'approve', scope: 'always', of: 'tool', tier: 'user' }, 'eve \u0000')
      await approvals.decide('other', approvalId('yes'), { decision: YES, by: 'somebody else' })
      const records = await Array.fromAsync(one.audit('acme').read(DESK_CHAIN))
      assert.deepEqual(
        records.map(({ user, type, tenant, traceId: trace, body }) => [
          user,
          type,
          tenant,
          trace,
          body.answer,
          body.approvalId,
          body.state,
        ]),
        [
          ['eve', 'edit', 'edit', 'edited'],
          ['bob', 'deny', 'no', 'denied'],
          ['eve \u0000', 'approve', 'yes', 'approved'],
        ].map(([user, ...rest]) => [user, 'approval-answered', 'acme', '7'.padStart(32, '0'), ...rest]),
      )
      assert.equal(Date.parse(records[1]?.at ?? ''), clock.now())
      assert.deepEqual([records[2]?.body.scope, records[2]?.body.of, records[2]?.body.tier], ['always', 'tool', 'user'])
      const texts = (await Array.fromAsync(one.audit('acme').lines(DESK_CHAIN))).map(({ text }) => text).join('\n')
      for (const words of ['words of a person', 'secret.txt', 'too late', 'somebody else']) assert.ok(!texts.includes(words), words)
      const report = await verifyAudit(one.audit('acme').lines(DESK_CHAIN), { key: KEY, sessionId: DESK_CHAIN })
      assert.deepEqual([report.ok, report.records, report.keyed], [true, 3, true], JSON.stringify(report.problems))
      assert.equal((await verifyAudit(one.audit('other').lines(DESK_CHAIN), { key: KEY })).records, 1)
      await assert.rejects(one.audit('acme').open(DESK_CHAIN), { code: 'CONFLICT' })
      await hold.close()
      await others.close()
    })

    it('have one record when time was faster, whoever noticed', async () => {
      const clock = new ManualClock()
      const url = await freshUrl(kind)
      const one = await open(url, { clock })
      const hold = await ask(one, 'acme', ['seen', 'decided', 'swept'], clock.now() + 5)
      clock.leap(5)
      const get = () => one.sessions.approvals.get('acme', approvalId('seen'))
      assert.equal((await get())?.state, 'expired')
      await get()
      await assert.rejects(one.sessions.approvals.decide('acme', approvalId('decided'), { decision: YES, by: 'eve' }), { code: 'CONFLICT' })
      await one.sessions.approvals.list('acme')
      assert.equal(await one.desk.expireOverdue(), 1)
      assert.equal(await one.desk.expireOverdue(), 0)
      const records = await Array.fromAsync(one.audit('acme').read(DESK_CHAIN))
      assert.deepEqual(
        records.map(({ user, body }) => [user, body.by, body.answer, body.approvalId]),
        ['seen', 'decided', 'swept'].map((id) => ['nobody', 'policy', 'expired', id]),
      )
      await hold.close()
    })

    it('make one chain though many decide at once', async () => {
      const url = await freshUrl(kind)
      const one = await open(url)
      const two = kind === 'sqlite-memory' ? one : await open(url)
      const ids = Array.from({ length: 30 }, (_, n) => `q${n}`)
      const hold = await ask(one, 'acme', ids)
      const decisions = ids.flatMap((id) =>
        [one, two].map((each, n) => each.sessions.approvals.decide('acme', approvalId(id), { decision: YES, by: `person ${n}` })),
      )
      const came = await Promise.allSettled(decisions)
      assert.equal(came.filter(({ status }) => status === 'fulfilled').length, 30)
      const report = await verifyAudit(one.audit('acme').lines(DESK_CHAIN))
      assert.deepEqual([report.ok, report.records], [true, 30], JSON.stringify(report.problems))
      await hold.close()
    })
  })
}
