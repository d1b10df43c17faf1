/** What must be the same whatever wire an adapter speaks: trying again, silence, faults in the middle, stopping. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countingIds, ManualClock, STUB_WIRES, type StubProvider, type StubReply, sse, startStubProvider } from '@adjutant/testkit'
import type { DecodeEvent, Usage } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import type { Clock, Model, ModelRequest } from '../contract/ports.ts'
import { anthropicModel } from './anthropic.ts'
import { geminiModel } from './gemini.ts'
import { openAiModel } from './openai.ts'
import { openAiResponsesModel } from './openai-responses.ts'

/** What hangs is a failure, not a hang. */
const LIMIT = { timeout: 60_000 }

const tools = [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }]
const REQUEST: ModelRequest = { messages: [{ role: 'user', text: 'Hello' }], tools }
const COST = { calls: 0, inputTokens: 12, outputTokens: 5 }

const MAKERS = {
  'openai-chat': openAiModel,
  'openai-responses': openAiResponsesModel,
  anthropic: anthropicModel,
  gemini: geminiModel,
} as const

interface Taken {
  readonly events: readonly DecodeEvent[]
  readonly error: AdjutantError | undefined
}

/** Everything up to the end or the error. */
async function take(model: Model, options: { readonly signal?: AbortSignal; readonly request?: ModelRequest } = {}): Promise<Taken> {
  const events: DecodeEvent[] = []
  try {
    const signal = options.signal ?? new AbortController().signal
    for await (const event of model.stream(options.request ?? REQUEST, { signal })) events.push(event)
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error), String(error))
    return { events, error }
  }
  return { events, error: undefined }
}

const textOf = (events: readonly DecodeEvent[]): string => events.map((event) => (event.type === 'text' ? event.text : '')).join('')
const usageOf = (events: readonly DecodeEvent[]): Usage | undefined => events.findLast((event) => event.type === 'usage')?.usage

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

async function due(clock: ManualClock, ms: number): Promise<void> {
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(ms)
}

for (const dialect of ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const) {
  const wire = STUB_WIRES[dialect]
  const answer = (text: string): StubReply => ({ chunks: [wire.begin, wire.text(text), wire.end(COST)] })
  const modelAt = (provider: StubProvider, clock: Clock): Model =>
    MAKERS[dialect]({ name: 'm', baseUrl: provider.url, apiKey: 'key-of-a-person', ids: countingIds(), clock })

  describe(`the adapter for ${dialect}`, LIMIT, () => {
    it('gives text, calls and what they cost', async () => {
      const call = wire.call(0, 'call_1', 'read_file', { path: 'a.txt' })
      await using provider = await startStubProvider([
        { chunks: [wire.begin, wire.text('Looking.'), call, wire.end({ ...COST, calls: 1 })] },
      ])
      const clock = new ManualClock()
      const { events, error } = await take(modelAt(provider, clock))
      assert.equal(error, undefined)
      assert.equal(textOf(events), 'Looking.')
      const calls = events.flatMap((event) => (event.type === 'call' ? [event.call] : []))
      assert.deepEqual(
        calls.map((one) => [one.id, one.name, one.arguments]),
        [['call_1', 'read_file', { ok: true, value: { path: 'a.txt' } }]],
      )
      assert.deepEqual(usageOf(events), { inputTokens: 12, outputTokens: 5 })
      assert.deepEqual(events.at(-1), { type: 'end', finish: 'tool-calls', dialect })
      assert.equal(clock.pending, 0, 'no timer is left behind')
    })

    it('tells of arguments that are still being written, where that is wanted', async () => {
      const call = wire.call(0, 'call_1', 'read_file', { path: 'a.txt', note: 'x'.repeat(20) })
      const reply = { chunks: [wire.begin, call, wire.end({ ...COST, calls: 1 })] }
      await using provider = await startStubProvider([reply, reply])
      const model = modelAt(provider, new ManualClock())
      const fieldsOf = ({ events }: Taken): readonly string[] =>
        events.flatMap((event) => (event.type === 'call-field' ? [event.name] : []))
      assert.deepEqual(fieldsOf(await take(model)), [])
      const told = fieldsOf(await take(model, { request: { ...REQUEST, signals: true } }))
      // Gemini's arguments come whole.
      assert.deepEqual(told, dialect === 'gemini' ? [] : ['path', 'note'])
    })

    it('takes its own answer and the results back in the next request', async () => {
      const call = wire.call(0, 'call_1', 'read_file', { path: 'a.txt' })
      await using provider = await startStubProvider([{ chunks: [wire.begin, call, wire.end({ ...COST, calls: 1 })] }, answer('Done.')])
      const model = modelAt(provider, new ManualClock())
      const first = await take(model)
      const calls = first.events.flatMap((event) => (event.type === 'call' ? [event.call] : []))
      const providerBlocks = first.events.flatMap((event) => (event.type === 'provider-block' ? [event.block] : []))
      const results = calls.map((one) => ({
        id: one.id,
        name: one.name,
        outcome: 'ok' as const,
        isError: false,
        text: 'content of a.txt',
        parts: [],
      }))
      const second = await take(model, {
        request: {
          tools,
          messages: [
            { role: 'user', text: 'Hello' },
            { role: 'assistant', text: '', calls, providerBlocks },
            { role: 'tool', results },
          ],
        },
      })
      assert.equal(textOf(second.events), 'Done.')
      const sent = (await provider.request(1)).text
      assert.match(sent, /content of a\.txt/)
      assert.equal(sent.match(/call_1/g)?.length, dialect === 'gemini' ? 3 : 2)
    })

    it('waits as the provider asks, and tries again', async () => {
      await using provider = await startStubProvider([wire.busy(7), answer('Hello')])
      const { clock, waits } = eagerClock()
      const { events } = await take(modelAt(provider, clock))
      assert.equal(textOf(events), 'Hello')
      assert.deepEqual(waits, [7_000])
    })

    it('does not wait longer than a minute', async () => {
      await using provider = await startStubProvider([wire.busy(600), answer('Hello')])
      const { error } = await take(modelAt(provider, new ManualClock()))
      assert.equal(error?.code, 'MODEL_UNAVAILABLE')
      assert.match(error.message, /answered 429: Rate limit reached/)
      assert.match(error.hint, /wait more than 60 seconds/)
    })

    it('ends a silent answer, and closes its socket', async () => {
      await using provider = await startStubProvider([{ chunks: [wire.begin, wire.text('Hel')], ending: 'stall' }])
      const clock = new ManualClock()
      const stream = modelAt(provider, clock).stream(REQUEST, new AbortController())[Symbol.asyncIterator]()
      for (let seen = await stream.next(); seen.done !== true && seen.value.type !== 'text'; ) seen = await stream.next()
      const rest = Promise.resolve(stream.next()).then(
        () => assert.fail('it went on'),
        (error: unknown) => error,
      )
      await due(clock, 120_000)
      const error = await rest
      assert.ok(AdjutantError.isInstance(error))
      assert.equal(error.code, 'STREAM_BROKEN')
      assert.match(error.message, /nothing came for 120 seconds/)
      assert.equal(await (await provider.request(0)).closed, true)
    })

    it('says what the provider says in the middle, after what came was given', async () => {
      await using provider = await startStubProvider([
        { chunks: [wire.begin, wire.text('Hel'), wire.overloaded('Too much to do')] },
        answer('Hello'),
      ])
      const { events, error } = await take(modelAt(provider, new ManualClock()))
      assert.equal(textOf(events), 'Hel')
      assert.equal(error?.code, 'MODEL_UNAVAILABLE')
      assert.match(error.message, /Too much to do/)
      assert.equal(provider.requests.length, 1)
    })

    it('tries again when the provider says so before it said anything', async () => {
      await using provider = await startStubProvider([{ chunks: [wire.begin, wire.overloaded('Too much to do')] }, answer('Hello')])
      const { clock, waits } = eagerClock()
      const { events } = await take(modelAt(provider, clock))
      assert.equal(textOf(events), 'Hello')
      assert.deepEqual(waits, [500])
    })

    for (const type of ['text/html', 'text/event-stream', 'application/json', 'text/plain']) {
      it(`knows a web page with status 200, also one that says that it is ${type}`, async () => {
        const page = '<!DOCTYPE html>\n<html><head><title>Sign in to the proxy</title></head><body></body></html>'
        await using provider = await startStubProvider([{ headers: { 'content-type': type }, body: page }])
        const { error } = await take(modelAt(provider, new ManualClock()))
        assert.equal(error?.code, 'MODEL_FAILED')
        assert.match(error.message, /Sign in to the proxy/)
        assert.match(`${error.message} ${error.hint}`, /(?:web page|page of HTML).*address/)
      })
    }

    it('is broken when the connection is cut', async () => {
      await using provider = await startStubProvider([{ chunks: [wire.begin, wire.text('Hel')], ending: 'cut' }, answer('Hello')])
      const { events, error } = await take(modelAt(provider, new ManualClock()))
      assert.equal(textOf(events), 'Hel')
      assert.equal(error?.code, 'STREAM_BROKEN')
      assert.equal(provider.requests.length, 1)
    })

    it('is broken when the stream just ends', async () => {
      await using provider = await startStubProvider([{ chunks: [wire.begin, wire.text('The total is 1')] }])
      const { error } = await take(modelAt(provider, new ManualClock()))
      assert.equal(error?.code, 'STREAM_BROKEN')
    })

    it('names the key’s variable when the key is refused, and never shows the key', async () => {
      await using provider = await startStubProvider([{ status: 401, body: '{"error":{"message":"bad key key-of-a-person"}}' }])
      const { error } = await take(modelAt(provider, new ManualClock()))
      assert.equal(error?.code, 'MODEL_FAILED')
      assert.match(error.hint, /_API_KEY was not accepted/)
      assert.doesNotMatch(`${error.message}${error.hint}`, /key-of-a-person/)
    })

    it('closes the socket when it is stopped, and when nobody reads on', async () => {
      const open: StubReply = { chunks: [wire.begin, wire.text('Hel')], ending: 'stall' }
      await using provider = await startStubProvider([open, open])
      const clock = new ManualClock()
      const controller = new AbortController()
      const stream = modelAt(provider, clock).stream(REQUEST, controller)
      const stopped = (async () => {
        for await (const event of stream) if (event.type === 'text') controller.abort()
      })()
      await assert.rejects(stopped, { code: 'CANCELLED' })
      assert.equal(await (await provider.request(0)).closed, true)
      for await (const event of modelAt(provider, clock).stream(REQUEST, new AbortController())) if (event.type === 'text') break
      assert.equal(await (await provider.request(1)).closed, true)
      assert.equal(clock.pending, 0)
    })
  })
}

describe('what only one wire has', LIMIT, () => {
  it('Responses: asks again without encrypted reasoning where a model has none, and remembers that', async () => {
    const wire = STUB_WIRES['openai-responses']
    const hello: StubReply = { chunks: [wire.begin, wire.text('Hello'), wire.end(COST)] }
    const refusal: StubReply = {
      status: 400,
      body: '{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}',
    }
    await using provider = await startStubProvider([refusal, hello, hello])
    const model = openAiResponsesModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() })
    assert.equal(textOf((await take(model)).events), 'Hello')
    assert.equal(textOf((await take(model)).events), 'Hello')
    assert.deepEqual(
      provider.requests.map((request) => request.text.includes('reasoning.encrypted_content')),
      [true, false, false],
    )
    assert.match((await provider.request(0)).text, /"store":false/)
  })

  it('Chat Completions: says where a model is that is not behind it', async () => {
    const body = '{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.","code":null}}'
    await using provider = await startStubProvider([{ status: 404, body }])
    const { error } = await take(openAiModel({ name: 'deep', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock() }))
    assert.match(error?.hint ?? '', /openai-responses:deep/)
  })

  it('Gemini: says of a bad key what it says elsewhere of 401', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    const body = JSON.stringify({ error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details } })
    await using provider = await startStubProvider([{ status: 400, body }])
    const { error } = await take(
      geminiModel({ name: 'm', baseUrl: provider.url, apiKey: 'k', ids: countingIds(), clock: new ManualClock() }),
    )
    assert.match(error?.message ?? '', /answered 400: API key not valid\. \(API_KEY_INVALID\)/)
    assert.match(error?.hint ?? '', /GEMINI_API_KEY was not accepted/)
  })

  it('Gemini: asks again when the model wrote a call that could not be read, and gives up in words', async () => {
    const wire = STUB_WIRES.gemini
    const malformed = sse({ candidates: [{ index: 0, finishReason: 'MALFORMED_FUNCTION_CALL' }] })
    const model = (provider: StubProvider): Model =>
      geminiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: eagerClock().clock })
    await using mends = await startStubProvider([{ chunks: [malformed] }, { chunks: [wire.text('Hello'), wire.end(COST)] }])
    assert.equal(textOf((await take(model(mends))).events), 'Hello')
    await using stays = await startStubProvider([{ chunks: [malformed] }, { chunks: [malformed] }, { chunks: [malformed] }])
    const { error } = await take(model(stays))
    assert.equal(error?.code, 'STREAM_BROKEN')
    assert.match(error.message, /could not read/)
  })

  it('Gemini: has its system prompt, limit and choice where that API wants them, and further settings beside them', async () => {
    const wire = STUB_WIRES.gemini
    await using provider = await startStubProvider([{ chunks: [wire.text('Hello'), wire.end(COST)] }])
    const body = { generationConfig: { temperature: 0 } }
    const model = geminiModel({ name: 'm', baseUrl: provider.url, ids: countingIds(), clock: new ManualClock(), body })
    await take(model, { request: { ...REQUEST, system: 'Be brief.', maxOutputTokens: 50, toolChoice: 'none' } })
    const sent: unknown = JSON.parse((await provider.request(0)).text)
    assert.deepEqual(sent, {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'read_file', description: 'Reads.', parametersJsonSchema: tools[0]?.inputSchema }] }],
      toolConfig: { functionCallingConfig: { mode: 'NONE' } },
      generationConfig: { maxOutputTokens: 50, temperature: 0 },
    })
  })
})
