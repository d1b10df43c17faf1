import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Clock } from '@adjutant/core/contract'
import {
  AdjutantError,
  type AskedApproval,
  approvalId,
  callId,
  type DeskDecision,
  type DurableStore,
  digest,
  type HoldOptions,
  type SessionHold,
  type StepRecord,
  sessionId,
  traceId,
} from '@adjutant/core/contract'
import { type JumpingClock, jumpingClock, ONE_DAY_MS } from './jumping-clock.ts'
import { raceApprovers } from './race-approvers.ts'

/** One place where sessions are kept, empty at first. */
export interface DurableFaultsBench {
  /** A way to it of its own, as another process would have: with its own connections and its own clock. */
  open(clock: Clock): Promise<DurableStore>
}

const NOW = 1_700_000_000_000
const TENANT = 'local'
const KEY = { tenantId: TENANT, sessionId: sessionId('session_1') }
const LEASE_MS = 30_000
const YES: DeskDecision = { decision: { type: 'approve', scope: 'once' }, by: 'eve' }
const NO: DeskDecision = { decision: { type: 'deny', reason: 'not that' }, by: 'bob' }
const BINDING = {
  arguments: digest(`sha256:${'a'.repeat(64)}`),
  tool: digest(`sha256:${'b'.repeat(64)}`),
  principal: digest(`sha256:${'c'.repeat(64)}`),
}

/**
 * What every {@link DurableStore} must get over: racing approvers, reversed answers, an answer at the very moment at which its time is over, a version that
 * is not the newest, a holder that was asleep, a clock that leaps a day, the same thing delivered twice. Call it inside a test file. Beside it stand the
 * pieces for what needs processes: {@link dyingStore}, {@link ProcessHerd}, {@link smallDisk}.
 *
 * @param make a place that holds nothing yet
 * @param timers those of the machine; the time of day is set by the suite
 *
 * @example
 * ```ts
 * durableStoreFaults('MyStore', systemClock, async () => {
 *   const url = await emptyDatabase()
 *   return { open: (clock) => openMyStore(url, clock) }
 * })
 * ```
 */
export function durableStoreFaults(name: string, timers: Clock, make: () => Promise<DurableFaultsBench>): void {
  /** Two processes on one place, and one clock for both. */
  async function two(): Promise<{ readonly clock: JumpingClock; readonly a: DurableStore; readonly b: DurableStore }> {
    const clock = jumpingClock({ now: () => NOW, monotonic: () => timers.monotonic(), after: (ms, run) => timers.after(ms, run) })
    const bench = await make()
    return { clock, a: await bench.open(clock), b: await bench.open(clock) }
  }

  describe(`${name} gets over faults`, () => {
    it('racing approvers: one wins, the other is told who and when', async () => {
      const { a, b } = await two()
      const ids = await ask(a, 20)
      for (const [index, id] of ids.entries()) {
        const race = await raceApprovers([a.approvals, b.approvals], TENANT, id, index % 2 === 0 ? [YES, NO] : [NO, YES])
        assert.deepEqual(race.failed, [])
        assert.equal(race.won.length, 1)
        assert.equal(race.lost.length, 1)
        const winner = race.won[0]
        const told = race.lost[0]?.current
        assert.deepEqual([told?.decidedBy, told?.decidedAt, told?.state], [winner?.decidedBy, NOW, winner?.state])
        assert.deepEqual(await b.approvals.get(TENANT, id), winner)
      }
    })

    it('answers in the other order than they were asked for: each call gets its own', async () => {
      const { a, b } = await two()
      const [first, second] = await ask(a, 2)
      assert.ok(first !== undefined && second !== undefined)
      await b.approvals.decide(TENANT, second, NO)
      await a.approvals.decide(TENANT, first, YES)
      assert.equal((await b.approvals.get(TENANT, first))?.state, 'approved')
      assert.equal((await a.approvals.get(TENANT, second))?.state, 'denied')
    })

    it('an answer in the very moment in which its time is over comes too late; one before it does not', async () => {
      const { clock, a, b } = await two()
      const [early, late] = await ask(a, 2, NOW + 1_000)
      assert.ok(early !== undefined && late !== undefined)
      clock.jump(999)
      assert.equal((await b.approvals.decide(TENANT, early, YES)).state, 'approved')
      clock.jump(1)
      const [race, seen] = await Promise.all([
        raceApprovers([a.approvals, b.approvals], TENANT, late, [YES, NO]),
        a.approvals.settled(TENANT, late, { signal: new AbortController().signal }),
      ])
      assert.deepEqual([race.won.length, race.lost.length, race.failed.length], [0, 2, 0])
      assert.ok(race.lost.every(({ current }) => current.state === 'expired'))
      assert.deepEqual([seen.state, seen.decidedAt, seen.decidedBy], ['expired', NOW + 1_000, undefined])
      // Whoever sets the clock back does not bring it to life.
      clock.jump(-ONE_DAY_MS)
      assert.equal((await b.approvals.get(TENANT, late))?.state, 'expired')
      assert.equal((await raceApprovers([b.approvals], TENANT, late, [YES])).lost.length, 1)
    })

    it('a version that is not the newest decides nothing', async () => {
      const { a, b } = await two()
      const [id] = await ask(a, 1)
      assert.ok(id !== undefined)
      assert.equal((await raceApprovers([a.approvals], TENANT, id, [{ ...YES, version: 2 }])).lost.length, 1)
      assert.equal((await b.approvals.get(TENANT, id))?.state, 'pending')
      assert.equal((await b.approvals.decide(TENANT, id, { ...YES, version: 1 })).version, 2)
      assert.equal((await raceApprovers([a.approvals], TENANT, id, [{ ...NO, version: 1 }])).lost.length, 1)
      assert.equal((await a.approvals.get(TENANT, id))?.state, 'approved')
    })

    it('an answer that is delivered twice is taken once, and nothing of the second write is kept', async () => {
      const { a, b } = await two()
      const [id] = await ask(a, 1)
      assert.ok(id !== undefined)
      await b.approvals.decide(TENANT, id, YES)
      const hold = await take(b)
      const answered: StepRecord = {
        version: 1,
        type: 'answered',
        time: NOW,
        approvalId: id,
        decision: YES.decision,
        by: YES.by,
        grants: [],
      }
      const before = await hold.keep([answered])
      await assert.rejects(hold.keep([{ version: 1, type: 'paused', time: NOW, waiting: [] }, answered]), { code: 'CONFLICT' })
      await hold.close()
      assert.equal((await a.find(KEY))?.session.steps, before)
    })

    it('a call is begun once under one holder, again by the next one, and not any more when it has its result', async () => {
      const { clock, a, b } = await two()
      await ask(a, 1)
      const first = await take(a)
      await first.keep([started()])
      await assert.rejects(first.keep([started()]), { code: 'CONFLICT' })
      clock.jump(LEASE_MS)
      const second = await take(b)
      await second.keep([started()])
      await second.keep([ended()])
      await second.close()
      const third = await take(a)
      await assert.rejects(third.keep([started()]), { code: 'CONFLICT' })
      await third.close()
      await first.close()
    })

    it('a holder that was asleep while another took over writes nothing', async () => {
      const { clock, a, b } = await two()
      await ask(a, 1)
      const sleeper = await take(a)
      await assert.rejects(take(b), { code: 'SESSION_BUSY' })
      clock.jump(LEASE_MS)
      const next = await take(b)
      assert.ok(next.fence > sleeper.fence)
      const steps = (await next.load()).session.steps
      for (const safety of ['durable', 'written'] as const) {
        await assert.rejects(sleeper.keep([started()], { safety, state: 'ended' }), { code: 'SESSION_LOST' })
      }
      // What it lets go of is not its own any more.
      await sleeper.close()
      await assert.rejects(take(a), { code: 'SESSION_BUSY' })
      const now = (await next.load()).session
      assert.deepEqual([now.steps, now.state], [steps, 'open'])
      await next.close()
    })

    it('a clock that leaps a day back or forward loses nothing and lets nobody write beside the holder', async () => {
      const { clock, a, b } = await two()
      const [id] = await ask(a, 1, NOW + 60_000)
      assert.ok(id !== undefined)
      const hold = await take(a)
      clock.jump(-ONE_DAY_MS)
      const kept = await hold.keep([started()])
      assert.equal((await b.approvals.get(TENANT, id))?.state, 'pending')
      const other = await take(b).catch((error: unknown) => {
        assert.ok(AdjutantError.isInstance(error) && error.code === 'SESSION_BUSY', String(error))
        return undefined
      })
      // Whoever of the two has it, the other one does not write.
      const writes = await Promise.allSettled([hold, ...(other === undefined ? [] : [other])].map((each) => each.keep([ended()])))
      assert.equal(writes.filter(({ status }) => status === 'fulfilled').length, 1)
      assert.equal((await a.find(KEY))?.session.steps, kept + 1)
      clock.jump(2 * ONE_DAY_MS)
      assert.equal((await b.approvals.get(TENANT, id))?.state, 'expired')
      const next = await take(b)
      await assert.rejects(hold.keep([ended()]), { code: 'SESSION_LOST' })
      assert.equal((await Array.fromAsync(a.steps(KEY))).length, kept + 1)
      await next.close()
      await hold.close()
      await other?.close()
    })
  })
}

function take(store: DurableStore): Promise<SessionHold> {
  const options: HoldOptions = {
    principal: { tenantId: TENANT, userId: 'user_1', roles: [] },
    traceId: traceId('1'.padStart(32, '0')),
    node: 'faults',
    leaseMs: LEASE_MS,
  }
  return store.hold(KEY, options)
}

/** A session with this many questions, left by its process. @returns their ids */
async function ask(store: DurableStore, count: number, expiresAt?: number): Promise<readonly AskedApproval['id'][]> {
  const ids = Array.from({ length: count }, (_, index) => approvalId(`approval_${index}`))
  const calls = ids.map((_, index) => plannedCall(index))
  const asked = ids.map((id, index): StepRecord => {
    const approval: AskedApproval = {
      id,
      batch: 1,
      callId: callId(`id_${index}`),
      tool: 'change',
      effect: 'write',
      shown: { index },
      reason: 'it writes',
      rule: 'mode/ask',
      binding: BINDING,
      createdAt: NOW,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    return { version: 1, type: 'asked', time: NOW, approval }
  })
  const hold = await take(store)
  await hold.keep([{ version: 1, type: 'batch', time: NOW, calls }, ...asked], { state: 'open' })
  await hold.close()
  return ids
}

function plannedCall(index: number) {
  return { id: callId(`id_${index}`), index, name: 'change', arguments: { ok: true, value: { index } }, idFromProvider: true } as const
}

function started(): StepRecord {
  return {
    version: 1,
    type: 'started',
    time: NOW,
    batch: 1,
    id: callId('id_0'),
    name: 'change',
    effect: 'write',
    attempt: 1,
    idempotencyKey: 'session_1/1/id_0',
    binding: BINDING,
  }
}

function ended(): StepRecord {
  const call = plannedCall(0)
  const result = { id: call.id, name: call.name, outcome: 'ok', isError: false, text: 'done', parts: [], startedAt: 1, endedAt: 2 } as const
  return { version: 1, type: 'call', call, result }
}
