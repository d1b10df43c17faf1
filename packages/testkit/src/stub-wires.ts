import type { JsonObject, RecordingDialect } from '@adjutant/core'
import { type StubReply, sse } from './stub-provider.ts'

/** Pieces of an answer as a provider writes them, to put a {@link StubReply} together of. */
export interface StubWire {
  /** The beginning of an answer; once, first. */
  readonly begin: string
  /** A piece of text. */
  text(text: string): string
  /** A whole call; `index` counts them from 0. */
  call(index: number, id: string, name: string, args: JsonObject): string
  /** The end after `text` or calls, with what it cost. */
  end(options: { readonly calls: number; readonly inputTokens: number; readonly outputTokens: number }): string
  /** The provider says in the middle of an answer that it is overloaded. */
  overloaded(message: string): string
  /** Refuses for now, with the time to wait as this provider tells it. */
  busy(seconds: number): StubReply
}

const named = (type: string, rest: JsonObject): string => `event: ${type}\n${sse({ type, ...rest })}`
const delta = (value: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta: value, finish_reason: finish }],
})
const RESPONSE: JsonObject = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'm', service_tier: null }
const candidate = (parts: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
})

/**
 * The wires that core has adapters for.
 *
 * @example
 * ```ts
 * const { begin, text, end } = STUB_WIRES.gemini
 * await using provider = await startStubProvider([{ chunks: [begin, text('Hello'), end({ calls: 0, inputTokens: 3, outputTokens: 1 })] }])
 * ```
 */
export const STUB_WIRES: Readonly<Record<RecordingDialect, StubWire>> = {
  'openai-chat': {
    begin: sse(delta({ role: 'assistant', content: '' })),
    text: (text) => sse(delta({ content: text })),
    call: (index, id, name, args) =>
      sse(
        delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...halves(args).map((part) => delta({ tool_calls: [{ index, function: { arguments: part } }] })),
      ),
    end: ({ calls, inputTokens, outputTokens }) =>
      sse(
        delta({}, calls > 0 ? 'tool_calls' : 'stop'),
        { ...delta({}), choices: [], usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens } },
        '[DONE]',
      ),
    overloaded: (message) => sse({ error: { message, type: 'server_error', code: null } }),
    busy: (seconds) => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: JSON.stringify({ error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } }),
    }),
  },
  'openai-responses': {
    begin: named('response.created', {
      sequence_number: 0,
      response: { ...RESPONSE, status: 'in_progress', output: [] },
    }),
    text: (text) => named('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: text }),
    call(index, id, name, args) {
      const place = { item_id: `fc_${index}`, output_index: index + 1 }
      const item = { type: 'function_call', id: `fc_${index}`, call_id: id, name }
      return [
        named('response.output_item.added', { output_index: index + 1, item: { ...item, arguments: '', status: 'in_progress' } }),
        ...halves(args).map((part) => named('response.function_call_arguments.delta', { ...place, delta: part })),
        named('response.function_call_arguments.done', { ...place, arguments: JSON.stringify(args) }),
        named('response.output_item.done', {
          output_index: index + 1,
          item: { ...item, arguments: JSON.stringify(args), status: 'completed' },
        }),
      ].join('')
    },
    end: ({ inputTokens, outputTokens }) =>
      named('response.completed', {
        response: {
          ...RESPONSE,
          status: 'completed',
          usage: { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens },
        },
      }),
    overloaded: (message) => named('error', { code: 'server_error', message, param: null, sequence_number: 9 }),
    busy: (seconds) => ({
      status: 429,
      headers: { 'retry-after-ms': String(seconds * 1_000) },
      body: JSON.stringify({ error: { message: 'Rate limit reached', type: 'tokens', code: 'rate_limit_exceeded' } }),
    }),
  },
  anthropic: {
    begin: named('message_start', {
      message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 0, output_tokens: 0 } },
    }),
    text: (text) =>
      [
        named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
        named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
        named('content_block_stop', { index: 0 }),
      ].join(''),
    call: (index, id, name, args) =>
      [
        named('content_block_start', { index: index + 1, content_block: { type: 'tool_use', id, name, input: {} } }),
        ...halves(args).map((part) =>
          named('content_block_delta', { index: index + 1, delta: { type: 'input_json_delta', partial_json: part } }),
        ),
        named('content_block_stop', { index: index + 1 }),
      ].join(''),
    end: ({ calls, inputTokens, outputTokens }) =>
      named('message_delta', {
        delta: { stop_reason: calls > 0 ? 'tool_use' : 'end_turn' },
        usage: { input_tokens: inputTokens, output_tokens: outputTokens },
      }) + named('message_stop', {}),
    overloaded: (message) => named('error', { error: { type: 'overloaded_error', message } }),
    busy: (seconds) => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'Rate limit reached' } }),
    }),
  },
  gemini: {
    begin: '',
    text: (text) => sse(candidate([{ text }])),
    call: (_index, id, name, args) => sse(candidate([{ functionCall: { id, name, args }, thoughtSignature: `signed-${id}` }])),
    end: ({ inputTokens, outputTokens }) =>
      sse({
        ...candidate([{ text: '' }], { finishReason: 'STOP' }),
        usageMetadata: { promptTokenCount: inputTokens, candidatesTokenCount: outputTokens, totalTokenCount: inputTokens + outputTokens },
      }),
    overloaded: (message) => sse({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
    busy: (seconds) => ({
      status: 429,
      body: JSON.stringify({
        error: {
          code: 429,
          message: 'Rate limit reached',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` }],
        },
      }),
    }),
  },
}

/** Arguments as two pieces: a stream cuts them anywhere. */
function halves(args: JsonObject): readonly string[] {
  const text = JSON.stringify(args)
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}
