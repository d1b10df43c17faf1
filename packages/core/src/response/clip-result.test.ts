import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { testContext } from '@adjutant/testkit'
import type { ToolCall } from '../contract/call.ts'
import { AdjutantError } from '../contract/errors.ts'
import { callId } from '../contract/ids.ts'
import type { RawOutcome } from '../contract/outcome.ts'
import type { ToolResult } from '../contract/result.ts'
import { type AgentTool, type ToolLimits, ToolOutput } from '../contract/tool.ts'
import { estimateTokens } from '../util/estimate-tokens.ts'
import { buildResult } from './build-result.ts'

const call: ToolCall = { id: callId('call_1'), index: 0, name: 'look', arguments: { ok: true, value: {} }, idFromProvider: true }
const tool: AgentTool = {
  name: 'look',
  description: 'Looks.',
  inputSchema: {},
  origin: { kind: 'function', from: 'test' },
  tier: 'core',
  lifetime: 'session',
  effect: 'read',
  execute: () => Promise.resolve(),
}
const steps = Array.from({ length: 10_000 }, (_, index) => `step ${index}`)

async function result(outcome: RawOutcome, limits: ToolLimits = {}): Promise<ToolResult & { readonly whole: string }> {
  await using cx = await testContext()
  const built = await buildResult({ call, tool: { ...tool, limits }, outcome }, { namespace: cx.namespace, resultChars: 4_000 })
  return { ...built, whole: built.spill === undefined ? '' : await readFile(built.spill.path, 'utf8') }
}
const of = (output: unknown, limits?: ToolLimits) => result({ status: 'succeeded', output }, limits)

describe('the limits of a result', () => {
  it('give what the tool asks to keep', async () => {
    const text = steps.join('\n')
    assert.match(
      (await of(text, { clip: 'tail' })).text,
      /^\[… .*read_result \{"id":"spill_[\w-]+\.[\w-]{22}"\} shows it …\]\n.*step 9999$/s,
    )
    assert.match((await of(text, { clip: 'head' })).text, /^step 0\n.*…\]$/s)
    const csv = `id,name,city\n${'1,a,b\n'.repeat(3_000)}`
    assert.match((await of(csv)).text, /^id,name,city\n1,a,b\n.*\[… \d+ rows/s)
  })

  it('give a value as JSON that says that it is shortened, and keep all of it', async () => {
    const value = { rows: Array.from({ length: 5_000 }, (_, id) => ({ id, name: `n${id}` })), total: 5_000 }
    const { text, whole } = await of(value)
    const shown: unknown = JSON.parse(text)
    assert.ok(typeof shown === 'object' && shown !== null)
    assert.deepEqual(Object.keys(shown), ['… shortened', 'rows', 'total'])
    assert.match(text, /read_result \{\\"id\\":\\"spill_[\w-]+\.[\w-]{22}\\"\} shows it/)
    assert.deepEqual(JSON.parse(whole), value)
  })

  it('count tokens as well where they are told', async () => {
    for (const output of ['日本'.repeat(1_500), steps.join('\n'), { rows: steps }]) {
      const { text, spill } = await of(output, { maxResultTokens: 200 })
      assert.ok(estimateTokens(text) <= 200 && estimateTokens(text) > 100, text)
      assert.ok(spill !== undefined)
    }
    const error = new AdjutantError('TOOL_FAILED', '日'.repeat(2_000), { hint: 'Try less.' })
    for (const maxResultTokens of [5, 60, 300]) {
      const { text } = await result({ status: 'failed', error }, { maxResultTokens })
      assert.ok(estimateTokens(text) <= maxResultTokens, text)
    }
  })

  it('keep the error of a failed call from the middle of its output, and its hint', async () => {
    const text = steps.toSpliced(5_000, 0, 'cannot reach the database').join('\n')
    const said = await of(new ToolOutput([{ type: 'text', text }], { isError: true }))
    assert.match(said.text, /^TOOL_FAILED: step 0\n.*\ncannot reach the database\n.*step 9999\n/s)
    assert.ok(said.text.endsWith(said.hint ?? '-') && said.text.length <= 4_000)
    const thrown = await result({ status: 'failed', error: new AdjutantError('TOOL_FAILED', text, { hint: 'Look again.' }) })
    assert.match(thrown.text, /\ncannot reach the database\n.*step 9999\nLook again\.$/s)
  })
})
