import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { histories, resultFor, toolCall } from '../../test/histories.ts'
import { isJsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import { WireNames } from '../registry/naming.ts'
import { toAnthropicMessages } from './history-anthropic.ts'
import { toOpenAiMessages } from './history-openai.ts'
import { faultInRequest } from './replay-check.ts'

const NAMES = ['read_file', 'write_file']
const openAi = (messages: readonly Message[], system?: string): readonly JsonValue[] =>
  toOpenAiMessages(messages, system, new WireNames(NAMES, 'openai'))
const anthropic = (messages: readonly Message[]): readonly JsonValue[] => toAnthropicMessages(messages, new WireNames(NAMES, 'anthropic'))

const broken = toolCall('call_1', 'write_file', 0, {
  ok: false,
  raw: '{"path":"a"}{"path":"b"}',
  problem: 'two objects',
  code: 'INVALID_JSON',
})
const fine = toolCall('call_2', 'read_file', 1, { ok: true, value: { path: 'a.txt' } })
const TALK: readonly Message[] = [
  { role: 'user', text: 'go' },
  { role: 'assistant', text: 'Looking.', calls: [broken, fine], providerBlocks: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }] },
  { role: 'tool', results: [resultFor(broken, 'not run'), resultFor(fine, 'A')] },
  { role: 'user', text: 'and now?' },
]

describe('history for Chat Completions', () => {
  it('is taken by a server that checks like the provider, whatever a model wrote', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        assert.equal(faultInRequest('openai-chat', { messages: openAi(messages, 'be brief'), stream: true }), undefined)
      }),
      { numRuns: 300 },
    )
  })

  it('never sends broken arguments raw: a valid object that shows the text', () => {
    const message = openAi(TALK)[1]
    const calls = isJsonObject(message) ? ownValue(message, 'tool_calls') : undefined
    assert.deepEqual(calls, [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'write_file', arguments: '{"_not_json":"{\\"path\\":\\"a\\"}{\\"path\\":\\"b\\"}"}' },
      },
      { id: 'call_2', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
    ])
  })

  it('sends back what a server wants back: reasoning in its own members, a signature on its own call', () => {
    const blocks = [
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'AA' }] },
      { reasoning_content: 'hm' },
      { tool_call_index: 1, extra_content: { google: { thought_signature: 'S' } } },
    ]
    const [asked, silent] = [TALK[1], { role: 'assistant', text: 'Done.', calls: [], providerBlocks: blocks } as const]
    assert.ok(asked?.role === 'assistant')
    const [message] = openAi([{ ...asked, providerBlocks: blocks }, ...TALK.slice(2)])
    assert.ok(isJsonObject(message))
    assert.deepEqual([message.reasoning_details, message.reasoning_content], [blocks[0]?.reasoning_details, 'hm'])
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
    assert.deepEqual(
      calls.map((call: JsonValue) => isJsonObject(call) && ownValue(call, 'extra_content')),
      [undefined, { google: { thought_signature: 'S' } }],
    )
    assert.deepEqual(openAi([{ role: 'user', text: 'x' }, silent])[1], {
      role: 'assistant',
      content: 'Done.',
      reasoning_details: blocks[0]?.reasoning_details,
      reasoning_content: 'hm',
    })
  })

  it('bounds what it shows of broken arguments', () => {
    const call = toolCall('c', 'write_file', 0, { ok: false, raw: '😀'.repeat(50_000), problem: 'cut', code: 'STREAM_BROKEN' })
    const text = JSON.stringify(
      openAi([
        { role: 'user', text: 'x' },
        { role: 'assistant', text: '', calls: [call] },
        { role: 'tool', results: [resultFor(call)] },
      ]),
    )
    assert.ok(text.length < 5_000)
    assert.ok(text.isWellFormed())
  })

  it('keeps the order: system, task, calls, one result for each, question', () => {
    const roles = openAi(TALK, 'be brief').map((message) => (isJsonObject(message) ? ownValue(message, 'role') : undefined))
    assert.deepEqual(roles, ['system', 'user', 'assistant', 'tool', 'tool', 'user'])
  })

  it('is mended where it is not whole: a lost result is said to be lost', () => {
    const wire = openAi(TALK.toSpliced(2, 1))
    const told = wire.filter((message) => isJsonObject(message) && ownValue(message, 'role') === 'tool')
    assert.equal(told.length, 2)
    assert.match(JSON.stringify(told), /may or may not have taken effect/)
  })
})

describe('history for Messages', () => {
  it('is taken by a server that checks like the provider, whatever a model wrote', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        assert.equal(faultInRequest('anthropic', { messages: anthropic(messages), stream: true, max_tokens: 10 }), undefined)
      }),
      { numRuns: 300 },
    )
  })

  it('sends signed thinking back first, results before the next question, in one message', () => {
    const wire = anthropic(TALK)
    assert.equal(wire.length, 3)
    const types = wire.map((message) => {
      const content = isJsonObject(message) ? ownValue(message, 'content') : undefined
      return Array.isArray(content)
        ? content.map((block: JsonValue) => (isJsonObject(block) ? ownValue(block, 'type') : undefined))
        : content
    })
    assert.deepEqual(types, [['text'], ['thinking', 'text', 'tool_use', 'tool_use'], ['tool_result', 'tool_result', 'text']])
  })

  it('gives a call and its result one legal id, and ids used in an earlier turn new ones', () => {
    const turn = (text: string): readonly Message[] => {
      const call = toolCall('functions.read:0', 'read_file', 0)
      return [
        { role: 'assistant', text, calls: [call] },
        { role: 'tool', results: [resultFor(call)] },
      ]
    }
    const wire = anthropic([{ role: 'user', text: 'x' }, ...turn('one'), ...turn('two')])
    const ids = JSON.stringify(wire)
      .match(/"(?:id|tool_use_id)":"([^"]+)"/g)
      ?.map((text) => text.replace(/^"\w+":/, ''))
    assert.equal(ids?.length, 4)
    assert.equal(ids[0], ids[1])
    assert.equal(ids[2], ids[3])
    assert.notEqual(ids[0], ids[2])
  })

  it('sends back what the provider ran itself, with what came of it, and never one without the other', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' }
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }
    const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
    const unanswered = { type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_search', input: {} }
    const stray = { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_9', content: [] }
    const wire = anthropic([
      { role: 'user', text: 'x' },
      { role: 'assistant', text: 'y', calls: [], providerBlocks: [thinking, search, found, unanswered, stray] },
      { role: 'user', text: 'z' },
    ])
    assert.deepEqual(wire[1], { role: 'assistant', content: [thinking, search, found, { type: 'text', text: 'y' }] })
  })

  it('leaves another provider’s blocks out', () => {
    const wire = anthropic([
      { role: 'user', text: 'x' },
      {
        role: 'assistant',
        text: 'y',
        calls: [],
        providerBlocks: [{ reasoning_content: 'z' }, { type: 'tool_use', id: 'a', name: 'b', input: {} }],
      },
      { role: 'user', text: 'z' },
    ])
    assert.deepEqual(wire[1], { role: 'assistant', content: [{ type: 'text', text: 'y' }] })
  })
})
