import assert from 'node:assert/strict'
import { traceId } from '@adjutant/core/contract'
import { type DurableCase, failsWith, outcomes, settled, started, user } from './case-context.ts'

/** Who may write to a session, and who not any more. */
export const HOLD_CASES: readonly DurableCase[] = [
  {
    name: 'makes a session when it is first taken, and knows nothing of it before',
    async run(cx) {
      assert.equal(await cx.store.find(cx.key()), undefined)
      await assert.rejects(cx.hold('s', { create: false }), failsWith('NOT_FOUND'))
      assert.equal(await cx.store.find(cx.key()), undefined)
      await using hold = await cx.hold()
      const { session, steps, checkpoint } = await hold.load()
      assert.deepEqual({ steps, checkpoint }, { steps: [], checkpoint: undefined })
      assert.deepEqual(session, {
        ...cx.key(),
        principal: cx.principal(),
        state: 'idle',
        traceId: traceId('1'.padStart(32, '0')),
        createdAt: cx.clock.now(),
        updatedAt: cx.clock.now(),
        steps: 0,
        holder: { node: 'host:1', until: cx.clock.now() + 30_000 },
      })
      assert.deepEqual((await (await cx.elsewhere()).find(cx.key()))?.session, session)
    },
  },
  {
    name: 'has one holder at a time, and says who it is and until when',
    async run(cx) {
      const elsewhere = await cx.elsewhere()
      const first = await cx.hold('s', { node: 'first:1' })
      const until = new Date(cx.clock.now() + 30_000).toISOString()
      const busy = await cx.hold('s', { node: 'second:2' }, elsewhere).catch((error: unknown) => error)
      assert.ok(failsWith('SESSION_BUSY', /first:1/)(busy) && failsWith('SESSION_BUSY', new RegExp(until))(busy), String(busy))
      await first.close()
      await first.close()
      assert.equal((await cx.store.find(cx.key()))?.session.holder, undefined)
      await using second = await cx.hold('s', { node: 'second:2' }, elsewhere)
      assert.ok(second.fence > first.fence)
      await assert.rejects(first.keep([user('late')]), failsWith('SESSION_LOST'))
      assert.equal((await second.load()).session.steps, 0)
    },
  },
  {
    name: 'goes to one of many who take it at the same moment',
    async run(cx) {
      const elsewhere = await cx.elsewhere()
      for (const id of ['new', 'known']) {
        if (id === 'known') await (await cx.hold(id)).close()
        const takers = Array.from({ length: 8 }, (_, n) => cx.hold(id, { node: `taker:${n}` }, n % 2 === 0 ? cx.store : elsewhere))
        const { values, reasons } = await cx.passing(outcomes(takers))
        assert.equal(values.length, 1, `${values.length} have it`)
        assert.ok(reasons.every(failsWith('SESSION_BUSY', /taker:\d/)), String(reasons[0]))
        for (const hold of values) await hold.close()
      }
    },
  },
  {
    name: 'does not exist for another user or tenant',
    async run(cx) {
      await (await cx.hold()).close()
      await assert.rejects(cx.hold('s', { principal: cx.principal(cx.tenant, 'bob') }), failsWith('NOT_FOUND'))
      const options = { principal: cx.principal(cx.other), traceId: traceId('2'.padStart(32, '0')), node: 'n' }
      await assert.rejects(cx.store.hold(cx.key(), options), failsWith('NOT_FOUND'))
      await (await cx.hold('s', { create: false })).close()
    },
  },
  {
    name: 'is renewed for as long as it is held',
    async run(cx) {
      await using hold = await cx.hold('s', { leaseMs: 9_000 })
      const elsewhere = await cx.elsewhere()
      const until = async (): Promise<number> => (await elsewhere.find(cx.key()))?.session.holder?.until ?? 0
      for (let third = 0; third < 6; third += 1) {
        const before = await until()
        await cx.clock.advance(3_000)
        await cx.until(async () => (await until()) > before, 'the lease is renewed')
      }
      await assert.rejects(cx.hold('s', {}, elsewhere), failsWith('SESSION_BUSY'))
      assert.equal(hold.lost.aborted, false)
      assert.equal(await hold.keep([user('still here')]), 1)
    },
  },
  {
    name: 'takes nothing from a holder that was asleep while another took over',
    async run(cx) {
      const elsewhere = await cx.elsewhere()
      const sleeper = await cx.hold('s', { node: 'sleeper:1' })
      await sleeper.keep([user('before'), started('a')], { state: 'open' })
      cx.clock.leap(60_000)
      assert.equal((await cx.store.find(cx.key()))?.session.holder, undefined, 'a hold that has run out is none')
      const second = await cx.hold('s', { node: 'second:2' }, elsewhere)
      assert.ok(second.fence > sleeper.fence)
      for (const late of [[user('late')], [settled('a')], []]) {
        await assert.rejects(sleeper.keep(late, { state: 'idle', checkpoint: { late: true } }), failsWith('SESSION_LOST'))
      }
      assert.equal(sleeper.lost.aborted, true)
      const loaded = await second.load()
      assert.deepEqual(loaded.steps, [user('before'), started('a')])
      assert.equal(loaded.session.state, 'open')
      assert.equal(loaded.checkpoint, undefined)
      // Letting go of what it has not got frees nothing.
      await sleeper.close()
      await assert.rejects(cx.hold('s', { node: 'third:3' }), failsWith('SESSION_BUSY', /second:2/))
      assert.equal(await second.keep([user('after')]), 3)
      await second.close()
    },
  },
  {
    name: 'tells a holder that it has lost it, without its having to write',
    async run(cx) {
      const elsewhere = await cx.elsewhere()
      const sleeper = await cx.hold('s', { leaseMs: 9_000 })
      cx.clock.leap(9_000)
      await using _second = await cx.hold('s', {}, elsewhere)
      assert.equal(sleeper.lost.aborted, false)
      await cx.clock.advance(1)
      await cx.until(() => sleeper.lost.aborted, 'the loss is told')
      assert.ok(failsWith('SESSION_LOST')(sleeper.lost.reason), String(sleeper.lost.reason))
      await sleeper.close()
    },
  },
  {
    name: 'enters each call once: none begins twice under one holder, none again when it has ended',
    async run(cx) {
      const first = await cx.hold()
      await first.keep([started('a'), started('b')])
      await assert.rejects(first.keep([started('a')]), failsWith('CONFLICT'))
      await assert.rejects(first.keep([started('c'), started('c')]), failsWith('CONFLICT'))
      await first.keep([settled('a')])
      await assert.rejects(first.keep([user('x'), started('a')]), failsWith('CONFLICT'))
      // Another batch may use the same id.
      await first.keep([started('a', 2), settled('a')])
      await first.close()
      await using second = await cx.hold()
      await assert.rejects(second.keep([started('a')]), failsWith('CONFLICT'))
      // What was running when its process died may begin again under the next one, once.
      await second.keep([started('b')])
      await assert.rejects(second.keep([started('b')]), failsWith('CONFLICT'))
      await second.keep([settled('b')])
      await assert.rejects(second.keep([started('b')]), failsWith('CONFLICT'))
      const kept = await Array.fromAsync(cx.store.steps(cx.key()))
      assert.deepEqual(
        kept.map((step) => (step.type === 'started' ? `${step.batch}${step.id}` : step.type)),
        ['1a', '1b', 'call', '2a', 'call', '1b', 'call'],
      )
    },
  },
]
