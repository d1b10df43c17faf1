/** Streams of every wire, written for tests: parallel calls woven into each other, text, thinking, escapes, letters of several bytes. */
import type { Dialect } from '../../src/contract/index.ts'
import { chatOf, chunk, messagesOf, piece } from './chat.ts'

export interface OwnStream {
  readonly name: string
  readonly dialect: Dialect
  readonly bytes: Uint8Array
}

const ARGUMENTS = [
  { path: 'src/grüße.ts', content: 'line "one"\n\tline two \\ 你好 😀\u0000', options: { create: true, mode: 420, tags: [] } },
  {},
  { query: '}{][', limit: -1.5e-7, deep: { a: [{ b: [[null, false]] }] } },
] as const

function pieces(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}

/** One of each in turn, until all are used up. */
function woven<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat()
}

function chat(): string {
  const calls = ARGUMENTS.map((args, index) => [
    { index, id: `call_${index}`, name: `tool_${index}`, arguments: '' },
    ...pieces(JSON.stringify(args), 5).map((text) => ({ index, arguments: text })),
  ])
  return `${chunk({ role: 'assistant', content: 'I will <look> 你好.' })}${chatOf(woven(calls).map((entry) => [entry]))}`
}

function wholeChat(): string {
  const calls = ARGUMENTS.map((args, index) => piece({ id: `call_${index}`, name: `tool_${index}`, arguments: JSON.stringify(args) }))
  const message = { role: 'assistant', content: null, tool_calls: calls }
  return JSON.stringify(
    {
      id: 'x',
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    },
    undefined,
    1,
  )
}

function messages(): string {
  const blocks = ARGUMENTS.map((args, at) => [
    { type: 'content_block_start', index: at + 2, content_block: { type: 'tool_use', id: `toolu_${at}`, name: `tool_${at}`, input: {} } },
    ...pieces(JSON.stringify(args), 6).map((json) => ({
      type: 'content_block_delta',
      index: at + 2,
      delta: { type: 'input_json_delta', partial_json: json },
    })),
    { type: 'content_block_stop', index: at + 2 },
  ])
  return messagesOf([
    { type: 'message_start', message: { content: [], usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm, 你好.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'I will ' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'look.' } },
    { type: 'content_block_stop', index: 1 },
    ...woven(blocks),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ])
}

function responses(): string {
  let serial = 0
  const event = (type: string, fields: object): readonly [string, object] => [type, { type, ...fields }]
  const calls = ARGUMENTS.map((args, at) => {
    const whole = JSON.stringify(args)
    const item = { type: 'function_call', id: `fc_${at}`, call_id: `call_${at}`, name: `tool_${at}` }
    const place = { item_id: item.id, output_index: at + 1 }
    return [
      event('response.output_item.added', { output_index: at + 1, item: { ...item, status: 'in_progress', arguments: '' } }),
      ...pieces(whole, 7).map((delta) => event('response.function_call_arguments.delta', { ...place, delta })),
      event('response.function_call_arguments.done', { ...place, arguments: whole }),
      event('response.output_item.done', { output_index: at + 1, item: { ...item, status: 'completed', arguments: whole } }),
    ]
  })
  const message = { type: 'message', id: 'msg_0', role: 'assistant', content: [] }
  const events = [
    event('response.created', { response: { id: 'resp_0', object: 'response', status: 'in_progress', output: [] } }),
    event('response.output_item.added', { output_index: 0, item: message }),
    event('response.output_text.delta', { item_id: 'msg_0', output_index: 0, content_index: 0, delta: 'I will look 你好.' }),
    event('response.output_item.done', {
      output_index: 0,
      item: { ...message, content: [{ type: 'output_text', text: 'I will look 你好.' }] },
    }),
    ...woven(calls),
    event('response.completed', { response: { id: 'resp_0', object: 'response', status: 'completed', output: [] } }),
  ]
  return events.map(([type, body]) => `event: ${type}\ndata: ${JSON.stringify({ ...body, sequence_number: serial++ })}\n\n`).join('')
}

function gemini(): readonly object[] {
  const candidate = (parts: readonly object[], more: object = {}): object => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 5 },
  })
  return [
    candidate([{ text: 'Hm, 你好.', thought: true }]),
    candidate([{ text: 'I will look.' }]),
    ...ARGUMENTS.map((args, at) => candidate([{ functionCall: { name: `tool_${at}`, args }, thoughtSignature: 'c2ln' }])),
    candidate([], { finishReason: 'STOP' }),
  ]
}

function bedrock(): string {
  const blocks = ARGUMENTS.map((args, at) => [
    { contentBlockStart: { contentBlockIndex: at + 1, start: { toolUse: { toolUseId: `tooluse_${at}`, name: `tool_${at}` } } } },
    ...pieces(JSON.stringify(args), 6).map((input) => ({
      contentBlockDelta: { contentBlockIndex: at + 1, delta: { toolUse: { input } } },
    })),
    { contentBlockStop: { contentBlockIndex: at + 1 } },
  ])
  return asLines([
    { messageStart: { role: 'assistant' } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'I will look 你好.' } } },
    { contentBlockStop: { contentBlockIndex: 0 } },
    ...woven<object>(blocks),
    { messageStop: { stopReason: 'tool_use' } },
    { metadata: { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } } },
  ])
}

function ollama(): string {
  const line = (message: object, done = false): object => ({ model: 'm', created_at: '2026-11-30T00:00:00Z', message, done })
  return asLines([
    line({ role: 'assistant', content: '', thinking: 'Hm, 你好.' }),
    line({ role: 'assistant', content: 'I will look.' }),
    ...ARGUMENTS.map((args, at) =>
      line({ role: 'assistant', content: '', tool_calls: [{ function: { name: `tool_${at}`, arguments: args } }] }),
    ),
    { ...line({ role: 'assistant', content: '' }, true), done_reason: 'stop', prompt_eval_count: 3, eval_count: 4 },
  ])
}

function cohere(): readonly object[] {
  const calls = ARGUMENTS.map((args, index) => {
    const tool_calls = (more: object): object => ({ index, delta: { message: { tool_calls: more } } })
    return [
      {
        type: 'tool-call-start',
        ...tool_calls({ id: `id_${index}`, type: 'function', function: { name: `tool_${index}`, arguments: '' } }),
      },
      ...pieces(JSON.stringify(args), 6).map((text) => ({ type: 'tool-call-delta', ...tool_calls({ function: { arguments: text } }) })),
      { type: 'tool-call-end', index },
    ]
  })
  return [
    { type: 'message-start', id: 'x', delta: { message: { role: 'assistant' } } },
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will look 你好.' } } },
    ...woven<object>(calls),
    { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 3, output_tokens: 4 } } } },
  ]
}

function interactions(): readonly object[] {
  const steps = ARGUMENTS.map((args, at) => [
    { event_type: 'step.start', index: at + 1, step: { type: 'function_call', id: `id_${at}`, name: `tool_${at}`, arguments: {} } },
    ...pieces(JSON.stringify(args), 6).map((text) => ({
      event_type: 'step.delta',
      index: at + 1,
      delta: { type: 'arguments_delta', arguments: text },
    })),
    { event_type: 'step.stop', index: at + 1 },
  ])
  return [
    { event_type: 'interaction.created', interaction: { id: 'i', status: 'in_progress', object: 'interaction' } },
    { event_type: 'step.start', index: 0, step: { type: 'model_output' } },
    { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'I will look 你好.' } },
    { event_type: 'step.stop', index: 0 },
    ...woven<object>(steps),
    { event_type: 'interaction.completed', interaction: { id: 'i', status: 'requires_action' } },
  ]
}

function asLines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}

function asEvents(values: readonly object[]): string {
  return values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')
}

function tagged(): string {
  const calls = ARGUMENTS.map((args, at) => `<tool_use>\n${JSON.stringify({ name: `tool_${at}`, input: args })}\n</tool_use>`)
  return `I will look at <b>it</b>.\n${calls.join('\nand then\n')}\nThat is all.`
}

function decision(): string {
  const call = { action: 'call_tool', reasoning: 'it is "needed"', confidence: 0.8, tool_name: 'tool_0', parameters: ARGUMENTS[0] }
  return `\`\`\`json\n${JSON.stringify(call, undefined, 2)}\n\`\`\`\n`
}

export function ownStreams(): readonly OwnStream[] {
  const streams: readonly (readonly [string, Dialect, string])[] = [
    ['Chat Completions', 'openai-chat', chat()],
    ['Chat Completions as JSON lines', 'openai-chat', chat().replaceAll('data: ', '').replace('[DONE]', '').replace(/\n+/g, '\n')],
    ['a whole Chat Completions answer', 'openai-chat', wholeChat()],
    ['Messages', 'anthropic', messages()],
    ['Responses', 'openai-responses', responses()],
    ['generateContent', 'gemini', asEvents(gemini())],
    ['generateContent as one list', 'gemini', JSON.stringify(gemini(), undefined, 2)],
    ['Converse', 'bedrock', bedrock()],
    ['native Ollama', 'ollama', ollama()],
    ['Cohere', 'cohere', asEvents(cohere())],
    ['Gemini Interactions', 'gemini-interactions', asEvents(interactions())],
    ['calls between tags', 'tagged-text', tagged()],
    ['a decision', 'decision', decision()],
  ]
  return streams.map(([name, dialect, text]) => ({ name, dialect, bytes: new TextEncoder().encode(text) }))
}
