import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { AdjutantError, type AgentTool, type ApprovalRequest, approvalId, callId, sessionId } from '@adjutant/core'
import { openPlainUi } from './plain-ui.ts'
import { themeFor } from './theme.ts'
import type { Ui } from './ui.ts'

const tool: AgentTool = {
  name: 'write_file',
  description: 'd',
  inputSchema: true,
  origin: { kind: 'built-in', from: '' },
  tier: 'core',
  lifetime: 'session',
  effect: 'write',
  execute: async () => '',
}
const input = { path: 'a.txt', content: 'x\u001b[2J' }
const call = { id: callId('c'), index: 0, name: 'write_file', arguments: { ok: true, value: input } as const, idFromProvider: true }
const request: ApprovalRequest = {
  id: approvalId('p'),
  sessionId: sessionId('s'),
  call: { call, tool, input, conversions: [], effect: 'write' },
  reason: 'r',
}
const going = { signal: new AbortController().signal }

function open(): { ui: Ui; stdin: PassThrough; output: PassThrough; said(): string; asked(): Promise<void> } {
  const stdin = new PassThrough()
  const output = new PassThrough()
  let text = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const ui = openPlainUi({ stdin, output, theme: themeFor({ colour: false, unicode: true }), workspace: '/nowhere', env: {}, quiet: false })
  return {
    ui,
    stdin,
    output,
    said: () => text,
    /** A question stands at the end of what was written. */
    async asked() {
      while (!/(\) |> |\] )$/.test(text)) await once(output, 'data')
    },
  }
}

describe('questions in lines', () => {
  it('take each answer, and ask again for what is none', async () => {
    const { ui, stdin, output, said, asked } = open()
    const answers: readonly (readonly [string, object])[] = [
      ['\n', { type: 'approve', scope: 'once' }],
      ['Y\n', { type: 'approve', scope: 'once' }],
      ['t\n', { type: 'approve', scope: 'tool' }],
      ['c\n', { type: 'approve', scope: 'call' }],
      ['what\ny\n', { type: 'approve', scope: 'once' }],
      ['n\n\n', { type: 'deny', by: 'person' }],
      ['n\nnot that file\n', { type: 'deny', by: 'person', reason: 'not that file' }],
      ['e\n{"path":"b.txt"}\n', { type: 'edit', input: { path: 'b.txt' } }],
      ['e\n[1]\nv\ny\n', { type: 'approve', scope: 'once' }],
      ['e\n\ny\n', { type: 'approve', scope: 'once' }],
      ['y\n', { type: 'approve', scope: 'once' }],
      ['y\n', { type: 'approve', scope: 'once' }],
    ]
    for (const [typed, decision] of answers) {
      const decided = ui.approver.decide(request, going)
      // A person answers what is asked; one line at a time, each after its question.
      for (const line of typed.split(/(?<=\n)/)) {
        await asked()
        output.write('\n')
        stdin.write(line)
      }
      assert.deepEqual(await decided, decision, typed)
    }
    assert.match(said(), /Please answer y, c, t, e, n or v\./)
    assert.match(said(), /must be one JSON object/)
    assert.match(said(), /\+ x\\x1b\[2J/)
    assert.doesNotMatch(said(), /\u001b/)
    await ui.close()
  })

  it('are not answered by what was typed before they were asked', async () => {
    const { ui, stdin, output, asked } = open()
    stdin.write('y\ny\n')
    await new Promise((resolve) => setImmediate(resolve))
    const decided = ui.approver.decide(request, going)
    await asked()
    output.write('\n')
    stdin.write('n\ny\n')
    await asked()
    output.write('\n')
    stdin.write('not now\n')
    assert.deepEqual(await decided, { type: 'deny', by: 'person', reason: 'not now' })
    await ui.close()
  })

  it('are denied when the input ends, and every one after that', async () => {
    const { ui, stdin } = open()
    const decided = ui.approver.decide(request, going)
    stdin.end()
    const denied = { type: 'deny', by: 'policy', reason: 'the input ended before the question was answered' }
    assert.deepEqual(await decided, denied)
    assert.deepEqual(await ui.approver.decide(request, going), denied)
    await assert.rejects(
      ui.asker.ask({ text: 'Who?' }, going),
      (error) => AdjutantError.isInstance(error) && error.code === 'QUESTION_UNANSWERED',
    )
    assert.equal(await ui.asker.ask({ text: 'Who?', fallback: 'me' }, going), 'me')
    await ui.close()
  })

  it('keep other lines off the screen until they are answered, and end with the run', async () => {
    const { ui, stdin, output, said, asked } = open()
    const answer = ui.asker.ask({ text: 'Which?', choices: ['a', 'b'] }, going)
    await asked()
    ui.note('something else happened')
    assert.doesNotMatch(said(), /something else/)
    output.write('\n')
    stdin.write('7\n')
    await asked()
    stdin.write('2\n')
    assert.equal(await answer, 'b')
    while (!said().includes('something else')) await once(output, 'data')
    assert.match(said(), /from 1 to 2[\s\S]*something else happened/)
    const stop = new AbortController()
    const stopped = ui.approver.decide(request, { signal: stop.signal })
    stop.abort()
    await assert.rejects(stopped, { name: 'AbortError' })
    await ui.close()
  })
})
