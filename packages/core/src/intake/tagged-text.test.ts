import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chunk } from '../../test/intake/chat.ts'
import { argumentValue, type Decoded, decodeAll, gather, namesAndValues } from '../../test/intake/decode-all.ts'
import type { DecodeEvent } from '../contract/decode.ts'
import { parseArguments } from './arguments.ts'
import { createDecoder } from './dialect.ts'

/** Decodes as one piece and byte by byte: the same each time. */
function decodeText(text: string): Decoded {
  const decoded = decodeAll(text, 'tagged-text')
  assert.deepEqual(decodeAll(text, 'tagged-text', 'each').events, decoded.events)
  return decoded
}

describe('tagged text', () => {
  const forms: readonly (readonly [body: string, value: readonly unknown[]])[] = [
    ['{"name":"f","input":{"x":1}}', ['f', { x: 1 }]],
    ['{"name":"f","arguments":{"x":1}}', ['f', { x: 1 }]],
    ['{"tool":"f","parameters":{"x":1}}', ['f', { x: 1 }]],
    ['{"tool_name":"f","input":{"x":1}}', ['f', { x: 1 }]],
    ['\n{"arguments": {"x": 1}, "name": "f"}\n', ['f', { x: 1 }]],
    ['{"name":"f","arguments":"{\\"x\\": 1}"}', ['f', { x: 1 }]],
    ['{"type":"function","function":{"name":"f","arguments":{"x":1}}}', ['f', { x: 1 }]],
    ['{"name":"f"}', ['f', {}]],
    ['{"name":"f","arguments":null}', ['f', {}]],
    ['{"name":"f","input":{"html":"<b></tool_use></tool_call>"}}', ['f', { html: '<b></tool_use></tool_call>' }]],
    ['{"name":"f","input":{"q":"\\"</tool_use>"}}', ['f', { q: '"</tool_use>' }]],
    ['{"name":"f","input":{"nested":{"name":"g"}}}', ['f', { nested: { name: 'g' } }]],
    ['{"name":"caf\\u00e9","input":{}}', ['café', {}]],
    ['<name>f</name><arguments>{"x":1}</arguments>', ['f', { x: 1 }]],
    ['\n<name> f </name>\n<input>\n{"x": "</tool_use> <name>g</name>"}\n</input>\n', ['f', { x: '</tool_use> <name>g</name>' }]],
    ['<name>f</name><parameters></parameters>', ['f', {}]],
    ['<tool_name>f</tool_name>', ['f', {}]],
    ['{"name":"f","input":[1]}', ['f', 'broken']],
    ["{'name':'f'}", ['f', {}]],
    ['{"name":"f","input":{"a":1}', ['f', { a: 1 }]],
    ['{"name":"f","input":{"a":1}}}', ['f', { a: 1 }]],
    ['{"input":{"a":1}}', ['', 'broken']],
    ['get the weather', ['', 'broken']],
    ['', ['', 'broken']],
    ['<name>f</name><arguments>{"x":}</arguments>', ['f', 'broken']],
    ['<arguments>{"x":1}</arguments>', ['', 'broken']],
  ]
  for (const [body, value] of forms) {
    it(`reads ${body}`, () => {
      const decoded = decodeText(`before <tool_use>${body}</tool_use> after`)
      assert.deepEqual(namesAndValues(decoded.calls), [value])
      assert.equal(decoded.text, 'before  after')
      assert.equal(decoded.end.finish, 'tool-calls')
    })
  }

  it('reads several calls, of both tags, in order, with ids of their own', () => {
    const decoded = decodeText(
      'a<tool_call>{"name":"f","id":"x","arguments":{}}</tool_call>b<tool_use>{"id":"y","name":"g"}</tool_use><tool_call>{"id":"y","name":"h"}</tool_call>c',
    )
    assert.deepEqual(
      decoded.calls.map((call) => [call.index, call.name, call.id]),
      [
        [0, 'f', 'call_1'],
        [1, 'g', 'y'],
        [2, 'h', 'call_2'],
      ],
    )
    assert.equal(decoded.text, 'abc')
  })

  it('several objects between one pair of tags are several calls', () => {
    assert.deepEqual(namesAndValues(decodeText('<tool_call>{"name":"f","arguments":{"x":1}}\n{"name":"g"}</tool_call>').calls), [
      ['f', { x: 1 }],
      ['g', {}],
    ])
  })

  it('gives back any text without tags unchanged, however it is cut', () => {
    const word = fc.constantFrom(
      '<',
      '<t',
      '<tool',
      '<tool_',
      '<tool_us',
      '<tool_user>',
      '<tool_calls>',
      '</tool_use>',
      '</tool_call>',
      '<Tool_use>',
      '< tool_use>',
      'tool_use>',
      '\r\n',
      '"',
      '{',
      '你',
      '😀',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ unit: 'binary' }))), fc.array(fc.nat()), (words, cuts) => {
        const text = words.join('')
        fc.pre(!/<tool_(?:use|call)>/.test(text) && text !== '')
        const bytes = new TextEncoder().encode(text.replace(/^\uFEFF/, ''))
        fc.pre(bytes.length > 0)
        const places = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b)
        const decoded = decodeAll(bytes, 'tagged-text', places)
        assert.equal(decoded.text, text.replace(/^\uFEFF/, '').toWellFormed())
        assert.deepEqual(decoded.problems, [])
      }),
      { numRuns: 500 },
    )
  })

  it('finds any calls in any text, however it is cut', () => {
    const plain = fc.string({ unit: 'binary' }).map((text) =>
      text
        .toWellFormed()
        .replace(/<tool_(?:use|call)>/g, '')
        .replaceAll('\uFEFF', ''),
    )
    const call = fc.record({
      tag: fc.constantFrom('tool_use', 'tool_call'),
      name: fc.stringMatching(/^[a-z_]{1,9}$/),
      input: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
      space: fc.constantFrom(0, 2),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(plain, call)), plain, fc.array(fc.nat(), { maxLength: 20 }), (parts, tail, cuts) => {
        // What is no JSON by its own doing (lone surrogates, negative zero) is not what is asked here.
        const values = parts.map(([, { name, input }]) => [name, JSON.parse(JSON.stringify(input))])
        // Nor are numbers that a double does not keep: such a call is told as broken.
        const readable = values.map(([name, value]) => [name, argumentValue(parseArguments(JSON.stringify(value)))])
        const text =
          parts
            .map(
              ([before, { tag, name, space }], at) =>
                `${before}<${tag}>${JSON.stringify({ name, input: values[at]?.[1] }, undefined, space)}</${tag}>`,
            )
            .join('') + tail
        fc.pre(!text.startsWith('data:') && !text.startsWith('{') && text !== '')
        const bytes = new TextEncoder().encode(text)
        const places = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b)
        const decoded = decodeAll(bytes, 'tagged-text', places)
        assert.deepEqual(namesAndValues(decoded.calls), readable)
        assert.equal(decoded.text, parts.map(([before]) => before).join('') + tail)
      }),
      { numRuns: 300 },
    )
  })

  it('comes to the same, however broken text is cut', () => {
    const word = fc.constantFrom(
      '<tool_use>',
      '</tool_use>',
      '<tool_call>',
      '</tool_call>',
      '<tool',
      '{"name":"f","input":{',
      '{"name":',
      '"',
      '\\',
      '}',
      '{',
      '\n',
      '<name>',
      '</name>',
      '<input>',
      '<',
      '>',
      'x',
      ' ',
      ':',
      ',',
      '你',
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 10 }), (words, cuts) => {
        const bytes = new TextEncoder().encode(`.${words.join('')}`)
        const whole = decodeAll(bytes, 'tagged-text')
        const places = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b)
        assert.deepEqual(decodeAll(bytes, 'tagged-text', places).events, whole.events)
        assert.deepEqual(decodeAll(bytes, 'tagged-text', 'each').events, whole.events)
      }),
      { numRuns: 1_000 },
    )
  })

  it('announces a call as soon as its name is read, and holds back no text', () => {
    const seen: DecodeEvent[] = []
    const decoder = createDecoder('tagged-text', (event) => seen.push(event), { ids: { next: () => 'id', traceId: () => '' } })
    const types = (): readonly string[] => seen.splice(0).map((event) => event.type)
    decoder.push('Hello <b>wor')
    assert.deepEqual(types(), ['text'])
    decoder.push('ld<tool')
    assert.deepEqual(types(), ['text'])
    decoder.push('_use>{"name"')
    decoder.push(':"f')
    assert.deepEqual(types(), [])
    decoder.push('","input":{"x":')
    assert.deepEqual(types(), ['call-start'])
    decoder.push('1}}</tool_use')
    assert.deepEqual(types(), [])
    decoder.push('>')
    assert.deepEqual(types(), ['call'])
  })

  it('one forgotten quote does not swallow the rest', () => {
    const decoded = decodeText('<tool_use>{"name":"f","input":{"x":"y}}</tool_use>\nThen <tool_use>{"name":"g","input":{}}</tool_use> end')
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['f', 'broken'],
      ['g', {}],
    ])
    assert.equal(decoded.text, '\nThen  end')
  })

  it('one forgotten closing tag does not, either', () => {
    const decoded = decodeText('<tool_call>{"name":"f","arguments":{}}\n<tool_call>{"name":"g","arguments":{}}</tool_call> end')
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['f', {}],
      ['g', {}],
    ])
    assert.equal(decoded.text, ' end')
  })

  it('at the end without a closing tag a complete call counts, and an incomplete one is broken', () => {
    assert.deepEqual(namesAndValues(decodeText('<tool_call>{"name":"f","arguments":{"x":1}}').calls), [['f', { x: 1 }]])
    for (const text of ['<tool_call>{"name":"f","arguments":{"x":', '<tool_call>', '<tool_use><name>f</na']) {
      const decoded = decodeText(text)
      const [call] = decoded.calls
      assert.ok(call?.arguments.ok === false && call.arguments.code === 'STREAM_BROKEN')
      assert.deepEqual(
        decoded.problems.map((problem) => [problem.code, problem.index]),
        [['STREAM_BROKEN', 0]],
      )
    }
  })

  it('hostile nesting of broken calls takes linear time', () => {
    const broken = '<tool_use>{"name":"f","x":"</tool_use>'.repeat(20_000)
    const decoded = decodeAll(broken, 'tagged-text')
    assert.ok(decoded.calls.length > 9_000)
    const openings = decodeAll('<tool_use>{'.repeat(50_000), 'tagged-text')
    assert.equal(openings.calls.length, 50_000)
  })

  it('a call above the limit is cut off with a code, and the text after it is read', () => {
    const decoded = decodeAll(`<tool_use>{"name":"f","input":{"x":"${'y'.repeat(5_000)}"}}</tool_use>after`, 'tagged-text', 'each', {
      limits: { argumentChars: 1_000 },
    })
    const [call] = decoded.calls
    assert.ok(call?.name === 'f' && call.arguments.ok === false && call.arguments.code === 'TOO_LARGE')
    assert.equal(decoded.text, 'after')
  })

  it('is read from inside a provider stream, and from a provider body', () => {
    const stream = chunk({ content: 'Hi <tool' }) + chunk({ content: '_call>{"name":"f","arguments":{}}</tool_call>' }) + chunk({}, 'stop')
    const body = JSON.stringify(
      {
        object: 'chat.completion',
        choices: [{ message: { content: 'Hi <tool_call>{"name":"f","arguments":{}}</tool_call>' }, finish_reason: 'stop' }],
      },
      undefined,
      2,
    )
    for (const text of [stream, body]) {
      const decoded = decodeText(text)
      assert.deepEqual(namesAndValues(decoded.calls), [['f', {}]])
      assert.deepEqual([decoded.text, decoded.end.finish], ['Hi ', 'tool-calls'])
    }
    assert.equal(decodeAll(stream).calls.length, 0)
  })

  it('text that looks like a provider stream or body is text', () => {
    for (const text of [
      'data: nothing',
      'event: party\nat nine',
      ': a comment',
      '{"id": 7}',
      '{"type": "note"} <x>',
      '{',
      '[1]',
      'data: [DONE] and more',
    ]) {
      assert.equal(decodeText(text).text, text)
    }
  })
})

it('gather sees every event', () => {
  assert.throws(() => gather([{ type: 'text', text: 'x' }]))
})
