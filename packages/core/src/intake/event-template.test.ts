import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import { EventTemplate } from './event-template.ts'
import { SseFrames } from './sse-frames.ts'

/** An event as a line of text, from what is new in it. */
type Write = (text: string, count: number) => string

const shapes: Readonly<Record<string, Write>> = {
  'Chat Completions, arguments': (text) =>
    JSON.stringify({
      id: 'c',
      choices: [{ index: 0, delta: { content: null, tool_calls: [{ index: 1, function: { arguments: text } }] } }],
    }),
  'Chat Completions, text': (text) => JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] }),
  'Chat Completions, as Python writes it': (text) =>
    `{"choices": [{"index": 0, "delta": {"content": ${JSON.stringify(text)}}, "finish_reason": null}], "usage": null}`,
  'Chat Completions, with padding': (text, count) =>
    JSON.stringify({ choices: [{ index: 0, delta: { content: text } }], usage: null, obfuscation: 'x'.repeat(count) }),
  'Chat Completions, id and index in each piece': (text, count) =>
    JSON.stringify({
      created: count,
      choices: [
        { index: 0, delta: { tool_calls: [{ index: count % 3, id: `call_${count % 3}`, function: { name: 'f', arguments: text } }] } },
      ],
    }),
  'Messages, arguments': (text) =>
    JSON.stringify({ type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: text } }),
  'Messages, filled up with blanks': (text, count) =>
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}${' '.repeat(count)}}`,
  'Responses, numbered': (text, count) =>
    JSON.stringify({
      type: 'response.function_call_arguments.delta',
      item_id: 'fc',
      delta: text,
      sequence_number: count,
      obfuscation: 'y'.repeat(count),
    }),
}

/** Shapes whose objects must be new each time, or that have several places of one name. */
const notTaken: Readonly<Record<string, Write>> = {
  'a part that may go back as it came': (text) =>
    JSON.stringify({ candidates: [{ content: { parts: [{ text, thoughtSignature: 'c' }] } }] }),
  'arguments that are an object': (text) =>
    JSON.stringify({ choices: [{ delta: { tool_calls: [{ function: { name: 'f', arguments: { content: text } } }] } }] }),
  'arguments that are an object, in an event that is new in other ways': (text, count) =>
    JSON.stringify({
      created: count,
      choices: [{ delta: { content: text, tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] } }],
    }),
  'parts that go back in the history': (text, count) =>
    JSON.stringify({ created: count, choices: [{ delta: { content: text, reasoning_details: [{ type: 'encrypted', data: 'x' }] } }] }),
  'two pieces in one event': (text) =>
    JSON.stringify({ choices: [{ delta: { tool_calls: [{ function: { arguments: text } }, { function: { arguments: text } }] } }] }),
  'a key that comes twice': (text) => `{"choices":[{"delta":{"content":${JSON.stringify(text)},"\\u0063ontent":"b"}}]}`,
  'a whole block': (text) => JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'text', text } }),
}

/** How many of the events were read without parsing; each must be what parsing gives. */
function readByShape(lines: readonly string[], framed: (line: string) => string): number {
  const template = new EventTemplate()
  let read = 0
  for (const line of lines) {
    const block = framed(line)
    // What stands around it must not matter.
    const end = template.read(`:\n${block}data: {}\n\n`, 2)
    if (end === -1) template.see(block)
    else {
      read += 1
      assert.equal(end, block.length + 2)
      assert.deepEqual(template.value, JSON.parse(line))
    }
  }
  return read
}

const asData = (line: string): string => `data: ${line}\n\n`
const asNamed = (line: string): string => `event: some_name\ndata:${line}\n\n`

describe('events of one shape', () => {
  for (const [name, write] of Object.entries(shapes)) {
    it(`${name}: are read as parsing would read them, from the third on`, () => {
      fc.assert(
        fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 3, maxLength: 12 }), fc.boolean(), (texts, named) => {
          const lines = texts.map((text, at) => write(`${at}${text}`, at * 7))
          assert.equal(readByShape(lines, named ? asNamed : asData), lines.length - 2)
        }),
        { numRuns: 60 },
      )
    })
  }

  for (const [name, write] of Object.entries(notTaken)) {
    it(`${name}: are left to the parser`, () => {
      assert.equal(
        readByShape(
          ['a', 'b', 'c', 'd', 'e'].map((text, at) => write(text, at)),
          asData,
        ),
        0,
      )
    })
  }

  it('end where their line ends: what differs anywhere else is another event', () => {
    const write = shapes['Chat Completions, arguments'] ?? String
    const template = new EventTemplate()
    for (const text of ['a', 'b']) template.see(asData(write(text, 0)))
    const good = asData(write('c', 0))
    assert.equal(template.read(good, 0), good.length)
    const others = [
      good.slice(0, -1),
      good.replace('}\n\n', '}\n \n'),
      good.replace('\n\n', '\nid: 1\n\n'),
      good.replace('"c"', '"c'),
      good.replace('"c"', '"c\n"'),
      good.replace('"c"', '"\\u12"'),
      good.replace('"c"', '"\\'),
      good.replace('"c"', '"c","x":"y"'),
      good.replace('"index":1', '"index":2'),
      good.replace('"c"', '7'),
    ]
    for (const other of others) assert.equal(template.read(other, 0), -1, other)
    assert.equal(template.read(good, 0), good.length)
  })
})

describe('server-sent events', () => {
  /** What comes out, as it was when it came: the object may be used again. */
  function valuesOf(pieces: readonly string[]): readonly unknown[] {
    const values: unknown[] = []
    const sink = {
      value: (value: JsonObject) => void values.push(structuredClone(value)),
      done: () => void values.push('done'),
      problem: (code: string) => void values.push(code),
    }
    const frames = new SseFrames(sink, 1_000_000)
    for (const piece of pieces) frames.push(piece)
    frames.end()
    return values
  }

  it('of mixed shapes give what each is by itself, however they are cut', () => {
    const writes = [...Object.values(shapes), ...Object.values(notTaken)]
    const event = fc.tuple(fc.nat(writes.length - 1), fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(3), fc.nat(5))
    const noise = ['', ': c\n', ': c\n\n', 'id: 1\n', 'event: x\n', '\n']
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.array(fc.nat(200), { maxLength: 20 }), (events, cuts) => {
        const lines = events.map(([which, text, count]) => writes[which]?.(text, count) ?? '')
        const stream = events.map(([, , , before], at) => `${noise[before] ?? ''}${asData(lines[at] ?? '')}`).join('')
        const pieces: string[] = []
        let from = 0
        for (const cut of cuts) {
          pieces.push(stream.slice(from, from + cut))
          from += cut
        }
        pieces.push(stream.slice(from))
        const wanted = lines.map((line) => JSON.parse(line)).filter(isJsonObject)
        assert.deepEqual(valuesOf([stream]), wanted)
        assert.deepEqual(valuesOf(pieces), wanted)
        assert.deepEqual(valuesOf(pieces.map((piece) => piece.replaceAll('\n', '\r\n'))), wanted)
      }),
      { numRuns: 150 },
    )
  })
})
