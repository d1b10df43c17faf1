import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ApprovalDecision, JsonObject } from '@adjutant/core'
import fc from 'fast-check'
import { type ExampleRequest, exampleCall, exampleRequest, UNPRINTABLE } from '../../test/approval-example.ts'
import { approvalView } from './approval-view.ts'
import { PlainApproval } from './plain-approval.ts'
import { themeFor } from './theme.ts'

interface Talk {
  readonly decision: ApprovalDecision
  /** Lines, and questions with what was answered. */
  readonly said: readonly string[]
}

/** Answers one question after the other; then the input ends. */
async function talk(given: ExampleRequest, typed: readonly string[], columns = 79): Promise<Talk> {
  const request = exampleRequest(given)
  const view = await approvalView(request, { workspace: '/work/x', env: { XDG_CONFIG_HOME: '/conf' } })
  const said: string[] = []
  const answers = [...typed]
  const approval = new PlainApproval({
    request,
    view,
    theme: themeFor({ colour: false, unicode: true }),
    columns,
    say: (line) => said.push(line),
    ask: async (text) => {
      const answer = answers.shift()
      said.push(`${text}< ${answer}`)
      return answer
    },
  })
  return { decision: await approval.decide(), said }
}

const ENDED = { type: 'deny', by: 'policy', reason: 'the input ended before the question was answered' }
const approve = (more: object): object => ({ type: 'approve', ...more })
const MANY: ExampleRequest = {
  matching: [exampleCall({ id: 'b', input: { command: 'rm -rf build' } }), exampleCall({ id: 'c', input: { command: 'rm c\nls' } })],
  identical: ['b'],
  saveTo: ['project', 'user'],
}

describe('a question in lines', () => {
  it('takes no empty line for a dangerous call', async () => {
    const { decision, said } = await talk({}, ['', '', 'yes'])
    assert.deepEqual(decision, approve({ scope: 'once' }))
    assert.equal(said.filter((line) => line.startsWith('Enter answers nothing here')).length, 2)
    assert.deepEqual((await talk({}, ['', ''])).decision, ENDED)
    assert.deepEqual((await talk({ effect: 'write' }, [''])).decision, approve({ scope: 'once' }))
  })

  it('offers the keys that there are, and no other', async () => {
    const { decision, said } = await talk({}, ['a', 'm', 'n', 'too much'])
    assert.deepEqual(decision, { type: 'deny', by: 'person', reason: 'too much' })
    assert.equal(said.filter((line) => line === 'Please answer y, c, t, e, n or v.').length, 2)
    assert.match(said.join('\n'), /^y once, c this call, whole session, t this tool, whole session, e edit, n no,\s+v view all$/m)
    assert.ok(said.includes('Run it? [y/n] < n'))
  })

  it('writes all that match before it asks about them together', async () => {
    const { decision, said } = await talk(MANY, ['m', '', 'm', 'y'])
    assert.deepEqual(decision, approve({ scope: 'matching' }))
    const from = said.indexOf('All 3 calls of run_shell that wait:')
    assert.deepEqual(said.slice(from + 1, from + 8), [
      '  1 of 3  this call',
      '  command  rm -rf build',
      '  2 of 3  b, identical to the first',
      '  command  rm -rf build',
      '  3 of 3  c',
      '  command  rm c',
      '           ls',
    ])
    assert.equal(said[from + 8], 'Run all 3? [y/N] < ')
  })

  it('says what is written where before an answer is kept for always', async () => {
    const { decision, said } = await talk(MANY, ['a', '', 'a', '9', 'a', '3'])
    assert.deepEqual(decision, approve({ scope: 'always', of: 'call', tier: 'user' }))
    assert.ok(said.includes('  /work/x/.adjutant/policy.yaml (this project)'))
    assert.ok(said.includes('  /conf/adjutant/policy.yaml (you, everywhere)'))
    assert.ok(said.includes('  2 allow run_shell, effect dangerous, whatever its arguments'))
  })

  it('asks once more before a whole dangerous tool is allowed', async () => {
    assert.deepEqual((await talk({}, ['t', '', 't', 'y'])).decision, approve({ scope: 'tool' }))
    assert.deepEqual((await talk({ effect: 'write' }, ['t'])).decision, approve({ scope: 'tool' }))
  })

  it('writes a dangerous call out before it is allowed, where it did not fit', async () => {
    const command = `echo ${'x'.repeat(70_000)}`
    const { decision, said } = await talk({ input: { command } }, ['y', 'c', 'y'])
    // Seen once is seen.
    assert.deepEqual(decision, approve({ scope: 'call' }))
    assert.ok(said.includes('That is all of the call. y allows it.'))
    assert.ok((said.join('').match(/x/g)?.length ?? 0) >= 70_000)
    assert.deepEqual((await talk({ effect: 'write', input: { command } }, ['y'])).decision, approve({ scope: 'once' }))
  })

  it('shows what is dangerous wherever it stands, and counts the rest', async () => {
    const command = `${'echo\n'.repeat(100)}rm -rf /\n${'echo\n'.repeat(100)}`
    const start = command.indexOf('rm')
    const { said } = await talk(
      { input: { command }, marks: () => [{ path: '/command', start, end: start + 8, effect: 'dangerous', reason: 'deletes' }] },
      [],
    )
    const at = said.indexOf('           rm -rf /')
    assert.equal(said[at + 1], '           ^^^^^^^^ deletes')
    assert.ok(said.length < 40)
    assert.equal(said.filter((line) => /^ {2}… \d+ more lines: v shows all$/.test(line)).length, 2)
  })

  it('lets nothing that others wrote reach the terminal as a command to it', async () => {
    const part = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\r',
      '\u001b[2J',
      '\u001b]8;;x\u0007',
      '\u009b',
      '\u202e',
      '\u2066',
      '\u200b',
      '\u00ad',
      '\ud800',
      '副',
      '\u007f',
      '"',
    )
    const text = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''))
    const input: fc.Arbitrary<JsonObject> = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 3 })), { maxKeys: 4 })
    const typed = fc.array(fc.constantFrom('m', 'a', 't', 'v', 'e', '{', 'x', '1', '', 'y'), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(text, input, text, typed, fc.integer({ min: 5, max: 100 }), async (word, made, other, answers, columns) => {
        const { said } = await talk(
          {
            name: word,
            input: { ...made, command: other },
            origin: { kind: 'module', from: word },
            reason: other,
            decision: { effect: 'ask', rule: word, tier: 'user', reason: other },
            conversions: [{ path: word, from: other, to: word, rule: other }],
            matching: [exampleCall({ id: `b${word}`, input: made })],
            marks: () => [{ path: '/command', start: 0, end: 3, effect: 'dangerous', reason: word }],
            saveTo: ['user'],
          },
          answers,
          columns,
        )
        for (const line of said) assert.doesNotMatch(line, UNPRINTABLE)
      }),
      { numRuns: 200 },
    )
  })
})
