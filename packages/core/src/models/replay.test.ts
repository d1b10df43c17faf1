import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { countingIds, ManualClock, STUB_WIRES, sse } from '@adjutant/testkit'
import { resultFor } from '../../test/histories.ts'
import type { ToolCall } from '../contract/call.ts'
import type { DecodeEvent } from '../contract/decode.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { Model } from '../contract/ports.ts'
import { startReplay } from './replay.ts'

/** What hangs is a failure, not a hang. */
const LIMIT = { timeout: 60_000 }

const signal = new AbortController().signal
const tools = [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }]

async function ask(model: Model, messages: readonly Message[]): Promise<readonly DecodeEvent[]> {
  const events: DecodeEvent[] = []
  for await (const event of model.stream({ messages, tools }, { signal })) events.push(event)
  return events
}
const callsOf = (events: readonly DecodeEvent[]): readonly ToolCall[] =>
  events.flatMap((event) => (event.type === 'call' ? [event.call] : []))
const textOf = (events: readonly DecodeEvent[]): string => events.map((event) => (event.type === 'text' ? event.text : '')).join('')

const data = (value: JsonObject): string => `data: ${JSON.stringify(value)}\n\n`
const delta = (value: JsonObject, finish: string | null = null): string =>
  data({ choices: [{ index: 0, delta: value, finish_reason: finish }] })
const openAiCall = (index: number, id: string, args: string): string =>
  delta({ tool_calls: [{ index, id, type: 'function', function: { name: 'read_file', arguments: args } }] })

const OPENAI = [
  { adjutant: 'recording', version: 1, dialect: 'openai-chat', model: 'gpt-5' },
  {
    paceMs: 20,
    chunks: [openAiCall(0, 'call_a', '{"path":"a"}'), openAiCall(1, 'call_b', '{"path":"b"}'), delta({}, 'tool_calls'), 'data: [DONE]\n\n'],
  },
  // "é" cut in the middle: the bytes of a wire know nothing of characters.
  {
    chunks: [
      'data: {"choices":[{"index":0,"delta":{"content":"caf',
      { base64: 'ww==' },
      { base64: 'qQ==' },
      '"},"finish_reason":null}]}\n\n',
      delta({}, 'stop'),
      'data: [DONE]\n\n',
    ],
  },
  { approvals: [{ tool: 'write_file', answer: 'approve' }] },
]

const event = (type: string, rest: JsonObject): string => `event: ${type}\n${data({ type, ...rest })}`
const ANTHROPIC = [
  { adjutant: 'recording', version: 1, dialect: 'anthropic', model: 'claude' },
  {
    chunks: [
      event('message_start', {
        message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'A file.' } }),
      event('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } }),
      event('content_block_stop', { index: 0 }),
      event('content_block_start', { index: 1, content_block: { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} } }),
      event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: '{"path":"a"}' } }),
      event('content_block_stop', { index: 1 }),
      event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 12 } }),
      event('message_stop', {}),
    ],
  },
  { status: 529, headers: { 'retry-after': '0' }, body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
  {
    chunks: [
      event('message_start', {
        message: { id: 'msg_2', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Done.' } }),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
      event('message_stop', {}),
    ],
  },
]

const REASONING = {
  'openai-responses': [
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs_1', summary: [] } },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VjcmV0', status: 'completed' },
    },
  ]
    .map((item) => sse(item))
    .join(''),
  gemini: sse({ candidates: [{ content: { role: 'model', parts: [{ text: 'A file.', thought: true }] }, index: 0 }] }),
} as const

describe('startReplay', LIMIT, () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'replay-'))
  })
  after(() => rm(folder, { recursive: true }))

  async function file(lines: readonly object[]): Promise<string> {
    const path = join(folder, 'talk.jsonl')
    await writeFile(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    return path
  }

  it('serves a conversation through the provider’s own adapter (Chat Completions)', async () => {
    await using replay = await startReplay(await file(OPENAI), { ids: countingIds(), pace: 'off' })
    const first = await ask(replay.model, [{ role: 'user', text: 'go' }])
    const calls = callsOf(first)
    assert.deepEqual(
      calls.map((call) => [call.id, call.arguments]),
      [
        ['call_a', { ok: true, value: { path: 'a' } }],
        ['call_b', { ok: true, value: { path: 'b' } }],
      ],
    )
    const second = await ask(replay.model, [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', calls },
      { role: 'tool', results: calls.map((call) => resultFor(call)) },
    ])
    assert.equal(textOf(second), 'café')
    assert.equal(replay.remaining, 0)
    assert.deepEqual(replay.approvals, [{ tool: 'write_file', decision: { type: 'approve', scope: 'once' } }])
  })

  it('serves a conversation with thinking, and an overload in between (Messages)', async () => {
    await using replay = await startReplay(await file(ANTHROPIC), { ids: countingIds() })
    const first = await ask(replay.model, [{ role: 'user', text: 'go' }])
    const calls = callsOf(first)
    const blocks = first.flatMap((item) => (item.type === 'provider-block' ? [item.block] : []))
    assert.deepEqual(blocks, [{ type: 'thinking', thinking: 'A file.', signature: 'c2ln' }])
    const second = await ask(replay.model, [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', calls, providerBlocks: blocks },
      { role: 'tool', results: calls.map((call) => resultFor(call)) },
    ])
    assert.equal(textOf(second), 'Done.')
    assert.equal(replay.remaining, 0)
  })

  const COST = { inputTokens: 9, outputTokens: 3 }
  const twoRounds = (dialect: 'openai-responses' | 'gemini'): readonly object[] => {
    const wire = STUB_WIRES[dialect]
    const calls = wire.call(0, 'call_a', 'read_file', { path: 'a' }) + wire.call(1, 'call_b', 'read_file', { path: 'b' })
    return [
      { adjutant: 'recording', version: 1, dialect, model: dialect === 'gemini' ? 'gemini-3-pro' : 'gpt-5' },
      { chunks: [REASONING[dialect], calls, wire.end({ ...COST, calls: 2 })] },
      { ...wire.busy(0) },
      { chunks: [wire.begin, wire.text('Done.'), wire.end({ ...COST, calls: 0 })] },
    ]
  }

  for (const dialect of ['openai-responses', 'gemini'] as const) {
    it(`serves a conversation with reasoning that goes back, and a refusal in between (${dialect})`, async () => {
      await using replay = await startReplay(await file(twoRounds(dialect)), { ids: countingIds() })
      const first = await ask(replay.model, [{ role: 'user', text: 'go' }])
      const calls = callsOf(first)
      assert.deepEqual(
        calls.map((call) => [call.id, call.arguments]),
        [
          ['call_a', { ok: true, value: { path: 'a' } }],
          ['call_b', { ok: true, value: { path: 'b' } }],
        ],
      )
      const providerBlocks = first.flatMap((item) => (item.type === 'provider-block' ? [item.block] : []))
      assert.match(JSON.stringify(providerBlocks), dialect === 'gemini' ? /signed-call_a/ : /c2VjcmV0/)
      const second = await ask(replay.model, [
        { role: 'user', text: 'go' },
        { role: 'assistant', text: '', calls, providerBlocks },
        { role: 'tool', results: calls.map((call) => resultFor(call)) },
      ])
      assert.equal(textOf(second), 'Done.')
      assert.equal(replay.remaining, 0)
    })
  }

  it('refuses like Responses', async () => {
    await using replay = await startReplay(await file(twoRounds('openai-responses')), { pace: 'off' })
    const post = async (input: unknown, more: object = {}): Promise<string> => {
      const response = await fetch(`${replay.baseUrl}/responses`, {
        method: 'POST',
        headers: { authorization: 'Bearer x' },
        body: JSON.stringify({ model: 'gpt-5', stream: true, store: false, input, ...more }),
      })
      return `${response.status} ${await response.text()}`
    }
    const user = { role: 'user', content: 'go' }
    const call = (id: string, args = '{}') => ({ type: 'function_call', call_id: id, name: 'read_file', arguments: args })
    const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'x' })
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }
    assert.match(await post([]), /^400 .*input: must be text or a list/)
    assert.match(await post([user, call('a')]), /^400 .*No tool output found for function call a\..*invalid_request_error/)
    assert.match(await post([user, output('a')]), /^400 .*No tool call found for function call output with call_id a/)
    assert.match(await post([user, call('a'), output('a'), output('a')]), /^400 .*answered before/)
    assert.match(await post([user, call('a'), call('a'), output('a')]), /^400 .*there twice/)
    assert.match(await post([user, call('x'.repeat(65))]), /^400 .*1 to 64 letters/)
    assert.match(await post([user, call('a', '{"a":1}{'), output('a')]), /^400 .*JSON object as text/)
    assert.match(await post([user, reasoning, user]), /^400 .*without its required following item/)
    assert.match(await post([user, { ...reasoning, encrypted_content: null }, call('a'), output('a')]), /^400 .*Items are not persisted/)
    assert.match(
      await post([user, { ...reasoning, status: 'completed' }, call('a'), output('a')]),
      /^400 .*Unknown parameter: 'input\[1\]\.status'/,
    )
    assert.match(await post([user, { type: 'new_thing' }]), /^400 .*Invalid value: 'input\[1\]\.type'/)
    assert.match(await post([user], { tools: [{ type: 'function', name: 'a b' }] }), /^400 .*tools\.0\.name/)
    assert.match(await post([user], { stream: false }), /^400 .*ask for a stream/)
    assert.match(await post([user], { model: 'other' }), /^404 .*was not recorded/)
    assert.equal(replay.remaining, 3, 'a refusal uses up no answer')
    assert.match(await post([user, reasoning, call('a'), output('a')]), /^200 /)
  })

  it('refuses like Gemini', async () => {
    await using replay = await startReplay(await file(twoRounds('gemini')), { pace: 'off' })
    const post = async (
      contents: unknown,
      more: object = {},
      headers: Record<string, string> = { 'x-goog-api-key': 'k' },
    ): Promise<string> => {
      const response = await fetch(`${replay.baseUrl}/models/gemini-3-pro:streamGenerateContent?alt=sse`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ contents, ...more }),
      })
      return `${response.status} ${await response.text()}`
    }
    const user = { role: 'user', parts: [{ text: 'go' }] }
    const call = (name: string, more: object = { thoughtSignature: 's' }) => ({ functionCall: { name, args: {} }, ...more })
    const model = (...parts: readonly object[]) => ({ role: 'model', parts })
    const answers = (...names: readonly string[]) => ({
      role: 'user',
      parts: names.map((name) => ({ functionResponse: { name, response: { output: 'x' } } })),
    })
    assert.match(await post([]), /^400 .*contents is not specified.*INVALID_ARGUMENT/)
    assert.match(await post([{ role: 'assistant', parts: [{ text: 'x' }] }]), /^400 .*valid role: user, model/)
    assert.match(await post([{ role: 'user', parts: [] }]), /^400 .*must not be empty/)
    assert.match(await post([{ role: 'user', parts: [{}] }]), /^400 .*oneof field/)
    assert.match(await post([user, model(call('a'))]), /^400 .*number of function response parts is equal/)
    assert.match(await post([user, model(call('a'), call('b', {})), answers('a')]), /^400 .*number of function response parts is equal/)
    assert.match(await post([user, model(call('a')), answers('b')]), /^400 .*functionResponse\.name: does not match/)
    assert.match(
      await post([user, model(call('a', {})), answers('a')]),
      /^400 .*Function call .*a.* in the 1\. content block is missing a thought_signature/,
    )
    assert.match(await post([model(call('a')), answers('a')]), /^400 .*immediately after a user turn/)
    assert.match(await post([model({ text: 'Hello' }), user]), /^400 .*begin with a user turn/)
    assert.match(await post([user, model(call('a b')), answers('a b')]), /^400 .*functionCall\.name must match/)
    assert.match(await post([user], { tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'a' }] }] }), /^400 .*there twice/)
    assert.match(await post([user], {}, {}), /^401 .*UNAUTHENTICATED/)
    const elsewhere = await fetch(`${replay.baseUrl}/models/other:streamGenerateContent?alt=sse`, { method: 'POST', body: '{}' })
    assert.equal(elsewhere.status, 404)
    assert.equal(replay.remaining, 3, 'a refusal uses up no answer')
    // Of an earlier turn no signature is wanted.
    assert.match(await post([user, model(call('a', {})), answers('a'), model({ text: 'x' }), user]), /^200 /)
  })

  it('keeps the pace of the recording', async () => {
    const clock = new ManualClock()
    await using replay = await startReplay(await file(OPENAI), { ids: countingIds(), clock })
    const started = clock.monotonic()
    let ended = false
    const answer = ask(replay.model, [{ role: 'user', text: 'go' }]).finally(() => {
      ended = true
    })
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve))
      await clock.advance(1)
    }
    assert.equal(callsOf(await answer).length, 2)
    assert.ok(clock.monotonic() - started >= 60, 'three pauses of 20 ms')
  })

  it('refuses like the provider, and uses up no answer with that', async () => {
    await using replay = await startReplay(await file(OPENAI), { pace: 'off' })
    const post = async (messages: unknown, more: object = {}): Promise<string> => {
      const response = await fetch(`${replay.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer x' },
        body: JSON.stringify({ model: 'gpt-5', stream: true, messages, ...more }),
      })
      return `${response.status} ${await response.text()}`
    }
    const user = { role: 'user', content: 'go' }
    const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'read_file', arguments: args } })
    const said = (...calls: readonly object[]) => ({ role: 'assistant', content: null, tool_calls: calls })
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' })
    assert.match(await post([user, said(call('a'))]), /^400 .*these have none: a.*invalid_request_error/)
    assert.match(await post([user, said(call('a'), call('b')), result('a'), user]), /^400 .*these have none: b/)
    assert.match(
      await post([user, said(call('a'), call('b')), result('b'), result('a')]),
      /^400 .*\\"b\\" answers no open call; the next is \\"a\\"/,
    )
    assert.match(await post([user, said(call('a')), user, result('a')]), /^400 .*these have none: a/)
    assert.match(await post([user, said(call('a')), said(call('b')), result('b')]), /^400 .*these have none: a/)
    assert.match(await post([user, said(call('a')), result('a'), result('a')]), /^400 .*must answer a call/)
    assert.match(await post([user, said(call('a', '{"path":"a"}{"path":"b"}')), result('a')]), /^400 .*arguments: must be a JSON object/)
    assert.match(await post([user, said(call('x'.repeat(41))), result('x'.repeat(41))]), /^400 .*1 to 40 letters/)
    assert.match(await post([user], { tools: [] }), /^400 .*tools/)
    assert.match(await post([user], { model: 'gpt-6' }), /^404 .*gpt-6/)
    assert.match(await post([]), /^400 .*at least one message/)
    assert.equal(replay.remaining, 2)
  })

  it('refuses a request beyond the end, naming the recording', async () => {
    const path = await file([OPENAI[0] ?? {}, { chunks: [delta({ content: 'Hello' }, 'stop'), 'data: [DONE]\n\n'] }])
    await using replay = await startReplay(path, { pace: 'off' })
    await ask(replay.model, [{ role: 'user', text: 'go' }])
    await assert.rejects(ask(replay.model, [{ role: 'user', text: 'go' }]), {
      code: 'MODEL_FAILED',
      message: /replay-\w+\/talk\.jsonl has 1 answer; this request is one more/,
    })
  })

  it('ends with its connections, also in the middle of an answer', async () => {
    const replay = await startReplay(
      await file([OPENAI[0] ?? {}, { paceMs: 60_000, chunks: [delta({ content: 'x' }), 'data: [DONE]\n\n'] }]),
    )
    const events = replay.model.stream({ messages: [{ role: 'user', text: 'go' }], tools: [] }, { signal })[Symbol.asyncIterator]()
    await events.next()
    await replay.close()
    await replay.close()
    await assert.rejects(Promise.resolve(events.next()), { code: 'STREAM_BROKEN' })
  })
})
