import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countingIds, ManualClock, type StubReply, sse, startStubProvider } from '@adjutant/testkit'
import type { DecodeEvent } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import { isJsonObject, type JsonObject, ownValue } from '../contract/json.ts'
import type { Clock, Model, ModelRequest } from '../contract/ports.ts'
import { anthropicModel } from './anthropic.ts'
import { compatibleModel } from './compatible.ts'
import { openAiModel } from './openai.ts'

/** What hangs is a failure, not a hang. */
const LIMIT = { timeout: 60_000 }

const REQUEST: ModelRequest = { messages: [{ role: 'user', text: 'Hello' }], tools: [] }
const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const HELLO: StubReply = {
  chunks: [sse(chunk({ role: 'assistant', content: 'Hel' })), sse(chunk({ content: 'lo' })), sse(chunk({}, 'stop'), '[DONE]')],
}

async function collect(model: Model, signal = new AbortController().signal, request = REQUEST): Promise<readonly DecodeEvent[]> {
  const events: DecodeEvent[] = []
  for await (const event of model.stream(request, { signal })) events.push(event)
  return events
}

function textOf(events: readonly DecodeEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('')
}

async function failure(work: Promise<unknown>): Promise<AdjutantError> {
  try {
    await work
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error), String(error))
    return error
  }
  return assert.fail('it did not fail')
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

/** Waits for a timer of the code under test, then lets it fall due. */
async function due(clock: ManualClock, ms: number): Promise<void> {
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(ms)
}

function bodyOf(text: string | undefined): JsonObject {
  const body: unknown = JSON.parse(text ?? '')
  assert.ok(isJsonObject(body))
  return body
}

describe('an answer over HTTP', LIMIT, () => {
  it('comes as it is streamed, and the request is what the provider wants', async () => {
    await using provider = await startStubProvider([HELLO])
    const clock = new ManualClock()
    const model = openAiModel({ name: 'gpt-5', baseUrl: `${provider.url}/v1/`, apiKey: ' sk-1234567\n', ids: countingIds(), clock })
    const events = await collect(model, undefined, { ...REQUEST, system: 'Be brief.', maxOutputTokens: 50 })
    assert.equal(textOf(events), 'Hello')
    assert.deepEqual(events.at(-1), { type: 'end', finish: 'stop', dialect: 'openai-chat' })
    const request = await provider.request(0)
    assert.equal(request.path, '/v1/chat/completions')
    assert.equal(request.headers.authorization, 'Bearer sk-1234567')
    assert.deepEqual(bodyOf(request.text), {
      model: 'gpt-5',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 50,
    })
    assert.equal(clock.pending, 0, 'no timer is left behind')
  })

  it('speaks Messages with its version, key and limit', async () => {
    const stream = sse(
      { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 3, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    )
    await using provider = await startStubProvider([{ chunks: [stream] }])
    const tools = [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }]
    const model = anthropicModel({ name: 'claude', baseUrl: provider.url, apiKey: 'sk-ant', ids: countingIds(), clock: new ManualClock() })
    assert.equal(textOf(await collect(model, undefined, { ...REQUEST, system: 'Be brief.', tools, toolChoice: 'none' })), 'Hello')
    const request = await provider.request(0)
    assert.equal(request.path, '/v1/messages')
    assert.equal(request.headers['x-api-key'], 'sk-ant')
    assert.equal(request.headers['anthropic-version'], '2023-06-01')
    const body = bodyOf(request.text)
    assert.equal(ownValue(body, 'system'), 'Be brief.')
    assert.equal(ownValue(body, 'max_tokens'), 8_192)
    assert.deepEqual(ownValue(body, 'tool_choice'), { type: 'none' })
  })

  it('gives tools back under the names the registry knows', async () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'admin_tools_list', arguments: '{}' } }
    await using provider = await startStubProvider([{ chunks: [sse(chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), '[DONE]')] }])
    const tools = [{ name: 'admin.tools/list', description: 'Lists.', inputSchema: { type: 'object', properties: {} } }]
    const model = openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() })
    const events = await collect(model, undefined, { ...REQUEST, tools })
    const names = events.flatMap((event) => (event.type === 'call' ? [event.call.name] : event.type === 'call-start' ? [event.name] : []))
    assert.deepEqual(names, ['admin.tools/list', 'admin.tools/list'])
    assert.match((await provider.request(0)).text, /"name":"admin_tools_list"/)
  })

  it('takes a whole JSON body where a stream was asked for', async () => {
    const body = JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'All at once' }, finish_reason: 'stop' }] })
    await using provider = await startStubProvider([{ body }])
    assert.equal(
      textOf(await collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() }))),
      'All at once',
    )
  })
})

describe('trying again', LIMIT, () => {
  it('waits as told, twice at most, and only before an answer', async () => {
    await using provider = await startStubProvider([
      { status: 429, headers: { 'retry-after': '7' }, body: '{}' },
      { status: 529, body: 'Overloaded' },
      HELLO,
    ])
    const { clock, waits } = eagerClock()
    const model = openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock })
    assert.equal(textOf(await collect(model)), 'Hello')
    assert.deepEqual(waits, [7_000, 1_000])
  })

  it('gives up after the third refusal with the provider’s own words', async () => {
    const busy: StubReply = {
      status: 503,
      headers: { 'retry-after': '0', 'x-request-id': 'req_3' },
      body: '<html><title>503 Service Unavailable</title></html>',
    }
    await using provider = await startStubProvider([busy, busy, busy, HELLO])
    const { clock } = eagerClock()
    const error = await failure(collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock })))
    assert.equal(error.code, 'MODEL_UNAVAILABLE')
    assert.equal(error.message, 'openai:m answered 503: 503 Service Unavailable (request req_3)')
    assert.equal(provider.requests.length, 3)
  })

  it('does not wait for minutes', async () => {
    await using provider = await startStubProvider([
      { status: 429, headers: { 'retry-after': '3600' }, body: '{"error":{"message":"daily limit"}}' },
    ])
    const error = await failure(collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() })))
    assert.equal(error.code, 'MODEL_UNAVAILABLE')
    assert.match(error.hint, /wait more than 60 seconds/)
    assert.equal(provider.requests.length, 1)
  })

  it('does not try again what cannot succeed', async () => {
    for (const status of [400, 401, 403, 404]) {
      await using provider = await startStubProvider([{ status, body: '{"error":{"message":"no"}}' }])
      const error = await failure(collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() })))
      assert.equal(error.code, 'MODEL_FAILED')
      assert.equal(provider.requests.length, 1)
    }
  })

  it('says which server cannot be reached', async () => {
    const gone = await startStubProvider([])
    await gone.close()
    const model = compatibleModel({ url: `${gone.url}/v1`, name: 'm', ids: countingIds(), clock: new ManualClock(), retries: 0 })
    const error = await failure(collect(model))
    assert.equal(error.code, 'MODEL_UNAVAILABLE')
    assert.match(error.message, /no connection to http:\/\/127\.0\.0\.1:\d+\/v1 \(.*ECONNREFUSED/)
  })

  it('sends again without stream_options where a server refuses them, and remembers that', async () => {
    const refusal: StubReply = { status: 400, body: '{"error":{"message":"Unrecognized request argument supplied: stream_options"}}' }
    await using provider = await startStubProvider([refusal, HELLO, HELLO])
    const model = compatibleModel({ url: provider.url, name: 'm', ids: countingIds(), clock: new ManualClock() })
    assert.equal(textOf(await collect(model)), 'Hello')
    assert.equal(textOf(await collect(model)), 'Hello')
    assert.deepEqual(
      provider.requests.map((request) => request.text.includes('stream_options')),
      [true, false, false],
    )
  })
})

describe('an answer that goes wrong', LIMIT, () => {
  it('is broken when the connection is cut in the middle, after what came was given', async () => {
    await using provider = await startStubProvider([{ chunks: [sse(chunk({ content: 'Hel' }))], ending: 'cut' }, HELLO])
    const model = openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() })
    const seen: DecodeEvent[] = []
    const error = await failure(
      (async () => {
        for await (const event of model.stream(REQUEST, { signal: new AbortController().signal })) seen.push(event)
      })(),
    )
    assert.equal(error.code, 'STREAM_BROKEN')
    assert.equal(textOf(seen), 'Hel')
    assert.equal(provider.requests.length, 1, 'a begun answer is never asked for again')
  })

  it('is broken when nothing comes for the time of the watchdog, and the socket is closed', async () => {
    await using provider = await startStubProvider([{ chunks: [sse(chunk({ content: 'Hel' }))], ending: 'stall' }])
    const clock = new ManualClock()
    const events = openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock }).stream(REQUEST, {
      signal: new AbortController().signal,
    })
    const iterator = events[Symbol.asyncIterator]()
    assert.equal((await iterator.next()).done, false)
    const failed = failure(Promise.resolve(iterator.next()))
    await due(clock, 120_000)
    const error = await failed
    assert.equal(error.code, 'STREAM_BROKEN')
    assert.match(error.message, /nothing came for 120 seconds/)
    assert.equal(await (await provider.request(0)).closed, true)
  })

  it('is unavailable when not even a header comes', async () => {
    await using provider = await startStubProvider([{ ending: 'silent' }])
    const clock = new ManualClock()
    const failed = failure(collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock, stallMs: 5_000 })))
    const request = await provider.request(0)
    await due(clock, 5_000)
    assert.match((await failed).message, /no answer within 5 seconds/)
    assert.equal(await request.closed, true)
  })

  it('is a web page when the address is wrong', async () => {
    await using provider = await startStubProvider([
      { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<!doctype html><title>Sign in</title>' },
    ])
    const error = await failure(collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() })))
    assert.equal(error.code, 'MODEL_FAILED')
    assert.match(error.message, /answered 200: Sign in/)
    assert.match(error.hint, /web page.*127\.0\.0\.1/)
  })

  it('does not follow a redirect: the key would go along', async () => {
    await using elsewhere = await startStubProvider([HELLO])
    await using provider = await startStubProvider([
      { status: 307, headers: { location: `${elsewhere.url}/v1/chat/completions` }, body: '' },
    ])
    const error = await failure(
      collect(openAiModel({ name: 'm', baseUrl: provider.url, apiKey: 'sk-1', ids: countingIds(), clock: new ManualClock() })),
    )
    assert.equal(error.code, 'MODEL_FAILED')
    assert.match(error.message, /redirects to http/)
    assert.equal(elsewhere.requests.length, 0)
  })

  it('says what the provider says when that comes inside the stream', async () => {
    const overloaded = sse({ error: { message: 'The server is overloaded', type: 'server_error' } })
    await using provider = await startStubProvider([{ chunks: [sse(chunk({ content: 'Hel' })), overloaded] }, HELLO])
    const error = await failure(collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() })))
    assert.equal(error.code, 'MODEL_UNAVAILABLE')
    assert.match(error.message, /^openai:m: .*The server is overloaded/)
    assert.equal(provider.requests.length, 1, 'part of the answer was given already')
  })

  it('tries again when the stream holds an overload and nothing else', async () => {
    const overloaded = sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
    await using provider = await startStubProvider([{ chunks: [overloaded] }, HELLO])
    const { clock, waits } = eagerClock()
    assert.equal(textOf(await collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock }))), 'Hello')
    assert.deepEqual(waits, [500])
  })

  it('fails with the words of a refusal that came with status 200', async () => {
    await using provider = await startStubProvider([{ body: '{"error":{"message":"No endpoints support tool use","code":404}}' }])
    const error = await failure(collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() })))
    assert.equal(error.code, 'MODEL_FAILED')
    assert.match(error.message, /No endpoints support tool use/)
  })

  it('does not let half a text pass for an answer when the stream just ends', async () => {
    await using provider = await startStubProvider([{ chunks: [sse(chunk({ content: 'The total is 1' }))] }])
    const error = await failure(collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() })))
    assert.equal(error.code, 'STREAM_BROKEN')
  })

  it('hands on the calls of an answer that just ends: a cut one says so itself', async () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a' } }
    await using provider = await startStubProvider([{ chunks: [sse(chunk({ tool_calls: [call] }))] }])
    const events = await collect(openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() }))
    const calls = events.flatMap((event) => (event.type === 'call' ? [event.call.arguments] : []))
    assert.equal(calls.length, 1)
    assert.equal(calls[0]?.ok, false)
  })
})

describe('stopping', LIMIT, () => {
  it('closes the socket in the middle of an answer', async () => {
    await using provider = await startStubProvider([{ chunks: [sse(chunk({ content: 'Hel' }))], ending: 'stall' }])
    const controller = new AbortController()
    const clock = new ManualClock()
    const iterator = openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock })
      .stream(REQUEST, controller)
      [Symbol.asyncIterator]()
    await iterator.next()
    const failed = failure(Promise.resolve(iterator.next()))
    controller.abort()
    assert.equal((await failed).code, 'CANCELLED')
    assert.equal(await (await provider.request(0)).closed, true)
    assert.equal(clock.pending, 0)
  })

  it('closes the socket when the reader stops reading', async () => {
    await using provider = await startStubProvider([{ chunks: [sse(chunk({ content: 'Hel' }))], ending: 'stall' }])
    for await (const event of openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() }).stream(
      REQUEST,
      new AbortController(),
    )) {
      if (event.type === 'text') break
    }
    assert.equal(await (await provider.request(0)).closed, true)
  })

  it('ends a wait for the next attempt, and sends nothing when it was stopped before', async () => {
    await using provider = await startStubProvider([{ status: 429, headers: { 'retry-after': '30' }, body: '{}' }, HELLO])
    const clock = new ManualClock()
    const controller = new AbortController()
    const model = openAiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock })
    const failed = failure(collect(model, controller.signal))
    await provider.request(0)
    await due(clock, 1)
    controller.abort()
    assert.equal((await failed).code, 'CANCELLED')
    assert.equal((await failure(collect(model, controller.signal))).code, 'CANCELLED')
    assert.equal(provider.requests.length, 1)
  })
})

describe('what cannot be sent', LIMIT, () => {
  for (const [what, make] of [
    ['no address', () => compatibleModel({ url: 'localhost:11434', name: 'm', ids: countingIds(), clock: new ManualClock() })],
    [
      'a user in the address',
      () => compatibleModel({ url: 'http://me@localhost/v1', name: 'm', ids: countingIds(), clock: new ManualClock() }),
    ],
    [
      'a query in the address',
      () => compatibleModel({ url: 'http://localhost/v1?a=b', name: 'm', ids: countingIds(), clock: new ManualClock() }),
    ],
    [
      'a password in the address',
      () => compatibleModel({ url: 'http://a:b@localhost/v1', name: 'm', ids: countingIds(), clock: new ManualClock() }),
    ],
    ['a key of two lines', () => openAiModel({ name: 'm', apiKey: 'sk-1\nsk-2', ids: countingIds(), clock: new ManualClock() })],
    ['no name', () => openAiModel({ name: ' ', ids: countingIds(), clock: new ManualClock() })],
  ] as const) {
    it(`is refused at once: ${what}`, () => {
      assert.throws(make, { code: 'CONFIG_INVALID' })
    })
  }
})
