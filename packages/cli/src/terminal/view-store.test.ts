import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CallState, callId, type SessionEvent, type ToolCall, type ToolResult } from '@adjutant/core'
import { ViewStore } from './view-store.ts'

const state = (id: string, state: CallState, at = 0): SessionEvent => ({ type: 'call-state', id: callId(id), name: 'tool', state, at })
const text = (said: string): SessionEvent => ({ type: 'model', event: { type: 'text', text: said }, at: 0 })
const call = (id: string, path: string): ToolCall => ({
  id: callId(id),
  index: 0,
  name: 'tool',
  arguments: { ok: true, value: { path } },
  idFromProvider: true,
})

describe('what the terminal shows', () => {
  it('follows a call from waiting to done', () => {
    const store = new ViewStore()
    store.expect([call('1', 'a\u001b[2J.txt')])
    store.take(state('1', { status: 'received' }))
    store.take(state('1', { status: 'admitted' }))
    assert.equal(store.snapshot().waiting, 1)
    store.take(state('1', { status: 'queued' }))
    store.take(state('1', { status: 'running', attempt: 1 }, 100))
    store.take({ type: 'progress', id: callId('1'), name: 'tool', progress: { current: 1, total: 4, message: 'half\rway' }, at: 120 })
    assert.deepEqual(store.snapshot().live, [
      { id: '1', name: 'tool', summary: 'a\\x1b[2J.txt', status: 'running', startedAt: 100, progress: '25 % half\\rway' },
    ])
    store.take(state('1', { status: 'succeeded' }, 350))
    store.take(state('1', { status: 'settled', outcome: 'ok' }, 350))
    const { done, live, waiting } = store.snapshot()
    assert.deepEqual([live.length, waiting], [0, 0])
    assert.deepEqual(done, [{ kind: 'call', key: '1', name: 'tool', summary: 'a\\x1b[2J.txt', outcome: 'ok', durationMs: 250 }])
  })

  it('draws whole lines of text once, and keeps the last one open', () => {
    const store = new ViewStore()
    store.take({ type: 'round', round: 1, at: 0 })
    assert.equal(store.snapshot().thinking, true)
    for (const part of ['one\ntw', 'o\r\n\u001b[1Athr', 'ee']) store.take(text(part))
    assert.equal(store.snapshot().thinking, false)
    assert.deepEqual(
      store.snapshot().done.map((line) => line.kind === 'text' && line.text),
      ['one', 'two'],
    )
    assert.equal(store.snapshot().text, '\\x1b[1Athree')
    store.take({ type: 'model', event: { type: 'end', dialect: 'anthropic' }, at: 0 })
    assert.equal(store.snapshot().text, '')
    assert.equal(store.snapshot().done.length, 3)
  })

  it('gives the same snapshot until something happens, as drawing needs it', () => {
    const store = new ViewStore()
    let told = 0
    const stop = store.subscribe(() => {
      told += 1
    })
    const before = store.snapshot()
    assert.equal(store.snapshot(), before)
    store.note('hello')
    assert.notEqual(store.snapshot(), before)
    assert.equal(told, 1)
    stop()
    store.note('again')
    assert.equal(told, 1)
  })

  it('tells of loops, budgets, further attempts and the end in a line', () => {
    const store = new ViewStore()
    const at = 0
    const id = callId('1')
    const lines = (): unknown =>
      store.drain().map((line) => (line.kind === 'call' ? `${line.name}: ${line.detail ?? ''}` : `${line.kind}: ${line.text}`))
    store.take({ type: 'loop', id, name: 'tool\u001b[2J', step: 'warn', reason: 'five\nequal calls', at })
    store.take({ type: 'loop', id, name: 'tool', step: 'stop', reason: 'again', at })
    store.take({ type: 'budget', budget: 'calls', used: 80, limit: 100, at })
    store.take({ type: 'budget', budget: 'wallMs', used: 48_000, limit: 60_000, at })
    store.take({ type: 'budget', budget: 'microPrice', used: 800_000, limit: 1_000_000, at })
    store.take({ type: 'ended', reason: 'loop', text: '', at })
    store.take({ type: 'ended', reason: 'answer', text: 'x', at })
    assert.deepEqual(lines(), [
      'warning: tool\\x1b[2J is going round in circles: five\\nequal calls',
      'warning: tool is going round in circles, the task is stopped: again',
      'warning: budget: 80 of 100 calls are used',
      'warning: budget: 48.0 s of 1 min 00 s are used',
      'warning: budget: 0.8 of 1 of the money is used',
      'warning: stopped: the task went round in circles',
    ])
    store.take(state('1', { status: 'received' }))
    store.take(state('1', { status: 'running', attempt: 1 }))
    store.take({ type: 'retry', id, name: 'tool', attempt: 2, delayMs: 500, code: 'ORIGIN_UNAVAILABLE', at })
    assert.equal(store.snapshot().live[0]?.progress, 'attempt 2 in 500 ms (ORIGIN_UNAVAILABLE)')
    store.take(state('1', { status: 'running', attempt: 2 }))
    assert.equal(store.snapshot().live[0]?.progress, undefined)
    store.take(state('1', { status: 'settled', outcome: 'ok' }))
    assert.deepEqual(lines(), ['tool: 2 attempts'])
    // A further attempt of a call that is gone tells nobody anything.
    store.take({ type: 'retry', id: callId('gone'), name: 'tool', attempt: 2, delayMs: 500, code: 'ORIGIN_UNAVAILABLE', at })
    assert.deepEqual(lines(), [])
  })

  it('tells what only results say, under their calls, and counts what is too much', () => {
    const store = new ViewStore()
    const result = (id: string, more: Partial<ToolResult>): ToolResult => ({
      id: callId(id),
      name: 'tool',
      outcome: 'ok',
      isError: false,
      text: '',
      parts: [],
      ...more,
    })
    const told = (results: readonly ToolResult[]): unknown => {
      store.take({ type: 'results', results, at: 0 })
      return store.drain().map((line) => line.kind === 'note' && line.text)
    }
    store.expect([call('1', 'a.txt')])
    store.take(state('1', { status: 'received' }))
    store.take(state('1', { status: 'settled', outcome: 'ok' }))
    store.drain()
    const failure = { code: 'MODULE_NOT_FOUND', location: { file: 'src/\u001b[1Ax.ts', line: 7 } }
    assert.deepEqual(
      told([
        result('1', { cached: true, redacted: 2 }),
        result('2', { failure }),
        result('3', { redacted: 1 }),
        result('4', { redacted: 0 }),
      ]),
      [
        '  tool a.txt: answered from an earlier equal call, 2 secrets taken out',
        '  tool: MODULE_NOT_FOUND at src/\\x1b[1Ax.ts:7',
        '  tool: 1 secret taken out',
      ],
    )
    assert.deepEqual(told([result('1', {})]), [])
    const many = Array.from({ length: 25 }, (_, index) => result(String(index), { cached: true }))
    const lines = told(many)
    assert.ok(Array.isArray(lines))
    assert.equal(lines.length, 11)
    assert.equal(lines[10], '  and 15 more that were cached, recognised or had secrets')
  })

  it('keeps nothing of ten thousand calls that are done and drained', () => {
    const store = new ViewStore()
    let lines = 0
    for (let index = 0; index < 10_000; index += 1) {
      store.expect([call(String(index), 'a.txt')])
      store.take(state(String(index), { status: 'received' }))
      store.take(state(String(index), { status: 'refused', code: 'UNKNOWN_TOOL' }))
      store.take(state(String(index), { status: 'settled', outcome: 'not-run' }))
      lines += store.drain().length
    }
    assert.equal(lines, 10_000)
    assert.deepEqual(store.snapshot(), { done: [], live: [], waiting: 0, text: '', thinking: false })
  })
})
