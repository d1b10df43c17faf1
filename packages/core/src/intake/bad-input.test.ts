import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chatOf, chunk, messagesOf, piece } from '../../test/intake/chat.ts'
import { callIds, decodeAll, gather } from '../../test/intake/decode-all.ts'
import { assertInvariants } from '../../test/intake/invariants.ts'
import { ownStreams } from '../../test/intake/own-streams.ts'
import type { DecodeEvent, Dialect } from '../contract/decode.ts'
import { createDecoder } from './dialect.ts'
import type { DecodeLimits } from './wire.ts'

const encoder = new TextEncoder()

function problemsOf(input: Uint8Array | string, dialect: Dialect | 'auto' = 'auto'): readonly string[] {
  return decodeAll(input, dialect).problems.map((problem) => `${problem.code}: ${problem.message}`)
}

/** The input of one Chat Completions call with these argument pieces. */
function callWith(pieces: readonly string[]): string {
  return chatOf([[{ index: 0, id: 'a', name: 'f', arguments: '' }], ...pieces.map((text) => [{ index: 0, arguments: text }])])
}

/** Feeds what is made while it is read, so that a test holds no more of it than the decoder does. */
function feed(pieces: Iterable<Uint8Array>, dialect: Dialect, limits: Partial<DecodeLimits> = {}): readonly DecodeEvent[] {
  const seen: DecodeEvent[] = []
  const decoder = createDecoder(dialect, (event) => seen.push(event), { ids: callIds(), limits })
  for (const bytes of pieces) decoder.push(bytes)
  decoder.end()
  return seen
}

function* repeated(first: string, middle: string, times: number, last: string): Generator<Uint8Array, void, void> {
  yield encoder.encode(first)
  const bytes = encoder.encode(middle)
  for (let turn = 0; turn < times; turn += 1) yield bytes
  yield encoder.encode(last)
}

describe('a connection cut anywhere', () => {
  for (const { name, dialect, bytes } of ownStreams()) {
    if (dialect === 'tagged-text') continue
    it(`of ${name} gives no call that was not in it, and says that it was cut`, () => {
      const whole = new Map(decodeAll(bytes, dialect).calls.map((call) => [call.name, call]))
      const step = Math.max(1, Math.floor(bytes.length / 150))
      for (let at = 1; at < bytes.length; at += step) {
        const decoded = decodeAll(bytes.subarray(0, at), dialect)
        assertInvariants(decoded.events, at)
        for (const call of decoded.calls) {
          if (call.arguments.ok && call.arguments.repairs === undefined)
            assert.deepEqual(call.arguments, whole.get(call.name)?.arguments, `cut at ${at}`)
        }
        if (decoded.end.finish === undefined) assert.ok(decoded.problems.length > 0, `cut at ${at}: ${decoded.end.finish}`)
      }
    })
  }
})

describe('an error in mid-stream', () => {
  const started = callWith(['{"path":"a']).replace(/data: (?:.*"finish_reason":"tool_calls".*|\[DONE\])\n\n/g, '')
  const messages = messagesOf([
    { type: 'message_start', message: { content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"path":"a' } },
  ])
  const cases: readonly (readonly [string, string])[] = [
    ['Chat Completions', `${started}data: {"error":{"message":"the server is overloaded","type":"server_error"}}\n\n`],
    ['Chat Completions, a bare line', `${started}{"error":{"message":"the server is overloaded","type":"server_error"}}\n`],
    [
      'Messages',
      `${messages}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"the server is overloaded"}}\n\n`,
    ],
  ]
  for (const [name, stream] of cases) {
    it(`of ${name} is the provider's own words, and the open call is not whole`, () => {
      const decoded = decodeAll(stream)
      assert.equal(decoded.end.finish, 'error')
      const told = decoded.problems.find((problem) => problem.code === 'MODEL_UNAVAILABLE')
      assert.match(told?.message ?? '', /the server is overloaded/)
      const args = decoded.calls[0]?.arguments
      assert.ok(args !== undefined && !args.ok && args.code === 'STREAM_BROKEN')
    })
  }
})

describe('lines that are no events', () => {
  it('are skipped and named, one by one, with what is wrong with them; the calls around them stay', () => {
    const [head = '', ...rest] = callWith(['{"a":1}']).split('\n\n')
    const decoded = decodeAll([head, 'data: {"choices": [oops', 'data: 17', 'who are you', ...rest].join('\n\n'))
    assert.deepEqual(
      decoded.calls.map((call) => call.arguments),
      [{ ok: true, value: { a: 1 } }],
    )
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['INVALID_JSON', 'INVALID_JSON', 'INVALID_JSON'],
    )
    assert.match(decoded.problems[0]?.message ?? '', /event 2 was skipped: at position 13 .*oops/)
    assert.match(decoded.problems[2]?.message ?? '', /who are you/)
  })

  it('by the hundred thousand are counted, not told one by one, and given up after a bound', () => {
    const seen = feed(repeated('', 'data: {nonsense\n\n', 200_000, ''), 'openai-chat')
    assertInvariants(seen, Number.POSITIVE_INFINITY)
    assert.ok(seen.length < 50, `${seen.length}`)
    assert.match(JSON.stringify(seen.at(-2)), /STREAM_BROKEN|more parts could not be read/)
  })
})

describe('a page of HTML with status 200', () => {
  const page = '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n<body><h1>502 Bad Gateway</h1>\nid: 7\n</body></html>\n'
  for (const dialect of ['auto', 'openai-chat', 'openai-responses', 'anthropic', 'gemini', 'bedrock', 'ollama'] as const) {
    it(`is named as such when ${dialect} was expected`, () => {
      const decoded = decodeAll(page, dialect)
      assert.equal(decoded.calls.length, 0)
      if (dialect === 'auto') {
        // Nobody said that it should be anything else than text.
        assert.equal(decoded.text.trim(), page.trim())
        return
      }
      assert.notEqual(decoded.end.finish, 'stop')
      assert.deepEqual(problemsOf(page, dialect), [
        'MODEL_UNAVAILABLE: a page of HTML came in the place of the answer: 502 Bad Gateway; a proxy on the way, or a wrong address, answers so',
      ])
      assert.deepEqual(decodeAll(page, dialect, 'each').events, decoded.events)
    })
  }
})

describe('a page of HTML without a title', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['<html><script>if (a < b) x()</script><body><h1>No such\nhost</h1></body></html>', 'MODEL_FAILED', ': No such host;'],
    ['<body></body>', 'MODEL_FAILED', 'in the place of the answer; a proxy'],
    [`<div>Service Unavailable ${'<'.repeat(50_000)}`, 'MODEL_UNAVAILABLE', ': Service Unavailable;'],
  ]
  for (const [page, code, words] of cases) {
    it(`is told by its words: ${page.slice(0, 30)}`, () => {
      const [problem, ...more] = problemsOf(page, 'openai-chat')
      assert.deepEqual(more, [])
      assert.ok(problem?.startsWith(code) === true && problem.includes(words), problem)
    })
  }
})

describe('arguments of any size', () => {
  const limits: Partial<DecodeLimits> = { argumentChars: 100_000 }

  it('over the limit are one call that says so, and keep only their beginning', () => {
    const text = 'x'.repeat(1_000)
    const delta = (args: string): string => chunk({ tool_calls: [piece({ index: 0, arguments: args })] })
    const start = chunk({ tool_calls: [piece({ index: 0, id: 'a', name: 'f', arguments: '{"content":"' })] })
    const last = `${delta('"}')}${chunk({}, 'tool_calls')}data: [DONE]\n\n`
    const block = (args: string): string =>
      messagesOf([{ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: args } }])
    const opening = messagesOf([
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
    ])
    const closing = messagesOf([
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ])
    const streams = [
      feed(repeated(start, delta(text), 20_000, last), 'openai-chat', limits),
      feed(repeated(`${opening}${block('{"content":"')}`, block(text), 20_000, `${block('"}')}${closing}`), 'anthropic', limits),
    ]
    for (const seen of streams) {
      assertInvariants(seen, Number.POSITIVE_INFINITY)
      const { calls, end } = gather(seen)
      const [call] = calls
      assert.ok(calls.length === 1 && call !== undefined && !call.arguments.ok)
      assert.equal(call.arguments.code, 'TOO_LARGE')
      assert.match(call.arguments.problem, /longer than 100000 characters/)
      assert.ok(call.arguments.raw.length < 10_000)
      assert.equal(end.finish, 'tool-calls')
    }
  })

  it('between tags too', () => {
    const seen = feed(
      repeated('<tool_use>{"name":"f","input":{"content":"', 'x'.repeat(1_000), 20_000, '"}}</tool_use>'),
      'tagged-text',
      limits,
    )
    assertInvariants(seen, Number.POSITIVE_INFINITY)
    const { calls } = gather(seen)
    assert.ok(calls.length === 1 && calls[0]?.arguments.ok === false && calls[0].arguments.code === 'TOO_LARGE')
  })

  it('a line without an end is given up at its limit', () => {
    const seen = feed(repeated('data: {"choices":[{"delta":{"content":"', 'x'.repeat(1_000), 20_000, '"}}]}\n\n'), 'openai-chat', {
      lineChars: 100_000,
    })
    assertInvariants(seen, Number.POSITIVE_INFINITY)
    assert.equal(gather(seen).problems[0]?.code, 'TOO_LARGE')
  })

  it('that begin anew after an empty object are told to grow only, never to shrink', () => {
    const seen: DecodeEvent[] = []
    const decoder = createDecoder('openai-chat', (event) => seen.push(event), { ids: callIds(), signals: true })
    const pieces = ['{', ' ', ' }', '{', '"a"', ':12', '}']
    decoder.push(chunk({ tool_calls: [piece({ index: 0, id: 'a', name: 'f' })] }))
    for (const text of pieces) decoder.push(chunk({ tool_calls: [piece({ index: 0, id: 'a', arguments: text })] }))
    decoder.push(chunk({}, 'tool_calls'))
    decoder.end()
    assertInvariants(seen, Number.POSITIVE_INFINITY)
    assert.deepEqual(
      seen.flatMap((event) => (event.type === 'call-growing' ? [event.chars] : [])),
      [1, 2, 4, 7, 8],
    )
    assert.deepEqual(gather(seen).calls[0]?.arguments, { ok: true, value: { a: 12 } })
  })

  it('in a million empty deltas cost one look each: no event comes of them', () => {
    const empty = chunk({ tool_calls: [piece({ index: 0, arguments: '' })] })
    const start = chunk({ tool_calls: [piece({ index: 0, id: 'a', name: 'f', arguments: '{"a":' })] })
    const last = `${chunk({ tool_calls: [piece({ index: 0, arguments: '1}' })] })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`
    const seen = feed(repeated(start, empty.repeat(1_000), 1_000, last), 'openai-chat')
    assert.deepEqual(
      seen.map((event) => event.type),
      ['call-start', 'call', 'end'],
    )
    assert.deepEqual(gather(seen).calls[0]?.arguments, { ok: true, value: { a: 1 } })
  })

  it('in twenty thousand calls of one message are each a call of their own', () => {
    const many = 20_000
    function* calls(): Generator<Uint8Array, void, void> {
      for (let index = 0; index < many; index += 1)
        yield encoder.encode(chunk({ tool_calls: [piece({ index, id: `id_${index}`, name: 'f', arguments: '{}' })] }))
      yield encoder.encode(`${chunk({}, 'tool_calls')}data: [DONE]\n\n`)
    }
    const { calls: decoded } = gather(feed(calls(), 'openai-chat'))
    assert.equal(new Set(decoded.map((call) => call.id)).size, many)
  })
})

describe('text that is not quite text', () => {
  it('invalid UTF-8 inside arguments becomes the replacement character, and nothing else is lost', () => {
    const bytes = encoder.encode(callWith(['{"a":"?","b":2}']))
    bytes[bytes.indexOf(0x3f)] = 0xff
    for (const cuts of [[], 'each'] as const)
      assert.deepEqual(decodeAll(bytes, 'auto', cuts).calls[0]?.arguments, { ok: true, value: { a: '\uFFFD', b: 2 } })
  })

  it('lone surrogates, as escapes, become U+FFFD, and that is told', () => {
    const args = decodeAll(callWith(['{"a":"\\u', 'd83d","b":"\\uDE00\\ud83d"}'])).calls[0]?.arguments
    assert.ok(args?.ok)
    assert.deepEqual(args.value, { a: '\uFFFD', b: '\uFFFD\uFFFD' })
    assert.deepEqual(
      args.repairs?.map(({ rule }) => rule),
      ['lone-surrogate', 'lone-surrogate'],
    )
  })

  it('keys that name inherited members are own members, and change nothing else', () => {
    const text = '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toString":1}'
    const forms = [
      callWith([text]),
      `<tool_use>{"name":"f","input":${text}}</tool_use>`,
      `{"choices":[{"index":0,"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":${text}}}]},"finish_reason":"tool_calls"}]}`,
      `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${text}}}]},"finishReason":"STOP"}]}\n\n`,
    ]
    for (const form of forms) {
      const args = decodeAll(form).calls[0]?.arguments
      assert.ok(args?.ok, form)
      assert.deepEqual(Object.keys(args.value), ['__proto__', 'constructor', 'toString'])
      assert.equal(Object.getPrototypeOf(args.value), Object.prototype)
    }
    assert.equal(Reflect.get({}, 'admin'), undefined)
  })

  it('names, ids and indexes that name inherited members are names, ids and indexes like any other', () => {
    const stream = chatOf([
      [{ index: 0, id: '__proto__', name: 'constructor', arguments: '{}' }],
      [{ index: 1, id: 'hasOwnProperty', name: '__proto__', arguments: '{}' }],
      [{ index: 2, id: '__proto__', name: 'toString', arguments: '{}' }],
    ])
    const { calls } = decodeAll(stream)
    assert.deepEqual(
      calls.map((call) => call.name),
      ['constructor', '__proto__', 'toString'],
    )
    assert.deepEqual(
      calls.map((call) => call.id),
      ['__proto__', 'hasOwnProperty', 'call_1'],
    )
  })
})
