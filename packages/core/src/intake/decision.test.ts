import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chunk } from '../../test/intake/chat.ts'
import { type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'

/** The same, named and recognised, whole and byte by byte. */
function decodeDecision(text: string): Decoded {
  const decoded = decodeAll(text, 'decision')
  assert.deepEqual(decodeAll(text, 'decision', 'each').events, decoded.events)
  assert.deepEqual(decodeAll(text, 'auto').events, decoded.events)
  assert.deepEqual(decodeAll(text, 'auto', 'each').events, decoded.events)
  return decoded
}

describe('decision', () => {
  it('call_tool is a call, with what the decision says about itself', () => {
    const text = JSON.stringify({
      action: 'call_tool',
      tool_name: 'f',
      parameters: { x: 1 },
      reasoning: 'because',
      confidence: 0.9,
      alternatives: ['g', { tool: 'h' }],
    })
    assert.deepEqual(decodeDecision(text).events, [
      { type: 'reasoning', text: 'because' },
      { type: 'decision', decision: { action: 'call_tool', reasoning: 'because', confidence: 0.9, alternatives: ['g', '{"tool":"h"}'] } },
      { type: 'call-start', index: 0, id: 'call_1', name: 'f' },
      { type: 'call', call: { id: 'call_1', index: 0, name: 'f', arguments: { ok: true, value: { x: 1 } }, idFromProvider: false } },
      { type: 'end', dialect: 'decision', finish: 'tool-calls' },
    ])
  })

  it('may stand in a fence, between white space, over many lines', () => {
    const json = JSON.stringify({ action: 'call_tool', tool_name: 'f', parameters: { code: '```js\nx\n```' } }, undefined, 2)
    for (const text of [
      json,
      `\n\n  ${json}\n `,
      `\`\`\`json\n${json}\n\`\`\``,
      `\`\`\`\n${json}\n\`\`\`\n`,
      `  \`\`\`JSON\r\n${json}\r\n\`\`\`  `,
    ]) {
      assert.deepEqual(namesAndValues(decodeDecision(text).calls), [['f', { code: '```js\nx\n```' }]])
    }
  })

  it('parameters may be absent, null, text with an object, or wrong', () => {
    const forms: readonly (readonly [string, unknown])[] = [
      ['', {}],
      [',"parameters":null', {}],
      [',"parameters":"{\\"x\\":1}"', { x: 1 }],
      [',"parameters":[1]', 'broken'],
      [',"parameters":"do it"', 'broken'],
    ]
    for (const [parameters, value] of forms) {
      assert.deepEqual(namesAndValues(decodeDecision(`{"action":"call_tool","tool_name":"f"${parameters}}`).calls), [['f', value]])
    }
  })

  it('ask_user calls the tool that asks', () => {
    const question = { question: 'Which week?' }
    const forms = [
      { parameters: question },
      question,
      { parameters: 'Which week?' },
      { reasoning: 'Which week?' },
      { parameters: { text: 'Which week?' } },
    ]
    for (const form of forms) {
      assert.deepEqual(namesAndValues(decodeDecision(JSON.stringify({ action: 'ask_user', ...form })).calls), [['ask_user', question]])
    }
    const choices = decodeDecision(JSON.stringify({ action: 'ask_user', parameters: { ...question, choices: ['1', '2'] } }))
    assert.deepEqual(namesAndValues(choices.calls), [['ask_user', { ...question, choices: ['1', '2'] }]])
  })

  it('answer and give_up are text', () => {
    for (const action of ['answer', 'give_up']) {
      for (const form of [
        { parameters: { answer: 'It is so.' } },
        { answer: 'It is so.' },
        { parameters: { text: 'It is so.' } },
        { message: 'It is so.' },
        { reasoning: 'It is so.' },
      ]) {
        const decoded = decodeDecision(JSON.stringify({ action, ...form }))
        assert.equal(decoded.text, 'It is so.')
        assert.equal(decoded.end.finish, 'stop')
        assert.ok(decoded.events.some((event) => event.type === 'decision' && event.decision.action === action))
      }
    }
  })

  it('what is no decision is said to be none', () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['{"action":"dance"}', /"action" is "dance"; expected one of call_tool, ask_user, answer, give_up/],
      ['{"action":"call_tool"}', /"tool_name" is missing/],
      ['{"action":"call_tool","tool_name":7}', /"tool_name" is missing or no text/],
      ['{"action":"ask_user"}', /the question is missing/],
      ['{"action":"answer"}', /its text is missing/],
    ]
    for (const [text, message] of wrong) {
      const decoded = decodeDecision(text)
      assert.deepEqual(
        decoded.problems.map((problem) => problem.code),
        ['INVALID_DECISION'],
      )
      assert.match(decoded.problems[0]?.message ?? '', message)
      assert.deepEqual([decoded.calls, decoded.end.finish], [[], undefined])
    }
    for (const [text, message] of [
      ['I think we should read the file.', /line 1, column 1 found I where a value/],
      ['{"tool_name":"f"}', /"action" is missing/],
      ['[{"action":"answer"}]', /it is no object/],
      ['{"action":"answer","answer":"x"} and so on', /found and where the text should have ended/],
    ] as const) {
      const decoded = decodeAll(text, 'decision')
      assert.deepEqual(
        decoded.problems.map((problem) => problem.code),
        ['INVALID_DECISION'],
      )
      assert.match(decoded.problems[0]?.message ?? '', message)
    }
  })

  it('what is almost JSON is read, and its call says what was repaired; half a decision is none', () => {
    const spoilt = "{'action': 'call_tool', 'tool_name': 'f', 'parameters': {'x': True,}}"
    for (const text of [spoilt, `\`\`\`json\n${spoilt}\n\`\`\``]) {
      const [call] = decodeDecision(text).calls
      assert.ok(call?.arguments.ok)
      assert.deepEqual(call.arguments.value, { x: true })
      const rules = new Set(call.arguments.repairs?.map(({ rule }) => rule))
      for (const rule of ['single-quotes', 'python-literal', 'trailing-comma']) assert.ok(rules.has(rule), rule)
    }
    const big = decodeAll('{"action":"call_tool","tool_name":"f","parameters":{"id":9007199254740993}}', 'decision').calls[0]?.arguments
    assert.deepEqual(big?.ok && big.value, { id: '9007199254740993' })
    for (const text of [spoilt.slice(0, -1), `I would say ${spoilt}`, `${spoilt} if you agree`])
      assert.deepEqual(decodeAll(text, 'decision').calls, [])
  })

  it('a decision that is cut off is said to be', () => {
    const decoded = decodeAll('{"action":"call_tool","tool_name":"f","parameters":{"x":', 'decision')
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['STREAM_BROKEN'],
    )
    assert.equal(decoded.end.finish, undefined)
  })

  it('keys that name inherited members are not found', () => {
    const decoded = decodeAll('{"__proto__":{"action":"answer","answer":"x"}}', 'decision')
    assert.deepEqual(
      decoded.problems.map((problem) => problem.code),
      ['INVALID_DECISION'],
    )
  })

  it('several on lines of their own are one batch', () => {
    const decoded = decodeAll('{"action":"call_tool","tool_name":"f","id":"x"}\n{"action":"call_tool","tool_name":"g","id":"x"}\n')
    assert.deepEqual(
      decoded.calls.map((call) => [call.name, call.id]),
      [
        ['f', 'x'],
        ['g', 'call_1'],
      ],
    )
  })

  it('is read from inside a provider stream', () => {
    const stream = chunk({ content: '```json\n{"action":"call_tool",' }) + chunk({ content: '"tool_name":"f"}\n```' }) + chunk({}, 'stop')
    const decoded = decodeAll(stream, 'decision')
    assert.deepEqual(namesAndValues(decoded.calls), [['f', {}]])
    assert.deepEqual([decoded.text, decoded.end.finish], ['', 'tool-calls'])
  })

  it('a fenced text that is none is text', () => {
    const text = '```js\nx\n```\nThat is <tool_use>{"name":"f"}</tool_use> all.'
    const decoded = decodeAll(text)
    assert.deepEqual(decodeAll(text, 'auto', 'each').events, decoded.events)
    assert.equal(decoded.text, '```js\nx\n```\nThat is  all.')
    assert.deepEqual(namesAndValues(decoded.calls), [['f', {}]])
  })
})
