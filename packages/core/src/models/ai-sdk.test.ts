import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countingIds, ManualClock, STUB_WIRES, startStubProvider } from '@adjutant/testkit'
import { createOpenAI } from '@ai-sdk/openai'
import {
  APICallError,
  type LanguageModelV2,
  type LanguageModelV2StreamPart,
  type LanguageModelV3StreamPart,
  type LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test'
import { resultFor, toolCall } from '../../test/histories.ts'
import type { DecodeEvent } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { Message } from '../contract/messages.ts'
import type { Clock, ModelRequest } from '../contract/ports.ts'
import { fromAiSdkModel } from './ai-sdk.ts'
import type { AiSdkLanguageModel } from './ai-sdk-types.ts'

/** What hangs is a failure, not a hang. */
const LIMIT = { timeout: 60_000 }

const tools = [
  { name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'admin.tools/list', description: 'Lists.', inputSchema: true },
]
const REQUEST: ModelRequest = { messages: [{ role: 'user', text: 'Hello' }], tools }
const PICTURE = 'iVBORw0KGgo='

interface Taken {
  readonly events: readonly DecodeEvent[]
  readonly error: AdjutantError | undefined
}

async function take(
  model: AiSdkLanguageModel,
  options: { readonly request?: ModelRequest; readonly clock?: Clock; readonly signal?: AbortSignal } = {},
): Promise<Taken> {
  const bridged = fromAiSdkModel(model, { ids: countingIds(), clock: options.clock ?? new ManualClock() })
  const events: DecodeEvent[] = []
  try {
    const signal = options.signal ?? new AbortController().signal
    for await (const event of bridged.stream(options.request ?? REQUEST, { signal })) events.push(event)
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error), String(error))
    return { events, error }
  }
  return { events, error: undefined }
}

/** Waits are over at once and noted; the watchdog never barks. */
function eagerClock(): { readonly clock: Clock; readonly waits: readonly number[] } {
  const waits: number[] = []
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    after(ms, callback) {
      if (ms < 120_000) {
        waits.push(ms)
        setImmediate(callback)
      }
      return () => {}
    },
  }
  return { clock, waits }
}

const USAGE = {
  inputTokens: { total: 12, noCache: 2, cacheRead: 10, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}
const v4 = (...chunks: LanguageModelV4StreamPart[]): MockLanguageModelV4 =>
  new MockLanguageModelV4({ provider: 'test', modelId: 'm', doStream: { stream: convertArrayToReadableStream(chunks) } })
const v3 = (...chunks: LanguageModelV3StreamPart[]): MockLanguageModelV3 =>
  new MockLanguageModelV3({ provider: 'test', modelId: 'm', doStream: { stream: convertArrayToReadableStream(chunks) } })

/** The SDK has no mock of this version any more. */
function v2(...chunks: LanguageModelV2StreamPart[]): { readonly model: LanguageModelV2; readonly asked: unknown[] } {
  const asked: unknown[] = []
  const model: LanguageModelV2 = {
    specificationVersion: 'v2',
    provider: 'test',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => assert.fail('a stream is asked for'),
    async doStream(options) {
      asked.push(options.prompt)
      return { stream: convertArrayToReadableStream(chunks) }
    },
  }
  return { model, asked }
}

const FINISH: LanguageModelV4StreamPart = { type: 'finish', usage: USAGE, finishReason: { unified: 'stop', raw: 'stop' } }
const callsOf = (events: readonly DecodeEvent[]) => events.flatMap((event) => (event.type === 'call' ? [event.call] : []))
const blocksOf = (events: readonly DecodeEvent[]) => events.flatMap((event) => (event.type === 'provider-block' ? [event.block] : []))

/** Two calls, one with a picture in its result, one that failed. */
const TALK: readonly Message[] = (() => {
  const shown = toolCall('call_1', 'read_file', 0, { ok: true, value: { path: 'a.png' } })
  const failed = toolCall('call:2', 'admin.tools/list', 1, { ok: false, raw: '{"a":1}{"b":2}', problem: 'two', code: 'INVALID_JSON' })
  return [
    { role: 'user', text: 'go' },
    { role: 'assistant', text: 'Looking.', calls: [shown, failed] },
    {
      role: 'tool',
      results: [
        { ...resultFor(shown, 'a picture'), parts: [{ type: 'image', mimeType: 'image/png', data: PICTURE }] },
        { ...resultFor(failed, 'no'), outcome: 'not-run', isError: true },
      ],
    },
  ]
})()

describe('a bridged AI SDK model', LIMIT, () => {
  it('streams text, reasoning and calls, and what they cost (V4)', async () => {
    const model = v4(
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r' },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Look' },
      { type: 'ping' },
      { type: 'raw', rawValue: { any: 'thing' } },
      { type: 'text-delta', id: '0', delta: 'ing.' },
      { type: 'text-end', id: '0' },
      { type: 'tool-input-start', id: 'c1', toolName: 'admin_tools_list' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"a":' },
      { type: 'tool-input-delta', id: 'c1', delta: '[1]}' },
      { type: 'tool-input-end', id: 'c1' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'admin_tools_list', input: '{"a":[1]}' },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'read_file', input: '' },
      { type: 'finish', usage: USAGE, finishReason: { unified: 'tool-calls', raw: 'x' } },
    )
    const { events, error } = await take(model)
    assert.equal(error, undefined)
    const call = (id: string, index: number, name: string, value: object): object => ({
      type: 'call',
      call: { id, index, name, arguments: { ok: true, value }, idFromProvider: true },
    })
    assert.deepEqual(events, [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Look' },
      { type: 'text', text: 'ing.' },
      { type: 'call-start', index: 0, id: 'c1', name: 'admin.tools/list' },
      call('c1', 0, 'admin.tools/list', { a: [1] }),
      { type: 'call-start', index: 1, id: 'c2', name: 'read_file' },
      call('c2', 1, 'read_file', {}),
      { type: 'usage', usage: { inputTokens: 12, outputTokens: 5 } },
      { type: 'end', dialect: 'openai-chat', finish: 'tool-calls' },
    ])
  })

  it('streams the same of V3 and of V2, whose usage and end look otherwise', async () => {
    const parts = [
      { type: 'text-delta', id: '0', delta: 'Hi' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read_file', input: '{"path":"a"}' },
    ] as const
    const third = await take(v3(...parts, { type: 'finish', usage: USAGE, finishReason: { unified: 'tool-calls', raw: undefined } }))
    const usage = { inputTokens: 12, outputTokens: 5, totalTokens: 17 }
    const second = await take(v2(...parts, { type: 'finish', usage, finishReason: 'tool-calls' }).model)
    assert.deepEqual(second.events, third.events)
    assert.deepEqual(second.events.at(-2), { type: 'usage', usage: { inputTokens: 12, outputTokens: 5 } })
    assert.equal(callsOf(second.events)[0]?.name, 'read_file')
  })

  it('tells of arguments while they grow, where that is wanted', async () => {
    const model = v4(
      { type: 'tool-input-start', id: 'c1', toolName: 'read_file' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"path":"a.txt","x' },
      { type: 'tool-input-delta', id: 'c1', delta: '":1}' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read_file', input: '{"path":"a.txt","x":1}' },
      FINISH,
    )
    const { events } = await take(model, { request: { ...REQUEST, signals: true } })
    const types = events.map((event) => event.type)
    assert.ok(types.includes('call-growing'))
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'call-field' ? [[event.name, event.value]] : [])),
      [
        ['path', 'a.txt'],
        ['x', 1],
      ],
    )
    assert.ok(types.indexOf('call-field') < types.indexOf('call'))
  })

  it('is asked in its own version’s form: tools, choice, results, pictures', async () => {
    const fourth = v4(FINISH)
    const third = v3({ type: 'finish', usage: USAGE, finishReason: { unified: 'stop', raw: undefined } })
    const second = v2({ type: 'finish', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, finishReason: 'stop' })
    const request: ModelRequest = { messages: TALK, tools, toolChoice: 'none', system: 'Be brief.', maxOutputTokens: 50 }
    await take(fourth, { request })
    await take(third, { request })
    await take(second.model, { request })
    const asked = fourth.doStreamCalls[0]
    assert.deepEqual(asked?.toolChoice, { type: 'none' })
    assert.equal(asked?.maxOutputTokens, 50)
    assert.deepEqual(asked?.tools?.[1], {
      type: 'function',
      name: 'admin_tools_list',
      description: 'Lists.',
      inputSchema: { type: 'object', properties: {} },
    })
    const promptWith = (id: string, picture: object): unknown => [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool-call', toolCallId: 'call_1', toolName: 'read_file', input: { path: 'a.png' } },
          { type: 'tool-call', toolCallId: id, toolName: 'admin_tools_list', input: { _not_json: '{"a":1}{"b":2}' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_1',
            toolName: 'read_file',
            output: { type: 'content', value: [{ type: 'text', text: 'a picture' }, picture] },
          },
          { type: 'tool-result', toolCallId: id, toolName: 'admin_tools_list', output: { type: 'error-text', value: 'no' } },
        ],
      },
    ]
    const last = asked?.prompt.at(-1)
    const results = last?.role === 'tool' ? last.content : []
    const id = results[1]?.type === 'tool-result' ? results[1].toolCallId : ''
    assert.match(id, /^call_[0-9a-f]{20}$/)
    assert.deepEqual(asked?.prompt, promptWith(id, { type: 'file', data: { type: 'data', data: PICTURE }, mediaType: 'image/png' }))
    assert.deepEqual(third.doStreamCalls[0]?.prompt, promptWith(id, { type: 'image-data', data: PICTURE, mediaType: 'image/png' }))
    assert.deepEqual(second.asked[0], promptWith(id, { type: 'media', data: PICTURE, mediaType: 'image/png' }))
  })

  it('gets back what the provider signed, in its order, and what it ran itself', async () => {
    const model = v4(
      { type: 'reasoning-start', id: 'r1', providerMetadata: { test: { item: 'rs_1' } } },
      { type: 'reasoning-delta', id: 'r1', delta: 'hm' },
      { type: 'reasoning-end', id: 'r1', providerMetadata: { test: { item: 'rs_1', secret: 'x' } } },
      { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: '{"q":"x"}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', result: { hits: 2 } },
      { type: 'text-start', id: 't', providerMetadata: { test: { item: 'msg_1' } } },
      { type: 'text-delta', id: 't', delta: 'Found.' },
      { type: 'text-end', id: 't' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read_file', input: '{}', providerMetadata: { test: { sig: 'S' } } },
      FINISH,
    )
    const first = await take(model)
    assert.deepEqual(
      callsOf(first.events).map((call) => call.id),
      ['c1'],
      'what the provider runs is no call of ours',
    )
    const calls = callsOf(first.events)
    const messages: readonly Message[] = [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: 'Found.', calls, providerBlocks: blocksOf(first.events) },
      { role: 'tool', results: calls.map((call) => resultFor(call)) },
    ]
    const again = v4(FINISH)
    await take(again, { request: { messages, tools } })
    assert.deepEqual(again.doStreamCalls[0]?.prompt[1]?.content, [
      { type: 'reasoning', text: 'hm', providerOptions: { test: { item: 'rs_1', secret: 'x' } } },
      { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: { q: 'x' }, providerExecuted: true },
      { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', output: { type: 'json', value: { hits: 2 } } },
      { type: 'text', text: 'Found.', providerOptions: { test: { item: 'msg_1' } } },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read_file', input: {}, providerOptions: { test: { sig: 'S' } } },
    ])
    const elsewhere = new MockLanguageModelV4({
      provider: 'other',
      doStream: { stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([FINISH]) },
    })
    await take(elsewhere, { request: { messages, tools } })
    assert.deepEqual(elsewhere.doStreamCalls[0]?.prompt[1]?.content, [
      { type: 'text', text: 'Found.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read_file', input: {} },
    ])
  })

  it('throws what the provider says: before an answer, and in the middle of one', async () => {
    const refused = new APICallError({
      message: 'Unauthorized',
      url: 'http://x',
      requestBodyValues: {},
      statusCode: 401,
      responseBody: '{"error":{"message":"Incorrect API key provided"}}',
    })
    const before = await take(new MockLanguageModelV4({ provider: 'test', modelId: 'm', doStream: () => Promise.reject(refused) }))
    assert.equal(before.error?.code, 'MODEL_FAILED')
    assert.equal(before.error.message, 'test:m answered 401: Incorrect API key provided')
    assert.match(before.error.hint, /key/)
    const middle = await take(
      v4({ type: 'text-delta', id: '0', delta: 'Hel' }, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    )
    assert.equal(middle.error?.code, 'MODEL_UNAVAILABLE')
    assert.match(middle.error.message, /^test:m: Overloaded/)
    assert.equal(middle.events.length, 1)
  })

  it('tries again as the provider asks, before an answer only', async () => {
    const busy = new APICallError({
      message: 'slow down',
      url: 'http://x',
      requestBodyValues: {},
      statusCode: 429,
      responseHeaders: { 'retry-after': '7' },
    })
    let attempts = 0
    const model = new MockLanguageModelV4({
      async doStream() {
        attempts += 1
        if (attempts === 1) throw busy
        if (attempts === 2)
          return { stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([{ type: 'error', error: 'Overloaded' }]) }
        return {
          stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([{ type: 'text-delta', id: '0', delta: 'Hello' }, FINISH]),
        }
      },
    })
    const { clock, waits } = eagerClock()
    const { events } = await take(model, { clock })
    assert.deepEqual(events[0], { type: 'text', text: 'Hello' })
    assert.deepEqual(waits, [7_000, 1_000])
  })

  it('does not let half an answer pass for a whole one', async () => {
    const half = await take(v4({ type: 'text-delta', id: '0', delta: 'The total is 1' }))
    assert.equal(half.error?.code, 'STREAM_BROKEN')
    const interrupted = await take(
      v4(
        { type: 'text-delta', id: '0', delta: 'x' },
        { type: 'finish', usage: USAGE, finishReason: { unified: 'interrupted', raw: undefined } },
      ),
    )
    assert.equal(interrupted.error?.code, 'STREAM_BROKEN')
    const cut = await take(
      v4({ type: 'tool-input-start', id: 'c', toolName: 'read_file' }, { type: 'tool-input-delta', id: 'c', delta: '{"path":"a' }),
    )
    assert.equal(cut.error, undefined)
    assert.equal(callsOf(cut.events)[0]?.arguments.ok, false)
  })

  it('ends a silent stream, and one that is stopped, also when the model heeds no signal', async () => {
    for (const how of ['silence', 'stop'] as const) {
      let cancelled = false
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start: (controller) => controller.enqueue({ type: 'text-delta', id: '0', delta: 'Hel' }),
        cancel() {
          cancelled = true
        },
      })
      const clock = new ManualClock()
      const controller = new AbortController()
      const model = fromAiSdkModel(new MockLanguageModelV4({ doStream: { stream } }), { ids: countingIds(), clock })
      const events = model.stream(REQUEST, controller)[Symbol.asyncIterator]()
      assert.equal((await events.next()).done, false)
      const failed = assert.rejects(Promise.resolve(events.next()), { code: how === 'silence' ? 'STREAM_BROKEN' : 'CANCELLED' })
      if (how === 'stop') controller.abort()
      else {
        while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve))
        await clock.advance(120_000)
      }
      await failed
      assert.equal(cancelled, true)
      assert.equal(clock.pending, 0)
    }
  })

  it('passes by what it does not know, and what is no part', async () => {
    const odd = new ReadableStream<unknown>({
      start(controller) {
        for (const part of [
          null,
          7,
          'text',
          [],
          {},
          { type: 'new-thing' },
          { type: 'text-delta' },
          { type: 'tool-call', input: 3 },
          FINISH,
        ])
          controller.enqueue(part)
        controller.close()
      },
    })
    const model: AiSdkLanguageModel = {
      specificationVersion: 'v4',
      provider: 'test',
      modelId: 'm',
      doStream: async () => ({ stream: odd }),
    }
    const { events, error } = await take(model)
    assert.equal(error, undefined)
    assert.equal(events.at(-1)?.type, 'end')
    assert.equal(callsOf(events).length, 1)
  })
})

describe('a real AI SDK provider, bridged', LIMIT, () => {
  for (const [api, dialect] of [
    ['chat', 'openai-chat'],
    ['responses', 'openai-responses'],
  ] as const) {
    it(`carries a call and its result over HTTP (${api})`, async () => {
      const wire = STUB_WIRES[dialect]
      const cost = { inputTokens: 12, outputTokens: 5 }
      await using provider = await startStubProvider([
        { chunks: [wire.begin, wire.call(0, 'call_1', 'read_file', { path: 'a.txt' }), wire.end({ ...cost, calls: 1 })] },
        { chunks: [wire.begin, wire.text('Done.'), wire.end({ ...cost, calls: 0 })] },
      ])
      const openai = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'sk-test' })
      const model = fromAiSdkModel(openai[api]('m'), { ids: countingIds(), clock: new ManualClock() })
      const ask = async (messages: readonly Message[]): Promise<readonly DecodeEvent[]> =>
        Array.fromAsync(model.stream({ messages, tools }, new AbortController()))
      const first = await ask([{ role: 'user', text: 'go' }])
      const calls = callsOf(first)
      assert.deepEqual(
        calls.map((call) => [call.id, call.name, call.arguments]),
        [['call_1', 'read_file', { ok: true, value: { path: 'a.txt' } }]],
      )
      assert.deepEqual(first.find((event) => event.type === 'usage')?.usage, cost)
      const second = await ask([
        { role: 'user', text: 'go' },
        { role: 'assistant', text: '', calls, providerBlocks: blocksOf(first) },
        { role: 'tool', results: calls.map((call) => resultFor(call, 'content of a.txt')) },
      ])
      assert.equal(second.map((event) => (event.type === 'text' ? event.text : '')).join(''), 'Done.')
      assert.match((await provider.request(1)).text, /content of a\.txt/)
    })
  }

  it('fails with the provider’s words', async () => {
    await using provider = await startStubProvider([
      { status: 400, body: '{"error":{"message":"No such model: m","type":"invalid_request_error"}}' },
    ])
    const openai = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'sk-test' })
    const { error } = await take(openai.chat('m'))
    assert.equal(error?.code, 'MODEL_FAILED')
    assert.match(error.message, /answered 400: No such model: m/)
  })
})

describe('what is no AI SDK model', LIMIT, () => {
  it('is refused at once with what to give instead', () => {
    const old: AiSdkLanguageModel = v4(FINISH)
    for (const value of [{ ...old, specificationVersion: 'v1' }, 'openai/gpt-5', undefined]) {
      const call: unknown = Reflect.apply.bind(undefined, fromAiSdkModel, undefined, [
        value,
        { ids: countingIds(), clock: new ManualClock() },
      ])
      assert.ok(typeof call === 'function')
      assert.throws(() => call(), { code: 'CONFIG_INVALID', hint: /v2, v3 or v4/ })
    }
  })
})
