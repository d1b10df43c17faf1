import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { countingIds, ManualClock, scriptedApprover, scriptedAsker } from '@adjutant/testkit'
import fc from 'fast-check'
import type { ArgumentRepair } from '../contract/call.ts'
import type { AgentTool, JsonObject, JsonValue, Plan } from '../contract/index.ts'
import { checkPlan } from '../intake/plan/check-plan.ts'
import { Registry } from '../registry/registry.ts'
import { MemorySessionStore } from './memory-store.ts'
import { planMessage } from './plan/plan-message.ts'
import { type PlanStepResult, runPlan } from './run-plan.ts'
import { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

/** What ran, in the order it started and ended. */
interface Bench {
  readonly session: Session
  readonly log: string[]
}

function toolsOf(log: string[]): readonly AgentTool[] {
  const tool = (name: string, effect: AgentTool['effect'], execute: (input: JsonObject) => Promise<unknown>): AgentTool => ({
    name,
    description: `Use for tests of ${name}.`,
    inputSchema: { type: 'object' },
    origin: { kind: 'function', from: 'run-plan.test.ts' },
    tier: 'core',
    lifetime: 'session',
    effect,
    execute: async (input) => {
      log.push(`+${name} ${JSON.stringify(input)}`)
      const output = await execute(input)
      log.push(`-${name}`)
      return output
    },
  })
  return [
    tool('echo', 'read', async (input) => input),
    tool('say', 'read', async ({ text }) => text),
    tool('note', 'write', async (input) => input),
    tool('big', 'read', async ({ lines }) => ({ lines: Array.from({ length: Number(lines) }, (_, line) => `line ${line}`), last: 'end' })),
    tool('exact', 'read', async () => '{"id":9007199254740993}'),
    tool('fail', 'read', async () => {
      throw new Error('it broke')
    }),
  ]
}

async function open(over: Partial<SessionOptions> = {}): Promise<Bench> {
  const namespaceRoot = await mkdtemp(join(tmpdir(), 'plan-'))
  folders.push(namespaceRoot)
  const log: string[] = []
  const registry = new Registry()
  assert.deepEqual(registry.add(toolsOf(log), 'test'), [])
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot,
    mode: 'allow',
    approver: scriptedApprover(() => ({ type: 'approve', scope: 'once' })),
    asker: scriptedAsker(),
    clock: new ManualClock(),
    ids: countingIds(),
    ...over,
  })
  return { session, log }
}

function planOf(...steps: readonly JsonObject[]): Plan {
  const check = checkPlan({ plan: steps })
  return 'plan' in check ? check.plan : assert.fail(check.problems.join('\n'))
}

const ref = (path: string): string => `\${${path}}`

const brief = (results: readonly PlanStepResult[]): readonly JsonValue[] =>
  results.map(({ id, item, skipped, result }) => [
    item === undefined ? id : `${id}[${item}]`,
    skipped === true ? 'skipped' : (result.code ?? result.outcome),
  ])

describe('runPlan', () => {
  it('puts exact values in the place of references, with their types', async () => {
    const { session, log } = await open()
    const plan = planOf(
      { id: 'a', tool: 'echo', params: { n: 1, list: ['x', { deep: null }], text: 'T' } },
      { id: 's', tool: 'say', params: { text: 'no JSON {' } },
      { id: 'l', tool: 'say', params: { text: 'one\r\ntwo\n' } },
      { id: 'id', tool: 'exact' },
      {
        id: 'b',
        tool: 'echo',
        params: {
          whole: ref('a'),
          number: ref('a.n'),
          item: ref('a.list[1].deep'),
          length: ref('a.list.length'),
          inside: `n=${ref('a.n')} list=${ref('a.list')} ${ref('s')}`,
          said: ref('s.text'),
          lines: ref('l.lines'),
          count: ref('l.lines.length'),
          json: ref('a.text'),
          digits: ref('id.id'),
          plain: `$${ref('HOME')}`,
        },
      },
    )
    const results = await runPlan(session, plan)
    assert.deepEqual(brief(results), [
      ['a', 'ok'],
      ['s', 'ok'],
      ['l', 'ok'],
      ['id', 'ok'],
      ['b', 'ok'],
    ])
    assert.deepEqual(JSON.parse(results[4]?.result.text ?? ''), {
      whole: { n: 1, list: ['x', { deep: null }], text: 'T' },
      number: 1,
      item: null,
      length: 2,
      inside: 'n=1 list=["x",{"deep":null}] no JSON {',
      said: 'no JSON {',
      lines: ['one', 'two'],
      count: 2,
      json: '{"n":1,"list":["x",{"deep":null}],"text":"T"}',
      digits: '9007199254740993',
      plain: ref('HOME'),
    })
    assert.equal(log.length, 10)
  })

  it('keeps __proto__ a property through plan, validation, execution and result, and changes no prototype', async () => {
    const { session, log } = await open()
    const params: unknown = JSON.parse('{"__proto__":{"admin":true,"deep":{"__proto__":1}},"x":1}')
    const check = checkPlan(
      JSON.parse(
        JSON.stringify({
          plan: [
            { id: 'a', tool: 'echo', params },
            { id: 'b', tool: 'echo', params: { got: ref('a.__proto__.deep'), all: ref('a') } },
          ],
        }),
      ),
    )
    const plan = 'plan' in check ? check.plan : assert.fail(check.problems.join())
    const results = await runPlan(session, plan)
    assert.deepEqual(brief(results), [
      ['a', 'ok'],
      ['b', 'ok'],
    ])
    assert.equal(log[0], `+echo ${JSON.stringify(params)}`)
    assert.equal(log[2], `+echo {"got":{"__proto__":1},"all":${JSON.stringify(params)}}`)
    assert.equal(Reflect.get({}, 'admin'), undefined)
  })

  it('reads whole what the model gets clipped', async () => {
    const { session } = await open({ limits: { resultChars: 400 } })
    const results = await runPlan(
      session,
      planOf(
        { id: 'a', tool: 'big', params: { lines: 2_000 } },
        { id: 'b', tool: 'say', params: { text: `${ref('a.last')} ${ref('a.lines.1999')}` } },
      ),
    )
    assert.ok((results[0]?.result.text.length ?? 0) <= 400)
    assert.equal(results[1]?.result.text, 'end line 1999')
  })

  it('a step whose dependency failed, was passed over or lacks the value is not run and says why; the rest goes on', async () => {
    const { session, log } = await open()
    const plan = planOf(
      { id: 'a', tool: 'fail' },
      { id: 'b', tool: 'echo', after: ['a'] },
      { id: 'c', tool: 'echo', params: { x: ref('b.y') } },
      { id: 'd', tool: 'echo', params: { n: 0 } },
      { id: 'e', tool: 'echo', when: `${ref('d.n')} > 0` },
      { id: 'f', tool: 'echo', after: ['e'] },
      { id: 'g', tool: 'echo', params: { x: ref('e.n') } },
      { id: 'h', tool: 'echo', params: { x: ref('d.toString') } },
      { id: 'i', tool: 'nothing' },
      { id: 'j', tool: 'say', params: { text: 'yes' }, when: `${ref('e')} == null && ${ref('d.n')} == 0` },
    )
    const results = await runPlan(session, plan)
    assert.deepEqual(brief(results), [
      ['a', 'TOOL_FAILED'],
      ['b', 'DEPENDENCY_FAILED'],
      ['c', 'DEPENDENCY_FAILED'],
      ['d', 'ok'],
      ['e', 'skipped'],
      ['f', 'ok'],
      ['g', 'DEPENDENCY_FAILED'],
      ['h', 'DEPENDENCY_FAILED'],
      ['i', 'UNKNOWN_TOOL'],
      ['j', 'ok'],
    ])
    const texts = results.map(({ result }) => result.text)
    assert.match(texts[1] ?? '', /echo was not run: step a before it failed/)
    assert.match(texts[4] ?? '', /passed over: its condition does not hold/)
    assert.match(texts[6] ?? '', /step e was not run/)
    assert.match(texts[7] ?? '', /\$\{d\.toString\} is not there: \$\{d\} is an object with n/)
    assert.ok(results.every(({ result }) => result.isError === (result.code !== undefined)))
    assert.equal(log.filter((line) => line.startsWith('+')).length, 4)
  })

  it('for_each runs once for each item, beside each other where it only reads', async () => {
    const { session, log } = await open()
    const plan = planOf(
      { id: 'a', tool: 'echo', params: { files: [{ name: 'x' }, { name: 'y' }, { name: '' }] } },
      { id: 'b', tool: 'echo', params: { name: ref('item.name'), all: ref('item') }, for_each: ref('a.files'), when: ref('item.name') },
      { id: 'c', tool: 'echo', params: { names: ref('b'), second: ref('b.1.name') } },
      { id: 'd', tool: 'echo', for_each: [] },
      { id: 'e', tool: 'note', params: { n: ref('item') }, for_each: [1, ref('a.files.0.name')] },
      { id: 'f', tool: 'echo', params: { x: ref('item') }, for_each: ref('a') },
      { id: 'g', tool: 'echo', params: { x: ref('d') } },
    )
    const results = await runPlan(session, plan)
    assert.deepEqual(brief(results), [
      ['a', 'ok'],
      ['b[0]', 'ok'],
      ['b[1]', 'ok'],
      ['b[2]', 'skipped'],
      ['c', 'ok'],
      ['d', 'skipped'],
      ['e[0]', 'ok'],
      ['e[1]', 'ok'],
      ['f', 'DEPENDENCY_FAILED'],
      ['g', 'ok'],
    ])
    assert.deepEqual(JSON.parse(results[4]?.result.text ?? ''), {
      names: [{ name: 'x', all: { name: 'x' } }, { name: 'y', all: { name: 'y' } }, null],
      second: 'y',
    })
    assert.deepEqual(JSON.parse(results[9]?.result.text ?? ''), { x: [] })
    const notes = log.filter((line) => line.includes('note'))
    assert.deepEqual(notes, ['+note {"n":1}', '-note', '+note {"n":"x"}', '-note'])
    const many = await runPlan(
      session,
      planOf({ id: 'a', tool: 'big', params: { lines: 101 } }, { id: 'b', tool: 'echo', for_each: ref('a.lines') }),
    )
    assert.deepEqual(brief(many)[1], ['b', 'TOO_LARGE'])
  })

  it('a wave of reads is one batch; what was put in is not read as a reference again', async () => {
    const { session, log } = await open()
    const batches: number[] = []
    const plan = planOf(
      { id: 'a', tool: 'say', params: { text: `$${ref('b.text')}` } },
      { id: 'b', tool: 'say', params: { text: 'secret' } },
      { id: 'c', tool: 'say', params: { text: ref('a') }, after: ['b'] },
    )
    const results = await runPlan(session, plan, { batch: (calls) => void batches.push(calls.length) })
    assert.deepEqual(batches, [2, 1])
    assert.deepEqual(
      log.slice(0, 2).map((line) => line.slice(0, 4)),
      ['+say', '+say'],
    )
    assert.equal(results[2]?.result.text, ref('b.text'))
  })

  it('repairs of the plan go with each call; every step is on record', async () => {
    const store = new MemorySessionStore()
    const { session } = await open({ store })
    const repair: ArgumentRepair = { rule: 'trailing-comma', at: 1, note: 'left out a comma' }
    const plan = {
      ...planOf(
        { id: 'a', tool: 'echo' },
        { id: 'b', tool: 'echo', when: 'false' },
        { id: 'c', tool: 'fail' },
        { id: 'd', tool: 'echo', after: ['c'] },
      ),
      repairs: [repair],
    }
    const results = await runPlan(session, plan)
    assert.deepEqual(results[0]?.result.conversions, [
      { path: '', from: 'character 1', to: 'left out a comma', rule: 'repair: trailing-comma' },
    ])
    const kept: string[] = []
    for await (const step of store.read(session.id)) if (step.type === 'call') kept.push(step.result.id)
    assert.deepEqual(kept.toSorted(), results.map(({ result }) => result.id).toSorted())
  })

  it('an abort leaves the rest not run, each with its result', async () => {
    const { session } = await open()
    const controller = new AbortController()
    const plan = planOf({ id: 'a', tool: 'echo' }, { id: 'b', tool: 'echo', after: ['a'] }, { id: 'c', tool: 'echo', after: ['b'] })
    const results = await runPlan(session, plan, { signal: controller.signal, batch: () => controller.abort() })
    assert.deepEqual(brief(results), [
      ['a', 'CANCELLED'],
      ['b', 'CANCELLED'],
      ['c', 'CANCELLED'],
    ])
  })

  it('a plan that nobody checked ends too', async () => {
    const { session } = await open()
    const plan: Plan = {
      steps: [
        { id: 'a', tool: 'echo', params: {}, after: ['b'] },
        { id: 'b', tool: 'echo', params: {}, after: ['a'] },
        { id: 'c', tool: 'echo', params: { x: ref('toString.x') }, after: [] },
        { id: 'd', tool: 'echo', params: {}, after: [], when: 'no' },
      ],
    }
    assert.deepEqual(brief(await runPlan(session, plan)), [
      ['a', 'DEPENDENCY_FAILED'],
      ['b', 'DEPENDENCY_FAILED'],
      ['c', 'DEPENDENCY_FAILED'],
      ['d', 'INVALID_DECISION'],
    ])
  })

  it('tells the results in the form of the plan', async () => {
    const { session } = await open()
    const results = await runPlan(
      session,
      planOf({ id: 'a', tool: 'say', params: { text: 'x' } }, { id: 'b', tool: 'say', for_each: [1], when: 'false' }),
    )
    assert.deepEqual(planMessage(results), {
      results: [
        { id: 'a', tool: 'say', outcome: 'ok', isError: false, text: 'x' },
        {
          id: 'b',
          tool: 'say',
          item: 0,
          outcome: 'not-run',
          isError: false,
          skipped: true,
          text: 'say was passed over: its condition does not hold: false',
        },
      ],
    })
  })

  it('any plan: each step once, in step order, after all it waits for', async () => {
    const step = fc.record({
      kind: fc.constantFrom('echo', 'note', 'fail', 'nothing'),
      waits: fc.array(fc.nat(20), { maxLength: 3 }),
      refers: fc.boolean(),
    })
    // One session for all plans: to its guard they would be one model that says the same again and again.
    const { session, log } = await open({ loopGuard: false })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(100)), async (drafts, order) => {
        log.length = 0
        // Edges lead to earlier ones only, so there is no circle; then the steps are written in any order.
        const steps = drafts.map(({ kind, waits, refers }, at): JsonObject => {
          const ids = at === 0 ? [] : [...new Set(waits.map((wait) => `s${wait % at}`))]
          return {
            id: `s${at}`,
            tool: kind,
            params: { me: `s${at}`, from: refers ? ids.map((id) => ref(`${id}.me`)) : [] },
            after: refers ? [] : ids,
          }
        })
        const mixed = steps
          .map((one, at) => [order[at] ?? 0, one] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, one]) => one)
        const plan = planOf(...mixed)
        const results = await runPlan(session, plan)
        assert.deepEqual(
          results.map(({ id }) => id),
          plan.steps.map(({ id }) => id),
        )
        const outcome = new Map(results.map(({ id, result }) => [id, result]))
        const started = log.flatMap((line) => /"me":"(\w+)"/.exec(line)?.[1] ?? [])
        assert.equal(new Set(started).size, started.length)
        for (const { id, tool, after: waits } of plan.steps) {
          const blocked = waits.some((other) => outcome.get(other)?.isError === true)
          assert.equal(outcome.get(id)?.code === 'DEPENDENCY_FAILED', blocked)
          assert.equal(started.includes(id), !blocked && tool !== 'nothing')
          if (started.includes(id)) for (const other of waits) assert.ok(started.indexOf(other) < started.indexOf(id))
        }
      }),
      { numRuns: 100 },
    )
  })
})
