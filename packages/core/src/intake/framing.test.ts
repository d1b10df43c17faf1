import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { piece } from '../../test/intake/chat.ts'
import { decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'

const encoder = new TextEncoder()

describe('framing', () => {
  const call = { index: 0, id: 'a', name: 'f', arguments: '{"x":1}' }
  const values = [
    { choices: [{ index: 0, delta: { tool_calls: [piece(call)] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ]
  const lines = values.map((value) => JSON.stringify(value))
  const framings: readonly (readonly [string, string])[] = [
    ['events', lines.map((line) => `data: ${line}\n\n`).join('')],
    ['events without a space', lines.map((line) => `data:${line}\n\n`).join('')],
    ['events with \\r\\n', lines.map((line) => `data: ${line}\r\n\r\n`).join('')],
    ['events with \\r', lines.map((line) => `data: ${line}\r\r`).join('')],
    ['events with names, ids and comments', lines.map((line) => `: c\nevent: message\nid: 1\ndata: ${line}\n\n`).join('')],
    ['events without empty lines', lines.map((line) => `data: ${line}\n`).join('')],
    ['a last event without its line end', lines.map((line) => `data: ${line}`).join('\n\n')],
    [
      'events over several data lines',
      values.map((value) => `${JSON.stringify(value, undefined, 1).replace(/^/gm, 'data: ')}\n\n`).join(''),
    ],
    ['JSON lines', lines.join('\n')],
    ['JSON lines with \\r\\n and empty ones', `\r\n${lines.join('\r\n\r\n')}\r\n`],
    ['an array of events', JSON.stringify(values)],
    ['an array over many lines', JSON.stringify(values, undefined, 2)],
    ['comments only, then JSON', `: hello\n\n: hello\n\ndata: ${lines.join('\n\ndata: ')}\n\n`],
  ]
  for (const [what, text] of framings) {
    it(what, () => {
      for (const dialect of ['auto', 'openai-chat'] as const) {
        const decoded = decodeAll(text, dialect)
        assert.deepEqual(namesAndValues(decoded.calls), [['f', { x: 1 }]])
        assert.deepEqual([decoded.problems, decoded.end.finish], [[], 'tool-calls'])
        assert.deepEqual(decodeAll(text, dialect, 'each').events, decoded.events)
      }
    })
  }

  it('a broken event is told and passed over', () => {
    for (const text of [
      `data: ${lines[0]}\n\ndata: {"choices":[{]}\n\ndata: ${lines[1]}\n\n`,
      `${lines[0]}\n{"choices":[{]}\n${lines[1]}\n`,
    ]) {
      const decoded = decodeAll(text)
      assert.deepEqual(namesAndValues(decoded.calls), [['f', { x: 1 }]])
      assert.deepEqual(
        decoded.problems.map((problem) => problem.code),
        ['INVALID_JSON'],
      )
      assert.match(decoded.problems[0]?.message ?? '', /(?:event|line) 2 was skipped: at position 13 found \]/)
    }
  })

  it('a broken first line of JSON lines, too', () => {
    const decoded = decodeAll(`{"choices":\n${lines.join('\n')}`)
    assert.deepEqual(namesAndValues(decoded.calls), [['f', { x: 1 }]])
    assert.equal(decoded.problems.length, 1)
  })

  it('a bare JSON error between events is heard, and other stray lines are told', () => {
    const decoded = decodeAll(`data: ${lines[0]}\n\n{"error":{"message":"gone","type":"server_error"}}\n\nwhat\n\n`)
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['MODEL_UNAVAILABLE', 'INVALID_JSON'],
    )
    assert.equal(decoded.end.finish, 'error')
  })

  it('thousands of broken lines are told once each up to a bound, then counted', () => {
    const decoded = decodeAll(`data: ${lines[0]}\n\n${'data: {x\n\n'.repeat(5_000)}data: ${lines[1]}\n\n`)
    assert.ok(decoded.problems.length < 30)
    assert.match(decoded.problems.at(-1)?.message ?? '', /^49\d\d more parts/)
  })

  it('a stream of nothing but broken lines is given up', () => {
    const bytes = encoder.encode(`data: ${lines[0]}\n\n${'data: {x\n\n'.repeat(12_000)}data: ${lines[1]}\n\n`)
    const decoded = decodeAll(bytes)
    assert.ok(decoded.problems.length < 30)
    assert.ok(decoded.problems.some((problem) => problem.message.startsWith('10000 parts could not be read')))
    assert.equal(decoded.end.finish, undefined)
    assert.deepEqual(decodeAll(bytes, 'auto', [50_000, 60_000, 110_000]).events, decoded.events)
  })

  it('lines without an end of the event are read when they are too many to keep', () => {
    const long = JSON.stringify({ choices: [{ index: 0, delta: { content: 'y'.repeat(1_000) } }] })
    const text = `${`data: ${long}\n`.repeat(9_000)}data: ${lines[1]}\n\n`
    const bytes = encoder.encode(text)
    const decoded = decodeAll(bytes)
    assert.deepEqual([decoded.text.length, decoded.problems], [9_000_000, []])
    const cuts = Array.from({ length: 150 }, (_, at) => at * 65_536).filter((cut) => cut < bytes.length)
    assert.deepEqual(decodeAll(bytes, 'auto', cuts).events, decoded.events)
  })

  it('a line above the limit is told and passed over', () => {
    const long = `data: {"x":"${'y'.repeat(3_000)}"}\n\n`
    const limits = { lineChars: 1_000 }
    for (const text of [`data: ${lines[0]}\n\n${long}data: ${lines[1]}\n\n`, `${lines[0]}\n${long.slice(6)}${lines[1]}`]) {
      const decoded = decodeAll(text, 'auto', 'each', { limits })
      assert.deepEqual(
        decoded.problems.map((problem) => problem.code),
        ['TOO_LARGE'],
      )
      assert.deepEqual(namesAndValues(decoded.calls), [['f', { x: 1 }]])
      assert.deepEqual(decodeAll(text, 'auto', [], { limits }).events, decoded.events)
    }
    const body = JSON.stringify({ choices: [{ message: { content: 'y'.repeat(3_000) } }] }, undefined, 1)
    assert.deepEqual(decodeAll(body, 'auto', 'each', { limits }).problems[0]?.code, 'TOO_LARGE')
  })

  it('hostile nesting in an event does not end the process', () => {
    const decoded = decodeAll(`data: ${lines[0]}\n\ndata: ${'{"a":['.repeat(500_000)}\n\ndata: ${lines[1]}\n\n`)
    assert.deepEqual(namesAndValues(decoded.calls), [['f', { x: 1 }]])
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['INVALID_JSON'],
    )
  })
})
