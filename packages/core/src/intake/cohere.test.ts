import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'

type Event = Readonly<Record<string, unknown>>

function read(events: readonly Event[]): Decoded {
  return decodeAll(events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

const begin: Event = { type: 'message-start', id: 'x', delta: { message: { role: 'assistant' } } }

function start(index: number, name: string, args: unknown = ''): Event {
  return {
    type: 'tool-call-start',
    index,
    delta: { message: { tool_calls: { id: `${name}_${index}`, function: { name, arguments: args } } } },
  }
}

function piece(index: number, args: string): Event {
  return { type: 'tool-call-delta', index, delta: { message: { tool_calls: { function: { arguments: args } } } } }
}

function end(finish: string): Event {
  return {
    type: 'message-end',
    delta: { finish_reason: finish, usage: { billed_units: { input_tokens: 1 }, tokens: { input_tokens: 9, output_tokens: 2 } } },
  }
}

describe('Cohere', () => {
  it('gives the plan, thinking, text, and each call when it ends', () => {
    const decoded = read([
      begin,
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I look. ' } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'Hm.' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'So.' } } } },
      start(0, 'look'),
      piece(0, '{"at":'),
      piece(0, '"a"}'),
      { type: 'tool-call-end', index: 0 },
      start(1, 'stop'),
      { type: 'tool-call-end', index: 1 },
      end('TOOL_CALL'),
    ])
    assert.equal(decoded.reasoning, 'I look. Hm.')
    assert.equal(decoded.text, 'So.')
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['look', { at: 'a' }],
      ['stop', {}],
    ])
    assert.deepEqual(
      decoded.calls.map((call) => call.id),
      ['look_0', 'stop_1'],
    )
    assert.deepEqual(decoded.events.slice(-2), [
      { type: 'usage', usage: { inputTokens: 9, outputTokens: 2 } },
      { type: 'end', dialect: 'cohere', finish: 'tool-calls' },
    ])
  })

  it('closes what has no end of its own, and says what was cut off', () => {
    const unclosed = read([begin, start(0, 'a', '{"x":1}'), start(0, 'b', '{"x":2}'), end('TOOL_CALL')])
    assert.deepEqual(namesAndValues(unclosed.calls), [
      ['a', { x: 1 }],
      ['b', { x: 2 }],
    ])
    const cut = read([begin, start(0, 'a'), piece(0, '{"x"')])
    assert.equal(cut.calls[0]?.arguments.ok, false)
    assert.deepEqual([cut.end.finish, cut.problems[0]?.code], [undefined, 'STREAM_BROKEN'])
    const stray = read([begin, piece(3, '{}'), piece(3, '{}'), end('COMPLETE')])
    assert.deepEqual([stray.calls.length, stray.problems.length], [0, 1])
  })

  it('reads a whole answer', () => {
    const message = { role: 'assistant', tool_plan: 'p', tool_calls: [{ id: 'c1', function: { name: 'a', arguments: 'null' } }] }
    const decoded = decodeAll(JSON.stringify({ id: 'x', finish_reason: 'TOOL_CALL', message }, undefined, 2))
    assert.deepEqual(namesAndValues(decoded.calls), [['a', {}]])
    assert.equal(decoded.end.dialect, 'cohere')
  })

  it('says why it ended', () => {
    for (const [word, finish, problems] of [
      ['COMPLETE', 'stop', 0],
      ['MAX_TOKENS', 'length', 0],
      ['ERROR', 'error', 1],
      ['NEW', 'other', 0],
    ] as const) {
      const decoded = read([begin, end(word)])
      assert.deepEqual([decoded.end.finish, decoded.problems.length], [finish, problems])
    }
  })
})
