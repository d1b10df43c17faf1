import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { histories, resultFor, toolCall, torn } from '../../test/histories.ts'
import type { Message } from '../contract/messages.ts'
import type { ToolResult } from '../contract/result.ts'
import { checkHistory } from './check-history.ts'
import { mendHistory } from './mend-history.ts'

const user = (text: string): Message => ({ role: 'user', text })
const answer = (text: string): Message => ({ role: 'assistant', text, calls: [] })
const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  text: '',
  calls: ids.map((id, at) => toolCall(id, `tool_of_${id}`, at)),
})
const result = (id: string, change: Partial<ToolResult> = {}): ToolResult => ({
  ...resultFor(toolCall(id, `tool_of_${id}`, 0), `result of ${id}`),
  ...change,
})
const results = (...ids: readonly string[]): Message => ({ role: 'tool', results: ids.map((id) => result(id)) })

/** Each call's outcome and what it says, by id, in order. */
function outcomes(messages: readonly Message[]): readonly (readonly string[])[] {
  return messages.flatMap((message) => (message.role === 'tool' ? message.results.map((one) => [one.id, one.outcome]) : []))
}
const shape = (messages: readonly Message[]): string =>
  messages
    .map((message) => {
      if (message.role === 'user') return 'U'
      if (message.role === 'tool') return `T(${message.results.map((one) => one.id).join(' ')})`
      return message.calls.length === 0 ? 'A' : `A(${message.calls.map((call) => call.id).join(' ')})`
    })
    .join(' ')

/** As an agent loop builds them: ids unique, one round after the other. */
const rounds = fc
  .array(fc.record({ size: fc.integer({ min: 0, max: 3 }), question: fc.boolean() }), { minLength: 1, maxLength: 6 })
  .map((plan) => {
    let next = 0
    const messages: Message[] = [user('task')]
    for (const { size, question } of plan) {
      const ids = Array.from({ length: size }, () => `c${next++}`)
      if (size > 0) messages.push(calls(...ids), results(...ids))
      if (question) messages.push(answer(`answer ${next++}`), user(`question ${next++}`))
    }
    return messages
  })

describe('mendHistory', () => {
  it('gives a whole history back as it is', () => {
    fc.assert(
      fc.property(rounds, (messages) => {
        const { messages: same, mended } = mendHistory(messages)
        assert.equal(same, messages)
        assert.deepEqual(mended, [])
      }),
      { numRuns: 200 },
    )
    assert.equal(mendHistory([]).messages.length, 0)
  })

  it('makes any part of a history, in any order, one that can be sent, and then leaves it alone', () => {
    fc.assert(
      fc.property(torn(histories()), (messages) => {
        const { messages: whole } = mendHistory(messages)
        checkHistory(whole)
        assert.equal(mendHistory(whole).messages, whole)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps each call once, and gives it its own result or says that it has none', () => {
    fc.assert(
      fc.property(torn(rounds), (messages) => {
        const asked = new Set(messages.flatMap((message) => (message.role === 'assistant' ? message.calls.map((call) => call.id) : [])))
        const told = new Set(messages.flatMap((message) => (message.role === 'tool' ? message.results.map((one) => one.id) : [])))
        const { messages: whole } = mendHistory(messages)
        const given = whole.flatMap((message) => (message.role === 'tool' ? message.results : []))
        assert.deepEqual(new Set(given.map((one) => one.id)), asked)
        for (const one of given) {
          if (one.outcome === 'ok') assert.equal(one.text, `result of ${one.id}`)
          else assert.deepEqual([one.outcome, one.isError, one.code], ['unknown', true, 'OUTCOME_UNKNOWN'])
          // Written before its call, and twice: then nobody can say.
          if (one.outcome !== 'ok') assert.ok(!told.has(one.id) || messages.filter((message) => mentions(message, one.id)).length > 2)
        }
      }),
      { numRuns: 500 },
    )
  })

  for (const [what, broken, expected] of [
    ['two of three results after an abort', [user('x'), calls('a', 'b', 'c'), results('a', 'c')], 'U A(a b c) T(a b c)'],
    ['a batch that was never answered', [user('x'), calls('a', 'b')], 'U A(a b) T(a b)'],
    ['a checkpoint between call and result', [user('x'), calls('a'), user('go on')], 'U A(a) T(a) U'],
    ['a result without its call', [user('x'), results('a'), answer('done')], 'U A'],
    ['a result before its call', [user('x'), results('a'), calls('a'), user('y')], 'U A(a) T(a) U'],
    ['results in another order', [user('x'), calls('a', 'b'), results('b', 'a')], 'U A(a b) T(a b)'],
    ['results one by one', [user('x'), calls('a', 'b'), results('a'), results('b')], 'U A(a b) T(a b)'],
    ['a question between call and result', [user('x'), calls('a'), user('y'), results('a')], 'U A(a) T(a) U'],
    ['a result that was written twice', [user('x'), calls('a'), results('a', 'a')], 'U A(a) T(a)'],
    ['a step that was written twice', [user('x'), calls('a', 'b'), calls('a', 'b'), results('a', 'b', 'a', 'b')], 'U A(a b) T(a b)'],
    ['parallel calls as several messages', [user('x'), calls('a'), calls('b'), results('a', 'b')], 'U A(a b) T(a b)'],
    [
      'an id of an earlier answer',
      [user('x'), calls('a'), calls('b'), results('b'), calls('a'), results('a')],
      'U A(a b) T(a b) A(a) T(a)',
    ],
    ['an empty answer', [user('x'), answer(' \n'), user('y')], 'U'],
    ['two answers in a row', [user('x'), answer('one'), answer('two'), user('y')], 'U A U'],
    ['an empty tool message', [user('x'), answer('one'), { role: 'tool', results: [] }, answer('two')], 'U A'],
  ] as const satisfies readonly (readonly [string, readonly Message[], string])[]) {
    it(`mends ${what}, and says so`, () => {
      const { messages, mended } = mendHistory(broken)
      assert.equal(shape(messages), expected)
      checkHistory(messages)
      assert.ok(mended.length > 0)
      for (const line of mended) assert.match(line, /^message \d+: /)
    })
  }

  it('says of a lost result that the outcome is unknown, and of unreadable arguments that nothing was run', () => {
    const unreadable = toolCall('b', 'write_file', 1, { ok: false, raw: '{"p', problem: 'it ends in a string', code: 'STREAM_BROKEN' })
    const { messages, mended } = mendHistory([
      user('x'),
      { role: 'assistant', text: '', calls: [toolCall('a', 'write_file', 0), unreadable] },
    ])
    assert.deepEqual(outcomes(messages), [
      ['a', 'unknown'],
      ['b', 'not-run'],
    ])
    const told = messages.flatMap((message) => (message.role === 'tool' ? message.results.map((one) => one.text) : []))
    assert.match(told[0] ?? '', /may or may not have taken effect.*\nCheck whether it took effect/)
    assert.match(told[1] ?? '', /was not run: it ends in a string/)
    assert.equal(mended[0], 'message 1: call "a" ("write_file") had no result; it got one that says "unknown"')
  })

  it('never gives an earlier answer’s result to a later call of the same id', () => {
    const { messages } = mendHistory([user('x'), calls('call_0'), results('call_0'), user('y'), calls('call_0')])
    assert.deepEqual(outcomes(messages), [
      ['call_0', 'ok'],
      ['call_0', 'unknown'],
    ])
    const before = mendHistory([user('x'), results('call_0'), calls('call_0'), user('y'), calls('call_0')])
    assert.deepEqual(outcomes(before.messages), [
      ['call_0', 'unknown'],
      ['call_0', 'unknown'],
    ])
  })

  it('never gives one tool’s result to another tool’s call of the same id, save in its very place', () => {
    const other = result('a', { name: 'another_tool' })
    const away = mendHistory([user('x'), calls('a'), user('y'), { role: 'tool', results: [other] }])
    assert.deepEqual(outcomes(away.messages), [['a', 'unknown']])
    const there = mendHistory([user('x'), calls('a'), { role: 'tool', results: [other] }, user('y'), user('z')])
    assert.deepEqual(outcomes(there.messages), [['a', 'ok']])
  })

  it('takes the result that knows more, where one was made up before', () => {
    const unsure = result('a', { outcome: 'unknown', isError: true, text: 'interrupted' })
    const { messages } = mendHistory([user('x'), calls('a'), { role: 'tool', results: [unsure] }, { role: 'tool', results: [result('a')] }])
    assert.deepEqual(outcomes(messages), [['a', 'ok']])
  })

  it('leaves signed blocks in the message they were signed in', () => {
    const signed: Message = {
      role: 'assistant',
      text: 'b',
      calls: [],
      providerBlocks: [{ type: 'thinking', thinking: '', signature: 's' }],
    }
    const messages: readonly Message[] = [user('x'), answer('a'), signed]
    assert.equal(mendHistory(messages).messages, messages)
    assert.deepEqual(mendHistory([user('x'), signed, answer('a')]).messages, [user('x'), { ...signed, text: 'b\n\na' }])
  })

  it('counts the calls of a joined batch anew', () => {
    const { messages } = mendHistory([user('x'), calls('a', 'b'), calls('c')])
    const joined = messages[1]
    assert.ok(joined?.role === 'assistant')
    assert.deepEqual(
      joined.calls.map((call) => [call.id, call.index]),
      [
        ['a', 0],
        ['b', 1],
        ['c', 2],
      ],
    )
  })

  it('mends a long history in one pass', () => {
    const many = Array.from({ length: 20_000 }, (_, at): readonly Message[] => [results(`lost${at}`), calls(`c${at}`)]).flat()
    const { messages } = mendHistory([user('x'), ...many])
    checkHistory(messages)
    assert.equal(messages.length, 40_001)
  })
})

function mentions(message: Message, id: string): boolean {
  if (message.role === 'user') return false
  return message.role === 'tool' ? message.results.some((one) => one.id === id) : message.calls.some((call) => call.id === id)
}
