import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'

type Event = Readonly<Record<string, unknown>>

function read(events: readonly Event[]): Decoded {
  return decodeAll(events.map((event) => `event: ${String(event.event_type)}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

const created: Event = { event_type: 'interaction.created', interaction: { id: 'i', status: 'in_progress', object: 'interaction' } }

function start(index: number, step: Event): Event {
  return { event_type: 'step.start', index, step }
}

function delta(index: number, what: Event): Event {
  return { event_type: 'step.delta', index, delta: what }
}

function stop(index: number): Event {
  return { event_type: 'step.stop', index }
}

function completed(status: string, more: Event = {}): Event {
  const usage = { total_input_tokens: 9, total_tool_use_tokens: 1, total_output_tokens: 2, total_thought_tokens: 5 }
  return { event_type: 'interaction.completed', interaction: { id: 'i', status, usage, ...more } }
}

function call(index: number, name: string, args: string, more: Event = {}): readonly Event[] {
  const step = { type: 'function_call', id: `c${index}`, name, arguments: {}, ...more }
  return [start(index, step), delta(index, { type: 'arguments_delta', arguments: args }), stop(index)]
}

function blocksOf(decoded: Decoded): readonly unknown[] {
  return decoded.events.filter((event) => event.type === 'provider-block').map((event) => event.block)
}

describe('Gemini Interactions', () => {
  it('gives thoughts, text, and each call when its step is closed', () => {
    const decoded = read([
      created,
      start(0, { type: 'thought' }),
      delta(0, { type: 'thought_summary', content: { type: 'text', text: 'Hm.' } }),
      delta(0, { type: 'thought_signature', signature: 'S' }),
      stop(0),
      start(1, { type: 'model_output' }),
      delta(1, { type: 'text', text: 'I ' }),
      delta(1, { type: 'text', text: 'look.' }),
      stop(1),
      ...call(2, 'look', '{"at":"a"}', { signature: 'T' }),
      ...call(3, 'stop', ''),
      completed('requires_action'),
    ])
    assert.equal(decoded.reasoning, 'Hm.')
    assert.equal(decoded.text, 'I look.')
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['look', { at: 'a' }],
      ['stop', {}],
    ])
    assert.deepEqual(blocksOf(decoded), [
      { type: 'thought', signature: 'S', summary: [{ type: 'text', text: 'Hm.' }] },
      { type: 'function_call', id: 'c2', name: 'look', signature: 'T' },
    ])
    assert.deepEqual(decoded.events.slice(-2), [
      { type: 'usage', usage: { inputTokens: 10, outputTokens: 7 } },
      { type: 'end', dialect: 'gemini-interactions', finish: 'tool-calls' },
    ])
  })

  it('leaves what the provider runs itself alone', () => {
    const decoded = read([
      created,
      start(0, { type: 'google_search_call', id: 'g' }),
      delta(0, { type: 'google_search_call', arguments: { queries: ['x'] } }),
      stop(0),
      completed('completed'),
    ])
    assert.deepEqual(decoded.calls, [])
    assert.deepEqual(blocksOf(decoded), [{ type: 'google_search_call', id: 'g', arguments: { queries: ['x'] } }])
    assert.equal(decoded.end.finish, 'stop')
  })

  it('reads a whole answer', () => {
    const steps = [
      { type: 'thought', signature: 'S' },
      { type: 'model_output', content: [{ type: 'text', text: 'x' }] },
      { type: 'function_call', id: 'c', name: 'look', arguments: { at: 'a' } },
    ]
    const decoded = decodeAll(JSON.stringify({ id: 'i', status: 'requires_action', steps, object: 'interaction' }, undefined, 2))
    assert.deepEqual(namesAndValues(decoded.calls), [['look', { at: 'a' }]])
    assert.equal(decoded.text, 'x')
    assert.deepEqual(blocksOf(decoded), [steps[0]])
  })

  it('says why it is not complete', () => {
    for (const [status, finish, codes] of [
      ['incomplete', 'length', []],
      ['cancelled', 'other', []],
      ['failed', 'error', ['MODEL_FAILED']],
      ['in_progress', undefined, ['STREAM_BROKEN']],
    ] as const) {
      const decoded = read([created, completed(status)])
      assert.deepEqual([decoded.end.finish, decoded.problems.map((problem) => problem.code)], [finish, codes], status)
    }
    const failed = read([
      created,
      ...call(0, 'a', '{"x":').slice(0, 2),
      { event_type: 'error', error: { code: 503, message: 'overloaded' } },
    ])
    assert.deepEqual(
      failed.problems.map((problem) => problem.code),
      ['MODEL_UNAVAILABLE'],
    )
    assert.equal(failed.calls[0]?.arguments.ok, false)
    const stray = read([created, delta(4, { type: 'arguments_delta', arguments: '{}' }), completed('completed')])
    assert.equal(stray.problems[0]?.code, 'STREAM_BROKEN')
  })
})
