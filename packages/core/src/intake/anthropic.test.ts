import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { messagesOf } from '../../test/intake/chat.ts'
import { type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'

const START = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 },
  },
}
const STOP = { type: 'message_stop' }

function ending(reason: string): { readonly type: string; readonly [key: string]: unknown } {
  return { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 20 } }
}
function opened(index: number, block: object): { readonly type: string; readonly [key: string]: unknown } {
  return { type: 'content_block_start', index, content_block: block }
}
function delta(index: number, value: object): { readonly type: string; readonly [key: string]: unknown } {
  return { type: 'content_block_delta', index, delta: value }
}
function closed(index: number): { readonly type: string; readonly [key: string]: unknown } {
  return { type: 'content_block_stop', index }
}
function tool(index: number, id: unknown, pieces: readonly string[], input: unknown = {}): readonly { readonly type: string }[] {
  return [
    opened(index, { type: 'tool_use', id, name: 'f', input }),
    ...pieces.map((partial_json) => delta(index, { type: 'input_json_delta', partial_json })),
    closed(index),
  ]
}

function decodeMessages(events: readonly { readonly type: string }[]): Decoded {
  const text = messagesOf(events)
  const decoded = decodeAll(text)
  assert.deepEqual(decodeAll(text, 'anthropic', 'each').events, decoded.events)
  return decoded
}

describe('anthropic', () => {
  it('reads text, reasoning, calls, usage and the end', () => {
    const decoded = decodeMessages([
      START,
      { type: 'ping' },
      opened(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
      delta(0, { type: 'thinking_delta', thinking: 'see' }),
      delta(0, { type: 'signature_delta', signature: 'sig==' }),
      closed(0),
      opened(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Hello' }),
      closed(1),
      ...tool(2, 'toolu_1', ['', '{"a":', '1}']),
      ending('tool_use'),
      STOP,
    ])
    assert.deepEqual(
      decoded.events.map((event) => event.type),
      ['reasoning', 'provider-block', 'text', 'call-start', 'call', 'usage', 'end'],
    )
    assert.deepEqual(decoded.events[1], { type: 'provider-block', block: { type: 'thinking', thinking: 'Let me see', signature: 'sig==' } })
    assert.deepEqual(namesAndValues(decoded.calls), [['f', { a: 1 }]])
    assert.deepEqual(decoded.events.at(-2), { type: 'usage', usage: { inputTokens: 15, outputTokens: 20 } })
    assert.deepEqual(decoded.end, { type: 'end', dialect: 'anthropic', finish: 'tool-calls' })
  })

  it('arguments may be absent, empty, given at the start, or broken', () => {
    const forms: readonly (readonly [readonly string[], unknown, unknown])[] = [
      [[], {}, {}],
      [[], undefined, {}],
      [[], null, {}],
      [['', ''], {}, {}],
      [['{}'], {}, {}],
      [[], { sql: 'SELECT 1' }, { sql: 'SELECT 1' }],
      [['{"x":', '2}'], { old: 1 }, { x: 2 }],
      [["{'x':", "'}'}"], {}, { x: '}' }],
      [['{"x":["y"'], {}, { x: ['y'] }],
      [['{"x":["y'], {}, 'broken'],
      [['{"x":'], {}, 'broken'],
      [['[1]'], {}, 'broken'],
      [[], [1], 'broken'],
    ]
    for (const [pieces, input, value] of forms) {
      const decoded = decodeMessages([START, ...tool(0, 'toolu_1', pieces, input), ending('tool_use'), STOP])
      assert.deepEqual(namesAndValues(decoded.calls), [['f', value]])
      assert.deepEqual(decoded.problems, [])
    }
  })

  it('woven blocks, repeated and missing ids', () => {
    const start = (index: number, id: unknown): object => ({ ...opened(index, { type: 'tool_use', id, name: `t${index}`, input: {} }) })
    const json = (index: number, partial_json: string): object => delta(index, { type: 'input_json_delta', partial_json })
    const events = [
      START,
      start(0, 'x'),
      start(1, 'x'),
      start(2, ''),
      start(3, null),
      json(1, '{"b"'),
      json(0, '{"a":1}'),
      json(1, ':2}'),
      closed(1),
      closed(0),
      closed(3),
      closed(2),
      ending('tool_use'),
      STOP,
    ]
    const decoded = decodeMessages(events.filter((event): event is { type: string } => 'type' in event))
    assert.deepEqual(
      decoded.calls.map((call) => [call.index, call.name, call.idFromProvider]),
      [
        [1, 't1', false],
        [0, 't0', true],
        [3, 't3', false],
        [2, 't2', false],
      ],
    )
    assert.equal(new Set(decoded.calls.map((call) => call.id)).size, 4)
  })

  it('what the provider runs itself is no call, and goes back whole', () => {
    const result = {
      type: 'web_search_tool_result',
      tool_use_id: 'srv_1',
      content: [{ type: 'web_search_result', url: 'https://example.com' }],
    }
    const decoded = decodeMessages([
      START,
      opened(0, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      closed(0),
      opened(1, result),
      closed(1),
      opened(2, { type: 'redacted_thinking', data: 'opaque' }),
      closed(2),
      opened(3, { type: 'compaction', content: null }),
      delta(3, { type: 'compaction_delta', content: 'so far' }),
      closed(3),
      opened(4, { type: 'thinking', thinking: 'unsigned' }),
      closed(4),
      ending('end_turn'),
      STOP,
    ])
    assert.deepEqual(decoded.calls, [])
    assert.deepEqual(
      decoded.events.flatMap((event) => (event.type === 'provider-block' ? [event.block] : [])),
      [
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } },
        result,
        { type: 'redacted_thinking', data: 'opaque' },
        { type: 'compaction', content: 'so far' },
      ],
    )
    assert.equal(decoded.reasoning, 'unsigned')
  })

  it('a message that starts anew leaves the open call broken', () => {
    const [open] = tool(0, 'a', [])
    const decoded = decodeMessages([
      START,
      ...(open === undefined ? [] : [open]),
      delta(0, { type: 'input_json_delta', partial_json: '{"v":"Spa' }),
      START,
      ...tool(0, 'b', ['{"v":"Sparkle"}']),
      ending('tool_use'),
      STOP,
    ])
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['f', 'broken'],
      ['f', { v: 'Sparkle' }],
    ])
    assert.equal(decoded.end.finish, 'tool-calls')
  })

  it('a stream that is cut off gives whole arguments, and broken calls for the rest', () => {
    const whole = decodeMessages([START, ...tool(0, 'a', ['{"x":1}']).slice(0, -1)])
    assert.deepEqual(namesAndValues(whole.calls), [['f', { x: 1 }]])
    for (const pieces of [[], ['{"x"']]) {
      const decoded = decodeMessages([START, ...tool(0, 'a', pieces).slice(0, -1)])
      const [call] = decoded.calls
      assert.ok(call?.arguments.ok === false && call.arguments.code === 'STREAM_BROKEN')
      assert.deepEqual(
        decoded.problems.map((problem) => problem.code),
        ['STREAM_BROKEN'],
      )
      assert.equal(decoded.end.finish, undefined)
    }
  })

  it('running out of tokens inside a call is said', () => {
    const decoded = decodeMessages([START, ...tool(0, 'a', ['{"x":']).slice(0, -1), ending('max_tokens'), STOP])
    const [call] = decoded.calls
    assert.ok(call?.arguments.ok === false && call.arguments.code === 'STREAM_BROKEN')
    assert.equal(decoded.end.finish, 'length')
  })

  it('errors in the stream and as a body', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    for (const decoded of [decodeMessages([START, error]), decodeAll(JSON.stringify(error))]) {
      assert.deepEqual(
        decoded.problems.map((problem) => problem.code),
        ['MODEL_UNAVAILABLE'],
      )
      assert.equal(decoded.end.finish, 'error')
    }
  })

  it('a whole answer is read like a stream', () => {
    const body = {
      type: 'message',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 2 },
    }
    for (const text of [JSON.stringify(body), JSON.stringify(body, undefined, 2)]) {
      const decoded = decodeAll(text)
      assert.deepEqual(decodeAll(text, 'anthropic', 'each').events, decoded.events)
      assert.deepEqual(
        decoded.events.map((event) => event.type),
        ['reasoning', 'provider-block', 'text', 'call-start', 'call', 'usage', 'end'],
      )
    }
  })

  it('arguments for a block that never started are a problem, told once', () => {
    const stray = delta(9, { type: 'input_json_delta', partial_json: '{}' })
    const decoded = decodeMessages([START, stray, stray, ending('end_turn'), STOP])
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['STREAM_BROKEN'],
    )
  })

  it('arguments above the limit are cut off with a code', () => {
    const text = messagesOf([
      START,
      ...tool(0, 'a', ['{"x":"', ...Array.from({ length: 30 }, () => 'y'.repeat(100)), '"}']),
      ending('tool_use'),
      STOP,
    ])
    const [call] = decodeAll(text, 'anthropic', [], { limits: { argumentChars: 1_000 } }).calls
    assert.ok(call?.arguments.ok === false && call.arguments.code === 'TOO_LARGE')
  })
})
