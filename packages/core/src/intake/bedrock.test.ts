import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { callIds, type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'
import { createDecoder } from './dialect.ts'

type Event = Readonly<Record<string, unknown>>

const began: Event = { messageStart: { role: 'assistant' } }
const usage: Event = { metadata: { usage: { inputTokens: 9, outputTokens: 2, cacheReadInputTokens: 5 }, metrics: { latencyMs: 1 } } }

function start(place: number, toolUse: Event): Event {
  return { contentBlockStart: { contentBlockIndex: place, start: { toolUse } } }
}

function delta(place: number, what: Event): Event {
  return { contentBlockDelta: { contentBlockIndex: place, delta: what } }
}

function stop(place: number): Event {
  return { contentBlockStop: { contentBlockIndex: place } }
}

function ended(stopReason: string): Event {
  return { messageStop: { stopReason } }
}

function call(place: number, name: string, pieces: readonly string[]): readonly Event[] {
  const toolUse = { toolUseId: `tooluse_${place}`, name }
  return [start(place, toolUse), ...pieces.map((input) => delta(place, { toolUse: { input } })), stop(place)]
}

function lines(events: readonly Event[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

function read(events: readonly Event[]): Decoded {
  return decodeAll(lines(events))
}

function header(name: string, value: string): Uint8Array {
  const key = Buffer.from(name)
  const text = Buffer.from(value)
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([7, text.length >> 8, text.length & 255]), text])
}

/** One message of the binary framing. */
function message(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  // A header of each kind that carries no text stands in between: time, number, truth.
  const odd = Buffer.from([1, 0x74, 8, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0x6e, 4, 0, 0, 0, 1, 1, 0x62, 0])
  const head = Buffer.concat([odd, ...Object.entries(headers).map(([name, value]) => header(name, value))])
  const body = Buffer.from(payload)
  const bytes = Buffer.alloc(16 + head.length + body.length)
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.writeUInt32BE(head.length, 4)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8)
  head.copy(bytes, 12)
  body.copy(bytes, 12 + head.length)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
  return bytes
}

function framed(events: readonly Event[]): Buffer {
  return Buffer.concat(
    events.map((event) => {
      const [kind, value] = Object.entries(event)[0] ?? ['', {}]
      return message({ ':event-type': kind, ':content-type': 'application/json', ':message-type': 'event' }, JSON.stringify(value))
    }),
  )
}

const answer: readonly Event[] = [
  began,
  delta(0, { text: 'Ich schaue: ä🙂' }),
  stop(0),
  ...call(1, 'look', ['{"at":', '"a"}']),
  ...call(2, 'look', ['{"at":"b"}']),
  ...call(3, 'stop', ['']),
  ended('tool_use'),
  usage,
]

describe('Bedrock Converse', () => {
  it('gives text, the calls in order with their ids, the count of tokens and why it ended', () => {
    const decoded = read(answer)
    assert.equal(decoded.text, 'Ich schaue: ä🙂')
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['look', { at: 'a' }],
      ['look', { at: 'b' }],
      ['stop', {}],
    ])
    assert.deepEqual(
      decoded.calls.map((one) => one.id),
      ['tooluse_1', 'tooluse_2', 'tooluse_3'],
    )
    assert.deepEqual(decoded.problems, [])
    assert.deepEqual(decoded.events.slice(-2), [
      { type: 'usage', usage: { inputTokens: 14, outputTokens: 2 } },
      { type: 'end', dialect: 'bedrock', finish: 'tool-calls' },
    ])
  })

  it('hands a call over when its block is closed', () => {
    const cut = read([
      began,
      ...call(0, 'a', ['{"x":1}']),
      start(1, { toolUseId: 't', name: 'b' }),
      delta(1, { toolUse: { input: '{"y"' } }),
    ])
    assert.deepEqual(
      cut.calls.map((one) => [one.name, one.arguments.ok]),
      [
        ['a', true],
        ['b', false],
      ],
    )
    assert.equal(cut.problems[0]?.code, 'STREAM_BROKEN')
    assert.equal(cut.end.finish, undefined)
  })

  it('reads a whole answer', () => {
    const signed = { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } }
    const content = [
      signed,
      { text: 'x' },
      { toolUse: { toolUseId: 't1', name: 'look', input: { at: 'a' } } },
      { toolUse: { toolUseId: 't1', name: 'look', input: {} } },
      { toolUse: { toolUseId: 't2', name: 'code', type: 'server_tool_use', input: {} } },
    ]
    const body = { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage: { inputTokens: 1, outputTokens: 2 } }
    const decoded = decodeAll(JSON.stringify(body, undefined, 2))
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['look', { at: 'a' }],
      ['look', {}],
    ])
    assert.equal(new Set(decoded.calls.map((one) => one.id)).size, 2)
    assert.equal(decoded.reasoning, 'Hm.')
    assert.deepEqual(
      decoded.events.filter((event) => event.type === 'provider-block').map((event) => event.block),
      [signed, content[4]],
    )
    assert.equal(decoded.end.finish, 'tool-calls')
  })

  it('keeps reasoning that is signed or redacted, and nothing of what is not whole', () => {
    const reasoning = (what: Event): Event => delta(0, { reasoningContent: what })
    const blocks = (events: readonly Event[]): unknown =>
      read([began, ...events])
        .events.filter((event) => event.type === 'provider-block')
        .map((event) => event.block)
    const signed = [reasoning({ text: 'H' }), reasoning({ text: 'm.' }), reasoning({ signature: 's' })]
    assert.deepEqual(blocks([...signed, stop(0), ended('end_turn')]), [
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } },
    ])
    assert.deepEqual(blocks([reasoning({ redactedContent: 'AAAA' }), stop(0), ended('end_turn')]), [
      { reasoningContent: { redactedContent: 'AAAA' } },
    ])
    assert.deepEqual(blocks([reasoning({ text: 'Hm.' }), stop(0), ended('end_turn')]), [], 'unsigned')
    assert.deepEqual(blocks(signed), [], 'cut off')
  })

  it('leaves the tools of the provider alone', () => {
    const tool = { toolUseId: 't', name: 'nova_code_interpreter', type: 'server_tool_use' }
    const decoded = read([began, start(0, tool), delta(0, { toolUse: { input: '{"snippet":"1"}' } }), stop(0), ended('end_turn')])
    assert.deepEqual(decoded.calls, [])
    assert.deepEqual(
      decoded.events.filter((event) => event.type === 'provider-block').map((event) => event.block),
      [{ toolUse: { ...tool, input: '{"snippet":"1"}' } }],
    )
  })

  it('says why it ended, and what the provider said went wrong', () => {
    for (const [reason, finish, codes] of [
      ['end_turn', 'stop', []],
      ['max_tokens', 'length', []],
      ['model_context_window_exceeded', 'length', []],
      ['guardrail_intervened', 'content-filter', []],
      ['malformed_tool_use', 'error', ['INVALID_JSON']],
      ['new_reason', 'other', []],
    ] as const) {
      const decoded = read([began, ended(reason)])
      assert.deepEqual([decoded.end.finish, decoded.problems.map((problem) => problem.code)], [finish, codes])
    }
    for (const [name, code] of [
      ['throttlingException', 'MODEL_UNAVAILABLE'],
      ['internalServerException', 'MODEL_UNAVAILABLE'],
      ['validationException', 'MODEL_FAILED'],
    ] as const) {
      const decoded = read([{ [name]: { message: 'no' } }])
      assert.deepEqual(
        [decoded.end.finish, decoded.end.dialect, decoded.problems.map((problem) => problem.code)],
        ['error', 'bedrock', [code]],
      )
    }
  })

  it('says once that arguments belong to no call', () => {
    const stray = delta(4, { toolUse: { input: '{}' } })
    const decoded = read([began, stray, stray, ended('end_turn')])
    assert.deepEqual(decoded.calls, [])
    assert.equal(decoded.problems.length, 1)
  })
})

describe('the binary event stream', () => {
  it('gives the very events of the JSON lines, however it is cut', () => {
    const bytes = framed(answer)
    const wanted = read(answer).events
    assert.deepEqual(decodeAll(bytes).events, wanted)
    assert.deepEqual(decodeAll(bytes, 'bedrock', 'each').events, wanted)
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 20 }), (cuts) => {
        const places = [...new Set(cuts)].toSorted((a, b) => a - b)
        assert.deepEqual(decodeAll(bytes, 'auto', places).events, wanted)
      }),
      { numRuns: 50 },
    )
  })

  it('holds the events of other makers, wrapped', () => {
    const inner = [
      { type: 'message_start', message: { content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"at":"ä"}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ]
    const bytes = framed(inner.map((event) => ({ chunk: { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abc' } })))
    const decoded = decodeAll(bytes)
    assert.deepEqual(namesAndValues(decoded.calls), [['look', { at: 'ä' }]])
    assert.equal(decoded.end.dialect, 'anthropic')
  })

  it('carries exceptions and errors', () => {
    const exception = message({ ':message-type': 'exception', ':exception-type': 'modelStreamErrorException' }, '{"message":"boom"}')
    const error = message({ ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'boom' }, '')
    for (const bytes of [exception, error]) {
      const decoded = decodeAll(Buffer.concat([framed([began, delta(0, { text: 'a' })]), bytes]))
      assert.match(decoded.problems[0]?.message ?? '', /boom/)
      assert.equal(decoded.end.finish, 'error')
    }
  })

  it('leaves out a message whose checksum is wrong, and stops where a beginning is wrong', () => {
    const parts = answer.map((event) => framed([event]))
    const flipped = (at: number, place: number): Buffer => {
      const bytes = Buffer.concat(parts)
      const offset = parts.slice(0, at).reduce((sum, part) => sum + part.length, 0)
      const from = place < 0 ? offset + (parts[at]?.length ?? 0) + place : offset + place
      bytes[from] = (bytes[from] ?? 0) ^ 1
      return bytes
    }
    const skipped = decodeAll(flipped(1, -10))
    assert.match(skipped.problems[0]?.message ?? '', /message 2 .*checksum/)
    assert.equal(skipped.text, '')
    assert.equal(skipped.calls.length, 3)
    const lost = decodeAll(flipped(7, 9))
    assert.match(lost.problems[0]?.message ?? '', /message 8 .*no valid beginning/)
    assert.equal(lost.calls.filter((one) => one.arguments.ok).length, 1)
    assert.equal(lost.end.finish, undefined)
    const cut = decodeAll(framed(answer).subarray(0, -5))
    assert.match(cut.problems[0]?.message ?? '', /cut off inside message/)
  })

  it('is not seen in what is none, and does not break on any bytes', () => {
    assert.match(decodeAll(new Uint8Array([0, 0, 0, 9])).problems[0]?.message ?? '', /binary/)
    const bytes = framed(answer)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 200 }), fc.nat({ max: 100 }), (noise, keep) => {
        const decoded = decodeAll(Buffer.concat([bytes.subarray(0, keep), noise]), 'bedrock')
        assert.ok(decoded.problems.length > 0)
      }),
      { numRuns: 100 },
    )
  })

  it('does not read the memory of a chunk again after it was given', () => {
    const bytes = framed(answer)
    const shared = new Uint8Array(7)
    let calls = 0
    const decoder = createDecoder('bedrock', (event) => (calls += event.type === 'call' ? 1 : 0), { ids: callIds() })
    for (let at = 0; at < bytes.length; at += 7) {
      const piece = bytes.subarray(at, at + 7)
      shared.set(piece)
      decoder.push(shared.subarray(0, piece.length))
      shared.fill(0xff)
    }
    decoder.end()
    assert.equal(calls, 3)
  })
})
