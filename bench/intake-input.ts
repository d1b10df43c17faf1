/** Makes the bytes that the intake benchmark reads: real wire forms, arguments of a wanted size, cut as a network cuts them. */

const encoder = new TextEncoder()
/** Bytes of one read from a socket, about. */
const CHUNK = 4_096

/** The JSON text of a call's arguments: source code, with the quotes, line breaks and other letters that make escapes. */
export function argumentsOfSize(bytes: number): string {
  const line = 'const greeting = "Grüße" // 你好\n  return lines.map((line) => line.trim())\n'
  const content = line.repeat(Math.max(1, Math.ceil(bytes / (line.length + 4))))
  return JSON.stringify({ path: 'src/greeting.ts', content, options: { create: true, mode: 420 } })
}

/** Cuts text into deltas of `size` characters. */
export function deltasOf(text: string, size: number): readonly string[] {
  const deltas: string[] = []
  for (let at = 0; at < text.length; at += size) deltas.push(text.slice(at, at + size))
  return deltas
}

export function chunksOf(text: string): readonly Uint8Array[] {
  const bytes = encoder.encode(text)
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += CHUNK) chunks.push(bytes.subarray(at, at + CHUNK))
  return chunks
}

function chatEvent(delta: unknown, finish: string | null, more: object = {}): string {
  const chunk = {
    id: 'chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'some-model-2026-08-06',
    service_tier: 'default',
    system_fingerprint: 'fp_0123456789',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...more,
  }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/**
 * A Chat Completions stream with these calls, one after the other.
 * @param varied whether a field that is not of the form is there, and different in each event
 */
export function chatStream(calls: readonly string[], deltaSize: number, varied = false): readonly Uint8Array[] {
  const events: string[] = [chatEvent({ role: 'assistant', content: null }, null)]
  for (const [index, text] of calls.entries()) {
    const start = { index, id: `call_${index}`, type: 'function', function: { name: 'write_file', arguments: '' } }
    events.push(chatEvent({ tool_calls: [start] }, null))
    for (const piece of deltasOf(text, deltaSize)) {
      const more = varied ? { event_id: `evt_${events.length}` } : {}
      events.push(chatEvent({ tool_calls: [{ index, function: { arguments: piece } }] }, null, more))
    }
  }
  events.push(chatEvent({}, 'tool_calls'), 'data: [DONE]\n\n')
  return chunksOf(events.join(''))
}

/** A Messages stream with one call. */
export function messagesStream(text: string, deltaSize: number): readonly Uint8Array[] {
  const events: string[] = []
  const add = (value: { readonly type: string }): void => void events.push(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`)
  const start = (type: string, fields: object): void => add({ type, ...fields })
  start('message_start', {
    message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
  })
  start('content_block_start', { index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'write_file', input: {} } })
  for (const piece of deltasOf(text, deltaSize)) {
    start('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: piece } })
  }
  start('content_block_stop', { index: 0 })
  start('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 90 } })
  start('message_stop', {})
  return chunksOf(events.join(''))
}

/** Text with one call between tags. */
export function taggedText(text: string): readonly Uint8Array[] {
  return chunksOf(`I will write it.\n<tool_use>{"name":"write_file","input":${text}}</tool_use>\nDone.`)
}

/** A Responses stream with one call. */
export function responsesStream(text: string, deltaSize: number): readonly Uint8Array[] {
  const events: string[] = []
  const add = (type: string, fields: object): void =>
    void events.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: events.length, ...fields })}\n\n`)
  const item = { id: 'fc_0123456789abcdef0123456789abcdef', type: 'function_call', call_id: 'call_0', name: 'write_file' }
  const place = { item_id: item.id, output_index: 0 }
  add('response.created', { response: { id: 'resp_0', object: 'response', status: 'in_progress', output: [] } })
  add('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', arguments: '' } })
  for (const delta of deltasOf(text, deltaSize)) {
    add('response.function_call_arguments.delta', { ...place, delta, obfuscation: 'Ab3dE6gH'.slice(0, 1 + (events.length % 8)) })
  }
  add('response.function_call_arguments.done', { ...place, arguments: text })
  add('response.output_item.done', { output_index: 0, item: { ...item, status: 'completed', arguments: text } })
  const response = { id: 'resp_0', object: 'response', status: 'completed', output: [{ ...item, status: 'completed', arguments: text }] }
  add('response.completed', { response })
  return chunksOf(events.join(''))
}

/** A generateContent stream: text in pieces, then one call, which always comes whole. */
export function geminiStream(text: string): readonly Uint8Array[] {
  const event = (parts: readonly object[], finishReason?: string): string =>
    `data: ${JSON.stringify({ candidates: [{ content: { parts, role: 'model' }, finishReason, index: 0 }], modelVersion: 'some-model' })}\n\n`
  const said = Array.from({ length: 200 }, (_, at) => event([{ text: `Line ${at} of what I will write. ` }]))
  const call = event([{ functionCall: { name: 'write_file', args: JSON.parse(text) } }], 'STOP')
  return chunksOf(said.join('') + call)
}
