/** One call in very many tiny pieces, over every wire that streams arguments: whole, once, and with work that grows as the stream does. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chunk } from '../../test/intake/chat.ts'
import { callIds, type Decoded, decodeAll } from '../../test/intake/decode-all.ts'
import type { DecodeEvent } from '../contract/decode.ts'
import { createDecoder } from './dialect.ts'

/** A decoder that looked at all it has for each piece would need hours for so many; the time limit only ends such a test. */
const PIECES = 300_000
const LIMIT = { timeout: 60_000 }

const args = JSON.stringify({ path: 'a.txt', content: 'x'.repeat(PIECES - 40), mode: 'new' })

function assertOne({ calls, problems }: Pick<Decoded, 'calls' | 'problems'>): void {
  assert.deepEqual(problems, [])
  assert.equal(calls.length, 1)
  assert.deepEqual(calls[0]?.arguments, { ok: true, value: JSON.parse(args) })
}

const letters = (wrap: (letter: string) => string): string => Array.from(args, wrap).join('')

describe('a call of 300 000 pieces of one letter', LIMIT, () => {
  it('is one call in Chat Completions', () => {
    const start = chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'write', arguments: '' } }] })
    const body = letters(
      (letter) =>
        `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(letter)}}}]}}]}\n\n`,
    )
    assertOne(decodeAll(`${start}${body}${chunk({}, 'tool_calls')}data: [DONE]\n\n`, 'openai-chat'))
  })

  it('is one call in Messages, also with early signals', () => {
    const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
    const start =
      event({
        type: 'message_start',
        message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
      }) + event({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'write', input: {} } })
    const body = letters(
      (letter) =>
        `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(letter)}}}\n\n`,
    )
    const end =
      event({ type: 'content_block_stop', index: 0 }) +
      event({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }) +
      event({ type: 'message_stop' })
    assertOne(decodeAll(start + body + end, 'anthropic'))
    const signalled = decodeAll(start + body + end, 'anthropic', [], { signals: true })
    assertOne(signalled)
    assert.deepEqual(
      signalled.events.flatMap((one) => (one.type === 'call-field' ? [one.name] : [])),
      ['path', 'content', 'mode'],
    )
  })

  it('is one call in Responses', () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'write' }
    const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
    const body = letters(
      (letter) =>
        `data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":${JSON.stringify(letter)}}\n\n`,
    )
    const whole = { ...item, arguments: args }
    assertOne(
      decodeAll(
        event({ type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } }) +
          body +
          event({ type: 'response.output_item.done', output_index: 0, item: whole }) +
          event({ type: 'response.completed', response: { status: 'completed', output: [whole] } }),
        'openai-responses',
      ),
    )
  })

  it('is one call between tags, letter by letter', () => {
    const seen: DecodeEvent[] = []
    const decoder = createDecoder('tagged-text', (event) => void seen.push(event), { ids: callIds() })
    for (const letter of `<tool_use>{"name":"write","input":${args}}</tool_use>`) decoder.push(letter)
    decoder.end()
    assertOne({
      calls: seen.flatMap((event) => (event.type === 'call' ? [event.call] : [])),
      problems: seen.filter((event) => event.type === 'problem'),
    })
  })
})
