import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError, isJsonObject, type JsonObject, type Question, systemClock } from '@adjutant/core'
import { stubMcpServer, testContext } from '@adjutant/testkit'
import { callError, callTool } from '../../../../test/fixtures/mcp/call-tool.ts'
import { connectMcpServer, type McpConnection, type ServerSettings } from './index.ts'

const NAME = { name: { type: 'string', title: 'Your name', minLength: 2 } }
const FORM: JsonObject = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: {
      ...NAME,
      age: { type: 'integer', minimum: 0, maximum: 150 },
      size: { type: 'string', enum: ['s', 'm'], enumNames: ['small', 'medium'], default: 'm' },
      sure: { type: 'boolean' },
      likes: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'a', title: 'Apples' },
            { const: 'b', title: 'Pears' },
          ],
        },
        maxItems: 2,
      },
      note: { type: 'string' },
    },
    required: ['name', 'age', 'size', 'sure'],
  },
}

interface Talk {
  readonly asked: readonly Question[]
  readonly answer: JsonObject
}

/** Calls a tool that asks, with these answers; when they run out, nobody is there. */
async function talk(stub: McpConnection, tool: string, input: JsonObject, answers: readonly string[]): Promise<Talk> {
  const asked: Question[] = []
  const left = [...answers]
  await using cx = await testContext({
    ask: async (question) => {
      asked.push(question)
      const answer = left.shift()
      if (answer === undefined) throw new AdjutantError('QUESTION_UNANSWERED', 'nobody is there')
      return answer
    },
  })
  const { parts } = await callTool(stub, tool, input, cx)
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const answer: unknown = JSON.parse(text)
  assert.ok(isJsonObject(answer))
  return { asked, answer }
}

for (const discover of ['refuse', 'answer'] as const) {
  describe(`a server that asks, newer protocol: ${discover === 'answer'}`, () => {
    const connect = (settings: ServerSettings = {}): Promise<McpConnection> =>
      connectMcpServer('stub', { ...stubMcpServer({ more: true, discover }), ...settings }, { clock: systemClock })

    it('gets a form filled in field by field, and the person is told who asks', async () => {
      await using stub = await connect()
      const { asked, answer } = await talk(stub, 'ask', FORM, ['answer', 'Ann', '44', 'medium', 'yes', 'Apples, Pears', ''])
      assert.deepEqual(answer, { action: 'accept', content: { name: 'Ann', age: 44, size: 'm', sure: true, likes: ['a', 'b'] } })
      assert.match(asked[0]?.text ?? '', /MCP server "stub" asks \(ask\): Who are you\?/)
      assert.equal(asked[0]?.fallback, undefined, 'where nobody is, nobody has agreed')
      assert.deepEqual(asked[3]?.choices, ['small', 'medium'])
      assert.equal(asked[3]?.fallback, 'medium')
      assert.match(asked[2]?.text ?? '', /a whole number, at least 0, at most 150/)
    })

    it('is answered with a no when the person says no, or nobody is there', async () => {
      await using stub = await connect()
      assert.deepEqual((await talk(stub, 'ask', FORM, ['decline'])).answer, { action: 'decline' })
      assert.deepEqual((await talk(stub, 'ask', FORM, [])).answer, { action: 'decline' })
      assert.deepEqual((await talk(stub, 'ask', FORM, ['answer', 'Ann'])).answer, { action: 'decline' })
    })

    it('asks again for what does not fit, and gives up', async () => {
      await using stub = await connect()
      const form = { message: 'm', requestedSchema: { type: 'object', properties: NAME, required: ['name'] } }
      const { asked, answer } = await talk(stub, 'ask', form, ['answer', 'A', 'Ann'])
      assert.deepEqual(answer, { action: 'accept', content: { name: 'Ann' } })
      assert.match(asked[2]?.text ?? '', /it has to be at least 2 characters/)
      assert.deepEqual((await talk(stub, 'ask', form, ['answer', '', 'A', 'B'])).answer, { action: 'cancel' })
    })

    it('shows an address and opens nothing', async () => {
      await using stub = await connect()
      const url = { mode: 'url', elicitationId: 'e', message: 'Pay', url: 'https://pay.example/x?y=1' }
      const { asked, answer } = await talk(stub, 'ask', url, ['done'])
      assert.deepEqual(answer, { action: 'accept' })
      assert.match(asked[0]?.text ?? '', /at pay\.example yourself:\nhttps:\/\/pay\.example\/x\?y=1/)
      assert.deepEqual((await talk(stub, 'ask', url, ['decline'])).answer, { action: 'decline' })
    })

    it('wants an address visited before it runs a call: shown, and the model is told what came of it', async () => {
      await using stub = await connect()
      const visit = async (url: string, answer?: string): Promise<AdjutantError> => {
        await using cx = await testContext(answer === undefined ? {} : { ask: async () => answer })
        return callError(stub, 'visit', { url }, cx)
      }
      const done = await visit('https://bank.example/agree', 'done')
      assert.deepEqual([done.outcome, done.grade, done.hint], ['not-run', 'retry', 'Send the same call again.'])
      for (const [url, answer] of [
        ['https://bank.example/agree', undefined],
        ['https://bank.example/agree', 'decline'],
        ['javascript:alert(1)', 'done'],
      ] as const) {
        const refused = await visit(url, answer)
        assert.deepEqual([refused.outcome, refused.grade], ['not-run', 'final'])
      }
    })

    it('is told of the folders of the configuration', async () => {
      await using stub = await connect({ roots: ['/work/some folder'] })
      assert.deepEqual((await talk(stub, 'roots', {}, [])).answer, {
        roots: [{ uri: 'file:///work/some%20folder', name: 'some folder' }],
      })
    })

    it('is lent no model', async () => {
      await using stub = await connect()
      if (discover === 'refuse') {
        const { answer } = await talk(stub, 'sample', {}, [])
        assert.match(String(answer.message), /lends no model to its servers/)
      } else {
        const error = await callError(stub, 'sample')
        assert.deepEqual([error.code, error.outcome], ['MCP_PROTOCOL', 'unknown'])
        assert.match(error.message, /asked for what this client does not offer/)
      }
    })

    it('asks for the call that it asks for, when two run', async () => {
      await using stub = await connect()
      const ask = (who: string): Promise<Talk> => {
        const form = { message: who, requestedSchema: { type: 'object', properties: {} } }
        return talk(stub, 'ask', form, [who === 'yes' ? 'answer' : 'decline'])
      }
      if (discover === 'answer') {
        const [yes, no] = await Promise.all([ask('yes'), ask('no')])
        assert.deepEqual([yes.answer.action, no.answer.action], ['accept', 'decline'])
      } else {
        // Over a pipe the older protocol does not say whose question it is; both calls get an answer.
        const both = await Promise.all([ask('yes'), ask('yes')])
        assert.equal(both.flatMap(({ asked }) => asked).length, 2)
      }
    })
  })
}
