import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countingIds } from '@adjutant/testkit'
import fc from 'fast-check'
import type { DecodeEvent } from '../contract/decode.ts'
import { isJsonObject, type JsonValue } from '../contract/json.ts'
import { ArgumentText } from './argument-text.ts'
import { parseArguments } from './arguments.ts'
import { CallBook } from './call-book.ts'
import { createDecoder } from './dialect.ts'
import { DEFAULT_LIMITS } from './wire.ts'

interface Read {
  readonly events: readonly DecodeEvent[]
  readonly text: ArgumentText
  readonly rest: string
}

/** Feeds the pieces, with or without signals, as one call's arguments. */
function feed(pieces: readonly string[], signals: boolean, argumentChars = DEFAULT_LIMITS.argumentChars): Read {
  const events: DecodeEvent[] = []
  const emit = (event: DecodeEvent): void => void events.push(event)
  const ids = countingIds()
  const book = new CallBook(emit, ids)
  const text = new ArgumentText({ emit, book, ids, limits: { ...DEFAULT_LIMITS, argumentChars }, signals })
  text.tellFor(book.start('f', 'c1'))
  let rest = ''
  for (const piece of pieces) {
    rest = text.append(piece)
    book.tellGrowth()
    if (rest !== '') break
  }
  return { events, text, rest }
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...places].map((from, at) => text.slice(from, places[at] ?? text.length))
}

function fieldsOf(events: readonly DecodeEvent[]): readonly (readonly [string, JsonValue])[] {
  return events.flatMap((event) => (event.type === 'call-field' ? [[event.name, event.value] as const] : []))
}

const anyText = fc.oneof(
  fc
    .tuple(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.nat(2))
    .map(([value, indent]) => JSON.stringify(value, undefined, indent)),
  fc
    .array(fc.constantFrom('{', '}', '[', ']', '"', ',', ':', ' ', '\\', 'a', '1', "'", '"a":', '"b":1,', 'null'), { maxLength: 30 })
    .map((signs) => `{${signs.join('')}`),
)

describe('ArgumentText', () => {
  it('gives the same with signals as without, however the text is cut, and keeps all of it', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.array(fc.nat()),
        fc.constantFrom('closed', 'ended', 'cut'),
        fc.constantFrom('', ' \n'),
        (json, cuts, end, space) => {
          const pieces = cutAt(space + json, cuts)
          const told = feed(pieces, true)
          const plain = feed(pieces, false)
          assert.equal(told.text.text, plain.text.text)
          assert.equal(told.rest, plain.rest)
          assert.equal(told.text.complete, plain.text.complete)
          assert.equal(told.text.placeholder, plain.text.placeholder)
          assert.deepEqual(told.text.read(end), plain.text.read(end))
          assert.deepEqual(fieldsOf(plain.events), [])
        },
      ),
      { numRuns: 500 },
    )
  })

  it('tells each top-level field once, in order, as soon as its value is over', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.nat()), (object, cuts) => {
        const json = JSON.stringify(object)
        const value: unknown = JSON.parse(json)
        const { events } = feed(cutAt(json, cuts), true)
        const expected = isJsonObject(value) ? Object.entries(value) : []
        // Numbers as keys go first in an object, but stand where they were written.
        const order = ([a]: readonly [string, JsonValue], [b]: readonly [string, JsonValue]): number => (a < b ? -1 : 1)
        assert.deepEqual(fieldsOf(events).toSorted(order), expected.toSorted(order))
      }),
    )
    const { events } = feed(['{"path":"a', '","n":1', '2,"list":[1,{"x":",', '"}],"last"', ':true', '}'], true)
    const seen = events.map((event) =>
      event.type === 'call-field' ? event.name : event.type === 'call-growing' ? event.chars : event.type,
    )
    assert.deepEqual(seen, ['call-start', 10, 'path', 17, 'n', 36, 'list', 46, 51, 'last', 52])
  })

  it('is silent about what only the whole can decide: repeated keys, digits that do not fit, repairs', () => {
    for (const json of ['{"a":1,"a":1,"b":2}', '{"id":9007199254740993,"b":2}', "{'a':1,'b':2}"]) {
      const { events, text } = feed([json], true)
      assert.ok(!fieldsOf(events).some(([name]) => name === 'b'))
      const args = text.read('closed')
      assert.ok(args.ok)
      assert.deepEqual(args, parseArguments(json))
      assert.ok((args.repairs?.length ?? 0) > 0)
    }
    const nested = feed(['{"a":{"b":1,"b":2}}'], true)
    assert.deepEqual(nested.text.read('closed').ok, false)
  })

  it('__proto__ is a field like others', () => {
    const { events, text } = feed(['{"__proto__":{"admin":true},"x":1}'], true)
    assert.deepEqual(
      fieldsOf(events).map(([name]) => name),
      ['__proto__', 'x'],
    )
    const args = text.read('closed')
    assert.ok(args.ok)
    assert.deepEqual(Object.keys(args.value), ['__proto__', 'x'])
    assert.equal(Object.getPrototypeOf(args.value), Object.prototype)
    assert.equal(Reflect.get({}, 'admin'), undefined)
  })

  it('keeps no more than the limit', () => {
    const { text } = feed(
      Array.from({ length: 100 }, () => '{"x":"yyyyyyyyyyyyyyyyyyyy'),
      true,
      50,
    )
    assert.ok(text.overfull)
    assert.ok(text.text.length < 100)
    const args = text.read('closed')
    assert.ok(!args.ok && args.code === 'TOO_LARGE')
  })
})

describe('early signals of a stream', () => {
  const chunk = (fragment: string, id?: string): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id, function: { name: id && 'write_file', arguments: fragment } }] } }] })}\n\n`
  const stream = [
    chunk('', 'c1'),
    chunk('{"path":"a.txt"'),
    chunk(',"content":"on'),
    chunk('e"}'),
    `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`,
  ]
  const decode = (pushes: readonly string[], signals?: boolean): readonly DecodeEvent[] => {
    const events: DecodeEvent[] = []
    const decoder = createDecoder('openai-chat', (event) => events.push(event), {
      ids: countingIds(),
      ...(signals === undefined ? {} : { signals }),
    })
    for (const push of pushes) decoder.push(push)
    decoder.end()
    return events
  }

  it('come with signals only: the name, growth at most once for each push, each field, the call', () => {
    const kinds = decode(stream, true).map(({ type }) => type)
    assert.deepEqual(kinds, ['call-start', 'call-growing', 'call-field', 'call-growing', 'call-field', 'call-growing', 'call', 'end'])
    assert.deepEqual(
      decode([stream.join('')], true).map(({ type }) => type),
      ['call-start', 'call-field', 'call-field', 'call', 'end'],
    )
    assert.deepEqual(
      decode(stream).map(({ type }) => type),
      ['call-start', 'call', 'end'],
    )
  })

  it('fields do not depend on how the bytes are cut', () => {
    const whole = decode([stream.join('')], true)
    const bytes = decode([...stream.join('')], true).filter(({ type }) => type !== 'call-growing')
    assert.deepEqual(bytes, whole)
  })
})
