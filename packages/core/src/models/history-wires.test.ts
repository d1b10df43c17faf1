import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { histories, resultFor, toolCall, torn } from '../../test/histories.ts'
import type { ToolCall } from '../contract/call.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import { WireNames } from '../registry/naming.ts'
import { toAnthropicMessages } from './history-anthropic.ts'
import { toGeminiContents } from './history-gemini.ts'
import { toOpenAiMessages } from './history-openai.ts'
import { toResponsesInput } from './history-responses.ts'
import type { RecordingDialect } from './recording.ts'
import { faultInRequest } from './replay-check.ts'

const TOOLS = ['read_file', 'write_file', 'admin.tools/list']
const MODEL = 'gemini-3-pro'

const bodies: Readonly<Record<RecordingDialect, (messages: readonly Message[]) => JsonObject>> = {
  'openai-chat': (messages) => ({ messages: toOpenAiMessages(messages, 'be brief', new WireNames(TOOLS, 'openai')), stream: true }),
  'openai-responses': (messages) => ({ input: toResponsesInput(messages, new WireNames(TOOLS, 'openai')), stream: true, store: false }),
  anthropic: (messages) => ({ messages: toAnthropicMessages(messages, new WireNames(TOOLS, 'anthropic')), stream: true, max_tokens: 10 }),
  gemini: (messages) => ({ contents: toGeminiContents(messages, new WireNames(TOOLS, 'gemini'), { wantsSignatures: true }) }),
}

const hasContent = (message: Message): boolean =>
  message.role === 'user'
    ? message.text.trim() !== ''
    : message.role === 'assistant' && (message.calls.length > 0 || message.text.trim() !== '')

for (const dialect of ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const) {
  describe(`a history as ${dialect}`, () => {
    it('is taken by a server that checks like the provider, whatever a model wrote', () => {
      fc.assert(
        fc.property(histories(), (messages) => {
          assert.equal(faultInRequest(dialect, bodies[dialect](messages), MODEL), undefined)
        }),
        { numRuns: 200 },
      )
    })

    it('is taken also when it was torn apart', () => {
      fc.assert(
        fc.property(torn(histories()), (messages) => {
          if (!messages.some(hasContent)) return
          assert.equal(faultInRequest(dialect, bodies[dialect](messages), MODEL), undefined)
        }),
        { numRuns: 300 },
      )
    })

    it('never sends two objects as one call’s arguments back', () => {
      const call = toolCall('call_1', 'write_file', 0, {
        ok: false,
        raw: '{"path":"a"}{"path":"b"}',
        problem: 'two objects',
        code: 'INVALID_JSON',
      })
      const body = bodies[dialect]([
        { role: 'user', text: 'go' },
        { role: 'assistant', text: '', calls: [call] },
      ])
      assert.equal(faultInRequest(dialect, body, MODEL), undefined)
      assert.match(JSON.stringify(body), /_not_json/)
      assert.match(JSON.stringify(body), /was not run: two objects/)
    })
  })
}

/** A turn of calls and their results. */
function turn(calls: readonly ToolCall[], providerBlocks: readonly JsonObject[] = [], text = ''): readonly Message[] {
  return [
    { role: 'user', text: 'go' },
    { role: 'assistant', text, calls, providerBlocks },
    { role: 'tool', results: calls.map((call) => resultFor(call)) },
  ]
}
const listIn = (body: JsonObject, key: string): readonly JsonValue[] => {
  const list = ownValue(body, key)
  return Array.isArray(list) ? list : assert.fail(`${key} is no list`)
}

describe('a history for Responses', () => {
  const a = toolCall('call_a', 'read_file', 0, { ok: true, value: { path: 'a' } })
  const b = toolCall('call_b', 'admin.tools/list', 1)
  const reasoning = (id: string): JsonObject => ({ type: 'reasoning', id, summary: [], encrypted_content: `x${id}` })
  const item = (call: ToolCall, name: string, args: string): JsonObject => ({
    type: 'function_call',
    call_id: call.id,
    name,
    arguments: args,
  })
  const output = (call: ToolCall): JsonObject => ({ type: 'function_call_output', call_id: call.id, output: 'done' })

  it('has reasoning back unchanged, right before what it led to', () => {
    const blocks = [reasoning('rs_1'), { type: 'function_call', call_id: 'call_a' }, { ...reasoning('rs_2'), status: 'completed' }]
    assert.deepEqual(listIn(bodies['openai-responses'](turn([a, b], blocks)), 'input'), [
      { type: 'message', role: 'user', content: 'go' },
      reasoning('rs_1'),
      item(a, 'read_file', '{"path":"a"}'),
      reasoning('rs_2'),
      item(b, 'admin_tools_list', '{}'),
      output(a),
      output(b),
    ])
  })

  it('has a remark as the model marked it, before its calls', () => {
    const remark = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      phase: 'commentary',
      content: [{ type: 'output_text', text: 'Looking.' }],
    }
    const items = listIn(bodies['openai-responses'](turn([a], [reasoning('rs_1'), remark], 'Looking.')), 'input')
    assert.deepEqual(items.slice(1, 4), [
      reasoning('rs_1'),
      { type: 'message', role: 'assistant', content: 'Looking.', phase: 'commentary' },
      item(a, 'read_file', '{"path":"a"}'),
    ])
    const changed = listIn(bodies['openai-responses'](turn([a], [remark], 'Another text.')), 'input')
    assert.deepEqual(changed[1], { type: 'message', role: 'assistant', content: 'Another text.' })
  })

  it('leaves out what belongs to another provider', () => {
    const blocks = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { functionCall: { name: 'x', args: {} }, thoughtSignature: 's' },
    ]
    assert.equal(listIn(bodies['openai-responses'](turn([a], blocks)), 'input').length, 3)
  })
})

describe('a history for Gemini', () => {
  const a = toolCall('id_a', 'read_file', 0, { ok: true, value: { path: 'a' } })
  const b = { ...toolCall('made_up', 'admin.tools/list', 1), idFromProvider: false }
  const partsAt = (messages: readonly Message[], at: number, wantsSignatures = true): JsonValue => {
    const content = toGeminiContents(messages, new WireNames(TOOLS, 'gemini'), { wantsSignatures })[at]
    return (content !== undefined && ownValue(content, 'parts')) || assert.fail('no such content')
  }

  it('has each signature on the call that it came with, and ids only where the model gave them', () => {
    const blocks = [
      { functionCall: { name: 'admin_tools_list', args: {} }, thoughtSignature: 'SIG_B' },
      { functionCall: { id: 'id_a', name: 'read_file', args: { path: 'a' } }, thoughtSignature: 'SIG_A' },
    ]
    assert.deepEqual(partsAt(turn([a, b], blocks), 1), [
      { functionCall: { id: 'id_a', name: 'read_file', args: { path: 'a' } }, thoughtSignature: 'SIG_A' },
      { functionCall: { name: 'admin_tools_list', args: {} }, thoughtSignature: 'SIG_B' },
    ])
    assert.deepEqual(partsAt(turn([a, b], blocks), 2), [
      { functionResponse: { id: 'id_a', name: 'read_file', response: { output: 'done' } } },
      { functionResponse: { name: 'admin_tools_list', response: { output: 'done' } } },
    ])
  })

  it('tells calls of one name apart by their arguments', () => {
    const [one, two] = [{ path: 'a' }, { path: 'b' }].map((value, at) => ({
      ...toolCall(`m${at}`, 'read_file', at, { ok: true, value }),
      idFromProvider: false,
    }))
    assert.ok(one !== undefined && two !== undefined)
    const parts = partsAt(turn([one, two], [{ functionCall: { name: 'read_file', args: { path: 'b' } }, thoughtSignature: 'S' }]), 1)
    assert.deepEqual(parts, [
      { functionCall: { name: 'read_file', args: { path: 'a' } } },
      { functionCall: { name: 'read_file', args: { path: 'b' } }, thoughtSignature: 'S' },
    ])
  })

  it('says of an unsigned call in the current turn that another model made it, where that is wanted', () => {
    const old = turn([toolCall('old', 'read_file', 0)])
    const messages = [...old, ...turn([a])]
    assert.doesNotMatch(JSON.stringify(partsAt(messages, 1)), /thoughtSignature/)
    assert.match(JSON.stringify(partsAt(messages, 3)), /"thoughtSignature":"skip_thought_signature_validator"/)
    assert.doesNotMatch(JSON.stringify(partsAt(messages, 3, false)), /thoughtSignature/)
  })

  it('has the signature of a text on its piece of the text', () => {
    const said = (blocks: readonly JsonObject[]): JsonValue =>
      partsAt(
        [
          { role: 'user', text: 'x' },
          { role: 'assistant', text: 'one two', calls: [], providerBlocks: blocks },
        ],
        1,
      )
    assert.deepEqual(said([{ text: ' two', thoughtSignature: 'S' }]), [{ text: 'one' }, { text: ' two', thoughtSignature: 'S' }])
    assert.deepEqual(said([{ text: '', thoughtSignature: 'S' }]), [{ text: 'one two' }, { text: '', thoughtSignature: 'S' }])
    const ran = { executableCode: { language: 'PYTHON', code: '1' } }
    assert.deepEqual(said([{ text: 'hm', thought: true, thoughtSignature: 'T' }, ran, { type: 'thinking' }]), [
      { text: 'hm', thought: true, thoughtSignature: 'T' },
      ran,
      { text: 'one two' },
    ])
  })

  it('begins with the user, also where the beginning was cut off', () => {
    for (const dialect of ['gemini', 'anthropic'] as const) {
      const body = bodies[dialect]([
        { role: 'assistant', text: 'Hello', calls: [] },
        { role: 'user', text: 'x' },
      ])
      assert.equal(faultInRequest(dialect, body, MODEL), undefined)
      const first = listIn(body, dialect === 'gemini' ? 'contents' : 'messages')[0]
      assert.equal(isJsonObject(first) && ownValue(first, 'role'), 'user')
    }
  })
})
