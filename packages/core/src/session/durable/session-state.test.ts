import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { scriptedModel } from '@adjutant/testkit'
import fc from 'fast-check'
import { call, newStore, SESSION, TENANT, take, tool } from '../../../test/durable-bench.ts'
import { AdjutantError, type ApprovalDecision, type DecodeEvent, type JsonObject, type StepRecord } from '../../contract/index.ts'
import { runAgent } from '../agent.ts'
import { isStepRecord } from '../step-record.ts'
import { readCheckpoint, restoreState, writeCheckpoint } from './checkpoint.ts'
import { SessionState } from './session-state.ts'

const KEY = { tenantId: TENANT, sessionId: SESSION }
const REST = { guards: {}, tools: {}, traceId: '1'.padStart(32, '0') }
const NAMES = ['look', 'change', 'broken', 'no_such_tool'] as const

const tools = [
  tool('look', { untrusted: true }),
  tool('change', { effect: 'write' }),
  tool('broken', {
    effect: 'write',
    execute: async () => {
      throw new Error('it broke')
    },
  }),
]

/** The steps of a real session: a few tasks, each a few batches, each question answered in some way. */
async function play(tasks: readonly (readonly (readonly number[])[])[], answers: readonly number[]): Promise<readonly StepRecord[]> {
  const { store } = newStore()
  let answered = 0
  for (const [number, batches] of tasks.entries()) {
    const rounds: DecodeEvent[][] = batches.map((names, round) => [
      { type: 'text', text: `round ${round}` },
      ...names.map(
        (name, index): DecodeEvent => ({ type: 'call', call: call(index, NAMES[name] ?? 'look', { value: round * 10 + index }) }),
      ),
    ])
    const model = scriptedModel([...rounds, [{ type: 'text', text: 'done' }]])
    for (let process = 0; ; process += 1) {
      const { session } = await take(store, tools, { loopGuard: false })
      const { reason } = await runAgent({ session, model, ...(process === 0 ? { task: `task ${number}` } : {}) })
      await session.close()
      if (reason !== 'paused') break
      for (const { id } of (await store.approvals.list(TENANT, { state: 'pending' })).items) {
        const decision = DECISIONS[(answers[answered % answers.length] ?? 0) % DECISIONS.length]
        answered += 1
        if (decision !== undefined) await store.approvals.decide(TENANT, id, { decision, by: 'eve' })
      }
    }
  }
  return Array.fromAsync(store.steps(KEY))
}

const DECISIONS: readonly ApprovalDecision[] = [
  { type: 'approve', scope: 'once' },
  { type: 'deny', reason: 'no' },
  { type: 'edit', input: { value: 5 } },
  { type: 'approve', scope: 'call' },
]

function seen(state: SessionState): JsonObject {
  return writeCheckpoint(state, REST)
}

describe('the state of a session', () => {
  it('is the same from all its steps as from a checkpoint after any of them and the rest', async () => {
    const batch = fc.array(fc.nat(3), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(batch, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }),
        async (tasks, answers) => {
          const steps = await play(tasks, answers)
          const whole = new SessionState()
          for (const step of steps) whole.apply(step)
          assert.equal(whole.open, undefined)
          assert.equal(whole.busy, false)
          for (let count = 0; count <= steps.length; count += 1) {
            const before = new SessionState()
            for (const step of steps.slice(0, count)) before.apply(step)
            const kept: JsonObject = JSON.parse(JSON.stringify(seen(before)))
            const restored = restoreState(readCheckpoint(kept))
            assert.deepEqual(seen(restored), seen(before), `after ${count} steps`)
            for (const step of steps.slice(count)) restored.apply(step)
            assert.deepEqual(seen(restored), seen(whole), `from ${count} steps on`)
          }
        },
      ),
      { numRuns: 25 },
    )
  })

  it('is whole at any time: each call of the talk has its result, in call order', async () => {
    const steps = await play(
      [
        [
          [0, 1, 0],
          [1, 1],
        ],
        [[2, 3]],
      ],
      [0, 1, 2],
    )
    const state = new SessionState()
    for (const step of steps) {
      assert.ok(isStepRecord(JSON.parse(JSON.stringify(step))))
      state.apply(step)
      for (const [index, message] of state.messages.entries()) {
        const before = state.messages[index - 1]
        if (message.role === 'tool') {
          assert.ok(before?.role === 'assistant')
          assert.deepEqual(
            message.results.map(({ id }) => id),
            before.calls.map(({ id }) => id),
          )
        } else if (before?.role === 'assistant') assert.deepEqual(before.calls, [])
      }
    }
  })
})

describe('a checkpoint', () => {
  it('of version 1 still loads (golden fixture)', async () => {
    const body: JsonObject = JSON.parse(await readFile(join(import.meta.dirname, 'fixtures/checkpoint.v1.json'), 'utf8'))
    const state = restoreState(readCheckpoint(body))
    assert.equal(state.busy, true)
    assert.equal(state.open?.number, 2)
    assert.equal(state.open?.questions().length, 1)
    assert.equal(state.messages.length, 3)
    assert.deepEqual(writeCheckpoint(state, { guards: {}, tools: {}, traceId: REST.traceId }), {
      ...body,
      guards: {},
      tools: {},
      traceId: REST.traceId,
    })
  })

  it('of an unknown version, or damaged at any place, is refused with a reason', async () => {
    const body: JsonObject = JSON.parse(await readFile(join(import.meta.dirname, 'fixtures/checkpoint.v1.json'), 'utf8'))
    const refused = (damaged: JsonObject, say: RegExp): void => {
      assert.throws(
        () => readCheckpoint(damaged),
        (error: unknown) => AdjutantError.isInstance(error) && error.code === 'CONFLICT' && say.test(error.message),
        JSON.stringify(damaged).slice(0, 200),
      )
    }
    refused({ ...body, version: 2 }, /its version is 2, this program knows version 1/)
    refused({}, /its version is undefined/)
    for (const member of Object.keys(body)) {
      if (member === 'open') continue
      const { [member]: _, ...without } = body
      refused(without, member === 'version' ? /version/ : /damaged/)
    }
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(body)), fc.constantFrom<JsonObject[string]>(7.5, 'x', null, [[1]]), (member, value) => {
        refused({ ...body, [member]: value }, /version|damaged|none/)
      }),
      { numRuns: 60 },
    )
    refused({ ...body, open: { number: 2, calls: [], steps: [{ version: 9, type: 'call' }] } }, /a step of its open batch is none/)
  })

  it('changes nothing of the objects of the program, whatever it is named', () => {
    const state = new SessionState()
    const value: JsonObject = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}')
    state.apply({ version: 1, type: 'batch', time: 1, calls: [call(0, '__proto__', value)] })
    const restored = restoreState(readCheckpoint(JSON.parse(JSON.stringify(seen(state)))))
    const [kept] = restored.open?.calls ?? []
    assert.ok(kept?.arguments.ok)
    assert.deepEqual(Object.keys(kept.arguments.value), ['__proto__', 'constructor'])
    assert.equal(Reflect.get({}, 'polluted'), undefined)
  })
})
