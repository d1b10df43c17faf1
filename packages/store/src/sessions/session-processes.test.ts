/** Sessions and approvals that several real processes share. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { systemClock } from '@adjutant/core'
import {
  approvalId,
  type Clock,
  callId,
  digest,
  type KeptStep,
  type SessionHold,
  type StepRecord,
  type StoredApproval,
  sessionId,
  traceId,
} from '@adjutant/core/contract'
import { type StoreChild, startScript } from '../../test/children.ts'
import { freshUrl, STORE_KINDS } from '../../test/open-stores.ts'
import { openStore, type Store } from '../open-store.ts'

const SHARED = STORE_KINDS.filter((kind) => kind !== 'sqlite-memory')
const KEY = { tenantId: 'acme', sessionId: sessionId('s') }
const never = new AbortController().signal
const opened: Store[] = []
after(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
})

/** Whoever waits does not look again by itself: what is heard here was told. */
const restless: Clock = { ...systemClock, after: (ms, callback) => (ms >= 1_000 ? () => {} : systemClock.after(ms, callback)) }

async function open(url: string, clock: Clock = restless): Promise<Store> {
  const store = await openStore(url, { clock, retryLimitMs: 60_000 })
  opened.push(store)
  return store
}

async function take({ sessions }: Store): Promise<SessionHold> {
  const principal = { tenantId: KEY.tenantId, userId: 'ann', roles: [] }
  return await sessions.hold(KEY, { principal, traceId: traceId('1'.padStart(32, '0')), node: 'parent', leaseMs: 600_000 })
}

function asked(id: string): StepRecord {
  const none = digest(`sha256:${'0'.repeat(64)}`)
  return {
    version: 1,
    type: 'asked',
    time: 1,
    approval: {
      id: approvalId(id),
      batch: 1,
      callId: callId(id),
      tool: 't',
      effect: 'write',
      shown: {},
      reason: 'r',
      rule: 'r',
      binding: { arguments: none, tool: none, principal: none },
      createdAt: 1,
    },
  }
}

async function child(...args: readonly string[]): Promise<StoreChild> {
  const started = startScript('./session-child.ts', args)
  assert.equal(await started.line(), 'ready')
  return started
}

for (const kind of SHARED) {
  describe(`several processes on ${kind}`, () => {
    it('decide on the same approvals: each is won once, and the others learn by whom', { timeout: 90_000 }, async () => {
      const url = await freshUrl(kind)
      const store = await open(url)
      await using hold = await take(store)
      const ids = Array.from({ length: 40 }, (_, n) => `q${n}`)
      await hold.keep(ids.map(asked))
      const children = await Promise.all(['a', 'b', 'c', 'd'].map((by) => child('decide', url, KEY.tenantId, by)))
      for (const each of children) each.process.stdin.end(`${ids.join('\n')}\n`)
      const won = new Map<string, number>()
      for (const [n, each] of children.entries()) {
        for (const id of ids) {
          const came: { readonly won: boolean; readonly by: string } = JSON.parse((await each.line()) ?? 'null')
          if (came.won) won.set(id, (won.get(id) ?? 0) + 1)
          assert.equal((await store.sessions.approvals.get(KEY.tenantId, approvalId(id)))?.decidedBy, came.by, `child ${n}, ${id}`)
        }
        await each.ended()
      }
      assert.deepEqual(
        [...won.values()],
        ids.map(() => 1),
      )
    })

    it('tell each other at once: of an answer to whoever waits for it, of steps to whoever follows', { timeout: 90_000 }, async () => {
      const url = await freshUrl(kind)
      const store = await open(url)
      const hold = await take(store)
      await hold.keep(['q1', 'q2', 'q3'].map(asked))
      const wait = (id: string): Promise<StoredApproval> =>
        store.sessions.approvals.settled(KEY.tenantId, approvalId(id), { signal: never })
      const decider = await child('decide', url, KEY.tenantId, 'somebody')
      for (const id of ['q1', 'q2']) {
        const waiting = wait(id)
        decider.process.stdin.write(`${id}\n`)
        assert.equal((await waiting).decidedBy, 'somebody')
      }
      // The connection that hears is lost: heard as soon as there is another one.
      const waiting = wait('q3')
      const { postgres } = store.database
      await postgres?.pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'adjutant listener'")
      decider.process.stdin.end('q3\n')
      assert.equal((await waiting).decidedBy, 'somebody')
      await decider.ended()
      await hold.close()

      const writer = await child('write', url, KEY.tenantId, KEY.sessionId)
      const seen: KeptStep[] = []
      const followed = (async () => {
        for await (const kept of store.sessions.follow(KEY, { after: 2, signal: never })) {
          seen.push(kept)
          if (kept.number === 3 || kept.number === 5) writer.process.stdin.write('2\n')
          if (kept.number === 7) writer.process.stdin.end('50\n')
        }
      })()
      writer.process.stdin.write('2\n')
      await followed
      assert.deepEqual(
        seen.map(({ number }) => number),
        Array.from({ length: seen.length }, (_, index) => index + 3),
      )
      await writer.ended()
      assert.equal(seen.length, 1 + 2 + 2 + 2 + 50)
    })
  })
}
