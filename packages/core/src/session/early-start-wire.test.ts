import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { countingIds, STUB_WIRES, scriptedApprover, scriptedAsker, startStubProvider } from '@adjutant/testkit'
import type { AgentTool } from '../contract/index.ts'
import { anthropicModel } from '../models/anthropic.ts'
import { geminiModel } from '../models/gemini.ts'
import { openAiModel } from '../models/openai.ts'
import { openAiResponsesModel } from '../models/openai-responses.ts'
import { Registry } from '../registry/registry.ts'
import { runAgent } from './agent.ts'
import { Session } from './session.ts'

const MAKERS = {
  'openai-chat': openAiModel,
  'openai-responses': openAiResponsesModel,
  anthropic: anthropicModel,
  gemini: geminiModel,
} as const
const LIMIT = { timeout: 20_000 }
const COST = { calls: 1, inputTokens: 1, outputTokens: 1 }

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

async function open(look: AgentTool): Promise<Session> {
  const namespaceRoot = await mkdtemp(join(tmpdir(), 'early-wire-'))
  folders.push(namespaceRoot)
  const registry = new Registry()
  registry.add([look], 'test')
  return new Session({
    tools: registry.snapshot(),
    namespaceRoot,
    mode: 'ask',
    approver: scriptedApprover(() => ({ type: 'deny' })),
    asker: scriptedAsker(),
    ids: countingIds(),
  })
}

function lookTool(execute: (at: unknown) => void): AgentTool {
  return {
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
    origin: { kind: 'function', from: 'test' },
    tier: 'core',
    lifetime: 'session',
    effect: 'read',
    execute: async (input) => {
      execute(input.at)
      return `saw ${input.at}`
    },
  }
}

for (const dialect of ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const) {
  const wire = STUB_WIRES[dialect]
  const say = (said: string): string => wire.begin + wire.text(said) + wire.end({ ...COST, calls: 0 })

  describe(`over the wire of ${dialect}`, LIMIT, () => {
    it('a read has finished before the provider sent its last byte', async () => {
      let finished = (): void => {}
      // The provider holds the rest of its answer back until the read is done: an executor that waited for the rest would wait for ever.
      const done = new Promise<void>((resolve) => {
        finished = resolve
      })
      await using provider = await startStubProvider([
        {
          chunks: [
            wire.begin,
            wire.call(0, 'call_a', 'look', { at: 'first' }),
            // The next call begins: now the first is certainly whole on every wire.
            wire.call(1, 'call_b', 'look', { at: 'second' }),
            done.then(() => wire.end({ ...COST, calls: 2 })),
          ],
        },
        { chunks: [say('done')] },
      ])
      await using session = await open(lookTool(() => finished()))
      const model = MAKERS[dialect]({ name: 'm', baseUrl: provider.url, apiKey: 'k', ids: countingIds() })
      const answer = await runAgent({ session, model, task: 'look' })
      assert.equal(answer.text, 'done')
      const results = answer.messages[2]
      assert.ok(results?.role === 'tool')
      assert.deepEqual(
        results.results.map((result) => result.text),
        ['saw first', 'saw second'],
      )
    })

    it('a read of an answer that was cut runs once, when the answer is asked for again', async () => {
      const looked: unknown[] = []
      let started = (): void => {}
      const running = new Promise<void>((resolve) => {
        started = resolve
      })
      const calls = [wire.call(0, 'call_a', 'look', { at: 'it' }), wire.call(1, 'call_b', 'look', { at: 'more' })]
      await using provider = await startStubProvider([
        { chunks: [wire.begin, ...calls, running.then(() => wire.overloaded('Overloaded'))], ending: 'cut' },
        { chunks: [wire.begin, ...calls, wire.end({ ...COST, calls: 2 })] },
        { chunks: [say('done')] },
      ])
      await using session = await open(
        lookTool((at) => {
          looked.push(at)
          started()
        }),
      )
      const model = MAKERS[dialect]({ name: 'm', baseUrl: provider.url, apiKey: 'k', ids: countingIds() })
      const answer = await runAgent({ session, model, task: 'look' })
      assert.equal(answer.text, 'done')
      assert.deepEqual(looked.toSorted(), ['it', 'more'])
    })
  })
}
