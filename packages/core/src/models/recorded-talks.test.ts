/**
 * Real answers of providers, served over HTTP: what an adapter makes of each goes back in the next request, and that request must be one
 * that the provider takes. Needs ADJUTANT_MATERIAL.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { countingIds, ManualClock, startStubProvider } from '@adjutant/testkit'
import { resultFor } from '../../test/histories.ts'
import type { ToolCall } from '../contract/call.ts'
import type { DecodeEvent } from '../contract/decode.ts'
import { AdjutantError } from '../contract/errors.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/messages.ts'
import type { Model } from '../contract/ports.ts'
import type { RecordingDialect } from './recording.ts'
import { faultInRequest } from './replay-check.ts'
import { REPLAY_WIRES } from './replay-wire.ts'

const material = process.env.ADJUTANT_MATERIAL
const MODEL = 'gemini-3-pro'

interface Recorded {
  readonly file: string
  readonly wire: RecordingDialect
}

function recorded(): readonly Recorded[] {
  return ['index.jsonl', 'index-vercel-ai.jsonl'].flatMap((index) =>
    readFileSync(join(material ?? '', 'streams', index), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line): readonly Recorded[] => {
        const entry: unknown = JSON.parse(line)
        if (!isJsonObject(entry)) return []
        const { file, wire } = entry
        const known = (['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const).find((one) => one === wire)
        return typeof file === 'string' && known !== undefined ? [{ file, wire: known }] : []
      }),
  )
}

/** A stream as it went over the wire: kept so, or as one JSON value in each line. */
function bytesOf(file: string): string {
  const text = readFileSync(join(material ?? '', 'streams', file), 'utf8')
  if (!file.endsWith('.chunks.txt')) return text
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `data: ${line}\n\n`)
    .join('')
}

async function take(model: Model, messages: readonly Message[]): Promise<readonly DecodeEvent[] | AdjutantError> {
  const events: DecodeEvent[] = []
  const tools = [{ name: 'weather', description: 'Weather.', inputSchema: { type: 'object', properties: {} } }]
  try {
    for await (const event of model.stream({ messages, tools }, new AbortController())) events.push(event)
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error), String(error))
    return error
  }
  return events
}

function answerOf(events: readonly DecodeEvent[]): readonly Message[] {
  const calls = events
    .flatMap((event): readonly ToolCall[] => (event.type === 'call' ? [event.call] : []))
    .toSorted((a, b) => a.index - b.index)
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
  const providerBlocks = events.flatMap((event): readonly JsonObject[] => (event.type === 'provider-block' ? [event.block] : []))
  const said: Message = { role: 'assistant', text, calls, providerBlocks }
  return calls.length === 0 ? [said] : [said, { role: 'tool', results: calls.map((call) => resultFor(call)) }]
}

describe('recorded answers', { skip: material === undefined ? 'ADJUTANT_MATERIAL is not set' : false, timeout: 120_000 }, () => {
  for (const wire of ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const) {
    it(`of ${wire} go back in a request that the provider takes`, async () => {
      const files = recorded().filter((entry) => entry.wire === wire)
      assert.ok(files.length > 10, `only ${files.length} recordings`)
      let calls = 0
      let failures = 0
      let signed = 0
      for (const { file } of files) {
        await using provider = await startStubProvider([{ chunks: [bytesOf(file)] }, { status: 400, body: '{}' }])
        const { make, base } = REPLAY_WIRES[wire]
        const model = make({
          name: MODEL,
          baseUrl: provider.url + base,
          apiKey: 'k',
          ids: countingIds(),
          clock: new ManualClock(),
          retries: 0,
        })
        const first = await take(model, [{ role: 'user', text: 'go' }])
        // Recordings of failures are failures here too.
        if (first instanceof Error) {
          assert.ok(['MODEL_FAILED', 'MODEL_UNAVAILABLE', 'STREAM_BROKEN'].includes(first.code), `${file}: ${first.message}`)
          failures += 1
          continue
        }
        const answer = answerOf(first)
        calls += answer.length - 1
        if (answer[0]?.role === 'assistant' && (answer[0].providerBlocks?.length ?? 0) > 0) signed += 1
        await take(model, [{ role: 'user', text: 'go' }, ...answer, { role: 'user', text: 'and now?' }])
        const sent: unknown = JSON.parse((await provider.request(1)).text)
        assert.ok(isJsonObject(sent))
        assert.equal(faultInRequest(wire, sent, MODEL), undefined, file)
      }
      assert.ok(calls > 5, `only ${calls} answers with calls`)
      assert.ok(signed > 3, `only ${signed} answers with something that goes back`)
      assert.ok(failures < files.length / 5, `${failures} of ${files.length} failed`)
    })
  }
})
