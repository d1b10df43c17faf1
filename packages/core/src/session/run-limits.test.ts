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
import { RateLimiter } from '../admission/budget/rate-limiter.ts'
import { type AgentTool, callId, type DecodeEvent, type SessionEvent } from '../contract/index.ts'
import { Registry } from '../registry/registry.ts'
import { type AgentAnswer, runAgent } from './agent.ts'
import { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

const look: AgentTool = {
  name: 'look',
  description: 'Looks something up.',
  inputSchema: { type: 'object', properties: { at: { type: 'number' } }, required: ['at'] },
  origin: { kind: 'function', from: 'test' },
  tier: 'core',
  lifetime: 'session',
  effect: 'read',
  limits: { cost: { unit: 'page', units: 2, microPrice: 300_000 } },
  execute: async ({ at }) => `found ${String(at)}`,
}

const ask = (round: number, at = round): ScriptedRound => [
  { type: 'call', call: { id: callId(`c${round}`), index: 0, name: 'look', arguments: { ok: true, value: { at } }, idFromProvider: true } },
  { type: 'usage', usage: { inputTokens: 400, outputTokens: 100 } },
]
const say = (text: string): ScriptedRound => [{ type: 'text', text } satisfies DecodeEvent]

interface Run {
  readonly answer: AgentAnswer
  readonly model: ScriptedModel
  readonly events: readonly SessionEvent[]
  readonly session: Session
  readonly clock: ManualClock
}

async function run(rounds: readonly ScriptedRound[], over: Partial<SessionOptions>, tool = look): Promise<Run> {
  const namespaceRoot = await mkdtemp(join(tmpdir(), 'limits-'))
  folders.push(namespaceRoot)
  const registry = new Registry()
  registry.add([tool], 'test')
  const clock = new ManualClock()
  const events: SessionEvent[] = []
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot,
    mode: 'allow',
    approver: scriptedApprover(() => ({ type: 'deny' })),
    asker: scriptedAsker(),
    clock,
    ids: countingIds(),
    events: (event) => void events.push(event),
    ...over,
  })
  const model = scriptedModel(rounds)
  return { answer: await runAgent({ session, model, task: 'do it', maxRounds: 50 }), model, events, session, clock }
}

describe('a budget', () => {
  it('is told to the model when it is near, once, and ends the run with an answer when it is used up', async () => {
    const { answer, model, events } = await run([ask(1), ask(2), ask(3), ask(4), ask(5), say('what I know')], { budget: { calls: 5 } })
    assert.equal(answer.reason, 'budget')
    assert.equal(answer.text, 'what I know')
    assert.equal(model.requests.at(-1)?.toolChoice, 'none')
    const noted = model.requests.map(({ system }) => system ?? '')
    assert.deepEqual(
      noted.map((system) => /1 of 5 calls is left/.test(system)),
      [false, false, false, false, true, false],
    )
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'budget' ? [[event.budget, event.used, event.limit]] : [])),
      [
        ['calls', 4, 5],
        ['calls', 5, 5],
      ],
    )
  })

  it('refuses the calls of a batch that it does not reach for, and says which budget', async () => {
    const { session } = await run([say('x')], { budget: { calls: 2 } })
    const results = await session.execute(
      [1, 2, 3].map((at) => ({
        id: callId(`b${at}`),
        index: at - 1,
        name: 'look',
        arguments: { ok: true, value: { at } },
        idFromProvider: true,
      })),
    )
    assert.deepEqual(
      results.map(({ outcome, code }) => [outcome, code]),
      [
        ['ok', undefined],
        ['ok', undefined],
        ['not-run', 'BUDGET_EXHAUSTED'],
      ],
    )
    assert.match(results[2]?.text ?? '', /2 of 2 calls/)
  })

  it('counts tokens, and money of tokens and tools together', async () => {
    const tokens = await run([ask(1), ask(2), say('done')], { budget: { tokens: 1_000 } })
    assert.equal(tokens.answer.reason, 'budget')
    // 500 tokens cost 0.9, a call 0.3: after two rounds 2.4 of 2 are spent.
    const money = await run([ask(1), ask(2), say('done')], {
      budget: { microPrice: 2_000_000 },
      pricing: { inputMicroPrice: 1_000_000_000, outputMicroPrice: 5_000_000_000 },
    })
    assert.equal(money.answer.reason, 'budget')
    assert.equal(money.answer.calls, 2)
    const metered = money.events.filter((event) => event.type === 'metered')
    assert.deepEqual(
      metered.map(({ name, units, unit, microPrice }) => ({ name, units, unit, microPrice })),
      Array.from({ length: 2 }, () => ({ name: 'look', units: 2, unit: 'page', microPrice: 300_000 })),
    )
  })

  it('of time is used up by time alone', async () => {
    const slow: AgentTool = { ...look, execute: async () => 'done' }
    const { session, clock } = await run([say('x')], { budget: { wallMs: 1_000 } }, slow)
    await clock.advance(1_001)
    assert.equal(session.exhausted()?.code, 'BUDGET_EXHAUSTED')
  })
})

describe('a model that goes round in circles', () => {
  it('is warned, then stopped, and the run says why', async () => {
    const rounds = Array.from({ length: 12 }, (_, round) => ask(round, 7))
    const { answer, events, session } = await run(rounds, {})
    assert.equal(answer.reason, 'loop')
    assert.match(answer.text, /The task was stopped: .*look/)
    assert.equal(answer.rounds, 6)
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'loop' ? [event.step] : [])),
      ['warn', 'stop'],
    )
    assert.ok(session.stopped !== undefined)
    // Nothing brings it back.
    const [again] = await session.execute([
      { id: callId('other'), index: 0, name: 'look', arguments: { ok: true, value: { at: 99 } }, idFromProvider: true },
    ])
    assert.equal(again?.code, 'LOOP_ABORTED')
  })

  it('is left alone where the host says so, and when it works', async () => {
    const free = await run([...Array.from({ length: 12 }, (_, round) => ask(round, 7)), say('done')], { loopGuard: false })
    assert.equal(free.answer.reason, 'answer')
    const works = await run([...Array.from({ length: 30 }, (_, round) => ask(round)), say('done')], {})
    assert.equal(works.answer.reason, 'answer')
  })
})

describe('a rate', () => {
  it('turns away what comes too early, and says when it may come again', async () => {
    const clock = new ManualClock()
    const rates = new RateLimiter({ clock, rules: [{ tools: 'lo*', calls: 1, perMs: 60_000, per: 'tenant' }] })
    const { session } = await run([say('x')], { rates, clock })
    const call = (at: number) => ({
      id: callId(`r${at}`),
      index: 0,
      name: 'look',
      arguments: { ok: true as const, value: { at } },
      idFromProvider: true,
    })
    assert.equal((await session.execute([call(1)]))[0]?.outcome, 'ok')
    const [early] = await session.execute([call(2)])
    assert.equal(early?.code, 'RATE_LIMITED')
    assert.match(early?.text ?? '', /60000 ms|1 minute|60 s/)
    await clock.advance(60_000)
    assert.equal((await session.execute([call(3)]))[0]?.outcome, 'ok')
  })
})
