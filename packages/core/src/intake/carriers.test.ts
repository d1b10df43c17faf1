import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'
import type { Dialect } from '../contract/decode.ts'

/** A piece of text, and the end, as each wire says them. */
const CARRIERS: Readonly<Record<Exclude<Dialect, 'tagged-text' | 'decision' | 'plan'>, (pieces: readonly string[]) => readonly unknown[]>> =
  {
    'openai-chat': (pieces) => [
      ...pieces.map((content) => ({ id: 'c', choices: [{ index: 0, delta: { content } }] })),
      { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ],
    'openai-responses': (pieces) => [
      { type: 'response.created', response: {} },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', delta })),
      { type: 'response.completed', response: { status: 'completed', output: [] } },
    ],
    anthropic: (pieces) => [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...pieces.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    ],
    gemini: (pieces) => [
      ...pieces.map((text) => ({ candidates: [{ content: { parts: [{ text }] } }] })),
      { candidates: [{ finishReason: 'STOP' }] },
    ],
    'gemini-interactions': (pieces) => [
      { event_type: 'interaction.created', interaction: {} },
      ...pieces.map((text) => ({ event_type: 'step.delta', index: 0, delta: { type: 'text', text } })),
      { event_type: 'interaction.completed', interaction: { status: 'completed' } },
    ],
    cohere: (pieces) => [
      { type: 'message-start', delta: {} },
      ...pieces.map((text) => ({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } })),
      { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
    ],
    bedrock: (pieces) => [
      { messageStart: { role: 'assistant' } },
      ...pieces.map((text) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } })),
      { messageStop: { stopReason: 'end_turn' } },
    ],
    ollama: (pieces) => [
      ...pieces.map((content) => ({ model: 'm', message: { content }, done: false })),
      { model: 'm', message: { content: '' }, done: true, done_reason: 'stop' },
    ],
  }

const TAGGED = 'I look.\n<tool_use>{"name":"look","input":{"at":"a"}}</tool_use>'
const DECISION = '{"action":"call_tool","tool_name":"look","parameters":{"at":"a"}}'

function cut(text: string): readonly string[] {
  return text.match(/[\s\S]{1,7}/g) ?? []
}

describe('calls in the text of a provider', () => {
  for (const [wire, carry] of Object.entries(CARRIERS)) {
    it(`are read inside ${wire}, framed either way`, () => {
      for (const [dialect, text] of [
        ['tagged-text', TAGGED],
        ['decision', DECISION],
      ] as const) {
        const values = carry(cut(text)).map((value) => JSON.stringify(value))
        for (const form of [values.map((value) => `data: ${value}\n\n`).join(''), `${values.join('\n')}\n`]) {
          const decoded = decodeAll(form, dialect)
          assert.deepEqual(namesAndValues(decoded.calls), [['look', { at: 'a' }]])
          assert.deepEqual(decoded.problems, [])
          assert.equal(decoded.end.dialect, dialect)
          assert.equal(decoded.end.finish, 'tool-calls')
          assert.deepEqual(decodeAll(form, dialect, 'each').events, decoded.events)
        }
      }
    })

    it(`are the text of ${wire} where only the wire is asked for`, () => {
      const form = carry(cut(TAGGED))
        .map((value) => `data: ${JSON.stringify(value)}\n\n`)
        .join('')
      const decoded = decodeAll(form)
      assert.deepEqual(decoded.calls, [])
      assert.equal(decoded.text, TAGGED)
      assert.deepEqual(decoded.end, { type: 'end', dialect: wire, finish: 'stop' })
    })
  }
})
