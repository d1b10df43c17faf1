import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'

type Line = Readonly<Record<string, unknown>>

function ndjson(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify({ model: 'm', created_at: '2026-11-30T00:00:00Z', ...line })}\n`).join('')
}

function says(message: Line): Line {
  return { message: { role: 'assistant', content: '', ...message }, done: false }
}

function call(name: string, args: unknown, more: Line = {}, around: Line = {}): Line {
  return { ...around, function: { ...more, name, arguments: args } }
}

const end: Line = { ...says({}), done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 4 }

describe('Ollama', () => {
  it('gives text, thinking, each call at once, the count of tokens and why it ended', () => {
    const decoded = decodeAll(
      ndjson([
        says({ thinking: 'Hm. ' }),
        says({ content: 'I ' }),
        says({ content: 'look.' }),
        says({ tool_calls: [call('look', { at: 'a' })] }),
        end,
      ]),
    )
    assert.equal(decoded.reasoning, 'Hm. ')
    assert.equal(decoded.text, 'I look.')
    assert.deepEqual(namesAndValues(decoded.calls), [['look', { at: 'a' }]])
    assert.equal(decoded.calls[0]?.idFromProvider, false)
    assert.deepEqual(decoded.events.slice(-2), [
      { type: 'usage', usage: { inputTokens: 11, outputTokens: 4 } },
      { type: 'end', dialect: 'ollama', finish: 'tool-calls' },
    ])
    assert.deepEqual(decoded.problems, [])
  })

  it('takes each entry for a call of its own: in one line or many, with one index for all, with or without ids', () => {
    const same = { index: 0 }
    const three = [call('w', { n: 1 }, same), call('w', { n: 1 }, same, { id: 'call_x' }), call('w', { n: 2 }, same, { id: 'call_x' })]
    const one = decodeAll(ndjson([says({ tool_calls: three }), end]))
    const many = decodeAll(ndjson([...three.map((entry) => says({ tool_calls: [entry] })), end]))
    for (const decoded of [one, many]) {
      assert.deepEqual(namesAndValues(decoded.calls), [
        ['w', { n: 1 }],
        ['w', { n: 1 }],
        ['w', { n: 2 }],
      ])
      assert.equal(new Set(decoded.calls.map((entry) => entry.id)).size, 3)
      assert.deepEqual(
        decoded.calls.map((entry) => entry.idFromProvider),
        [false, true, false],
      )
    }
  })

  it('takes arguments that are missing, null, text, or no object', () => {
    const decoded = decodeAll(
      ndjson([says({ tool_calls: [call('a', undefined), call('b', null), call('c', '{"x":1}'), call('d', [1])] }), end]),
    )
    assert.deepEqual(namesAndValues(decoded.calls), [
      ['a', {}],
      ['b', {}],
      ['c', { x: 1 }],
      ['d', 'broken'],
    ])
  })

  it('reads a whole answer, and the text of generate', () => {
    const whole = { ...end, ...says({ content: 'x', tool_calls: [call('a', {})] }), done: true, done_reason: 'stop' }
    for (const form of [ndjson([whole]), JSON.stringify(whole, undefined, 2)]) {
      assert.deepEqual(namesAndValues(decodeAll(form).calls), [['a', {}]])
      assert.equal(decodeAll(form).end.finish, 'tool-calls')
    }
    const text = decodeAll(
      ndjson([
        { response: 'Hel', done: false },
        { response: 'lo', done: false },
        { response: '', done: true, done_reason: 'length' },
      ]),
    )
    assert.equal(text.text, 'Hello')
    assert.deepEqual(text.end, { type: 'end', dialect: 'ollama', finish: 'length' })
  })

  it('says that it was cut off, or what the server said', () => {
    const cut = decodeAll(ndjson([says({ content: 'a' })]))
    assert.deepEqual(
      cut.problems.map((problem) => problem.code),
      ['STREAM_BROKEN'],
    )
    assert.equal(cut.end.finish, undefined)
    const failed = decodeAll(`${ndjson([says({ content: 'a' })])}{"error":"model runner has unexpectedly stopped"}\n`)
    assert.match(failed.problems[0]?.message ?? '', /unexpectedly stopped/)
    assert.equal(failed.end.finish, 'error')
  })

  it('does not depend on the cuts, nor on what frames the lines', () => {
    const lines = [says({ content: 'ä🙂' }), says({ tool_calls: [call('a', { 'ö"': '}\n{' })] }), end]
    const text = ndjson(lines)
    const whole = decodeAll(text)
    assert.deepEqual(decodeAll(text, 'ollama', 'each').events, whole.events)
    assert.deepEqual(decodeAll(text.trimEnd().replaceAll(/^/gm, 'data: ').replaceAll('\n', '\n\n')).events, whole.events)
  })
})
