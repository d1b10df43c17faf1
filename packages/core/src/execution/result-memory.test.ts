import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { makeTool, type RunnerBench, runnerBench, TIMEOUT_MS } from '../../test/runner-bench.ts'
import { type JsonObject, ownValue } from '../contract/json.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { AgentTool, ResourceClaim } from '../contract/tool.ts'
import { ToolOutput } from '../contract/tool.ts'
import { ResultMemory } from './result-memory.ts'
import type { CallRun } from './retry-run.ts'

function remembering(memory = new ResultMemory()): RunnerBench & { readonly memory: ResultMemory } {
  return { memory, ...runnerBench({ memory }) }
}

function textOf(input: JsonObject, name: string): string {
  const value = ownValue(input, name)
  assert.ok(typeof value === 'string')
  return value
}

function outputOf(outcome: RawOutcome): unknown {
  assert.ok(outcome.status === 'succeeded', outcome.status)
  return outcome.output
}

const claims =
  (mode: ResourceClaim['mode']) =>
  (input: JsonObject): readonly ResourceClaim[] => [{ key: textOf(input, 'key'), mode }]

/** A world of a few texts by key, tools over it, and a count of what was really read. */
function world() {
  const texts = new Map<string, string>()
  let changes = 0
  let reads = 0
  const set = (key: string, text: string): void => {
    texts.set(key, text)
    changes += 1
  }
  /** All below the key, as a listing of a folder sees it. */
  const look = (key: string): string =>
    [...texts]
      .filter(([name]) => name === key || name.startsWith(`${key}/`))
      .map(([name, text]) => `${name}=${text}`)
      .sort()
      .join(';')
  const read = (spec: Partial<AgentTool> = {}): AgentTool =>
    makeTool({
      resources: claims('read'),
      remember: {},
      ...spec,
      async execute(input) {
        reads += 1
        return look(textOf(input, 'key'))
      },
    })
  const versioned = read({ name: 'versioned', remember: { version: async (input) => look(textOf(input, 'key')) } })
  const write = makeTool({
    name: 'write',
    effect: 'write',
    resources: claims('write'),
    async execute(input) {
      set(textOf(input, 'key'), `${changes}`)
      if (ownValue(input, 'fails') === true) throw new Error('after it was written')
      return 'written'
    },
  })
  const { resources: _said, ...silent } = write
  return {
    set,
    look,
    read: read(),
    versioned,
    write,
    silentWrite: { ...silent, effect: 'dangerous' } satisfies AgentTool,
    reads: () => reads,
  }
}

describe('the memory of a session', () => {
  it('answers a repeated read and marks it; each reader has a value of its own', async () => {
    const bench = remembering()
    let runs = 0
    const tool = makeTool({ resources: claims('read'), remember: {}, execute: async () => ({ run: ++runs, rows: [1] }) })
    const first = bench.run(tool, { key: 'db:a' })
    const value = outputOf(await first.outcome)
    assert.deepEqual([first.attempts, first.cached], [1, false])
    assert.ok(typeof value === 'object' && value !== null)
    Object.assign(value, { rows: 'spoilt' })
    const second = bench.run(tool, { key: 'db:a' })
    assert.deepEqual(outputOf(await second.outcome), { run: 1, rows: [1] })
    assert.deepEqual([second.attempts, second.cached], [0, true])
    await bench.run(tool, { key: 'db:b' }).outcome
    assert.equal(runs, 2)
    assert.equal(bench.clock.pending, 0)
  })

  it('is for tools that ask for it and say what they read', async () => {
    const { read, reads } = world()
    const { remember: _no, ...forgetful } = read
    const { resources: _none, ...vague } = read
    const failing = { ...read, resources: () => assert.fail('no idea') }
    const empty = { ...read, resources: () => [] }
    for (const tool of [forgetful, vague, failing, empty]) {
      const bench = remembering()
      const before = reads()
      await bench.run(tool, { key: 'a' }).outcome
      const again = bench.run(tool, { key: 'a' })
      await again.outcome
      assert.equal(again.cached, false)
      assert.equal(reads(), before + 2)
    }
  })

  it('forgets what a write may have changed, also one that failed, and all where a write does not say', async () => {
    const { set, read, write, silentWrite } = world()
    set('file:/work/src/a', '1')
    const keys = ['file:/work/src', 'file:/work/src/a', 'file:/work/docs', 'db:users']
    const left = async (bench: RunnerBench): Promise<readonly boolean[]> => {
      const runs = keys.map((key) => bench.run(read, { key }))
      await Promise.all(runs.map((run) => run.outcome))
      return runs.map((run) => run.cached)
    }
    const cases: readonly (readonly [AgentTool, JsonObject, readonly boolean[]])[] = [
      [write, { key: 'file:/work/src/a' }, [false, false, true, true]],
      [write, { key: 'file:/work/src/new' }, [false, true, true, true]],
      [write, { key: 'file:/work', fails: true }, [false, false, false, true]],
      [write, { key: 'db:users' }, [true, true, true, false]],
      [silentWrite, { key: 'db:users' }, [false, false, false, false]],
      [{ ...write, resources: () => [] }, { key: 'db:users' }, [false, false, false, false]],
      [{ ...write, resources: () => assert.fail('no idea') }, { key: 'db:users' }, [false, false, false, false]],
      [{ ...write, effect: 'read' }, { key: 'db:users' }, [true, true, true, false]],
    ]
    for (const [tool, input, expected] of cases) {
      const bench = remembering()
      await left(bench)
      assert.deepEqual(await left(bench), [true, true, true, true])
      await bench.run(tool, input).outcome
      assert.deepEqual(await left(bench), expected, JSON.stringify(input))
    }
  })

  it('keeps nothing that was read while a write was on its way', async () => {
    const bench = remembering()
    const { read } = world()
    const gate = Promise.withResolvers<void>()
    const slow = makeTool({ effect: 'write', resources: claims('write'), execute: () => gate.promise })
    await bench.run(read, { key: 'db:a' }).outcome
    const write = bench.run(slow, { key: 'db:a' })
    for (let number = 0; number < 2; number += 1) {
      const run = bench.run(read, { key: 'db:a' })
      await run.outcome
      assert.equal(run.cached, false)
    }
    const other = bench.run(read, { key: 'db:b' })
    await other.outcome
    gate.resolve()
    await write.outcome
    assert.equal(bench.memory.size, 1)
  })

  it('keeps no read that a write began and ended in', async () => {
    const bench = remembering()
    const { write } = world()
    const gates: PromiseWithResolvers<string>[] = []
    const slow = makeTool({
      resources: claims('read'),
      remember: {},
      execute() {
        const gate = Promise.withResolvers<string>()
        gates.push(gate)
        return gate.promise
      },
    })
    const runs = [bench.run(slow, { key: 'db:a' }), bench.run(slow, { key: 'db:b' })]
    await bench.run(write, { key: 'db:a' }).outcome
    for (const gate of gates) gate.resolve('half old')
    for (const run of runs) await run.outcome
    assert.equal(bench.memory.size, 1)
    const again = bench.run(slow, { key: 'db:a' })
    gates[2]?.resolve('new')
    assert.equal(outputOf(await again.outcome), 'new')
  })

  it('takes a stopped write for one that goes on: only a version tells', async () => {
    const bench = remembering()
    const { read, versioned } = world()
    const hangs = makeTool({ effect: 'write', resources: claims('write'), execute: () => new Promise(() => {}) })
    const write = bench.run(hangs, { key: 'db:a' })
    await bench.clock.advance(2 * TIMEOUT_MS)
    assert.equal((await write.outcome).status, 'timed-out')
    const twice = async (tool: AgentTool, key: string): Promise<boolean> => {
      await bench.run(tool, { key }).outcome
      const run = bench.run(tool, { key })
      await run.outcome
      return run.cached
    }
    assert.equal(await twice(read, 'db:a'), false)
    assert.equal(await twice(read, 'db:b'), true)
    assert.equal(await twice(versioned, 'db:a'), true)
  })

  it('asks for the version before it answers, and around each run', async () => {
    const bench = remembering()
    const { set, versioned, reads } = world()
    set('db:a', 'old')
    await bench.run(versioned, { key: 'db:a' }).outcome
    set('db:a', 'changed by somebody else')
    const run = bench.run(versioned, { key: 'db:a' })
    assert.equal(outputOf(await run.outcome), 'db:a=changed by somebody else')
    assert.equal(run.cached, false)
    assert.equal(outputOf(await bench.run(versioned, { key: 'db:a' }).outcome), 'db:a=changed by somebody else')
    assert.equal(reads(), 2)
    // It changes while it is read, and back again.
    let runs = 0
    const changing: AgentTool = {
      ...versioned,
      async execute() {
        runs += 1
        set('db:a', 'for a moment')
        return 'for a moment'
      },
    }
    for (let number = 0; number < 2; number += 1) {
      set('db:a', 'as before')
      await bench.run(changing, { key: 'db:a' }).outcome
    }
    assert.equal(runs, 2)
  })

  it('runs the tool where a version throws, hangs, or is no word', async () => {
    const versions = [
      async () => undefined,
      () => Promise.reject(new Error('no')),
      () => assert.fail('at once'),
      () => new Promise<string>(() => {}),
    ]
    for (const version of versions) {
      const bench = remembering()
      const { read } = world()
      const tool = { ...read, remember: { version } }
      for (let number = 0; number < 2; number += 1) {
        const run = bench.run(tool, { key: 'db:a' })
        await bench.clock.advance(20_000)
        assert.equal((await run.outcome).status, 'succeeded')
        assert.equal(run.cached, false)
      }
      assert.equal(bench.memory.size, 0)
      assert.equal(bench.clock.pending, 0)
    }
  })

  it('tells a tool that its result was given again, with the version', async () => {
    const bench = remembering()
    const told: unknown[] = []
    const tool = makeTool({
      resources: claims('read'),
      remember: { version: async () => 'v1', reused: (input, cx, version) => void told.push([input, cx.sessionId, version]) },
      execute: async () => 'text',
    })
    await bench.run(tool, { key: 'a' }).outcome
    assert.deepEqual(told, [])
    await bench.run(tool, { key: 'a' }).outcome
    assert.deepEqual(told, [[{ key: 'a' }, 'session_1', 'v1']])
    const thrower = { ...tool, remember: { reused: () => assert.fail('no') } }
    await bench.run(thrower, { key: 'b' }).outcome
    const run = bench.run(thrower, { key: 'b' })
    await run.outcome
    assert.equal(run.cached, false)
  })

  it('keeps no failure, and nothing for another session, principal or roles', async () => {
    const memory = new ResultMemory()
    let runs = 0
    const tool = makeTool({ resources: claims('read'), remember: {}, execute: async () => (runs += 1) })
    const alice = { tenantId: 't', userId: 'alice', roles: ['reader'] }
    for (const [session, principal] of [
      ['one', alice],
      ['two', alice],
      ['one', { ...alice, roles: [] }],
      ['one', { ...alice, userId: 'bob' }],
      ['one', { ...alice, tenantId: 'u' }],
    ] as const) {
      const run = runnerBench({ memory, session, principal }).run(tool, { key: 'a' })
      await run.outcome
      assert.equal(run.cached, false)
    }
    assert.equal(runs, 5)
    const bench = remembering()
    for (const output of [new ToolOutput([], { isError: true }), new Error('no')]) {
      const bad = makeTool({
        resources: claims('read'),
        remember: {},
        execute: () => (output instanceof Error ? Promise.reject(output) : Promise.resolve(output)),
      })
      await bench.run(bad, { key: 'a' }).outcome
    }
    assert.equal(bench.memory.size, 0)
  })

  it('keeps nothing of a value that lets nobody look at it, and hands it on', async () => {
    const bench = remembering()
    const no = (): never => assert.fail('no')
    const box = { hidden: new Proxy({}, { getPrototypeOf: no, ownKeys: no, getOwnPropertyDescriptor: no }) }
    for (const output of [box.hidden, box]) {
      const tool = makeTool({ limits: { cacheTtlMs: 5 }, resources: claims('read'), remember: {}, execute: async () => output })
      for (let number = 0; number < 2; number += 1) {
        const outcome = await bench.run(tool, { key: 'a' }).outcome
        assert.ok(outcome.status === 'succeeded' && outcome.output === output)
      }
    }
    assert.equal(bench.memory.size, 0)
  })

  it('is bounded', async () => {
    const memory = new ResultMemory({ maxEntries: 20, maxBytes: 8_000 })
    const bench = remembering(memory)
    const tool = makeTool({ resources: claims('read'), remember: {}, execute: async () => 'x'.repeat(100) })
    for (let number = 0; number < 100; number += 1) await bench.run(tool, { key: `${number}` }).outcome
    assert.equal(memory.size, 20)
    const large = makeTool({ resources: claims('read'), remember: {}, execute: async () => 'x'.repeat(5_000) })
    await bench.run(large, { key: 'a' }).outcome
    const again = bench.run(large, { key: 'a' })
    await again.outcome
    assert.equal(again.cached, false)
  })

  it('never gives what a fresh read would not give (D16): any order of reads, writes and changes from outside', async () => {
    const key = fc.constantFrom('file:/w', 'file:/w/a', 'file:/w/a/b', 'file:/w/c', 'db:x', 'db:y')
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.tuple(fc.constant('read'), key) },
      { weight: 4, arbitrary: fc.tuple(fc.constant('versioned'), key) },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom('write', 'failing write', 'silent write', 'overlapped write'), key) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('outside'), key) },
    )
    let answered = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const bench = remembering()
        const { set, look, read, versioned, write, silentWrite } = world()
        // What somebody else changed: only a version can tell, so plain reads are not held to it.
        let unseen = new Set<string>()
        const meet = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
        const open: { readonly run: CallRun; finish(): void; readonly at: string }[] = []
        for (const [kind, at] of steps) {
          if (kind === 'read' || kind === 'versioned') {
            const run = bench.run(kind === 'read' ? read : versioned, { key: at })
            const output = outputOf(await run.outcome)
            if (run.cached) answered += 1
            if (kind === 'versioned' || ![...unseen].some((other) => meet(at, other))) assert.equal(output, look(at))
          } else if (kind === 'outside') {
            set(at, 'from outside')
            unseen.add(at)
          } else if (kind === 'overlapped write') {
            const gate = Promise.withResolvers<void>()
            const tool = makeTool({
              effect: 'write',
              resources: claims('write'),
              async execute(input) {
                await gate.promise
                set(textOf(input, 'key'), 'late')
              },
            })
            open.push({ run: bench.run(tool, { key: at }), finish: gate.resolve, at })
            if (open.length > 1) {
              const first = open.shift()
              first?.finish()
              await first?.run.outcome
            }
          } else {
            const tool = kind === 'silent write' ? silentWrite : write
            await bench.run(tool, { key: at, fails: kind === 'failing write' }).outcome
            // All of it is forgotten now, so that later reads see the world as it is.
            unseen = kind === 'silent write' ? new Set() : unseen
          }
        }
        for (const { run, finish } of open) {
          finish()
          await run.outcome
        }
        assert.equal(bench.clock.pending, 0)
      }),
      { numRuns: 300 },
    )
    assert.ok(answered > 100, `only ${answered} reads were answered from memory`)
  })
})
