import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CallState, callId, type SessionEvent, type ToolCall } from '@adjutant/core'
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
