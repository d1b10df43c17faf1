import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chatOf, chunk, type Piece } from '../../test/intake/chat.ts'
import { type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'

function decodePieces(events: readonly (readonly Piece[])[], finish?: string): Decoded {
  const text = chatOf(events, finish)
  const decoded = decodeAll(text, 'openai-chat')
  assert.deepEqual(decodeAll(text, 'auto', 'each').events, decoded.events)
  const ids = decoded.calls.map((call) => call.id)
  assert.equal(new Set(ids).size, ids.length, 'every id once')
  return decoded
}

/** The values of calls of which all have the same name. */
function valuesOf(decoded: Decoded, name: string): readonly unknown[] {
  return namesAndValues(decoded.calls).map(([called, value]) => {
    assert.equal(called, name)
    return value
  })
}

describe('which call a piece belongs to', () => {
  it('a new id on one index starts a new call, whole or streamed', () => {
    const whole = decodePieces([
      [{ index: 0, id: 'a', name: 'write', arguments: '{"p":1}' }],
      [{ index: 0, id: 'b', name: 'write', arguments: '{"p":2}' }],
      [{ index: 0, id: 'c', name: 'write', arguments: '{"p":3}' }],
    ])
    assert.deepEqual(valuesOf(whole, 'write'), [{ p: 1 }, { p: 2 }, { p: 3 }])
    assert.deepEqual(
      whole.calls.map((call) => [call.id, call.idFromProvider]),
      [
        ['a', true],
        ['b', true],
        ['c', true],
      ],
    )
    const streamed = decodePieces([
      [{ index: 0, id: 'a', name: 'add', arguments: '' }],
      [{ index: 0, arguments: '{"t":"Orga' }],
      [{ index: 0, arguments: 'nize"}' }],
      [{ index: 0, id: 'b', name: 'add', arguments: '' }],
      [{ index: 0, arguments: '{"t":"Try"}' }],
    ])
    assert.deepEqual(valuesOf(streamed, 'add'), [{ t: 'Organize' }, { t: 'Try' }])
  })

  it('an object that begins after a finished one starts a new call, without ids, with or without names', () => {
    for (const name of ['write', undefined]) {
      const decoded = decodePieces([
        [{ index: 0, name: 'write', arguments: '{"p":1}' }],
        [{ index: 0, ...(name === undefined ? {} : { name }), arguments: '{"p":' }],
        [{ index: 0, arguments: '2}' }],
        [{ index: 0, ...(name === undefined ? {} : { name }), arguments: '{"p":3}' }],
      ])
      assert.deepEqual(valuesOf(decoded, 'write'), [{ p: 1 }, { p: 2 }, { p: 3 }])
      assert.ok(decoded.calls.every((call) => !call.idFromProvider))
    }
  })

  it('several objects in one string are several calls of the tool', () => {
    const glued = ['{"p":"a"}{"p":"b"}', '{"p":"a"}\n{"p":"b"}']
    for (const text of glued) {
      assert.deepEqual(valuesOf(decodePieces([[{ index: 0, id: 'x', name: 'read', arguments: text }]]), 'read'), [{ p: 'a' }, { p: 'b' }])
    }
    const cut = [...'{"p":"}{"}{"p":"\\""} {"p":3}'].map((char) => [{ index: 0, arguments: char }])
    assert.deepEqual(valuesOf(decodePieces([[{ index: 0, id: 'x', name: 'read', arguments: '' }], ...cut]), 'read'), [
      { p: '}{' },
      { p: '"' },
      { p: 3 },
    ])
  })

  it('another name on one index starts a new call', () => {
    const decoded = decodePieces([[{ index: 0, name: 'read', arguments: '{"p":1}' }], [{ index: 0, name: 'list', arguments: '{"p":2}' }]])
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['read', { p: 1 }],
      ['list', { p: 2 }],
    ])
  })

  it('a name that comes with every piece is one name', () => {
    const decoded = decodePieces([
      [{ index: 0, id: 'a', name: 'write', arguments: '{"p"' }],
      [{ index: 0, id: 'a', name: 'write', arguments: ':1' }],
      [{ index: 0, id: 'a', name: 'write', arguments: '}' }],
      [{ index: 0, id: 'a', name: 'write', arguments: '' }],
    ])
    assert.deepEqual(valuesOf(decoded, 'write'), [{ p: 1 }])
  })

  it('pieces that are woven together by index each go to their own call', () => {
    const decoded = decodePieces([
      [
        { index: 3, id: 'a', name: 'x', arguments: '' },
        { index: 7, id: 'b', name: 'y', arguments: '' },
      ],
      [{ index: 7, arguments: '{"b":' }],
      [
        { index: 3, arguments: '{"a":' },
        { index: 7, arguments: '2}' },
      ],
      [{ index: 3, arguments: '1}' }],
    ])
    assert.deepEqual(namesAndValues(decoded.calls.toSorted((a, b) => a.index - b.index)), [
      ['x', { a: 1 }],
      ['y', { b: 2 }],
    ])
  })

  it('pieces that are woven together by id on one index do, too', () => {
    const decoded = decodePieces([
      [{ index: 0, id: 'a', name: 'x', arguments: '{"a":' }],
      [{ index: 0, id: 'b', name: 'y', arguments: '{"b":' }],
      [{ index: 0, id: 'a', arguments: '1}' }],
      [{ index: 0, id: 'b', arguments: '2}' }],
    ])
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['x', { a: 1 }],
      ['y', { b: 2 }],
    ])
  })

  it('without an index the id decides, and without both the last call goes on', () => {
    const decoded = decodePieces([
      [{ id: 'a', name: 'now', arguments: '' }],
      [{ arguments: '{"z"' }],
      [{ arguments: ':1}' }],
      [
        { id: 'b', name: 'now', arguments: '{}' },
        { id: 'c', name: 'then', arguments: '{"y":2}' },
      ],
    ])
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['now', { z: 1 }],
      ['now', {}],
      ['then', { y: 2 }],
    ])
  })

  it('named pieces of one event are calls of their own when nothing else tells them apart', () => {
    const decoded = decodePieces([[{ name: 'now' }, { name: 'now' }, { name: 'then', arguments: '' }]])
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['now', {}],
      ['now', {}],
      ['then', {}],
    ])
  })

  it('empty and null ids with later pieces mean "as before"; made-up ids are unique', () => {
    for (const nothing of ['', null]) {
      const decoded = decodePieces([
        [{ index: 0, id: 'real', name: 'w', arguments: '' }],
        [{ index: 0, id: nothing, arguments: '{"a":1}' }],
        [{ index: 1, id: nothing, name: 'w', arguments: '{"a":2}' }],
      ])
      assert.deepEqual(
        decoded.calls.map((call) => [call.id, call.idFromProvider]),
        [
          ['real', true],
          ['call_1', false],
        ],
      )
    }
  })

  it('a repeated id is given to the first call only', () => {
    const decoded = decodePieces([
      [{ index: 0, id: 'call_1', name: 'w', arguments: '{"a":1}' }],
      [{ index: 1, id: 'call_1', name: 'w', arguments: '{"a":2}' }],
      [{ index: 2, name: 'w', arguments: '{"a":3}' }],
    ])
    assert.deepEqual(valuesOf(decoded, 'w'), [{ a: 1 }, { a: 2 }, { a: 3 }])
    assert.deepEqual(
      decoded.calls.map((call) => [call.id, call.idFromProvider]),
      [
        ['call_1', true],
        ['call_2', false],
        ['call_3', false],
      ],
    )
  })
})

describe('arguments in their many forms', () => {
  const forms: readonly (readonly [string, readonly Piece[], unknown])[] = [
    ['absent', [{ index: 0, id: 'a', name: 'f' }], {}],
    ['null', [{ index: 0, id: 'a', name: 'f', arguments: null }], {}],
    ['empty', [{ index: 0, id: 'a', name: 'f', arguments: '' }], {}],
    ['{}', [{ index: 0, id: 'a', name: 'f', arguments: '{}' }], {}],
    ['the word null', [{ index: 0, id: 'a', name: 'f', arguments: 'null' }], {}],
    ['an object', [{ index: 0, id: 'a', name: 'f', arguments: { x: [1] } }], { x: [1] }],
    [
      'an object after an empty piece',
      [
        { index: 0, id: 'a', name: 'f', arguments: '' },
        { index: 0, arguments: { x: 1 } },
      ],
      { x: 1 },
    ],
    [
      '{} before the real ones',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{}' },
        { index: 0, arguments: '{"x"' },
        { index: 0, arguments: ':1}' },
      ],
      { x: 1 },
    ],
    [
      'white space around',
      [
        { index: 0, id: 'a', name: 'f', arguments: ' \n{"x":1}' },
        { index: 0, arguments: ' \n' },
      ],
      { x: 1 },
    ],
    ['single quotes', [{ index: 0, id: 'a', name: 'f', arguments: "{'x': 1}" }], { x: 1 }],
    ['a raw line break', [{ index: 0, id: 'a', name: 'f', arguments: '{"x": "one\ntwo"}' }], { x: 'one\ntwo' }],
    ['unescaped quotes', [{ index: 0, id: 'a', name: 'f', arguments: '{"x": "say "hi""}' }], { x: 'say "hi"' }],
    ['unescaped quotes without a partner', [{ index: 0, id: 'a', name: 'f', arguments: '{"x": "5" pipe"}' }], 'broken'],
    ['an array', [{ index: 0, id: 'a', name: 'f', arguments: '[1]' }], 'broken'],
    ['an array value', [{ index: 0, id: 'a', name: 'f', arguments: [1] }], 'broken'],
    [
      'an object that goes on after its end',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{"q":1}' },
        { index: 0, arguments: '' },
        { index: 0, arguments: ', "l":2}' },
      ],
      'broken',
    ],
  ]
  for (const [what, pieces, value] of forms) {
    it(`${what}`, () => {
      const decoded = decodePieces(pieces.map((one) => [one]))
      assert.deepEqual(namesAndValues(decoded.calls), [['f', value]])
      assert.deepEqual(decoded.problems, [])
    })
  }

  it('what was almost JSON says what was repaired', () => {
    const [call] = decodePieces([[{ index: 0, id: 'c1', name: 'read', arguments: "{\"paths\": ['app.py', 'b.py']}" }]]).calls
    assert.deepEqual(call?.arguments, {
      ok: true,
      value: { paths: ['app.py', 'b.py'] },
      repairs: [
        { rule: 'single-quotes', at: 11, note: 'took single quotes around "app.py" for double ones' },
        { rule: 'single-quotes', at: 21, note: 'took single quotes around "b.py" for double ones' },
      ],
    })
  })

  it('broken ones say where, and keep the raw text', () => {
    const [call] = decodePieces([[{ index: 0, id: 'c1', name: 'read', arguments: '{"paths": [app.py]}' }]]).calls
    assert.deepEqual(call?.arguments, {
      ok: false,
      raw: '{"paths": [app.py]}',
      problem: 'the arguments are no JSON: at position 11 found app where a value or "]" was expected',
      code: 'INVALID_JSON',
    })
  })

  it('one object sent twice on one slot is one call; different ones are several', () => {
    const twice = decodePieces([
      [{ index: 0, id: 'c1', name: 'f', arguments: '{"x":1}' }],
      [{ index: 0, arguments: '{"x"' }],
      [{ index: 0, arguments: ':1} ' }],
      [{ index: 0, arguments: '{"x":1}{"x":2}' }],
    ])
    assert.deepEqual(namesAndValues(twice.calls), [
      ['f', { x: 1 }],
      ['f', { x: 2 }],
    ])
    assert.equal(twice.problems.length, 2)
    assert.match(twice.problems[0]?.message ?? '', /came twice; they were taken once/)
  })

  it('brackets that are missing are added only when the model said that it was done', () => {
    const cut = (finish: string | undefined, text = '{"x":["one"'): unknown => {
      const piece = chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: text } }] })
      const [call] = decodeAll(`${piece + (finish === undefined ? '' : chunk({}, finish))}data: [DONE]\n\n`).calls
      return call?.arguments.ok === true ? call.arguments.value : call?.arguments.code
    }
    assert.deepEqual(cut('tool_calls'), { x: ['one'] })
    assert.deepEqual(cut('stop'), { x: ['one'] })
    assert.equal(cut('length'), 'STREAM_BROKEN')
    for (const finish of ['content_filter', 'strange', undefined]) assert.equal(cut(finish), 'INVALID_JSON')
    for (const half of ['{"x":["on', '{"x":12', '{"x":"one",', '{"x":']) assert.equal(cut('tool_calls', half), 'INVALID_JSON')
  })

  it('the deprecated function_call is a call', () => {
    const text =
      chunk({ function_call: { name: 'f', arguments: '' } }) +
      chunk({ function_call: { arguments: '{"x":' } }) +
      chunk({ function_call: { arguments: '1}' } }) +
      chunk({}, 'function_call')
    const decoded = decodeAll(text)
    assert.deepEqual(namesAndValues(decoded.calls), [['f', { x: 1 }]])
    assert.equal(decoded.end.finish, 'tool-calls')
  })

  it('a call without a name is handed over, for somebody must answer it', () => {
    assert.deepEqual(namesAndValues(decodePieces([[{ index: 0, id: 'a', arguments: '{"x":1}' }]]).calls), [['', { x: 1 }]])
  })

  it('empty shells are no calls', () => {
    assert.deepEqual(
      decodeAll(chunk({ content: 'x', function_call: { name: '', arguments: '' }, tool_calls: [{ index: 0 }, null, 7] }, 'stop')).calls,
      [],
    )
  })

  it('arguments above the limit are cut off with a code, and the next call is read', () => {
    const text = chatOf([
      [{ index: 0, id: 'a', name: 'f', arguments: '{"x":"' }],
      ...Array.from({ length: 40 }, () => [{ index: 0, arguments: 'y'.repeat(100) }]),
      [{ index: 0, arguments: '"}' }],
      [{ index: 1, id: 'b', name: 'g', arguments: '{}' }],
    ])
    const decoded = decodeAll(text, 'openai-chat', [], { limits: { argumentChars: 1_000 } })
    const [first, second] = decoded.calls
    assert.ok(first?.arguments.ok === false && first.arguments.code === 'TOO_LARGE')
    assert.deepEqual([second?.name, second?.arguments], ['g', { ok: true, value: {} }])
  })
})
