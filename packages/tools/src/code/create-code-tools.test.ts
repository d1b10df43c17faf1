import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  Admission,
  callId,
  isJsonObject,
  type JsonObject,
  LOCAL_PRINCIPAL,
  Registry,
  Session,
  type ToolResult,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAiChatTools,
  toOpenAiResponsesTools,
  toolDefinitionOf,
} from '@adjutant/core'
import type { ToolCall } from '@adjutant/core/contract'
import { scriptedApprover, testContext } from '@adjutant/testkit'
import { CodeBench, skip } from '../../test/code-tools.ts'
import type { CodeToolsOptions } from './create-code-tools.ts'

const NAMES = ['background_jobs', 'bash', 'javascript', 'python', 'run_skill_script']

let bench: CodeBench
before(async () => {
  bench = await CodeBench.open()
})
after(() => bench.close())

function registryOf(options: Partial<CodeToolsOptions> = {}): Registry {
  const registry = new Registry()
  assert.deepEqual(registry.add(bench.make({ skills: () => [], ...options }).tools, 'built-in'), [])
  return registry
}

function toolCall(index: number, name: string, value: JsonObject): ToolCall {
  return { id: callId(`call_${index}`), index, name, arguments: { ok: true, value }, idFromProvider: true }
}

describe('the code tools', () => {
  it('are taken by the registry and written for every provider', () => {
    const snapshot = registryOf().snapshot()
    assert.deepEqual([...snapshot.names()].toSorted(), NAMES)
    const definitions = snapshot.tools().map(toolDefinitionOf)
    for (const write of [toOpenAiChatTools, toOpenAiResponsesTools, toAnthropicTools, toGeminiTools, toMcpTools]) {
      const said = JSON.stringify(write(definitions))
      for (const name of NAMES) assert.ok(said.includes(name), `${write.name} ${name}`)
    }
  })

  it('say what they are for and what not, and their own examples are admitted', () => {
    const snapshot = registryOf().snapshot()
    const admission = new Admission({ mode: 'allow', principal: LOCAL_PRINCIPAL })
    for (const tool of snapshot.tools()) {
      assert.match(tool.description, /Use for: .*Not for: /, tool.name)
      assert.ok(isJsonObject(tool.inputSchema) && Array.isArray(tool.inputSchema.examples), tool.name)
      for (const [index, value] of tool.inputSchema.examples.entries()) {
        assert.ok(isJsonObject(value))
        assert.equal(admission.admit(toolCall(index, tool.name, value), snapshot).type, 'admitted', tool.name)
      }
    }
  })

  it('say what surrounds their code, and what it may do there', () => {
    const reaching = registryOf({ network: { allow: ['example.com'] } }).snapshot()
    const python = reaching.tools().find(({ name }) => name === 'python')
    assert.match(python?.description ?? '', /Of the network only example\.com can be reached/)
    assert.deepEqual([python?.effect, python?.untrusted], ['dangerous', true])
    const alone = registryOf({ network: { allow: [] } })
      .snapshot()
      .tools()
      .find(({ name }) => name === 'python')
    assert.match(alone?.description ?? '', /There is no network/)
    assert.deepEqual([alone?.effect, alone?.untrusted], ['write', false])
  })
})

describe('a whole session', { skip }, () => {
  async function run(calls: readonly (readonly [name: string, input: JsonObject])[]): Promise<readonly ToolResult[]> {
    await using cx = await testContext()
    const code = bench.make()
    const registry = new Registry()
    registry.add(code.tools, 'built-in')
    await using session = new Session({
      tools: registry.snapshot(),
      namespaceRoot: await cx.namespace.directory(),
      mode: 'allow',
      approver: scriptedApprover(() => assert.fail('nobody is to be asked')),
      asker: { ask: () => Promise.reject(new Error('nobody is there')) },
    })
    try {
      return await session.execute(calls.map(([name, input], index) => toolCall(index, name, input)))
    } finally {
      await code.close()
    }
  }

  it('carries code out in order, with files between the languages and hints for what failed', async () => {
    const results = await run([
      ['bash', { command: 'printf "a,1\\nb,2\\n" > table.csv' }],
      ['python', { code: 'import csv; print(sum(int(row[1]) for row in csv.reader(open("table.csv"))))' }],
      ['bash', { command: 'nosuchprogram --version' }],
      ['javascript', { code: 'console.log(1 + 1)' }],
      ['bash', { command: 'sleep 1000', timeout_ms: '200' }],
    ])
    assert.deepEqual(
      results.map(({ outcome, isError }) => [outcome, isError]),
      [
        ['ok', false],
        ['ok', false],
        ['failed', true],
        ['ok', false],
        ['failed', true],
      ],
    )
    const [made, summed, missing, counted, late] = results
    assert.match(made?.text ?? '', /\[files: table\.csv \(text, 8 bytes\)\]/)
    assert.equal(summed?.text, '3')
    assert.equal(missing?.failure?.code, 'COMMAND_NOT_FOUND')
    assert.match(missing?.text ?? '', /\[exit code 127\]/)
    assert.equal(counted?.text, '2')
    assert.match(late?.text ?? '', /ended after 200 ms/)
  })

  it('clips what is long and keeps all of it', async () => {
    const [long] = await run([['bash', { command: 'seq 1 100000' }]])
    assert.ok((long?.text.length ?? 0) < 20_000)
    assert.ok((long?.spill?.lines ?? 0) >= 100_000)
  })
})
