/** Writes recordings for tests: a model's answers in the wire form of OpenAI Chat. */

export interface RecordedRound {
  readonly text?: string
  readonly calls?: readonly (readonly [name: string, args: unknown])[]
}

let ids = 0

function reply({ text, calls = [] }: RecordedRound): string {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-t', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const chunks = [chunk({ role: 'assistant', content: '' })]
  // Word by word, as a model does.
  for (const word of (text ?? '').match(/\S*\s*/g) ?? []) if (word !== '') chunks.push(chunk({ content: word }))
  for (const [index, [name, args]] of calls.entries()) {
    ids += 1
    chunks.push(chunk({ tool_calls: [{ index, id: `call_${ids}`, type: 'function', function: { name, arguments: '' } }] }))
    for (const part of JSON.stringify(args).match(/[\s\S]{1,12}/g) ?? [])
      chunks.push(chunk({ tool_calls: [{ index, function: { arguments: part } }] }))
  }
  chunks.push(chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'))
  chunks.push(
    `data: ${JSON.stringify({ id: 'chatcmpl-t', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}\n\n`,
  )
  chunks.push('data: [DONE]\n\n')
  return JSON.stringify({ status: 200, headers: { 'content-type': 'text/event-stream' }, chunks })
}

/** JSON lines for `replay:FILE`. */
export function recording(rounds: readonly RecordedRound[], approvals?: readonly object[]): string {
  const lines = [JSON.stringify({ adjutant: 'recording', version: 1, dialect: 'openai-chat', model: 'test-model' }), ...rounds.map(reply)]
  if (approvals !== undefined) lines.push(JSON.stringify({ approvals }))
  return `${lines.join('\n')}\n`
}
