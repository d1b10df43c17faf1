/**
 * Owns writing an answer as a Chat Completions endpoint streams it: a first chunk with the role, one chunk a token, the calls one
 * after the other with their arguments in pieces, the reason why it ended, the usage, `[DONE]`.
 */
import { createHash } from 'node:crypto'

interface SpokenCall {
  readonly name: string
  /** As the model wrote them. */
  readonly arguments: string
}

export interface Spoken {
  readonly text: string
  readonly calls: readonly SpokenCall[]
  readonly promptTokens: number
}

/** A text in the pieces that a model's tokens make: short words and parts of long ones, with the space before them. */
function tokensOf(text: string): readonly string[] {
  return text.match(/ ?\p{L}{1,7}| ?\d{1,3}|\n+| ?[^\s\p{L}\d]{1,2}|\s+/gu) ?? []
}

/** The `data:` events of one answer. `round` makes its ids. */
export function chatStream(model: string, round: number, spoken: Spoken): readonly string[] {
  const id = `chatcmpl-${mark(`answer ${round}`, 29)}`
  const chunk = (rest: object): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1_783_000_000 + round, model, ...rest })}\n\n`
  const delta = (value: object, finish: string | null = null): string =>
    chunk({ choices: [{ index: 0, delta: value, logprobs: null, finish_reason: finish }], usage: null })
  const chunks = [delta({ role: 'assistant', content: spoken.text === '' ? null : '', refusal: null })]
  let tokens = 0
  for (const piece of tokensOf(spoken.text)) {
    chunks.push(delta({ content: piece }))
    tokens += 1
  }
  for (const [index, call] of spoken.calls.entries()) {
    const callId = callIdOf(round, index)
    chunks.push(delta({ tool_calls: [{ index, id: callId, type: 'function', function: { name: call.name, arguments: '' } }] }))
    for (const piece of tokensOf(call.arguments)) {
      chunks.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }))
      tokens += 1
    }
  }
  const usage = { prompt_tokens: spoken.promptTokens, completion_tokens: tokens, total_tokens: spoken.promptTokens + tokens }
  chunks.push(delta({}, spoken.calls.length > 0 ? 'tool_calls' : 'stop'), chunk({ choices: [], usage }), 'data: [DONE]\n\n')
  return chunks
}

export function callIdOf(round: number, index: number): string {
  return `call_${mark(`call ${round}.${index}`, 24)}`
}

/** Letters and digits that are the same in every run. */
function mark(seed: string, length: number): string {
  return createHash('sha256')
    .update(seed)
    .digest('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, length)
}
