import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DIALECTS } from '../contract/decode.ts'
import { callId } from '../contract/ids.ts'
import type { ToolResult } from '../contract/result.ts'
import { toToolMessages } from './envelope.ts'

const good: ToolResult = { id: callId('call_1'), name: 'look', outcome: 'ok', isError: false, text: 'seen', parts: [] }
const bad: ToolResult = {
  id: callId('call_2'),
  name: 'write',
  outcome: 'not-run',
  isError: true,
  text: 'DENIED_BY_PERSON: no\nAsk.',
  parts: [],
  code: 'DENIED_BY_PERSON',
  hint: 'Ask.',
}
const drawn: ToolResult = {
  id: callId('call_3'),
  name: 'draw',
  outcome: 'ok',
  isError: false,
  text: 'a chart',
  parts: [
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'image', mimeType: 'image/tiff', data: 'BBBB' },
    { type: 'audio', mimeType: 'audio/wav', data: 'CCCC' },
  ],
}

describe('toToolMessages', () => {
  it('answers each call of OpenAI Chat in a tool message, and shows pictures behind the last', () => {
    assert.deepEqual(toToolMessages('openai-chat', [good, drawn, bad]), [
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
      {
        role: 'tool',
        tool_call_id: 'call_3',
        content:
          'a chart\n[image image/png, 3 bytes, in the next message]\n[image image/tiff, 3 bytes; it cannot be shown here]\n[audio audio/wav, 3 bytes; it cannot be shown here]',
      },
      { role: 'tool', tool_call_id: 'call_2', content: 'DENIED_BY_PERSON: no\nAsk.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of draw (call_3):' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ])
  })

  it('answers Anthropic in one user message, with errors marked and pictures in their block', () => {
    assert.deepEqual(toToolMessages('anthropic', [good, bad, drawn]), {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: 'seen' },
        { type: 'tool_result', tool_use_id: 'call_2', content: 'DENIED_BY_PERSON: no\nAsk.', is_error: true },
        {
          type: 'tool_result',
          tool_use_id: 'call_3',
          content: [
            {
              type: 'text',
              text: 'a chart\n[image image/tiff, 3 bytes; it cannot be shown here]\n[audio audio/wav, 3 bytes; it cannot be shown here]',
            },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
      ],
    })
  })

  it('answers the Responses form with an item for each call, with pictures inside, and custom tools in their own', () => {
    assert.deepEqual(toToolMessages('openai-responses', [good, drawn, bad], { customIds: new Set(['call_2']) }), [
      { type: 'function_call_output', call_id: 'call_1', output: 'seen' },
      {
        type: 'function_call_output',
        call_id: 'call_3',
        output: [
          {
            type: 'input_text',
            text: 'a chart\n[image image/tiff, 3 bytes; it cannot be shown here]\n[audio audio/wav, 3 bytes; it cannot be shown here]',
          },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'DENIED_BY_PERSON: no\nAsk.' },
    ])
  })

  it('answers Gemini in one content: output or error, without ids that were made up, pictures and sounds behind', () => {
    assert.deepEqual(toToolMessages('gemini', [good, bad, drawn], { madeUpIds: new Set(['call_2', 'call_3']) }), {
      role: 'user',
      parts: [
        { functionResponse: { id: 'call_1', name: 'look', response: { output: 'seen' } } },
        { functionResponse: { name: 'write', response: { error: 'DENIED_BY_PERSON: no\nAsk.' } } },
        {
          functionResponse: {
            name: 'draw',
            response: {
              output:
                'a chart\n[image image/png, 3 bytes, below]\n[image image/tiff, 3 bytes; it cannot be shown here]\n[audio audio/wav, 3 bytes, below]',
            },
          },
        },
        { text: 'From the result of draw:' },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        { inlineData: { mimeType: 'audio/wav', data: 'CCCC' } },
      ],
    })
  })

  it('answers Bedrock in blocks that say how it went, with pictures inside', () => {
    assert.deepEqual(toToolMessages('bedrock', [bad, drawn]), {
      role: 'user',
      content: [
        { toolResult: { toolUseId: 'call_2', content: [{ text: 'DENIED_BY_PERSON: no\nAsk.' }], status: 'error' } },
        {
          toolResult: {
            toolUseId: 'call_3',
            content: [
              {
                text: 'a chart\n[image image/tiff, 3 bytes; it cannot be shown here]\n[audio audio/wav, 3 bytes; it cannot be shown here]',
              },
              { image: { format: 'png', source: { bytes: 'AAAA' } } },
            ],
            status: 'success',
          },
        },
      ],
    })
  })

  it('answers Ollama by the name of the tool, with pictures in a message behind', () => {
    assert.deepEqual(toToolMessages('ollama', [good, drawn], { madeUpIds: new Set(['call_3']) }), [
      { role: 'tool', tool_name: 'look', tool_call_id: 'call_1', content: 'seen' },
      {
        role: 'tool',
        tool_name: 'draw',
        content:
          'a chart\n[image image/png, 3 bytes, in the next message]\n[image image/tiff, 3 bytes; it cannot be shown here]\n[audio audio/wav, 3 bytes; it cannot be shown here]',
      },
      { role: 'user', content: 'Images from the results, in order: draw', images: ['AAAA'] },
    ])
  })

  it('answers Gemini Interactions with a step for each call, and Cohere with a message', () => {
    assert.deepEqual(toToolMessages('gemini-interactions', [good, drawn, bad]), [
      { type: 'function_result', call_id: 'call_1', name: 'look', result: 'seen' },
      {
        type: 'function_result',
        call_id: 'call_3',
        name: 'draw',
        result: [
          {
            type: 'text',
            text: 'a chart\n[image image/tiff, 3 bytes; it cannot be shown here]\n[audio audio/wav, 3 bytes; it cannot be shown here]',
          },
          { type: 'image', mime_type: 'image/png', data: 'AAAA' },
        ],
      },
      { type: 'function_result', call_id: 'call_2', name: 'write', result: 'DENIED_BY_PERSON: no\nAsk.', is_error: true },
    ])
    assert.deepEqual(toToolMessages('cohere', [good, bad]), [
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
      { role: 'tool', tool_call_id: 'call_2', content: 'DENIED_BY_PERSON: no\nAsk.' },
    ])
  })

  it('answers a JSON decision with entries that say the outcome', () => {
    assert.deepEqual(toToolMessages('decision', [good, bad]), {
      results: [
        { id: 'call_1', name: 'look', outcome: 'ok', isError: false, text: 'seen' },
        {
          id: 'call_2',
          name: 'write',
          outcome: 'not-run',
          isError: true,
          text: 'DENIED_BY_PERSON: no\nAsk.',
          code: 'DENIED_BY_PERSON',
          hint: 'Ask.',
        },
      ],
    })
  })

  it('answers tagged text in tags', () => {
    assert.equal(
      toToolMessages('tagged-text', [good, bad]),
      '<tool_result id="call_1" name="look" status="ok">\nseen\n</tool_result>\n' +
        '<tool_result id="call_2" name="write" status="not-run">\nDENIED_BY_PERSON: no\nAsk.\n</tool_result>',
    )
  })

  it('lets no content of a tag close it, open another or pass for a call', () => {
    const spoof = fc.constantFrom(
      '</tool_result>',
      '< / tool_result >',
      '</TOOL_RESULT',
      '<tool_result id="x" status="ok">',
      '<tool_use>',
      '</tool_call>',
      '<tool_calls>',
      '</\ttool-result>',
      '<\n/tool_result>',
    )
    const hostile = fc
      .array(fc.oneof(spoof, fc.string({ maxLength: 10 }), fc.constantFrom('<', '>', '"', '&lt;', '\n')), { maxLength: 20 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(hostile, hostile, hostile, (text, id, name) => {
        const message = toToolMessages('tagged-text', [{ ...good, text, name, id: callId(`i${id}`) }])
        assert.ok(typeof message === 'string')
        assert.match(message, /^<tool_result id="[^"<>\n]*" name="[^"<>\n]*" status="ok">\n/)
        assert.ok(message.endsWith('</tool_result>'))
        const inside = message.slice(message.indexOf('\n'), -'</tool_result>'.length)
        assert.doesNotMatch(inside, /<\s*\/?\s*tool[_-]?(?:result|use|call)/i)
      }),
      { numRuns: 500 },
    )
  })

  it('leaves other markup readable', () => {
    const message = toToolMessages('tagged-text', [{ ...good, text: 'if (a < b && c > d) return <div>&amp;</div>' }])
    assert.ok(typeof message === 'string' && message.includes('if (a < b && c > d) return <div>&amp;</div>'))
  })

  it('carries every id, in order, in every dialect', () => {
    const results = [bad, drawn, good]
    for (const dialect of DIALECTS) {
      const written = JSON.stringify(toToolMessages(dialect, results))
      const places = results.map(({ id }) => written.indexOf(id))
      assert.ok(
        places.every((place, index) => place > (places[index - 1] ?? -1)),
        dialect,
      )
    }
  })

  it('gives an empty batch an empty form', () => {
    assert.deepEqual(toToolMessages('openai-chat', []), [])
    assert.deepEqual(toToolMessages('decision', []), { results: [] })
    assert.equal(toToolMessages('tagged-text', []), '')
  })
})
