import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'

type Part = Readonly<Record<string, unknown>>

function answer(parts: readonly Part[], more: Part = {}): Part {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] }
}

function stop(reason: unknown = 'STOP'): Part {
  return {
    candidates: [{ index: 0, finishReason: reason }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, thoughtsTokenCount: 5 },
  }
}

function sse(values: readonly Part[]): string {
  return values.map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`).join('')
}

function read(values: readonly Part[]): Decoded {
  return decodeAll(sse(values))
}

function call(name: string, args?: unknown, more: Part = {}): Part {
  return { functionCall: { name, ...(args === undefined ? {} : { args }), ...more } }
}

function partial(jsonPath: string, value: Part, more: Part = { willContinue: true }): Part {
  return { functionCall: { partialArgs: [{ jsonPath, ...value }], ...more } }
}

function blocksOf(decoded: Decoded): readonly unknown[] {
  return decoded.events.filter((event) => event.type === 'provider-block').map((event) => event.block)
}

describe('Gemini', () => {
  it('gives thoughts, text, each call as it comes, the count of tokens and why it ended', () => {
    const decoded = read([
      answer([{ text: 'Hm. ', thought: true }]),
      answer([{ text: 'I ' }, { text: 'look.' }]),
      answer([call('look', { at: 'a' }), call('look', { at: 'b' }, { id: 'x1' })]),
      answer([call('stop')]),
      stop(),
    ])
    assert.equal(decoded.reasoning, 'Hm. ')
    assert.equal(decoded.text, 'I look.')
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['look', { at: 'a' }],
      ['look', { at: 'b' }],
      ['stop', {}],
    ])
    assert.deepEqual(
      decoded.calls.map((one) => one.idFromProvider),
      [false, true, false],
    )
    assert.equal(new Set(decoded.calls.map((one) => one.id)).size, 3)
    assert.deepEqual(decoded.events.slice(-2), [
      { type: 'usage', usage: { inputTokens: 9, outputTokens: 7 } },
      { type: 'end', dialect: 'gemini', finish: 'tool-calls' },
    ])
  })

  it('reads a stream, an array, a whole answer, and what a gateway put under "response", alike', () => {
    const values = [answer([{ text: 'a' }]), answer([call('look', { at: 'ä"}' })]), stop()]
    const wanted = read(values).events
    const forms: readonly string[] = [
      JSON.stringify(values),
      JSON.stringify(values, undefined, 2),
      `[${values.map((value) => JSON.stringify(value)).join('\r\n,\r\n')}\r\n]`,
      values.map((value) => JSON.stringify(value)).join('\n'),
      sse(values.map((value) => ({ response: value, traceId: 't' }))),
    ]
    for (const form of forms) {
      assert.deepEqual(decodeAll(form).events, wanted)
      assert.deepEqual(decodeAll(form, 'gemini', 'each').events, wanted)
    }
    const whole = answer([{ text: 'a' }, call('look', { at: 'ä"}' })], { finishReason: 'STOP' })
    assert.deepEqual(namesAndValues(decodeAll(JSON.stringify(whole, undefined, 2)).calls), [['look', { at: 'ä"}' }]])
  })

  it('gives each entry of an array before the next one comes', () => {
    const entries = [answer([call('a', { x: 1 })]), answer([call('b', { x: 2 })])].map((value) => JSON.stringify(value, undefined, 2))
    const decoded = decodeAll(`[${entries.join(',\n')},\n{"candid`)
    assert.equal(decoded.calls.length, 2)
    assert.match(decoded.problems[0]?.message ?? '', /cut off inside entry 3/)
    assert.equal(decodeAll('[', 'gemini').end.finish, undefined)
  })

  it('puts arguments together that come value by value, and hands them over at their end', () => {
    const begun = { functionCall: { name: 'make', willContinue: true }, thoughtSignature: 'sig' }
    const pieces = [
      partial('$.name', { stringValue: 'Las', willContinue: true }),
      partial('$.name', { stringValue: 'agna', willContinue: true }),
      partial('$.name', { stringValue: '' }),
      partial('$.parts[0].amount', { numberValue: 1.5 }),
      partial('$.parts[0].fresh', { boolValue: true }),
      partial('$.parts[1].amount', { nullValue: 'NULL_VALUE' }),
      partial("$['odd key'].x", { stringValue: 'y' }),
      partial('$.list[0][1]', { numberValue: 1 }),
    ]
    const value = { name: 'Lasagna', parts: [{ amount: 1.5, fresh: true }, { amount: null }], 'odd key': { x: 'y' } }
    const good = pieces.slice(0, -1)
    for (const tail of [[answer([{ functionCall: {} }]), stop()], [stop()], [answer([call('next')]), stop()]]) {
      const decoded = read([answer([begun]), ...good.map((piece) => answer([piece])), ...tail])
      assert.deepEqual(namesAndValues(decoded.calls)[0], ['make', value])
      assert.deepEqual(blocksOf(decoded), [{ functionCall: { name: 'make', args: value }, thoughtSignature: 'sig' }])
      assert.deepEqual(decoded.problems, [])
    }
    const gap = read([answer([begun, ...pieces, { functionCall: {} }]), stop()])
    assert.match(gap.calls[0]?.arguments.ok === false ? gap.calls[0].arguments.problem : '', /no place.*\$\.list\[0\]\[1\]/)
    assert.deepEqual(blocksOf(gap), [], 'what is broken does not go back')
  })

  it('says that partial arguments are not whole, have no place, or belong to no call', () => {
    const begun = answer([{ functionCall: { name: 'make', willContinue: true } }])
    const open = answer([partial('$.a', { stringValue: 'x', willContinue: true })])
    const codes = (values: readonly Part[]): unknown =>
      read(values).calls.map((one) => (one.arguments.ok ? one.arguments.value : one.arguments.code))
    assert.deepEqual(codes([begun, open]), ['STREAM_BROKEN'])
    assert.deepEqual(codes([begun, open, stop('MAX_TOKENS')]), ['STREAM_BROKEN'])
    assert.deepEqual(codes([begun, open, stop()]), ['STREAM_BROKEN'], 'the text was to go on')
    for (const path of ['', '$', 'a', '$..a', '$.*', '$[?(@.a)]', '$.a[-1]', '$.a[', '$.a.', `$${'.a'.repeat(2_000)}`]) {
      assert.deepEqual(codes([begun, answer([partial(path, { numberValue: 1 }, {})]), stop()]), ['INVALID_JSON'], path)
    }
    assert.deepEqual(codes([begun, answer([partial('$.a', { numberValue: 1 }), partial('$.a.b', { numberValue: 1 }, {})]), stop()]), [
      'INVALID_JSON',
    ])
    const stray = read([open, stop()])
    assert.deepEqual(stray.calls, [])
    assert.equal(stray.problems[0]?.code, 'STREAM_BROKEN')
  })

  it('keeps keys own properties, whatever they are called', () => {
    const begun = answer([{ functionCall: { name: 'make', willContinue: true } }])
    const decoded = read([
      begun,
      answer([partial('$.__proto__.polluted', { boolValue: true }), partial('$.constructor', { numberValue: 1 }, {})]),
      stop(),
    ])
    const args = decoded.calls[0]?.arguments
    assert.ok(args?.ok)
    assert.deepEqual(Object.keys(args.value), ['__proto__', 'constructor'])
    assert.equal(Reflect.get({}, 'polluted'), undefined)
  })

  it('bounds what it keeps of one call', () => {
    const begun = answer([{ functionCall: { name: 'make', willContinue: true } }])
    const more = answer([partial('$.a', { stringValue: 'x'.repeat(60), willContinue: true })])
    const decoded = decodeAll(sse([begun, more, more, more, stop()]), 'auto', [], { limits: { argumentChars: 100, lineChars: 10_000 } })
    assert.equal(decoded.calls[0]?.arguments.ok === false && decoded.calls[0].arguments.code, 'TOO_LARGE')
  })

  it('keeps signed parts, and what the provider made itself, as they came', () => {
    const parts = [
      { text: 'x', thoughtSignature: 's1' },
      { ...call('look', { at: 'a' }), thoughtSignature: 's2' },
      { text: '', thoughtSignature: 's3' },
      { executableCode: { language: 'PYTHON', code: '1' } },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    ]
    assert.deepEqual(blocksOf(read([answer([...parts, call('look', {}), { text: 'y' }, {}]), stop()])), parts)
  })

  it('says why an answer is none', () => {
    const wanted: readonly (readonly [Part, string, readonly string[]])[] = [
      [stop('STOP'), 'stop', []],
      [stop(1), 'stop', []],
      [stop('MAX_TOKENS'), 'length', []],
      [stop(2), 'length', []],
      [stop('SAFETY'), 'content-filter', []],
      [stop('RECITATION'), 'content-filter', []],
      [stop('PROHIBITED_CONTENT'), 'content-filter', []],
      [stop('OTHER'), 'other', []],
      [stop(99), 'other', []],
      [stop('MALFORMED_FUNCTION_CALL'), 'error', ['INVALID_JSON']],
      [stop('UNEXPECTED_TOOL_CALL'), 'error', ['INVALID_JSON']],
      [{ promptFeedback: { blockReason: 'SAFETY' } }, 'content-filter', ['MODEL_FAILED']],
      [{ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }, 'error', ['MODEL_UNAVAILABLE']],
      [{ error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }, 'error', ['MODEL_FAILED']],
    ]
    for (const [value, finish, codes] of wanted) {
      for (const text of [sse([value]), JSON.stringify([value]), JSON.stringify(value)]) {
        const decoded = decodeAll(text, 'gemini')
        assert.deepEqual([decoded.end.finish, decoded.problems.map((problem) => problem.code)], [finish, codes], JSON.stringify(value))
      }
    }
    const cut = read([answer([{ text: 'a' }])])
    assert.equal(cut.problems[0]?.code, 'STREAM_BROKEN')
    assert.equal(cut.end.finish, undefined)
  })

  it('reads one candidate and says that there are others', () => {
    const other = { candidates: [{ index: 1, content: { parts: [call('b')] }, finishReason: 'STOP' }] }
    const decoded = read([answer([call('a')]), other, other, stop()])
    assert.deepEqual(namesAndValues(decoded.calls), [['a', {}]])
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['UNSUPPORTED'],
    )
  })

  it('gives what was asked for, streamed value by value, however it is cut', () => {
    const key = fc.oneof(fc.stringMatching(/^[a-z_]{1,6}$/), fc.constant('__proto__'), fc.string({ minLength: 1, maxLength: 4 }))
    const tree = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
        fc.dictionary(key, tie('value'), { minKeys: 1, maxKeys: 3 }),
      ),
    })).value
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 4 }), (input) => {
        const args = JSON.parse(JSON.stringify(input))
        const leaves = [...leavesOf(args, '$')]
        const pieces = leaves.map((leaf) => ({ functionCall: { partialArgs: [leaf], willContinue: true } }))
        const bytes = new TextEncoder().encode(
          sse([
            answer([{ functionCall: { name: 'f', willContinue: true } }]),
            ...pieces.map((piece) => answer([piece])),
            answer([{ functionCall: {} }]),
            stop(),
          ]),
        )
        const decoded = decodeAll(bytes)
        assert.deepEqual(namesAndValues(decoded.calls), [['f', args]])
        assert.deepEqual(decodeAll(bytes, 'gemini', 'each').events, decoded.events)
      }),
      { numRuns: 60 },
    )
  })
})

function* leavesOf(value: unknown, path: string): Generator<Part, void, void> {
  if (typeof value === 'string') {
    const middle = Math.floor(value.length / 2)
    yield { jsonPath: path, stringValue: value.slice(0, middle), willContinue: true }
    yield { jsonPath: path, stringValue: value.slice(middle) }
  } else if (typeof value === 'number') yield { jsonPath: path, numberValue: value }
  else if (typeof value === 'boolean') yield { jsonPath: path, boolValue: value }
  else if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* leavesOf(item, `${path}[${at}]`)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* leavesOf(item, `${path}['${key.replace(/[\\']/g, '\\$&')}']`)
  } else yield { jsonPath: path, nullValue: 'NULL_VALUE' }
}
