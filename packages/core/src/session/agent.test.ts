import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import {
  countingIds,
  ManualClock,
  type ScriptedModel,
  type ScriptedRound,
  scriptedApprover,
  scriptedAsker,
  scriptedModel,
} from '@adjutant/testkit'
import fc from 'fast-check'
import { type AgentTool, callId, type DecodeEvent, type JsonObject, type Message, type ModelRequest } from '../contract/index.ts'
import { Registry } from '../registry/registry.ts'
import { type AgentAnswer, runAgent } from './agent.ts'
import { MemorySessionStore } from './memory-store.ts'
import { Session } from './session.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

const add: AgentTool = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  origin: { kind: 'function', from: 'test' },
  tier: 'core',
  lifetime: 'session',
  effect: 'read',
  execute: async (input) => Number(input.a) + Number(input.b),
}

const waits: AgentTool = {
  ...add,
  name: 'waits',
  inputSchema: true,
  execute: (_, cx) => new Promise((__, reject) => cx.signal.addEventListener('abort', () => reject(cx.signal.reason), { once: true })),
}

function callEvent(index: number, name: string, value: JsonObject, id = `c${index}`): DecodeEvent {
  return { type: 'call', call: { id: callId(id), index, name, arguments: { ok: true, value }, idFromProvider: true } }
}

const text = (said: string): DecodeEvent => ({ type: 'text', text: said })

async function run(
  rounds: readonly ScriptedRound[],
  options: { readonly maxRounds?: number; readonly signal?: AbortSignal; readonly store?: MemorySessionStore } = {},
): Promise<{ readonly answer: AgentAnswer; readonly model: ScriptedModel; readonly session: Session; readonly clock: ManualClock }> {
  const namespaceRoot = await mkdtemp(join(tmpdir(), 'agent-'))
  folders.push(namespaceRoot)
  const registry = new Registry()
  registry.add([add, waits], 'test')
  const clock = new ManualClock()
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot,
    mode: 'allow',
    approver: scriptedApprover(() => ({ type: 'deny' })),
    asker: scriptedAsker(),
    clock,
    ids: countingIds(),
    ...(options.store === undefined ? {} : { store: options.store }),
  })
  const model = scriptedModel(rounds)
  const { store: _, ...rest } = options
  return { answer: await runAgent({ session, model, task: 'do it', ...rest }), model, session, clock }
}

/** Every assistant message with calls is followed at once by as many results, in order, under the same ids. */
function assertWhole(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant' && message.calls.length > 0) {
      const next = messages[index + 1]
      assert.equal(next?.role, 'tool')
      assert.deepEqual(
        next.results.map((result) => result.id),
        message.calls.map((call) => call.id),
      )
    }
    if (message.role === 'tool') {
      const before = messages[index - 1]
      assert.ok(before?.role === 'assistant' && before.calls.length === message.results.length)
    }
  }
}

describe('runAgent', () => {
  it('asks, carries out, hands back, and gives the answer', async () => {
    const { answer, model } = await run([
      [
        text('let me see'),
        callEvent(0, 'add', { a: 1, b: 2 }),
        callEvent(1, 'add', { a: 3, b: 4 }),
        { type: 'usage', usage: { inputTokens: 10, outputTokens: 5 } },
      ],
      [text('3 and '), text('7'), { type: 'usage', usage: { inputTokens: 20, outputTokens: 2 } }],
    ])
    assert.deepEqual([answer.text, answer.reason, answer.rounds, answer.calls], ['3 and 7', 'answer', 2, 2])
    assert.deepEqual(answer.usage, { inputTokens: 30, outputTokens: 7 })
    const [, second] = model.requests
    const results = second?.messages.at(-1)
    assert.ok(results?.role === 'tool')
    assert.deepEqual(
      results.results.map((result) => result.text),
      ['3', '7'],
    )
    assert.deepEqual(
      model.requests.map((request) => request.tools.map((tool) => tool.name)),
      [
        ['add', 'waits'],
        ['add', 'waits'],
      ],
    )
    assertWhole(answer.messages)
  })

  it('carries calls out in the model’s order even when they completed in another', async () => {
    const { answer } = await run([[callEvent(1, 'add', { a: 0, b: 1 }), callEvent(0, 'add', { a: 0, b: 0 })], [text('ok')]])
    const results = answer.messages[2]
    assert.ok(results?.role === 'tool')
    assert.deepEqual(
      results.results.map((result) => [result.id, result.text]),
      [
        ['c0', '0'],
        ['c1', '1'],
      ],
    )
  })

  it('asks for a final answer without tools once the rounds are used up, and does not run what it is asked then (D14)', async () => {
    const again: ScriptedRound = [callEvent(0, 'add', { a: 1, b: 1 })]
    const { answer, model } = await run([again, again, [text('enough'), callEvent(0, 'add', { a: 9, b: 9 })]], { maxRounds: 2 })
    assert.deepEqual([answer.reason, answer.text, answer.rounds], ['rounds', 'enough', 3])
    assert.deepEqual(
      model.requests.map((request) => request.toolChoice),
      ['auto', 'auto', 'none'],
    )
    assert.ok(!JSON.stringify(answer.messages).includes('"a":9'))
    assertWhole(answer.messages)
  })

  it('always has a final answer, also from a model that says nothing', async () => {
    const { answer } = await run([[callEvent(0, 'add', { a: 1, b: 1 })], []], { maxRounds: 1 })
    assert.match(answer.text, /No answer was given within 1 rounds/)
  })

  it('lets a model give up', async () => {
    const { answer } = await run([[text('cannot be done'), { type: 'decision', decision: { action: 'give_up' } }]])
    assert.deepEqual([answer.reason, answer.text], ['gave-up', 'cannot be done'])
  })

  it('keeps the history whole wherever it is aborted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 3 }), fc.boolean(), async (abortRound, duringCall) => {
        const controller = new AbortController()
        const rounds = Array.from({ length: 4 }, (_, round): ScriptedRound => {
          return (_: ModelRequest) => {
            if (round === abortRound) {
              if (duringCall) setImmediate(() => controller.abort())
              else controller.abort()
            }
            return [
              callEvent(0, 'add', { a: 1, b: 1 }, `r${round}`),
              callEvent(1, round === abortRound ? 'waits' : 'add', { a: 1, b: 1 }, `s${round}`),
            ]
          }
        })
        const { answer } = await run([...rounds, [text('done')]], { signal: controller.signal })
        assert.equal(answer.reason, 'cancelled')
        assertWhole(answer.messages)
      }),
      { numRuns: 25 },
    )
  })

  it('throws what the provider failed with, and says a cut-off answer is one', async () => {
    await assert.rejects(run([]), /script has 0 rounds/)
    let asked = 0
    const { session, clock } = await run([[text('x')]])
    const cut = runAgent({
      session,
      task: 'x',
      model: {
        name: 'cut',
        async *stream() {
          asked += 1
          yield text('half an ans')
        },
      },
    })
    const told = assert.rejects(cut, /the answer of cut was cut off/)
    await clock.advance(10_000)
    await told
    assert.equal(asked, 3, 'asked once and two times more')
  })

  it('keeps every step of the run, in order (E9)', async () => {
    const store = new MemorySessionStore()
    const { session } = await run([[callEvent(0, 'add', { a: 1, b: 2 })], [text('3')]], { store })
    const steps = await Array.fromAsync(store.read(session.id))
    assert.deepEqual(
      steps.map((step) => step.type),
      ['user', 'model', 'call', 'model', 'answer'],
    )
  })
})
