/** Turns as models make them, through wires, rooms and guards together: all calls run, in the right order, and real loops end. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countingIds, ManualClock, STUB_WIRES, startStubProvider } from '@adjutant/testkit'
import fc from 'fast-check'
import { openSession, sessionTool, textsIn } from '../../test/session-bench.ts'
import { DIALECTS } from '../contract/decode.ts'
import { type AgentTool, type Message, ToolOutput } from '../contract/index.ts'
import { anthropicModel } from '../models/anthropic.ts'
import { checkHistory } from '../models/check-history.ts'
import { geminiModel } from '../models/gemini.ts'
import { openAiModel } from '../models/openai.ts'
import { openAiResponsesModel } from '../models/openai-responses.ts'
import { DEFAULT_RESULT_CHARS } from '../response/clip.ts'
import { toToolMessages } from '../response/envelope.ts'
import { readSpill } from '../response/spill-read.ts'
import { runAgent } from './agent.ts'

const MAKERS = { 'openai-chat': openAiModel, 'openai-responses': openAiResponsesModel, anthropic: anthropicModel, gemini: geminiModel }
const COST = { inputTokens: 1, outputTokens: 1 }

describe('a turn of several calls', () => {
  for (const dialect of ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const) {
    it(`over the wire of ${dialect} runs each of them once, and each has its result in the next request`, { timeout: 60_000 }, async () => {
      const wire = STUB_WIRES[dialect]
      const kinds = fc.array(fc.constantFrom('read', 'write', 'none', 'throws'), { minLength: 1, maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(kinds, async (turn) => {
          const ran: string[] = []
          const note = async (input: { readonly [name: string]: unknown }): Promise<string> => {
            ran.push(String(input.n))
            return `did ${String(input.n)}`
          }
          const tools = [
            sessionTool('read', { execute: note }),
            sessionTool('write', { effect: 'write', execute: note }),
            sessionTool('throws', {
              execute: async (input) => {
                await note(input)
                throw new Error('broken')
              },
            }),
          ]
          const calls = turn.map((name, index) => wire.call(index, `call_${index}`, name, { n: index }))
          await using provider = await startStubProvider([
            { chunks: [wire.begin, ...calls, wire.end({ calls: turn.length, ...COST })] },
            { chunks: [wire.begin, wire.text('Done.'), wire.end({ calls: 0, ...COST })] },
          ])
          await using bench = openSession(tools)
          const model = MAKERS[dialect]({ name: 'm', baseUrl: provider.url, apiKey: 'k', ids: countingIds(), clock: new ManualClock() })
          const answer = await runAgent({ session: bench.session, model, task: 'go' })
          checkHistory(answer.messages)
          const wanted = [...turn.entries()].filter(([, name]) => name !== 'none').map(([index]) => String(index))
          assert.deepEqual(ran.toSorted(), wanted)
          if (turn.includes('write')) assert.deepEqual(ran, wanted)
          const results = answer.messages.flatMap((message: Message) => (message.role === 'tool' ? message.results : []))
          assert.deepEqual(
            results.map(({ name, outcome }) => [name, outcome]),
            turn.map((name) => [name, name === 'none' ? 'not-run' : name === 'throws' ? 'failed' : 'ok']),
          )
          const sent = textsIn(JSON.parse((await provider.request(1)).text)).join('\n')
          for (const index of turn.keys()) if (turn[index] === 'read' || turn[index] === 'write') assert.ok(sent.includes(`did ${index}`))
        }),
        { numRuns: 12 },
      )
    })
  }

  it('orders what touches the same where tools say what they touch, and keeps writes alone', async () => {
    const log: string[] = []
    const act = (name: string, mode: 'read' | 'write'): AgentTool =>
      sessionTool(name, {
        effect: mode,
        resources: (input) => [{ key: `file:/${String(input.file)}`, mode }],
        execute: async (input) => {
          const what = `${name} ${String(input.file)}${String(input.n ?? '')}`
          log.push(`+${what}`)
          for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
          log.push(`-${what}`)
          return what
        },
      })
    const shell = sessionTool('shell', { effect: 'write', execute: async () => log.push('shell') })
    await using bench = openSession([act('edit', 'write'), act('look', 'read'), shell], { strategy: 'resources' })
    const results = await bench.run(
      ['edit', { file: 'a', n: 1 }],
      ['edit', { file: 'a', n: 2 }],
      ['look', { file: 'a' }],
      ['look', { file: 'b' }],
      ['shell'],
    )
    assert.deepEqual(
      results.map(({ name, text }) => (name === 'shell' ? name : text)),
      ['edit a1', 'edit a2', 'look a', 'look b', 'shell'],
    )
    const at = (what: string): number => log.indexOf(what)
    assert.ok(at('-edit a1') < at('+edit a2') && at('-edit a2') < at('+look a'), log.join())
    assert.equal(log.at(-1), 'shell')
    // Nothing overlaps a write.
    for (const write of ['edit a1', 'edit a2']) assert.equal(at(`-${write}`), at(`+${write}`) + 1, log.join())
  })
})

describe('an answer in several parts, each one endless line', () => {
  it('is bounded as one and can be read back whole', async () => {
    const parts = ['a', 'b', 'c'].map((letter) => JSON.stringify({ rows: Array.from({ length: 10_000 }, (_, row) => `${letter}${row}`) }))
    const give = sessionTool('give', {
      untrusted: true,
      execute: async () => new ToolOutput(parts.map((text) => ({ type: 'text', text }))),
    })
    await using bench = openSession([give])
    const [result] = await bench.run(['give'])
    assert.ok(result?.spill !== undefined && result.text.length <= DEFAULT_RESULT_CHARS)
    for (const dialect of DIALECTS) {
      const longest = Math.max(...textsIn(toToolMessages(dialect, [result])).map((text) => text.length))
      assert.ok(longest < DEFAULT_RESULT_CHARS + 1_000, `${dialect}: ${longest}`)
    }
    for (const needle of ['"a0"', '"b5000"', '"c9999"']) {
      const page = await readSpill(bench.session.namespace, result.spill.id, { search: needle, maxChars: 6_000, limit: 5 })
      assert.ok(page.kind === 'hits' && page.hits.length === 1, needle)
    }
  })
})

describe('a model that goes round in circles', () => {
  /** How many of these calls ran, and what the session says at the end; each is an answer of its own. */
  async function ranOf(tools: readonly AgentTool[], name: string, input: (at: number) => { n?: number; query?: string }, times: number) {
    await using bench = openSession(tools, { catalog: { disclosure: 'on' } })
    const codes: (string | undefined)[] = []
    for (let at = 0; at < times; at++) codes.push((await bench.run([name, { ...input(at) }]))[0]?.code)
    return {
      ran: codes.filter((code) => code === undefined).length,
      first: codes.findIndex((code) => code !== undefined),
      codes,
      stopped: bench.session.stopped,
    }
  }

  it('is stopped at its meta-tools too: of 1 523 equal searches that succeed four run', async () => {
    const found = sessionTool('found', { tier: 'extended' })
    const { ran, codes, stopped } = await ranOf([found], 'search_tools', () => ({ query: 'found' }), 1_523)
    assert.deepEqual([ran, codes[4], codes[5], codes[1_522]], [4, 'LOOP_DETECTED', 'LOOP_ABORTED', 'LOOP_ABORTED'])
    assert.ok(stopped !== undefined)
  })

  it('is not seen in equal calls of one answer, in many files, nor in polling', async () => {
    let polled = 0
    const tools = [
      sessionTool('same'),
      sessionTool('file', { execute: async (input) => `text of ${String(input.n)}` }),
      sessionTool('poll', { execute: async () => `${++polled} %` }),
    ]
    await using bench = openSession(tools)
    const five = await bench.run(...Array.from({ length: 5 }, () => ['same', { n: 1 }] as const))
    assert.ok(five.every(({ outcome }) => outcome === 'ok'))
    assert.equal((await ranOf(tools, 'file', (n) => ({ n }), 200)).ran, 200)
    assert.equal((await ranOf(tools, 'poll', () => ({}), 200)).ran, 200)
  })

  it('ends the run with a reason of its own, and its history stays whole', async () => {
    let ran = 0
    const again = sessionTool('again', { execute: async () => `the same ${ran++ < 0}` })
    await using bench = openSession([again])
    const wire = STUB_WIRES['openai-chat']
    const rounds = Array.from({ length: 12 }, (_, round) => ({
      chunks: [wire.begin, wire.call(0, `call_${round}`, 'again', { n: 1 }), wire.end({ calls: 1, ...COST })],
    }))
    await using provider = await startStubProvider(rounds)
    const model = openAiModel({ name: 'm', baseUrl: provider.url, apiKey: 'k', ids: countingIds(), clock: new ManualClock() })
    const answer = await runAgent({ session: bench.session, model, task: 'go', maxRounds: 11 })
    assert.deepEqual([answer.reason, ran], ['loop', 4])
    checkHistory(answer.messages)
  })
})
