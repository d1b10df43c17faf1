import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { countingIds, ManualClock, type ScriptedRound, scriptedApprover, scriptedAsker, scriptedModel } from '@adjutant/testkit'
import fc from 'fast-check'
import {
  AdjutantError,
  type AgentTool,
  callId,
  type DecodeEvent,
  type JsonObject,
  type SessionEvent,
  type StepRecord,
} from '../contract/index.ts'
import { Registry } from '../registry/registry.ts'
import { type AgentAnswer, runAgent } from './agent.ts'
import { MemorySessionStore } from './memory-store.ts'
import { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

/** What the tools did, in order: `begin read 1`, `end read 1`, … */
type Log = string[]

function tools(log: Log): readonly AgentTool[] {
  const make = (name: string, effect: 'read' | 'write'): AgentTool => ({
    name,
    description: `Use for a ${effect}.`,
    inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect,
    execute: async (input) => {
      log.push(`begin ${name} ${input.n}`)
      await tick()
      log.push(`end ${name} ${input.n}`)
      return `${name} ${input.n}`
    },
  })
  return [make('read', 'read'), make('write', 'write')]
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function ticks(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await tick()
}

function callEvent(index: number, name: string, input: JsonObject, id = `c${index}`): DecodeEvent {
  return { type: 'call', call: { id: callId(id), index, name, arguments: { ok: true, value: input }, idFromProvider: true } }
}

const text = (said: string): DecodeEvent => ({ type: 'text', text: said })

interface Play {
  readonly answer: AgentAnswer
  readonly log: Log
  readonly events: readonly SessionEvent[]
  readonly steps: readonly StepRecord[]
}

/** Plays the rounds; the script may look at the log while it speaks. */
async function play(rounds: (log: Log) => readonly ScriptedRound[], options: Partial<SessionOptions> = {}): Promise<Play> {
  const namespaceRoot = await mkdtemp(join(tmpdir(), 'early-'))
  folders.push(namespaceRoot)
  const log: Log = []
  const events: SessionEvent[] = []
  const registry = new Registry()
  registry.add(tools(log), 'test')
  const clock = new ManualClock()
  const store = new MemorySessionStore()
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot,
    mode: 'allow',
    approver: scriptedApprover(() => ({ type: 'approve', scope: 'once' })),
    asker: scriptedAsker(),
    clock,
    ids: countingIds(),
    store,
    events: (event) => void events.push(event),
    ...options,
  })
  let done = false
  const running = runAgent({ session, model: scriptedModel(rounds(log)), task: 'go' }).finally(() => {
    done = true
  })
  running.catch(() => {})
  for (let step = 0; !done && step < 1_000; step += 1) await clock.advance(100)
  return { answer: await running, log, events, steps: await Array.fromAsync(store.read(session.id)) }
}

/** An answer that pauses between its events, as a slow provider does. */
async function* slowly(
  events: readonly DecodeEvent[],
  after: (position: number) => void = () => {},
): AsyncGenerator<DecodeEvent, void, void> {
  for (const [position, event] of events.entries()) {
    yield event
    await ticks(4)
    after(position)
  }
}

describe('a read', () => {
  it('has finished before the answer’s last byte came', async () => {
    let seen: Log = []
    const { answer, log } = await play((log) => [
      () =>
        slowly([callEvent(0, 'read', { n: 1 }), text('and more'), text(' and more')], (position) => {
          if (position === 1) seen = [...log]
        }),
      [text('done')],
    ])
    assert.deepEqual(seen, ['begin read 1', 'end read 1'])
    assert.deepEqual(log, ['begin read 1', 'end read 1'])
    assert.equal(answer.text, 'done')
  })

  it('waits for its result’s place: results come in call order at the end', async () => {
    const { answer } = await play(() => [
      () => slowly([callEvent(0, 'read', { n: 1 }), callEvent(1, 'write', { n: 2 }), callEvent(2, 'read', { n: 3 })]),
      [text('done')],
    ])
    const results = answer.messages[2]
    assert.ok(results?.role === 'tool')
    assert.deepEqual(
      results.results.map((result) => [result.id, result.text]),
      [
        ['c0', 'read 1'],
        ['c1', 'write 2'],
        ['c2', 'read 3'],
      ],
    )
  })

  it('does not start before a write that stands before it, nor when it is told not to', async () => {
    let early: Log = ['nothing was seen']
    const rounds = (calls: readonly DecodeEvent[]) => (log: Log) => [
      () =>
        slowly(calls, (position) => {
          if (position === calls.length - 1) early = [...log]
        }),
      [text('done')],
    ]
    await play(rounds([callEvent(0, 'write', { n: 1 }), callEvent(1, 'read', { n: 2 })]))
    assert.deepEqual(early, [])
    // Complete before the write is, but behind it in the model's order.
    await play(rounds([callEvent(1, 'read', { n: 2 }), callEvent(0, 'write', { n: 1 })]))
    assert.deepEqual(early, [])
    await play(rounds([callEvent(0, 'read', { n: 1 })]), { earlyStart: false })
    assert.deepEqual(early, [])
  })

  it('never changes order: whatever the pace of the answer, a batch with a write runs one by one (B3)', async () => {
    const anyCalls = fc.array(fc.record({ write: fc.boolean(), pause: fc.nat({ max: 3 }) }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(anyCalls, fc.constantFrom('strict', 'segmented'), async (calls, strategy) => {
        const { log } = await play(
          () => [
            async function* () {
              for (const [index, call] of calls.entries()) {
                yield callEvent(index, call.write ? 'write' : 'read', { n: index })
                await ticks(call.pause)
              }
            },
            [text('done')],
          ],
          { strategy },
        )
        const anyWrite = calls.some((call) => call.write)
        if (anyWrite && strategy === 'strict') {
          assert.deepEqual(
            log,
            calls.flatMap((call, index) => ['begin', 'end'].map((word) => `${word} ${call.write ? 'write' : 'read'} ${index}`)),
          )
        }
        let open = 0
        let writing = false
        for (const line of log) {
          const isWrite = line.includes('write')
          if (line.startsWith('begin')) {
            assert.ok(!writing && !(isWrite && open > 0), `a write overlapped: ${log.join(', ')}`)
            open += 1
            writing = isWrite
          } else {
            open -= 1
            if (isWrite) writing = false
          }
        }
        assert.equal(log.length, calls.length * 2)
      }),
      { numRuns: 80 },
    )
  })
})

describe('an answer that broke off and was asked for again', () => {
  const broken = new AdjutantError('STREAM_BROKEN', 'the connection was cut')
  const breaking = (events: readonly DecodeEvent[], pauses = 4): ScriptedRound => {
    return async function* () {
      for (const event of events) {
        yield event
        await ticks(pauses)
      }
      throw broken
    }
  }

  it('runs an equal call once, under the id it has now, and says so', async () => {
    const { answer, log, events, steps } = await play(() => [
      breaking([text('let me'), callEvent(0, 'read', { n: 1 }, 'old')]),
      [callEvent(0, 'read', { n: 1 }, 'new'), callEvent(1, 'read', { n: 2 }, 'other')],
      [text('done')],
    ])
    assert.deepEqual(log, ['begin read 1', 'end read 1', 'begin read 2', 'end read 2'])
    const results = answer.messages[2]
    assert.ok(results?.role === 'tool')
    assert.deepEqual(
      results.results.map((result) => [result.id, result.text, result.adoptedFrom]),
      [
        ['new', 'read 1', 'old'],
        ['other', 'read 2', undefined],
      ],
    )
    const states = events.flatMap((event) => (event.type === 'call-state' && event.id === 'new' ? [event.state.status] : []))
    assert.deepEqual(states, ['received', 'admitted', 'queued', 'adopted', 'succeeded', 'settled'])
    assert.equal(events.filter((event) => event.type === 'answer-retried').length, 1)
    // Kept: what really ran, and what was taken over, each once.
    const kept = steps.flatMap((step) => (step.type === 'call' ? [[step.call.id, step.result.adoptedFrom]] : []))
    assert.deepEqual(kept.toSorted(), [
      ['new', 'old'],
      ['old', undefined],
      ['other', undefined],
    ])
  })

  it('takes over what still runs, through two breaks, and runs twice what is asked for twice', async () => {
    const { log } = await play(() => [
      breaking([callEvent(0, 'read', { n: 1 }, 'a')], 0),
      breaking([callEvent(0, 'read', { n: 1 }, 'b')], 0),
      [callEvent(0, 'read', { n: 1 }, 'c'), callEvent(1, 'read', { n: 1 }, 'd')],
      [text('done')],
    ])
    assert.deepEqual(
      log.filter((line) => line.startsWith('begin')),
      ['begin read 1', 'begin read 1'],
    )
  })

  it('does not take a call over for other arguments', async () => {
    const { log } = await play(() => [breaking([callEvent(0, 'read', { n: 1 })]), [callEvent(0, 'read', { n: 2 })], [text('done')]])
    assert.deepEqual(log, ['begin read 1', 'end read 1', 'begin read 2', 'end read 2'])
  })

  it('never started a write', async () => {
    const { log } = await play(() => [breaking([callEvent(0, 'write', { n: 1 })]), [callEvent(0, 'write', { n: 1 })], [text('done')]])
    assert.deepEqual(log, ['begin write 1', 'end write 1'])
  })

  it('is given up after two more tries, and leaves nothing running', async () => {
    let log: Log = []
    await assert.rejects(
      play((seen) => {
        log = seen
        return Array.from({ length: 5 }, () => breaking([text('x'), callEvent(0, 'read', { n: 1 })], 0))
      }),
      /the connection was cut/,
    )
    assert.deepEqual(log, ['begin read 1', 'end read 1'])
  })
})
