import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { countingIds, ManualClock, scriptedAsker } from '@adjutant/testkit'
import fc from 'fast-check'
import {
  type AgentTool,
  type ApprovalDecision,
  type ApprovalRequest,
  type CallId,
  callId,
  type SessionEvent,
  type ToolCall,
  type ToolResult,
} from '../contract/index.ts'
import { Registry } from '../registry/registry.ts'
import { Session } from './session.ts'
import type { TurnStrategy } from './turn.ts'

/** What happens to a call, by the name of its tool. Those that ask are held whatever the mode says. */
const KINDS = ['look', 'ask_look', 'write', 'ask_write', 'danger', 'fail', 'slow', 'rule', 'nothing', 'no_json', 'wrong'] as const
type Kind = (typeof KINDS)[number]

interface Plan {
  readonly kind: Kind
  /** Few, so that equal calls come together. */
  readonly value: number
  /** Microtasks that the tool takes. */
  readonly steps: number
}

/** What the person does with the next question. */
type Answer =
  | { readonly do: 'approve'; readonly scope: 'once' | 'matching' | 'call' | 'tool'; readonly wait: number }
  | { readonly do: 'edit'; readonly value: number; readonly fits: boolean; readonly wait: number }
  | { readonly do: 'deny' | 'break' | 'ignore'; readonly wait: number }

interface Execution {
  readonly id: CallId
  readonly name: string
  readonly value: unknown
}

const anyPlan: fc.Arbitrary<Plan> = fc.record({ kind: fc.constantFrom(...KINDS), value: fc.nat({ max: 1 }), steps: fc.nat({ max: 3 }) })
const wait = fc.constantFrom(0, 0, 5, 40)
const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('approve' as const), scope: fc.constantFrom('once', 'matching', 'call', 'tool'), wait }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), value: fc.nat({ max: 3 }), fits: fc.boolean(), wait }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('deny' as const, 'break' as const, 'ignore' as const), wait }) },
)

const TIMEOUT_MS = 30

let root = ''
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'schedules-'))
})
after(() => rm(root, { recursive: true, force: true }))

async function pause(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await Promise.resolve()
}

/** The world: what ran, and whether a write was ever beside another call. */
class World {
  readonly executions: Execution[] = []
  overlaps = 0
  #reads = 0
  #writes = 0

  tools(clock: ManualClock): readonly AgentTool[] {
    const make = (name: string, effect: 'read' | 'write' | 'dangerous', over: Partial<AgentTool> = {}): AgentTool => ({
      name,
      description: `Use for tests of ${name}.`,
      inputSchema: {
        type: 'object',
        properties: { value: { type: 'number', maximum: 9 }, steps: { type: 'number' } },
        required: ['value'],
        additionalProperties: false,
      },
      origin: { kind: 'function', from: 'schedules.test.ts' },
      tier: 'core',
      lifetime: 'session',
      effect,
      resources: ({ value }) => [{ key: `thing:${String(value)}`, mode: effect === 'read' ? 'read' : 'write' }],
      execute: async ({ value, steps }, cx) => {
        this.executions.push({ id: cx.callId, name, value })
        if (this.#writes > 0 || (effect !== 'read' && this.#reads > 0)) this.overlaps += 1
        if (effect === 'read') this.#reads += 1
        else this.#writes += 1
        try {
          if (name === 'slow') await new Promise<void>((resolve) => void clock.after(20, resolve))
          await pause(typeof steps === 'number' ? steps : 0)
          if (name === 'fail') throw new Error('it broke')
          return `${cx.callId} ${String(value)}`
        } finally {
          if (effect === 'read') this.#reads -= 1
          else this.#writes -= 1
        }
      },
      ...over,
    })
    const asks = { pinned: { reason: 'its definition changed' } }
    return [
      make('look', 'read'),
      make('ask_look', 'read', asks),
      make('write', 'write'),
      make('ask_write', 'write', asks),
      make('danger', 'dangerous'),
      make('fail', 'write'),
      make('slow', 'read'),
      make('rule', 'write', {
        check: async () => {
          throw new Error('not on Sundays')
        },
      }),
      make('wrong', 'write'),
    ]
  }
}

function callsOf(plans: readonly Plan[]): readonly ToolCall[] {
  return plans.map(({ kind, value, steps }, index): ToolCall => {
    const base = { id: callId(`call_${index}`), index, idFromProvider: true }
    if (kind === 'nothing') return { ...base, name: 'no_such_tool', arguments: { ok: true, value: {} } }
    if (kind === 'no_json') {
      return { ...base, name: 'write', arguments: { ok: false, raw: '{"value":', problem: 'it ends in the middle', code: 'INVALID_JSON' } }
    }
    return { ...base, name: kind, arguments: { ok: true, value: kind === 'wrong' ? { value: 'x' } : { value, steps } } }
  })
}

/** A person who answers as the script says, and what follows from each answer. */
class Person {
  readonly answers: Answer[]
  /** Calls that an answer let run, and with which value. */
  readonly allowed = new Map<CallId, unknown>()
  readonly refused = new Set<CallId>()
  readonly grants: ((request: Pick<ApprovalRequest, 'call'>) => boolean)[] = []
  readonly #clock: ManualClock
  open = 0
  mostOpen = 0

  constructor(answers: readonly Answer[], clock: ManualClock) {
    this.answers = [...answers]
    this.#clock = clock
  }

  async decide(request: ApprovalRequest): Promise<ApprovalDecision> {
    this.open += 1
    this.mostOpen = Math.max(this.mostOpen, this.open)
    for (const { tool, effect } of request.matching ?? []) {
      assert.equal(tool, request.call.tool, 'another tool was shown as matching')
      assert.equal(effect, request.call.effect)
    }
    const answer = this.answers.shift() ?? { do: 'deny', wait: 0 }
    try {
      if (answer.wait > 0) await new Promise<void>((resolve) => void this.#clock.after(answer.wait, resolve))
      return await this.#give(answer, request)
    } finally {
      this.open -= 1
    }
  }

  #give(answer: Answer, request: ApprovalRequest): ApprovalDecision | Promise<ApprovalDecision> {
    const { call } = request
    // Too late: nobody hears it.
    if (answer.wait >= TIMEOUT_MS) return { type: 'deny' }
    switch (answer.do) {
      case 'approve': {
        const together = [call, ...(answer.scope === 'matching' ? (request.matching ?? []) : [])]
        for (const one of together) this.allowed.set(one.call.id, one.input.value)
        if (answer.scope !== 'call' && answer.scope !== 'tool')
          for (const id of request.identical ?? []) this.allowed.set(id, call.input.value)
        if (answer.scope === 'tool') this.grants.push((other) => other.call.tool === call.tool)
        if (answer.scope === 'call')
          this.grants.push((other) => other.call.tool === call.tool && JSON.stringify(other.call.input) === JSON.stringify(call.input))
        return { type: 'approve', scope: answer.scope }
      }
      case 'edit':
        if (answer.fits) this.allowed.set(call.call.id, answer.value)
        return { type: 'edit', input: answer.fits ? { value: answer.value } : { value: 99 } }
      case 'deny':
        for (const id of [call.call.id, ...(request.identical ?? [])]) this.refused.add(id)
        return { type: 'deny', reason: 'no' }
      case 'break':
        throw new Error('the screen is gone')
      case 'ignore':
        return new Promise(() => {})
      default:
        return answer satisfies never
    }
  }
}

interface Played {
  readonly results: readonly ToolResult[]
  readonly world: World
  readonly person: Person
  readonly events: readonly SessionEvent[]
  readonly clock: ManualClock
}

async function play(
  calls: readonly ToolCall[],
  answers: readonly Answer[],
  strategy: TurnStrategy,
  abortAt: number | undefined,
  run: number,
): Promise<Played> {
  const clock = new ManualClock()
  const world = new World()
  const person = new Person(answers, clock)
  const registry = new Registry()
  assert.deepEqual(registry.add(world.tools(clock), 'test'), [])
  const events: SessionEvent[] = []
  const ids = countingIds()
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot: join(root, String(run)),
    mode: 'ask',
    approver: person,
    asker: scriptedAsker(),
    clock,
    ids,
    strategy,
    redactor: false,
    events: (event) => void events.push(event),
    limits: { approvalTimeoutMs: TIMEOUT_MS, concurrency: 3, retries: 0 },
  })
  const controller = new AbortController()
  const pending = session.execute(calls, { signal: controller.signal })
  let settled = false
  void pending.finally(() => {
    settled = true
  })
  for (let ms = 0; !settled && ms < 5_000; ms += 5) {
    if (abortAt !== undefined && ms >= abortAt) controller.abort()
    await clock.advance(5)
  }
  assert.ok(settled, 'the batch never ended')
  return { results: await pending, world, person, events, clock }
}

describe('whatever people answer, and when', () => {
  it('no schedule of approve, edit, deny, timeout and abort loses, doubles or reorders a result (invariants 1, 3, 4)', async () => {
    let runs = 0
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyPlan, { maxLength: 9 }),
        fc.array(anyAnswer, { maxLength: 9 }),
        fc.constantFrom<TurnStrategy>('strict', 'segmented', 'resources'),
        fc.option(fc.constantFrom(0, 5, 20, 45), { nil: undefined, freq: 3 }),
        async (plans, answers, strategy, abortAt) => {
          runs += 1
          const calls = callsOf(plans)
          const { results, world, person, events, clock } = await play(calls, answers, strategy, abortAt, runs)
          // One result for each call, in call order, under its own id.
          assert.deepEqual(
            results.map(({ id, name }) => ({ id, name })),
            calls.map(({ id, name }) => ({ id, name })),
          )
          const ran = new Map(world.executions.map((execution) => [execution.id, execution]))
          assert.equal(ran.size, world.executions.length, 'a call ran twice')
          for (const result of results) {
            seen.set(result.code ?? 'ok', (seen.get(result.code ?? 'ok') ?? 0) + 1)
            const execution = ran.get(result.id)
            if (result.outcome === 'not-run') assert.equal(execution, undefined, `${result.id} is told as not run and ran`)
            else assert.ok(execution !== undefined, `${result.id} is told as run and did not`)
            // Its own result, of the arguments that were allowed.
            if (result.outcome === 'ok') assert.equal(result.text, `${result.id} ${String(execution?.value)}`)
          }
          assert.equal(world.overlaps, 0, 'a write was beside another call')
          assert.ok(
            person.mostOpen <= 1 || answers.some((answer) => answer.do === 'ignore' || answer.wait >= TIMEOUT_MS),
            'two questions at once',
          )
          checkAllowed(world, person, events)
          if (strategy === 'strict' && world.executions.some(({ name }) => name !== 'look' && name !== 'ask_look' && name !== 'slow')) {
            const order = world.executions.map(({ id }) => Number(id.slice('call_'.length)))
            if (abortAt === undefined)
              assert.deepEqual(
                order,
                order.toSorted((a, b) => a - b),
                'writes ran out of order',
              )
          }
          checkStates(calls, events)
          // Nothing is left armed but what waits for an answer that nobody hears.
          if (answers.length === 0) assert.equal(clock.pending, 0)
        },
      ),
      { numRuns: 400 },
    )
    // The schedules really reached all of it.
    for (const code of [
      'ok',
      'DENIED_BY_PERSON',
      'DENIED_BY_POLICY',
      'APPROVAL_EXPIRED',
      'CANCELLED',
      'INVALID_ARGUMENTS',
      'RULE_VIOLATED',
      'UNKNOWN_TOOL',
      'TOOL_FAILED',
    ])
      assert.ok((seen.get(code) ?? 0) > 10, `${code}: ${seen.get(code) ?? 0}`)
  })
})

/** What ran and had to be asked about was allowed for exactly these arguments. */
function checkAllowed(world: World, person: Person, events: readonly SessionEvent[]): void {
  const held = new Set(events.flatMap((event) => (event.type === 'call-state' && event.state.status === 'held' ? [event.id] : [])))
  const judged = new Map(events.flatMap((event) => (event.type === 'judged' ? [[event.call.call.id, event.call] as const] : [])))
  for (const { id, value } of world.executions) {
    assert.ok(!person.refused.has(id), `${id} ran though the person said no`)
    if (!held.has(id)) continue
    const call = judged.get(id)
    assert.ok(call !== undefined)
    const byGrant = person.grants.some((grant) => grant({ call }))
    assert.ok(byGrant || person.allowed.has(id), `${id} ran and nobody allowed it`)
    if (!byGrant) assert.equal(value, person.allowed.get(id), `${id} ran with other arguments than were allowed`)
  }
}

/** Every call goes from received to settled, once. */
function checkStates(calls: readonly ToolCall[], events: readonly SessionEvent[]): void {
  for (const { id } of calls) {
    const states = events.flatMap((event) => (event.type === 'call-state' && event.id === id ? [event.state.status] : []))
    assert.equal(states[0], 'received')
    assert.equal(states.at(-1), 'settled')
    assert.equal(states.filter((state) => state === 'settled').length, 1)
  }
}
