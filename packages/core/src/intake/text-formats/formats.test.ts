import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chunk } from '../../../test/intake/chat.ts'
import { seededRandom } from '../../../test/intake/cuttings.ts'
import { type Decoded, decodeAll, namesAndValues } from '../../../test/intake/decode-all.ts'
import { TEXT_SAMPLES } from '../../../test/intake/text-samples.ts'

/** Decodes whole and byte by byte: the same each time. */
function decodeText(text: string, dialect: 'auto' | 'tagged-text' = 'tagged-text'): Decoded {
  const decoded = decodeAll(text, dialect)
  assert.deepEqual(decodeAll(text, dialect, 'each').events, decoded.events)
  return decoded
}

describe('calls written as text', () => {
  for (const { format, text, calls, said = '', thought = '' } of TEXT_SAMPLES) {
    it(`${format}: ${text.replaceAll('\n', '⏎').slice(0, 70)}`, () => {
      for (const dialect of ['tagged-text', 'auto'] as const) {
        const decoded = decodeText(text, dialect)
        assert.deepEqual(namesAndValues(decoded.calls), calls, dialect)
        assert.deepEqual([decoded.text, decoded.reasoning, decoded.problems], [said, thought, []], dialect)
        assert.deepEqual(decoded.end, { type: 'end', finish: 'tool-calls', dialect: 'tagged-text', format })
      }
    })
  }

  it('are read from inside a provider stream', () => {
    for (const { text, calls, format } of TEXT_SAMPLES) {
      const pieces = text.match(/[\s\S]{1,7}/g) ?? []
      const stream = pieces.map((piece) => chunk({ content: piece })).join('') + chunk({}, 'stop')
      const decoded = decodeAll(stream, 'tagged-text')
      assert.deepEqual(namesAndValues(decoded.calls), calls, text)
      assert.equal(decoded.end.format, format)
    }
  })

  it('keep the ids that the form has', () => {
    const ids = (text: string): readonly string[] => decodeText(text).calls.map((call) => call.id)
    assert.deepEqual(ids('<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>'), ['functions.f:0'])
    assert.deepEqual(ids('[TOOL_CALLS]f[CALL_ID]abcdefghi[ARGS]{}'), ['abcdefghi'])
    assert.deepEqual(ids('[TOOL_CALLS][{"id":"abcdefghi","name":"f","arguments":{}}]'), ['abcdefghi'])
    assert.deepEqual(ids('<|START_ACTION|>[{"tool_call_id":"7","tool_name":"f","parameters":{}}]<|END_ACTION|>'), ['7'])
  })

  it('tell their growth where it is asked for, and only there', () => {
    const text = '<tool_use>{"name":"f","input":{"x":"0123456789"}}</tool_use>'
    const grown = (signals: boolean): readonly number[] =>
      decodeAll(text, 'tagged-text', [30, 40, 45], { signals }).events.flatMap((event) =>
        event.type === 'call-growing' ? [event.chars] : [],
      )
    assert.deepEqual(grown(false), [])
    assert.deepEqual(grown(true), [20, 30, 35])
  })

  it('two in one text are both read; the end names the first', () => {
    const decoded = decodeText('<TOOLCALL>[{"name":"a","arguments":{}}]</TOOLCALL> and [TOOL_CALLS]b[ARGS]{}')
    assert.deepEqual([namesAndValues(decoded.calls).map(([name]) => name), decoded.text], [['a', 'b'], ' and '])
    assert.equal(decoded.end.format, 'json-list')
  })

  it('are the same in three pieces, wherever the cuts are', () => {
    for (const { text } of TEXT_SAMPLES) {
      const bytes = new TextEncoder().encode(text)
      const whole = decodeAll(bytes, 'tagged-text').events
      for (let first = 0; first < bytes.length; first += 1) {
        for (let second = first; second < bytes.length; second += 13) {
          assert.deepEqual(decodeAll(bytes, 'tagged-text', [first, second]).events, whole, `${first}, ${second}: ${text}`)
        }
      }
    }
  })

  it('cut off at any place are at most broken calls, each told', () => {
    for (const { text, calls } of TEXT_SAMPLES) {
      for (let end = 1; end < text.length; end += 1) {
        const decoded = decodeAll(text.slice(0, end), 'tagged-text')
        assert.ok(decoded.calls.length <= calls.length, text.slice(0, end))
        for (const call of decoded.calls) {
          if (call.arguments.ok) continue
          assert.equal(call.arguments.code, 'STREAM_BROKEN', text.slice(0, end))
          assert.ok(decoded.problems.some((problem) => problem.index === call.index))
        }
      }
    }
  })

  it('mutated at random never throw, and are the same however they are cut', () => {
    const random = seededRandom(7)
    const pick = (limit: number): number => Math.floor(random() * limit)
    const sample = (): string => TEXT_SAMPLES[pick(TEXT_SAMPLES.length)]?.text ?? ''
    for (let round = 0; round < 3_000; round += 1) {
      let text = sample()
      for (let change = pick(4); change >= 0; change -= 1) {
        const at = pick(text.length)
        const other = sample()
        const from = pick(other.length)
        const inserted = [other.slice(from, from + pick(30)), '"', '<', '}', '\n', '\\', '', '`', ']'][pick(9)] ?? ''
        text = text.slice(0, at) + inserted + text.slice(at + pick(12))
      }
      const bytes = new TextEncoder().encode(text)
      if (bytes.length === 0) continue
      const whole = decodeAll(bytes, 'tagged-text')
      assert.deepEqual(decodeAll(bytes, 'tagged-text', 'each').events, whole.events, JSON.stringify(text))
      const cut = [pick(bytes.length), pick(bytes.length), pick(bytes.length)].toSorted((a, b) => a - b)
      assert.deepEqual(decodeAll(bytes, 'tagged-text', cut).events, whole.events, JSON.stringify(text))
      const starts = whole.events.flatMap((event) => (event.type === 'call-start' ? [event.id] : []))
      assert.equal(new Set(starts).size, starts.length)
      assert.deepEqual(whole.calls.map((call) => String(call.id)).toSorted(), starts.toSorted(), JSON.stringify(text))
    }
  })
})

describe('text that is no call', () => {
  const SAMPLES = [
    'Write ```{"name":"f","arguments":{}}``` for that.',
    'It looks like this:\n```json\n{"name": "f", "arguments": {"x": 1}}\n```\nand then goes on.',
    '```json\n{"name": "left-pad", "version": "1.0.0"}\n```',
    '```json\n{"name": "f", "arguments": {}, "description": "more"}\n```',
    '```python\nprint([f(x=1)])\n```\n',
    '```\n{"a": [1, 2]}\n```',
    '```json\n{"name": "f"}\n```',
    '```json\n{"name": "f", "arguments": "text"}\n```',
    '```js\nconst x = 1\n```\n{"name": "f", "arguments": {}}\n```\n',
    '{"name": "jeff"}',
    '{"name": "f", "parameters": {"x": 1}} is what I would call.',
    '{"answer": 42}',
    '{"name": "f", "parameters": {}, "extra": 1}',
    '{ not json',
    '[1] A footnote, and [a link](https://example.org/?x=1).',
    '[link](url)',
    '[f(x)](y)',
    '[see f(x=1), g] for more',
    '[f(x=now())]',
    '[x for x in range(3)]',
    '[img-0] what is this?',
    '[]',
    '{}',
    'a < b and <b>bold</b> and <toolbox> and [TOOL] and <|im_end|> and <|channel and `<|start|>` so',
    'Thinking </think> is over.',
    'Some <think>thoughts</think> in the middle',
    'Say <|start|>user<|message|>hello',
    'print(f(x=1))',
    'functools.partial(f)',
    '<|tool_call_start|>no call<|tool_call_end|>',
    '<|python_tag|>import os; os.listdir()',
    '[TOOL_CALLS] are tokens',
    '<function_calls> is a tag',
    '<function=',
    '<function= spaced out > text',
    '<TOOLCALL>nothing',
  ]
  for (const text of SAMPLES) {
    it(`stays: ${text.replaceAll('\n', '⏎').slice(0, 70)}`, () => {
      const decoded = decodeText(text)
      assert.deepEqual([decoded.text, decoded.calls, decoded.problems], [text, [], []])
      assert.equal(decoded.end.format, undefined)
    })
  }

  it('of words, code and marks cut short comes out unchanged, however it is cut', () => {
    const word = fc.oneof(
      fc.constantFrom(...SAMPLES.slice(11)),
      fc.constantFrom(
        '[',
        ']',
        '(',
        ')',
        '{',
        '}',
        '"name"',
        ':',
        '```',
        '```json\n',
        '\n',
        ' ',
        '`',
        '<',
        '>',
        '<|',
        '｜',
        'f(x=1)',
        '"',
        "'",
      ),
      fc.constantFrom(...TEXT_SAMPLES.map(({ text }) => text.slice(0, 7))),
      fc.lorem({ maxCount: 5 }),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.array(fc.nat(), { maxLength: 5 }), (words, cuts) => {
        // Behind a word it is no start of a message; what only looks like a call there is text.
        const text = `So ${words.join('')}.`.toWellFormed()
        const bytes = new TextEncoder().encode(text)
        const places = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b)
        const decoded = decodeAll(bytes, 'tagged-text', places)
        if (decoded.calls.length > 0 || decoded.reasoning !== '') return
        assert.equal(decoded.text, text)
      }),
      { numRuns: 600 },
    )
  })

  it('thinking that never ends gives its calls; a draft in thinking that ends gives none', () => {
    const call = '<tool_call>{"name":"f","arguments":{}}</tool_call>'
    const open = decodeText(`<think>I should ${call}`)
    assert.deepEqual([namesAndValues(open.calls), open.reasoning], [[['f', {}]], 'I should '])
    const ended = decodeText(`<think>I could ${call} but no.</think> Hello`)
    assert.deepEqual([ended.calls, ended.reasoning, ended.text], [[], `I could ${call} but no.`, 'Hello'])
  })

  it('thinking that the prompt began is reasoning when the decoder is told so', () => {
    const decoded = decodeAll('Hm.\n</think>\n\nHello', 'tagged-text', 'each', { thinking: true })
    assert.deepEqual([decoded.reasoning, decoded.text], ['Hm.\n', 'Hello'])
    assert.equal(decodeAll('Hm.</think>Hello', 'tagged-text').text, 'Hm.</think>Hello')
  })

  it('hostile repetition takes linear time', () => {
    const units = [
      ...TEXT_SAMPLES.map(({ text }) => text.slice(0, Math.ceil(text.length / 2))),
      '<tool_use>{\\"</tool_use>',
      '<tool_call>f<arg_key>k</arg_key><arg_value></tool_call>x',
      '<function=f><parameter=k></function>x',
      '[THINK]<tool_call></tool_call>',
      '<think><tool_call>',
      '<|tool_call>call:f{<|"|></tool_call|>',
      '<|tool_call_start|>[f(x="<|tool_call_end|>',
      '```json\n{"name":"f","arguments":{}}\n```x\n',
      '<|channel|>',
      '<|channel|>analysis<|message|>',
      '<',
      '[TOOL_CALLS]f[ARGS]{',
      '</parameter> ',
    ]
    for (const unit of units) {
      const text = `.${unit.repeat(Math.ceil(50_000 / unit.length))}`
      for (const start of [text, text.slice(1), `<function=f><parameter=k>${text}`]) {
        const decoded = decodeAll(
          start,
          'tagged-text',
          Array.from({ length: 100 }, (_, index) => (index + 1) * 500),
        )
        assert.equal(decoded.end.type, 'end')
      }
    }
  })
})
