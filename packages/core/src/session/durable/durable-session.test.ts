import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { scriptedModel } from '@adjutant/testkit'
import { call, newStore, recorded, SESSION, TENANT, take, tool, type World } from '../../../test/durable-bench.ts'
import {
  AdjutantError,
  ApprovalConflict,
  type ApprovalDecision,
  type DecodeEvent,
  type StoredApproval,
  type ToolResult,
} from '../../contract/index.ts'
import { runAgent } from '../agent.ts'
import type { MemoryDurableStore } from './memory-durable-store.ts'
import { SessionPaused } from './session-paused.ts'

const KEY = { tenantId: TENANT, sessionId: SESSION }
const YES: ApprovalDecision = { type: 'approve', scope: 'once' }

async function pending(store: MemoryDurableStore): Promise<readonly StoredApproval[]> {
  return (await store.approvals.list(TENANT, { state: 'pending' })).items
}

async function paused(work: Promise<unknown>): Promise<SessionPaused> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof SessionPaused, String(error))
  return error
}

function said(text: string): DecodeEvent {
  return { type: 'text', text }
}

function made(index: number, name: string, value = 0): DecodeEvent {
  return { type: 'call', call: call(index, name, { value }) }
}

function texts(results: readonly ToolResult[]): readonly string[] {
  return results.map(({ text, code }) => code ?? text)
}

describe('a session that is paused', () => {
  it('leaves what waits, keeps what has run, and goes on elsewhere exactly as approved, once', async () => {
    const { store } = newStore()
    const world: World = { runs: [] }
    const tools = [recorded(world, 'look'), recorded(world, 'change', { effect: 'write' }), recorded(world, 'other', { effect: 'write' })]
    const first = await take(store, tools)
    const calls = [call(0, 'look'), call(1, 'change', { value: 1 }), call(2, 'look', { value: 2 }), call(3, 'other', { value: 3 })]
    const error = await paused(first.session.execute(calls))
    // Strict: nothing behind the write has run; both questions can be answered already.
    assert.deepEqual(
      world.runs.map(({ name }) => name),
      ['look'],
    )
    const waiting = await pending(store)
    assert.deepEqual(
      waiting.map(({ tool: name, callId, batch }) => ({ name, callId, batch })),
      [
        { name: 'change', callId: 'id_1', batch: 1 },
        { name: 'other', callId: 'id_3', batch: 1 },
      ],
    )
    assert.deepEqual(error.waiting, [waiting[0]?.id])
    assert.equal((await store.find(KEY))?.session.state, 'waiting')
    await first.session.close()

    // In the other order than they were asked in.
    for (const approval of [...waiting].reverse()) await store.approvals.decide(TENANT, approval.id, { decision: YES, by: 'eve' })
    const second = await take(store, tools)
    const results = await second.session.resume()
    assert.deepEqual(texts(results), ['look done', 'change done', 'look done', 'other done'])
    assert.deepEqual(
      world.runs.map(({ name }) => name),
      ['look', 'change', 'look', 'other'],
    )
    assert.equal((await store.find(KEY))?.session.state, 'idle')
    const taken = (await store.approvals.list(TENANT)).items
    assert.ok(taken.every(({ state, consumedAt, decidedBy }) => state === 'approved' && consumedAt !== undefined && decidedBy === 'eve'))
    await assert.rejects(second.session.resume(), { code: 'CONFLICT' })
    assert.equal(new Set(world.runs.map(({ key }) => key)).size, 4)
    await second.session.close()
  })

  it('takes each answer as it was given: no, other arguments, for the session', async () => {
    const { store } = newStore()
    const seen: unknown[] = []
    const change = tool('change', {
      effect: 'write',
      execute: async (input) => {
        seen.push(input.value)
        return 'changed'
      },
    })
    const first = await take(store, [change])
    await paused(first.session.execute([0, 1, 2, 3].map((value) => call(value, 'change', { value }))))
    await first.session.close()
    const answers: readonly ApprovalDecision[] = [
      { type: 'deny', reason: 'not that' },
      { type: 'edit', input: { value: 77 } },
      { type: 'approve', scope: 'tool' },
    ]
    const questions = await pending(store)
    for (const [index, decision] of answers.entries()) {
      const question = questions[index]
      assert.ok(question)
      await store.approvals.decide(TENANT, question.id, { decision, by: 'eve' })
    }
    const second = await take(store, [change])
    const results = await second.session.resume()
    assert.deepEqual(texts(results), ['DENIED_BY_PERSON', 'changed', 'changed', 'changed'])
    assert.match(results[0]?.text ?? '', /not that/)
    assert.deepEqual(seen, [77, 2, 3])
    assert.deepEqual(await pending(store), [])
    await second.session.close()

    // What was allowed for the session is allowed in its next process.
    const third = await take(store, [change])
    assert.deepEqual(texts(await third.session.execute([call(0, 'change', { value: 9 })])), ['changed'])
    await third.session.close()
  })
})

describe('an agent across processes', () => {
  it('goes on as if nothing had happened', async () => {
    const { store } = newStore()
    const world: World = { runs: [] }
    const tools = [recorded(world, 'look'), recorded(world, 'change', { effect: 'write' })]
    const first = await take(store, tools)
    const model = scriptedModel([
      [said('first I look'), made(0, 'look')],
      [said('now I change'), made(0, 'look', 1), made(1, 'change', 2), { type: 'provider-block', block: { thought: 'opaque' } }],
    ])
    const left = await runAgent({ session: first.session, model, task: 'do it' })
    assert.equal(left.reason, 'paused')
    assert.equal(left.waiting?.length, 1)
    await first.session.close()
    const [question] = await pending(store)
    assert.ok(question)
    await store.approvals.decide(TENANT, question.id, { decision: YES, by: 'eve' })

    const second = await take(store, tools)
    await assert.rejects(runAgent({ session: second.session, model, task: 'another' }), { code: 'CONFLICT' })
    const after = scriptedModel([[said('all done')]])
    const answer = await runAgent({ session: second.session, model: after })
    assert.equal(answer.text, 'all done')
    assert.equal(answer.reason, 'answer')
    assert.equal(answer.rounds, 3)
    assert.equal(answer.calls, 3)
    assert.deepEqual(
      answer.messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
    )
    assert.deepEqual(after.requests[0]?.messages, answer.messages.slice(0, -1))
    await second.session.close()

    // The next task follows on the same talk.
    const third = await take(store, tools)
    const more = await runAgent({ session: third.session, model: scriptedModel([[said('as I said')]]), task: 'say it again' })
    assert.equal(more.messages.length, 8)
    await third.session.close()
  })
})

describe('a process that is killed', () => {
  it('while a call hangs has kept what the change before it came to', async () => {
    const { store, clock } = newStore()
    const world: World = { runs: [] }
    const hangs = Promise.withResolvers<void>()
    const tools = [
      recorded(world, 'change', { effect: 'write' }),
      tool('hang', {
        execute: () => {
          hangs.resolve()
          return new Promise<never>(() => {})
        },
      }),
    ]
    const first = await take(store, tools, { mode: 'allow' })
    const calls = [call(0, 'change'), call(1, 'hang')]
    first.session.execute(calls).catch(() => {})
    await hangs.promise
    await new Promise((resolve) => setImmediate(resolve))
    // Nobody renews its lease.
    clock.leap(120_000)
    const second = await take(store, [recorded(world, 'change', { effect: 'write' }), recorded(world, 'hang')], { mode: 'allow' })
    assert.deepEqual(texts(await second.session.resume()), ['change done', 'hang done'])
    assert.deepEqual(
      world.runs.map(({ name }) => name),
      ['change', 'hang'],
    )
    await second.session.close()
  })
})

describe('an approval', () => {
  it('is bound to the definition of the tool: another one is not run', async () => {
    const { store } = newStore()
    const world: World = { runs: [] }
    const first = await take(store, [recorded(world, 'change', { effect: 'write' })])
    await paused(first.session.execute([call(0, 'change')]))
    await first.session.close()
    const [question] = await pending(store)
    assert.ok(question)
    await store.approvals.decide(TENANT, question.id, { decision: YES, by: 'eve' })
    const second = await take(store, [recorded(world, 'change', { effect: 'write', description: 'Use for something else altogether.' })])
    assert.deepEqual(texts(await second.session.resume()), ['APPROVAL_MISMATCH'])
    assert.deepEqual(world.runs, [])
    await second.session.close()
  })

  it('is decided by whoever comes first: the other learns who and when', async () => {
    const { store, clock } = newStore()
    const asked = Promise.withResolvers<void>()
    const { session } = await take(store, [tool('change', { effect: 'write' })], {
      defers: false,
      approver: {
        decide: (_, { signal }) => {
          asked.resolve()
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
      },
    })
    const results = session.execute([call(0, 'change')])
    await asked.promise
    const [question] = await pending(store)
    assert.ok(question)
    await store.approvals.decide(TENANT, question.id, { decision: { type: 'deny', reason: 'never' }, by: 'eve', version: question.version })
    assert.deepEqual(texts(await results), ['DENIED_BY_PERSON'])
    const late = await store.approvals.decide(TENANT, question.id, { decision: YES, by: 'bob' }).catch((error: unknown) => error)
    assert.ok(late instanceof ApprovalConflict)
    assert.equal(late.current.decidedBy, 'eve')
    assert.equal(late.current.decidedAt, clock.now())
    await session.close()
  })

  it('that nobody gives in time is expired, and the session goes on with that', async () => {
    const { store, clock } = newStore()
    const world: World = { runs: [] }
    const tools = [recorded(world, 'change', { effect: 'write' })]
    const first = await take(store, tools, { clock, limits: { approvalTimeoutMs: 60_000 } })
    await paused(first.session.execute([call(0, 'change')]))
    await first.session.close()
    const [question] = await pending(store)
    assert.ok(question)
    clock.leap(60_000)
    await assert.rejects(store.approvals.decide(TENANT, question.id, { decision: YES, by: 'eve' }), ApprovalConflict)
    const second = await take(store, tools, { clock })
    assert.deepEqual(texts(await second.session.resume()), ['APPROVAL_EXPIRED'])
    assert.deepEqual(world.runs, [])
    await second.session.close()
  })
})

describe('a session in two processes', () => {
  it('belongs to one of them; the other is told which, and one that was asleep for too long writes nothing', async () => {
    const { store, clock } = newStore()
    const world: World = { runs: [] }
    const tools = [recorded(world, 'change', { effect: 'write' })]
    const sleeper = await take(store, tools, { mode: 'allow' })
    await assert.rejects(
      take(store, tools),
      (error: unknown) => AdjutantError.isInstance(error) && error.code === 'SESSION_BUSY' && /process-/.test(error.message),
    )
    // It slept: its timers did not run.
    clock.leap(120_000)
    const other = await take(store, tools, { mode: 'allow' })
    await assert.rejects(sleeper.session.execute([call(0, 'change')]), { code: 'SESSION_LOST' })
    assert.deepEqual(world.runs, [])
    assert.deepEqual(texts(await other.session.execute([call(0, 'change')])), ['change done'])
    await other.session.close()
    await sleeper.session.close().catch(() => {})
  })
})
