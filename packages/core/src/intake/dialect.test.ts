import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chatOf, chunk, messagesOf, type Piece, piece } from '../../test/intake/chat.ts'
import { callIds, decodeAll, namesAndValues, withCrLf } from '../../test/intake/decode-all.ts'
import { DIALECTS } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import { createDecoder } from './dialect.ts'

const encoder = new TextEncoder()

const WIRES = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'gemini-interactions', 'bedrock', 'ollama', 'cohere'] as const

function placesIn(bytes: Uint8Array, cuts: readonly number[]): readonly number[] {
  return [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b)
}

interface Wanted {
  readonly name: string
  readonly input: { readonly [key: string]: unknown }
  readonly delta: number
}

const wanted: fc.Arbitrary<readonly Wanted[]> = fc.array(
  fc.record({
    name: fc.stringMatching(/^[a-z_]{1,8}$/),
    input: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()).map((input) => JSON.parse(JSON.stringify(input))),
    delta: fc.integer({ min: 1, max: 12 }),
  }),
  { maxLength: 4 },
)

function piecesOf(json: string, size: number): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < json.length; at += size) pieces.push(json.slice(at, at + size))
  return pieces
}

function chatFrom(calls: readonly Wanted[], text: string, noise: string): string {
  const events = calls.flatMap(({ name, input, delta }, index): readonly (readonly Piece[])[] => [
    [{ index, id: `id_${index}`, name, arguments: '' }],
    ...piecesOf(JSON.stringify(input), delta).map((args) => [{ index, arguments: args }]),
  ])
  const deltas = events.map((pieces) => chunk({ tool_calls: pieces.map(piece) }))
  return `${chunk({ role: 'assistant', content: text })}${deltas.join(noise)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`
}

function messagesFrom(calls: readonly Wanted[], text: string, noise: string): string {
  const blocks = calls.flatMap(({ name, input, delta }, at) => [
    { type: 'content_block_start', index: at + 1, content_block: { type: 'tool_use', id: `id_${at}`, name, input: {} } },
    ...piecesOf(JSON.stringify(input), delta).map((json) => ({
      type: 'content_block_delta',
      index: at + 1,
      delta: { type: 'input_json_delta', partial_json: json },
    })),
    { type: 'content_block_stop', index: at + 1 },
  ])
  const start = messagesOf([
    { type: 'message_start', message: { content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text } },
    { type: 'content_block_stop', index: 0 },
  ])
  return `${start}${blocks.map((block) => messagesOf([block])).join(noise)}${messagesOf([{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }])}`
}

describe('decoding', () => {
  it('gives the true calls of any stream, however it is cut, framed and noisy', () => {
    const noises = fc.constantFrom('', ': keep-alive\n\n', 'event: ping\ndata: {"type":"ping"}\n\n', '\n', 'id: 7\nretry: 10\n\n')
    fc.assert(
      fc.property(
        wanted,
        fc.string({ unit: 'binary' }),
        noises,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 30 }),
        (calls, said, noise, messages, crlf, bom, cuts) => {
          const text = JSON.parse(JSON.stringify(said.toWellFormed()))
          const stream = messages ? messagesFrom(calls, text, noise) : chatFrom(calls, text, noise)
          const plain = encoder.encode(`${bom ? '\uFEFF' : ''}${stream}`)
          const bytes = crlf ? withCrLf(plain) : plain
          const whole = decodeAll(bytes)
          assert.deepEqual(
            namesAndValues(whole.calls),
            calls.map(({ name, input }) => [name, input]),
          )
          assert.deepEqual(
            whole.calls.map((call) => call.id),
            calls.map((_, at) => `id_${at}`),
          )
          assert.equal(whole.text, text)
          assert.deepEqual(whole.problems, [])
          assert.deepEqual(whole.end, { type: 'end', dialect: messages ? 'anthropic' : 'openai-chat', finish: 'tool-calls' })
          assert.deepEqual(decodeAll(bytes, 'auto', placesIn(bytes, cuts)).events, whole.events)
          assert.deepEqual(decodeAll(bytes, messages ? 'anthropic' : 'openai-chat', 'each').events, whole.events)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('comes to the same for any bytes, however they are cut, and never throws', () => {
    const scraps = fc.constantFrom(
      'data:',
      'data: ',
      'event: x\n',
      ': c\n',
      '\n',
      '\r\n',
      '\r',
      '\n\n',
      '{',
      '}',
      '"',
      '[',
      '[DONE]',
      '{"choices":[',
      '{"choices":[{"delta":{"content":"a"}}]}',
      '{"type":"message_start"}',
      '{"type":"content_block_delta","delta":{"type":"text_delta","text":"b"}}',
      '{"action":"answer","answer":"c"}',
      '```',
      '```json\n',
      '<tool_use>',
      '</tool_use>',
      '{"name":"f"}',
      '{"error":{"message":"no"}}',
      '\uFEFF',
      '\u0000',
      '你',
      ' ',
      'null',
      '{"id":1}',
      '{"id":',
      'id: 1',
      'retry',
    )
    const dialects = fc.constantFrom(
      'auto' as const,
      'openai-chat' as const,
      'anthropic' as const,
      'tagged-text' as const,
      'decision' as const,
    )
    const input = fc.oneof(
      fc.array(scraps, { maxLength: 12 }).map((parts) => encoder.encode(parts.join(''))),
      fc.uint8Array({ maxLength: 60 }),
      fc
        .tuple(fc.constantFrom('data: ', '{"choices":[]}\n', '```', 'x'), fc.uint8Array({ maxLength: 30 }))
        .map(([start, rest]) => new Uint8Array([...encoder.encode(start), ...rest])),
    )
    fc.assert(
      fc.property(input, dialects, fc.array(fc.nat(), { maxLength: 6 }), (bytes, dialect, cuts) => {
        const whole = decodeAll(bytes, dialect)
        assert.deepEqual(decodeAll(bytes, dialect, 'each').events, whole.events)
        assert.deepEqual(decodeAll(bytes, dialect, placesIn(bytes, cuts)).events, whole.events)
      }),
      { numRuns: 3_000 },
    )
  })

  it('takes text as it takes bytes', () => {
    const text = `\uFEFF${chatOf([[{ index: 0, id: 'a', name: 'f', arguments: '{"x":"你😀"}' }]])}`
    const seen: unknown[] = []
    const decoder = createDecoder('auto', (event) => seen.push(event), { ids: callIds() })
    for (const unit of text.split('')) decoder.push(unit)
    decoder.end()
    assert.deepEqual(seen, decodeAll(text).events)
  })

  it('ignores what comes after the end, and ends once', () => {
    const types: string[] = []
    const decoder = createDecoder('tagged-text', (event) => types.push(event.type), { ids: callIds() })
    decoder.push('a')
    decoder.end()
    decoder.push('b')
    decoder.end()
    assert.deepEqual(types, ['text', 'end'])
  })

  it('refuses a dialect that there is none of, with the list', () => {
    for (const name of ['openai', '', 'constructor']) {
      assert.throws(
        () => Reflect.apply(createDecoder, undefined, [name, () => {}, { ids: callIds() }]),
        (error) =>
          AdjutantError.isInstance(error) &&
          error.code === 'UNKNOWN_DIALECT' &&
          error.message.includes(`there are auto, ${DIALECTS.join(', ')}`),
      )
    }
  })
})

describe('what it is not', () => {
  it('nothing', () => {
    for (const dialect of ['auto', ...DIALECTS] as const) {
      const decoded = decodeAll('', dialect)
      assert.deepEqual(
        decoded.problems.map((problem) => [problem.code, problem.message]),
        [['STREAM_BROKEN', 'nothing was read: the input is empty']],
      )
      assert.equal(decoded.end.finish, undefined)
    }
    for (const text of ['\n\n', ': comment\n\n', 'data: [DONE]\n\n', 'event: x\n\n'])
      assert.equal(decodeAll(text, 'openai-chat').end.finish, undefined)
  })

  it('binary', () => {
    const inputs: readonly Uint8Array[] = [
      new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]),
      new Uint8Array([0x1f, 0x8b, 8, 0, 0]),
      new Uint8Array([0xff, 0xfe, 0x48, 0, 0x69, 0]),
      new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      new Uint8Array([0xc3, 0x28, 0x41]),
    ]
    for (const input of inputs) {
      const decoded = decodeAll(input)
      assert.deepEqual(
        decoded.problems.map((problem) => problem.code),
        ['UNKNOWN_DIALECT'],
      )
      assert.match(decoded.problems[0]?.message ?? '', /binary from character \d/)
      assert.equal(decoded.end.finish, undefined)
      assert.deepEqual(decodeAll(input, 'auto', 'each').events, decoded.events)
    }
  })

  it('another wire, which is named', () => {
    const foreign: readonly (readonly [unknown, RegExp])[] = [[{ foo: 1, bar: 2 }, /keys foo, bar/]]
    for (const [value, words] of foreign) {
      for (const text of [JSON.stringify(value), `data: ${JSON.stringify(value)}\n\n`, JSON.stringify(value, undefined, 2)]) {
        for (const dialect of ['auto', ...WIRES] as const) {
          const decoded = decodeAll(text, dialect)
          assert.deepEqual(
            decoded.problems.map((problem) => problem.code),
            ['UNKNOWN_DIALECT'],
          )
          assert.match(decoded.problems[0]?.message ?? '', words)
          assert.equal(decoded.end.finish, undefined)
        }
      }
    }
  })

  it('another of the wires', () => {
    const said = {
      'openai-chat': chatOf([]),
      'openai-responses': JSON.stringify({ type: 'response.created', response: {} }),
      anthropic: JSON.stringify({ type: 'ping' }),
      gemini: JSON.stringify({ candidates: [{ content: {} }] }),
      bedrock: JSON.stringify({ messageStart: { role: 'assistant' } }),
      'gemini-interactions': JSON.stringify({ event_type: 'step.start', index: 0, step: { type: 'model_output' } }),
      cohere: JSON.stringify({ type: 'content-delta', delta: {} }),
      ollama: JSON.stringify({ model: 'x', message: { content: 'a' }, done: false }),
    }
    for (const named of WIRES) {
      for (const other of WIRES) {
        if (named === other) continue
        const decoded = decodeAll(said[other], named)
        assert.deepEqual(
          decoded.problems.map((problem) => problem.code),
          ['UNKNOWN_DIALECT'],
          `${other} read as ${named}`,
        )
        assert.ok(decoded.problems[0]?.message.includes(`not of the dialect ${named}: it looks like ${other}`))
      }
      assert.equal(decodeAll(said[named]).end.dialect, named)
    }
  })

  it('a page of HTML', () => {
    const decoded = decodeAll('<html>\n<body>502 Bad Gateway</body>\n</html>\n', 'openai-chat')
    assert.ok(decoded.problems.length > 0)
    assert.equal(decoded.end.finish, undefined)
  })
})
