import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Decoded, decodeAll } from '../../test/intake/decode-all.ts'

type Delta = Readonly<Record<string, unknown>>

function stream(deltas: readonly Delta[], finish: string | null = 'tool_calls'): string {
  const chunks = [...deltas.map((delta) => ({ delta })), ...(finish === null ? [] : [{ delta: {}, finish_reason: finish }])]
  return chunks.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`).join('')
}

function blocksOf(decoded: Decoded): readonly unknown[] {
  return decoded.events.filter((event) => event.type === 'provider-block').map((event) => event.block)
}

const call: Delta = { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'look', arguments: '{}' } }] }

describe('what Chat servers want back', () => {
  it('reasoning details, put together from their pieces by kind and place', () => {
    const deltas = [
      { reasoning: 'We ', reasoning_details: [{ type: 'reasoning.text', text: 'We ', format: null, index: 0 }] },
      { reasoning: 'look.', reasoning_details: [{ type: 'reasoning.text', text: 'look.', format: 'x-v1', index: 0, signature: '' }] },
      { reasoning_details: [{ type: 'reasoning.text', signature: 'sig', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.summary', summary: 'Sh', index: 1 }] },
      { reasoning_details: [{ type: 'reasoning.summary', summary: 'ort', index: 1 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'AA', id: 'a', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'BB', id: 'b', index: 0 }] },
      call,
    ]
    const wanted = [
      { type: 'reasoning.text', text: 'We look.', format: 'x-v1', index: 0, signature: 'sig' },
      { type: 'reasoning.summary', summary: 'Short', index: 1 },
      { type: 'reasoning.encrypted', data: 'AA', id: 'a', index: 0 },
      { type: 'reasoning.encrypted', data: 'BB', id: 'b', index: 0 },
    ]
    const decoded = decodeAll(stream(deltas))
    assert.equal(decoded.reasoning, 'We look.')
    assert.deepEqual(blocksOf(decoded), [{ reasoning_details: wanted }])
    const message = { role: 'assistant', content: 'x', reasoning_details: wanted }
    const whole = decodeAll(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }))
    assert.deepEqual(blocksOf(whole), [{ reasoning_details: wanted }])
  })

  it('the signature of a call, by the place of the call', () => {
    const signed = (index: number, signature: string): Delta => ({
      tool_calls: [
        { index, id: `c${index}`, function: { name: 'f', arguments: '{}' }, extra_content: { google: { thought_signature: signature } } },
      ],
    })
    assert.deepEqual(blocksOf(decodeAll(stream([call, signed(1, 'A'), signed(2, 'B')]))), [
      { tool_call_index: 1, extra_content: { google: { thought_signature: 'A' } } },
      { tool_call_index: 2, extra_content: { google: { thought_signature: 'B' } } },
    ])
  })

  it('reasoning content of an answer that calls tools, and of no other', () => {
    const thinks = [{ reasoning_content: 'a' }, { reasoning_content: 'b' }]
    assert.deepEqual(blocksOf(decodeAll(stream([...thinks, call]))), [{ reasoning_content: 'ab' }])
    assert.deepEqual(blocksOf(decodeAll(stream([...thinks, { content: 'x' }], 'stop'))), [])
  })

  it('nothing of an answer that was cut off, nor of what outgrew the limit', () => {
    const deltas = [
      { reasoning_content: 'a'.repeat(60), reasoning_details: [{ type: 'reasoning.text', text: 'a'.repeat(60), index: 0 }] },
      call,
    ]
    assert.deepEqual(blocksOf(decodeAll(stream(deltas, null))), [])
    assert.deepEqual(blocksOf(decodeAll(stream(deltas, 'length'))), [])
    assert.deepEqual(blocksOf(decodeAll(stream(deltas), 'auto', [], { limits: { argumentChars: 100, lineChars: 10_000 } })), [])
  })
})
