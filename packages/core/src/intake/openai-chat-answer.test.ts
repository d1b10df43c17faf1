import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chatOf, chunk, piece } from '../../test/intake/chat.ts'
import { callIds, decodeAll, gather, namesAndValues } from '../../test/intake/decode-all.ts'
import type { DecodeEvent } from '../contract/decode.ts'
import { createDecoder } from './dialect.ts'

describe('when a call is handed over', () => {
  it('with the event after its closing brace, or with the one that says the answer is finished', () => {
    const seen: DecodeEvent[] = []
    const decoder = createDecoder('openai-chat', (event) => seen.push(event), { ids: callIds() })
    const types = (): readonly string[] => seen.splice(0).map((event) => event.type)
    decoder.push(chunk({ tool_calls: [piece({ index: 0, id: 'a', name: 'f', arguments: '' })] }))
    assert.deepEqual(types(), ['call-start'])
    decoder.push(chunk({ tool_calls: [piece({ index: 0, arguments: '{"x":1' })] }))
    decoder.push(chunk({ tool_calls: [piece({ index: 0, arguments: '}' })] }))
    assert.deepEqual(types(), [])
    decoder.push(chunk({ tool_calls: [piece({ index: 1, id: 'b', name: 'g', arguments: '' })] }))
    assert.deepEqual(types(), ['call', 'call-start'])
    decoder.push(chunk({ tool_calls: [piece({ index: 1, arguments: '{}' })] }, 'tool_calls'))
    assert.deepEqual(types(), ['call'])
    decoder.end()
    assert.deepEqual(types(), ['end'])
  })

  it('late text for it is a problem, not another call', () => {
    const text = chatOf([
      [{ index: 0, id: 'a', name: 'f', arguments: '{"x":1}' }],
      [{ index: 1, id: 'b', name: 'g', arguments: '{"y":' }],
      [{ index: 0, arguments: 'zzz' }],
      [{ index: 1, arguments: '2}' }],
    ])
    const decoded = decodeAll(text)
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['f', { x: 1 }],
      ['g', { y: 2 }],
    ])
    assert.deepEqual(
      decoded.problems.map((problem) => [problem.code, problem.index]),
      [['INVALID_JSON', 0]],
    )
  })
})

describe('the rest of an answer', () => {
  it('text, reasoning under both names, parts, refusal, usage, finish', () => {
    const text =
      chunk({ role: 'assistant', content: '' }) +
      chunk({ reasoning_content: 'hm', reasoning: 'hm' }) +
      chunk({ reasoning: 'm' }) +
      chunk({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: '…' }] },
          { type: 'text', text: 'Hel' },
        ],
      }) +
      chunk({ content: 'lo' }) +
      chunk({ refusal: ' no' }, 'content_filter') +
      `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })}\n\ndata: [DONE]\n\n`
    const decoded = decodeAll(text)
    assert.equal(decoded.text, 'Hello no')
    assert.equal(decoded.reasoning, 'hmm…')
    assert.deepEqual(decoded.events.slice(-2), [
      { type: 'usage', usage: { inputTokens: 7, outputTokens: 3 } },
      { type: 'end', dialect: 'openai-chat', finish: 'content-filter' },
    ])
  })

  it('every word for an end is understood', () => {
    const words = {
      stop: 'stop',
      tool_calls: 'tool-calls',
      function_call: 'tool-calls',
      length: 'length',
      content_filter: 'content-filter',
      error: 'error',
      STOP: 'stop',
      eos: 'stop',
      weird: 'other',
    }
    for (const [word, finish] of Object.entries(words)) assert.equal(decodeAll(chunk({ content: 'x' }, word)).end.finish, finish)
  })

  it('no finish reason but [DONE], and no [DONE] but a finish reason, are ends', () => {
    const call = chunk({ tool_calls: [piece({ index: 0, id: 'a', name: 'f', arguments: '{}' })] })
    for (const end of ['data: [DONE]\n\n', chunk({}, 'tool_calls')]) {
      const decoded = decodeAll(call + end)
      assert.deepEqual([decoded.problems, decoded.calls.length], [[], 1])
      assert.notEqual(decoded.end.finish, undefined)
    }
  })

  it('an error in the stream is a problem, and what came before it stays', () => {
    const text = `${chunk({ content: 'Hi' })}event: error\ndata: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n`
    const decoded = decodeAll(text)
    assert.equal(decoded.text, 'Hi')
    assert.equal(decoded.end.finish, 'error')
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['MODEL_UNAVAILABLE'],
    )
    assert.deepEqual(
      decodeAll('{"error":{"message":"no such model","code":"model_not_found"}}').problems.map((problem) => problem.code),
      ['MODEL_FAILED'],
    )
  })

  it('only one choice of several is read, and that is said once', () => {
    const both = (text: string): string =>
      `data: ${JSON.stringify({
        choices: [
          { index: 0, delta: { content: text } },
          { index: 1, delta: { content: 'other' } },
        ],
      })}\n\n`
    const decoded = decodeAll(both('a') + both('b') + chunk({}, 'stop'))
    assert.equal(decoded.text, 'ab')
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['UNSUPPORTED'],
    )
  })

  it('a whole answer is read like a stream', () => {
    const message = {
      role: 'assistant',
      content: 'ok',
      tool_calls: [
        piece({ id: 'a', name: 'f', arguments: '{"x":1}' }),
        piece({ id: '', name: 'f', arguments: '' }),
        piece({ name: 'f', arguments: { y: 2 } }),
      ],
    }
    const body = JSON.stringify({
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    })
    const decoded = decodeAll(body)
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['f', { x: 1 }],
      ['f', {}],
      ['f', { y: 2 }],
    ])
    assert.equal(decoded.end.finish, 'tool-calls')
  })
})

describe('a stream that is cut off', () => {
  const start =
    chunk({ content: 'Let me' }) +
    chunk({ tool_calls: [piece({ index: 0, id: 'a', name: 'f', arguments: '{"x":1}' })] }) +
    chunk({ tool_calls: [piece({ index: 1, id: 'b', name: 'g', arguments: '{"y":' })] })

  it('gives what is complete, and the unfinished call as broken', () => {
    const decoded = decodeAll(start)
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['f', { x: 1 }],
      ['g', 'broken'],
    ])
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['STREAM_BROKEN'],
    )
    const [, second] = decoded.calls
    assert.ok(second?.arguments.ok === false && second.arguments.code === 'STREAM_BROKEN' && second.arguments.raw === '{"y":')
    assert.equal(decoded.end.finish, undefined)
  })

  it('says so when the model ran out of tokens inside a call', () => {
    const decoded = decodeAll(start + chunk({}, 'length'))
    const [, second] = decoded.calls
    assert.ok(second?.arguments.ok === false && second.arguments.code === 'STREAM_BROKEN')
    assert.equal(decoded.end.finish, 'length')
  })

  it('a call of which only the name came is not run with no arguments', () => {
    const decoded = decodeAll(chunk({ tool_calls: [piece({ index: 0, id: 'a', name: 'delete_all', arguments: '' })] }))
    assert.deepEqual(namesAndValues(decoded.calls), [['delete_all', 'broken']])
  })

  it('inside an event says which', () => {
    const decoded = decodeAll(`${chunk({ content: 'a' })}data: {"choices":[{"del`)
    assert.deepEqual(
      decoded.problems.map((problem) => problem.message.slice(0, 40)),
      ['the stream was cut off inside event 2: {', 'the stream was cut off: it ended before '],
    )
  })
})

it('decoding needs no state of another decoder', () => {
  const text = chatOf([[{ index: 0, name: 'f', arguments: '{"x":1}' }]])
  const seen: [DecodeEvent[], DecodeEvent[]] = [[], []]
  const decoders = seen.map((events) => createDecoder('openai-chat', (event) => events.push(event), { ids: callIds() }))
  for (const char of text) for (const decoder of decoders) decoder.push(char)
  for (const decoder of decoders) decoder.end()
  assert.deepEqual(gather(seen[0]), gather(seen[1]))
})
