import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { countingIds, ManualClock, scriptedApprover, scriptedAsker } from '@adjutant/testkit'
import fc from 'fast-check'
import {
  type AgentTool,
  type ApprovalDecision,
  type CallContext,
  callId,
  type JsonObject,
  type SessionEvent,
  type ToolCall,
  type ToolResult,
} from '../contract/index.ts'
import { Registry } from '../registry/registry.ts'
import { MemorySessionStore } from './memory-store.ts'
import { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

function tool(name: string, over: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    description: `Use for tests of ${name}.`,
    inputSchema: { type: 'object', properties: { value: { type: 'number' } } },
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    execute: async () => name,
    ...over,
  }
}

function call(index: number, name: string, value: JsonObject = {}, id = `id_${index}`): ToolCall {
  return { id: callId(id), index, name, arguments: { ok: true, value }, idFromProvider: true }
}

interface Bench {
  readonly session: Session
  readonly clock: ManualClock
  readonly events: SessionEvent[]
}

async function open(tools: readonly AgentTool[], over: Partial<SessionOptions> = {}): Promise<Bench> {
  const namespaceRoot = await mkdtemp(join(tmpdir(), 'session-'))
  folders.push(namespaceRoot)
  const registry = new Registry()
  assert.deepEqual(registry.add(tools, 'test'), [])
  const clock = new ManualClock()
  const events: SessionEvent[] = []
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot,
    mode: 'allow',
    approver: scriptedApprover(() => ({ type: 'approve', scope: 'once' })),
    asker: scriptedAsker(),
    clock,
    ids: countingIds(),
    events: (event) => void events.push(event),
    ...over,
  })
  return { session, clock, events }
}

const outcomes = (results: readonly ToolResult[]): readonly string[] => results.map((result) => result.outcome)

/** Resolves when the signal aborts, as a well-behaved tool does. */
function untilAborted(cx: CallContext): Promise<never> {
  return new Promise((_, reject) => cx.signal.addEventListener('abort', () => reject(cx.signal.reason), { once: true }))
}

describe('a batch', () => {
  it('gives every call exactly one result, in call order, under its own id, whatever happens (invariant 1)', async () => {
    const kinds = [
      'ok',
      'throws',
      'hangs',
      'deaf',
      'no-such-tool',
      'bad-arguments',
      'bad-json',
      'denied',
      'rule',
      'generator',
      'nothing',
    ] as const
    const tools = [
      tool('ok'),
      tool('throws', {
        execute: () => {
          throw new Error('thrown at once')
        },
      }),
      tool('hangs', { execute: (_, cx) => untilAborted(cx) }),
      tool('deaf', { effect: 'write', execute: () => new Promise(() => {}) }),
      tool('bad-arguments', { inputSchema: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] } }),
      tool('bad-json'),
      tool('denied', { effect: 'dangerous' }),
      tool('rule', {
        check: async () => {
          throw new Error('not on Sundays')
        },
      }),
      tool('generator', {
        async *execute() {
          yield { message: 'half' }
          return 'whole'
        },
      }),
      tool('nothing', { execute: async () => undefined }),
    ]
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { maxLength: 14 }), fc.option(fc.nat({ max: 8 })), async (batch, abortAfter) => {
        const { session, clock } = await open(tools, {
          mode: 'ask',
          approver: scriptedApprover((request) =>
            request.call.tool.name === 'denied' ? { type: 'deny', reason: 'too risky' } : { type: 'approve', scope: 'once' },
          ),
          limits: { timeoutMs: 1_000 },
        })
        const controller = new AbortController()
        const calls = batch.map((name, index): ToolCall => {
          const made = call(index, name)
          return name === 'bad-json' ? { ...made, arguments: { ok: false, raw: '{', problem: 'ends early', code: 'INVALID_JSON' } } : made
        })
        const pending = session.execute(calls, { signal: controller.signal })
        let results: readonly ToolResult[] | undefined
        void pending.then((got) => {
          results = got
        })
        for (let step = 0; results === undefined && step < 200; step += 1) {
          if (step === abortAfter) controller.abort()
          await clock.advance(500)
        }
        const settled = await pending
        assert.deepEqual(
          settled.map((result) => [result.id, result.name]),
          calls.map((made) => [made.id, made.name]),
        )
        for (const [index, result] of settled.entries()) {
          const kind = batch[index]
          assert.equal(result.isError, result.outcome !== 'ok')
          assert.ok(result.text.length > 0, 'a result says something')
          if (result.outcome === 'ok') assert.ok(kind === 'ok' || kind === 'generator' || kind === 'nothing')
          else assert.ok(result.code !== undefined && result.hint !== undefined)
          if (abortAfter === null && kind === 'deaf') assert.equal(result.outcome, 'unknown')
          if (abortAfter === null && kind === 'ok') assert.equal(result.outcome, 'ok')
          if (kind === 'denied') assert.equal(result.outcome, 'not-run')
        }
        assert.equal(clock.pending, 0, 'a timer was left behind')
      }),
      { numRuns: 60 },
    )
  })

  it('never lets a write overlap another call (invariant 2), and really runs reads side by side', async () => {
    let inside = 0
    let most = 0
    const visit = async (): Promise<string> => {
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
      return 'x'
    }
    const tools = [tool('read', { execute: visit }), tool('write', { effect: 'write', execute: visit })]
    const { session } = await open(tools)
    await session.execute([call(0, 'read'), call(1, 'read'), call(2, 'read')])
    assert.equal(most, 3)
    most = 0
    await session.execute([call(0, 'read'), call(1, 'read'), call(2, 'write'), call(3, 'read')])
    assert.equal(most, 1)
  })

  it('classifies with the actual arguments', async () => {
    const order: string[] = []
    const either = tool('either', {
      effect: (input) => (input.value === 1 ? 'write' : 'read'),
      execute: async (input) => {
        order.push(`begin ${input.value}`)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(`end ${input.value}`)
      },
    })
    const { session } = await open([either])
    await session.execute([call(0, 'either', { value: 0 }), call(1, 'either', { value: 1 })])
    assert.deepEqual(order, ['begin 0', 'end 0', 'begin 1', 'end 1'])
  })

  it('gives the second of two calls with one id a refusal, and runs the first', async () => {
    const { session } = await open([tool('ok')])
    const results = await session.execute([call(0, 'ok', {}, 'same'), call(1, 'ok', {}, 'same')])
    assert.deepEqual(outcomes(results), ['ok', 'not-run'])
    assert.equal(results[1]?.code, 'DUPLICATE_CALL_ID')
  })

  it('keeps the tools it began with (invariant 13)', async () => {
    let change = (): void => {}
    const first = tool('first', { effect: 'write', execute: async () => change() })
    const { session } = await open([first, tool('second', { execute: async () => 'old' })])
    const later = new Registry()
    later.add([tool('second', { execute: async () => 'new' })], 'later')
    change = () => session.useTools(later.snapshot())
    const results = await session.execute([call(0, 'first'), call(1, 'second')])
    assert.equal(results[1]?.text, 'old')
    assert.equal((await session.execute([call(0, 'second')]))[0]?.text, 'new')
    assert.equal((await session.execute([call(0, 'first')]))[0]?.code, 'UNKNOWN_TOOL')
  })

  it('of ten thousand reads comes back whole and in order', async () => {
    const { session } = await open([tool('echo', { execute: async (input) => String(input.value) })], { events: () => {} })
    const calls = Array.from({ length: 10_000 }, (_, index) => call(index, 'echo', { value: index }))
    const results = await session.execute(calls)
    assert.equal(results.length, calls.length)
    for (const [index, result] of results.entries()) assert.equal(result.text, String(index))
  })

  it('runs after the one before it', async () => {
    const order: string[] = []
    const step = tool('step', {
      execute: async (input) => {
        order.push(`begin ${input.value}`)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(`end ${input.value}`)
      },
    })
    const { session } = await open([step])
    await Promise.all([session.execute([call(0, 'step', { value: 1 })]), session.execute([call(0, 'step', { value: 2 })])])
    assert.deepEqual(order, ['begin 1', 'end 1', 'begin 2', 'end 2'])
  })

  it('moves every call along the table only, from received to settled, once', async () => {
    const { session, events } = await open([tool('ok'), tool('write', { effect: 'write' })], { mode: 'ask' })
    await session.execute([call(0, 'ok'), call(1, 'write'), call(2, 'none')])
    const states = (id: string): readonly string[] =>
      events.flatMap((event) => (event.type === 'call-state' && event.id === id ? [event.state.status] : []))
    assert.deepEqual(states('id_0'), ['received', 'admitted', 'queued', 'running', 'succeeded', 'settled'])
    assert.deepEqual(states('id_1'), ['received', 'held', 'admitted', 'queued', 'running', 'succeeded', 'settled'])
    assert.deepEqual(states('id_2'), ['received', 'refused', 'settled'])
  })
})

describe('time and stopping', () => {
  it('stops a call at its limit; progress starts the limit anew; an answer of a person does not count', async () => {
    const slow = tool('slow', {
      limits: { timeoutMs: 100 },
      execute: async (_, cx) => {
        if ((await cx.ask({ text: 'go on?' })) !== 'yes') return 'no'
        return untilAborted(cx)
      },
    })
    let answer = (_: string): void => {}
    const { session, clock } = await open([slow], {
      asker: {
        ask: () =>
          new Promise((resolve) => {
            answer = resolve
          }),
      },
    })
    const pending = session.execute([call(0, 'slow')])
    await clock.advance(10_000)
    answer('yes')
    await clock.advance(99)
    assert.equal(clock.pending, 1)
    await clock.advance(1)
    assert.equal((await pending)[0]?.code, 'TIMEOUT')
  })

  it('keeps a call alive as long as it tells progress', async () => {
    let tell = (): void => {}
    let finish = (_: string): void => {}
    const chatty = tool('chatty', {
      limits: { timeoutMs: 100 },
      execute: (_, cx) =>
        new Promise((resolve) => {
          tell = () => cx.progress({ current: 1 })
          finish = resolve
        }),
    })
    const { session, clock } = await open([chatty])
    const pending = session.execute([call(0, 'chatty')])
    for (let step = 0; step < 20; step += 1) {
      await clock.advance(90)
      tell()
    }
    finish('done')
    assert.deepEqual(outcomes(await pending), ['ok'])
  })

  it('says unknown of a write that was stopped on the way, failed of a read, not-run of what had not begun', async () => {
    const tools = [
      tool('read', { execute: (_, cx) => untilAborted(cx) }),
      tool('write', { effect: 'write', execute: (_, cx) => untilAborted(cx) }),
      tool('again', { effect: 'write', repeatable: true, execute: (_, cx) => untilAborted(cx) }),
    ]
    for (const [name, expected] of [
      ['read', 'failed'],
      ['write', 'unknown'],
      ['again', 'failed'],
    ] as const) {
      const { session, clock } = await open(tools)
      const controller = new AbortController()
      const pending = session.execute([call(0, name), call(1, 'write')], { signal: controller.signal })
      await clock.advance(10)
      controller.abort()
      await clock.advance(0)
      assert.deepEqual(outcomes(await pending), [expected, name === 'read' ? 'not-run' : 'not-run'])
    }
  })

  it('is through within a second even when the tool is deaf (invariant 10)', async () => {
    const { session, clock } = await open([tool('deaf', { execute: () => new Promise(() => {}) })])
    const controller = new AbortController()
    const pending = session.execute([call(0, 'deaf'), call(1, 'deaf')], { signal: controller.signal })
    await clock.advance(0)
    controller.abort()
    await clock.advance(1_000)
    const results = await pending
    assert.deepEqual(outcomes(results), ['failed', 'failed'])
    assert.match(results[0]?.text ?? '', /left behind/)
  })

  it('takes what a tool still finished after it was told to stop', async () => {
    const { session, clock } = await open([
      tool('polite', {
        effect: 'write',
        execute: (_, cx) => new Promise((resolve) => cx.signal.addEventListener('abort', () => resolve('finished'), { once: true })),
      }),
    ])
    const controller = new AbortController()
    const pending = session.execute([call(0, 'polite')], { signal: controller.signal })
    await clock.advance(0)
    controller.abort()
    assert.deepEqual(outcomes(await pending), ['ok'])
  })

  it('closing stops what runs; a closed session takes no more', async () => {
    const { session, clock } = await open([tool('hangs', { execute: (_, cx) => untilAborted(cx) })])
    const pending = session.execute([call(0, 'hangs')])
    await clock.advance(0)
    await session.close()
    assert.deepEqual(outcomes(await pending), ['failed'])
    await assert.rejects(session.execute([call(0, 'hangs')]), /closed/)
  })
})

describe('approval', () => {
  const write = tool('write', { effect: 'write', execute: async (input) => `wrote ${input.value}` })

  it('is asked in the model’s order, one at a time, and answered for the call that owns it', async () => {
    const approver = scriptedApprover((request) =>
      request.call.input.value === 1 ? { type: 'deny', reason: 'not this one' } : { type: 'approve', scope: 'once' },
    )
    const { session } = await open([write], { mode: 'ask', approver })
    const results = await session.execute([0, 1, 2].map((value) => call(value, 'write', { value })))
    assert.deepEqual(outcomes(results), ['ok', 'not-run', 'ok'])
    assert.deepEqual(
      approver.asked.map((request) => request.call.call.id),
      ['id_0', 'id_1', 'id_2'],
    )
    assert.equal(results[1]?.code, 'DENIED_BY_PERSON')
    assert.match(results[1]?.text ?? '', /not this one/)
    assert.equal(results[2]?.text, 'wrote 2')
  })

  it('for the tool or for the very call is not asked again, and covers nothing else', async () => {
    const other = tool('other', { effect: 'write' })
    const scopes: ApprovalDecision[] = [
      { type: 'approve', scope: 'call' },
      { type: 'approve', scope: 'tool' },
      { type: 'approve', scope: 'once' },
    ]
    const approver = scriptedApprover(() => scopes.shift() ?? { type: 'deny' })
    const { session } = await open([write, other], { mode: 'ask', approver })
    const values = [1, 1, 2, 3, 1]
    const results = await session.execute([...values.map((value, index) => call(index, 'write', { value })), call(5, 'other')])
    assert.deepEqual(outcomes(results), ['ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
    assert.deepEqual(
      approver.asked.map((request) => [request.call.tool.name, request.call.input.value]),
      [
        ['write', 1],
        ['write', 2],
        ['other', undefined],
      ],
    )
  })

  it('with edited arguments runs those, after validating them like new ones', async () => {
    const edits: JsonObject[] = [{ value: 7 }, { value: 'seven' }]
    const { session } = await open([write], {
      mode: 'ask',
      approver: scriptedApprover(() => ({ type: 'edit', input: edits.shift() ?? {} })),
    })
    const results = await session.execute([call(0, 'write', { value: 1 }), call(1, 'write', { value: 2 })])
    assert.equal(results[0]?.text, 'wrote 7')
    assert.deepEqual([results[1]?.outcome, results[1]?.code], ['not-run', 'INVALID_ARGUMENTS'])
  })

  it('is bound to what was shown: arguments changed behind the question do not run (invariant 3)', async () => {
    let ran = false
    const input: { value: number } = { value: 1 }
    const { session } = await open(
      [
        tool('write', {
          effect: 'write',
          execute: async () => {
            ran = true
          },
        }),
      ],
      {
        mode: 'ask',
        approver: scriptedApprover((request) => {
          Object.assign(request.call.input, { value: 99 })
          return { type: 'approve', scope: 'once' }
        }),
      },
    )
    const results = await session.execute([call(0, 'write', input)])
    assert.deepEqual([results[0]?.outcome, results[0]?.code, ran], ['not-run', 'APPROVAL_MISMATCH', false])
  })

  it('that cannot be asked is a no by policy; one that is aborted is a cancel', async () => {
    const broken = await open([write], {
      mode: 'ask',
      approver: scriptedApprover(() => {
        throw new Error('the terminal is gone')
      }),
    })
    assert.equal((await broken.session.execute([call(0, 'write')]))[0]?.code, 'DENIED_BY_POLICY')

    const controller = new AbortController()
    const waiting = await open([write], {
      mode: 'ask',
      approver: scriptedApprover(
        (_, signal) => new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
      ),
    })
    const pending = waiting.session.execute([call(0, 'write'), call(1, 'write')], { signal: controller.signal })
    await waiting.clock.advance(0)
    controller.abort()
    assert.deepEqual(
      (await pending).map((result) => [result.outcome, result.code]),
      [
        ['not-run', 'CANCELLED'],
        ['not-run', 'CANCELLED'],
      ],
    )
  })

  it('is not asked for what the tool’s own rule refuses', async () => {
    const approver = scriptedApprover(() => ({ type: 'approve', scope: 'once' }))
    const ruled = tool('ruled', {
      effect: 'write',
      check: async (input) => {
        if (input.value === 0) throw new Error('zero is not allowed')
      },
    })
    const { session } = await open([ruled], { mode: 'ask', approver })
    const results = await session.execute([call(0, 'ruled', { value: 0 }), call(1, 'ruled', { value: 1 })])
    assert.deepEqual([results[0]?.code, results[1]?.outcome], ['RULE_VIOLATED', 'ok'])
    assert.equal(approver.asked.length, 1)
  })
})

describe('a session', () => {
  it('keeps every step: the call and its result (E9)', async () => {
    const store = new MemorySessionStore()
    const { session } = await open([tool('ok')], { store })
    const calls = [call(0, 'ok'), call(1, 'none')]
    const results = await session.execute(calls)
    const steps = await Array.fromAsync(store.read(session.id))
    // Kept as they settle: a refusal settles before a call that runs.
    const byId = new Map(steps.map((step) => [step.type === 'call' ? step.call.id : '', step]))
    for (const [index, made] of calls.entries()) {
      assert.deepEqual(byId.get(made.id), { version: 1, type: 'call', call: made, result: structuredClone(results[index]) })
    }
  })

  it('says so when a step cannot be kept', async () => {
    const { session } = await open([tool('ok')], {
      store: { append: async () => Promise.reject(new Error('disk full')), read: async function* () {} },
    })
    await assert.rejects(session.execute([call(0, 'ok')]), /disk full/)
  })

  it('lends a tool a context that may be taken apart', async () => {
    const { session, events } = await open(
      [
        tool('look', {
          execute: async (_, { ask, progress, hasTool, log, idempotencyKey }) => {
            progress({ message: 'half' })
            log.info('seen')
            return `${await ask({ text: 'which?' })} ${hasTool?.('look') ?? false} ${idempotencyKey}`
          },
        }),
      ],
      { asker: scriptedAsker(['this one']) },
    )
    const [result] = await session.execute([call(0, 'look')])
    assert.equal(result?.text, `this one true ${session.id}/1/id_0`)
    assert.ok(events.some((event) => event.type === 'progress' && event.progress.message === 'half'))
    await session.close()
  })

  it('lends a tool its own context', async () => {
    let seen: CallContext | undefined
    const { session, events } = await open([
      tool('look', {
        execute: async (_, cx) => {
          seen = cx
          cx.log.warn('careful', { why: 'test' })
          cx.progress({ message: 'half', current: 1, total: 2 })
          return cx.idempotencyKey
        },
      }),
    ])
    const [result] = await session.execute([call(0, 'look')])
    assert.equal(seen?.sessionId, session.id)
    assert.equal(seen?.traceId, session.traceId)
    assert.equal(result?.text, `${session.id}/1/id_0`)
    assert.ok(events.some((event) => event.type === 'progress' && event.progress.message === 'half'))
    assert.ok(events.some((event) => event.type === 'log' && event.fields?.why === 'test'))
    seen?.progress({ message: 'late' })
    assert.ok(!events.some((event) => event.type === 'progress' && event.progress.message === 'late'), 'a settled call still spoke')
  })
})

describe('secrets', () => {
  const secret = ['ghp', '_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('')

  it('are taken out of results, logs and questions, and run as they are (invariant 12)', async () => {
    const ran: unknown[] = []
    const shown: unknown[] = []
    const asker = scriptedAsker(['yes'])
    const { session, events } = await open(
      [
        tool('push', {
          effect: 'write',
          inputSchema: { type: 'object', properties: { token: { type: 'string' } } },
          execute: async ({ token }, cx) => {
            ran.push(token)
            cx.log.warn(`using ${String(token)}`, { token: token ?? null })
            await cx.ask({ text: `Push with ${String(token)}?` })
            return `pushed with ${String(token)}`
          },
        }),
      ],
      {
        mode: 'ask',
        asker,
        approver: scriptedApprover((request) => {
          shown.push(request.shown)
          return { type: 'approve', scope: 'once' }
        }),
      },
    )
    const [result] = await session.execute([call(0, 'push', { token: secret })])
    assert.deepEqual(ran, [secret])
    assert.equal(result?.redacted, 1)
    assert.ok(!JSON.stringify([result, shown, asker.asked]).includes(secret))
    const told = events.filter((event) => event.type === 'log' || event.type === 'question')
    assert.equal(told.length, 2)
    assert.ok(!JSON.stringify(told).includes(secret))
    assert.match(JSON.stringify(shown), /secret removed/)
  })
})
