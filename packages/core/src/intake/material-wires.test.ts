import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { decodeEveryWay, seededRandom } from '../../test/intake/cuttings.ts'
import { argumentValue, type Decoded, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'
import { valuesOf } from '../../test/intake/truth.ts'
import { type WireTruth, wireTruth } from '../../test/intake/truth-wires.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stdout.write('ADJUTANT_MATERIAL is not set: recordings of the other providers were not decoded\n')

const WIRES = ['openai-responses', 'gemini', 'gemini-interactions', 'bedrock', 'ollama', 'cohere'] as const
type Wire = (typeof WIRES)[number]

/** Recordings that do not end as their provider would end them, with what is right about them instead of a clean end. */
const UNCLEAN: ReadonlyMap<string, string> = new Map([
  [
    'inline/vercel__ai/src-responses-huggingface-responses-language-model--649.sse',
    'holds the words "invalid json}" as an event, and no end',
  ],
  ['inline/langchain-ai__langchainjs/chat_models-tests-chat_models_stream_events--85.jsonl', 'no finish reason: said to be cut off'],
  ['inline/openai__openai-node/tests-lib-ResponseAccumulator--184.jsonl', 'loose events of a unit test, no end: said to be cut off'],
  ['inline/envoyproxy__ai-gateway/internal-translator-openai_gcpvertexai--1231.sse', 'no finish reason: said to be cut off'],
  ['inline/envoyproxy__ai-gateway/internal-translator-openai_gcpvertexai--1253.sse', 'no finish reason: said to be cut off'],
  [
    'inline/envoyproxy__ai-gateway/internal-translator-openai_gcpvertexai--2145.sse',
    'holds the words "invalid-json" as an event, and no end',
  ],
  ['inline/vercel__ai/src-interactions-google-interactions-language-model--2002.sse', 'the stream of a test that reconnects: cut off'],
  [
    'vercel-ai/openai/responses/parallel-tool-call-wrapper.1.chunks.txt',
    'its first and its last line are cut off; the call between is whole',
  ],
])

function streams(root: string): string {
  return join(root, 'streams')
}

function lines(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
}

interface Recording {
  readonly file: string
  readonly wire: Wire
  readonly features: readonly string[]
}

function isWire(wire: string): wire is Wire {
  return WIRES.some((known) => known === wire)
}

function recordings(root: string): readonly Recording[] {
  return ['index.jsonl', 'index-inline.jsonl', 'index-vercel-ai.jsonl']
    .flatMap((name) => lines(join(streams(root), name)).map((line): Recording => JSON.parse(line)))
    .filter((recording) => isWire(recording.wire))
}

function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
}

/** The wire of a whole answer. */
function wireOfBody(value: Record<string, unknown>): Wire | undefined {
  if (value.object === 'response') return 'openai-responses'
  if (Array.isArray(value.candidates)) return 'gemini'
  if (value.object === 'interaction') return 'gemini-interactions'
  if (typeof value.finish_reason === 'string') return 'cohere'
  return typeof value.output === 'object' && 'stopReason' in value ? 'bedrock' : undefined
}

function assertTrue(decoded: Decoded, truth: WireTruth): void {
  assert.deepEqual(namesAndValues(decoded.calls), truth.calls)
  assert.equal(decoded.text, truth.text)
  // Between the paragraphs of a summary there is an empty line that nobody sent.
  assert.equal(decoded.reasoning.replaceAll('\n', ''), truth.reasoning.replaceAll('\n', ''))
  const ids = decoded.calls.map((call) => call.id)
  assert.equal(new Set(ids).size, ids.length, 'every id once')
  assert.deepEqual(
    decoded.calls.map((call) => call.index),
    ids.map((_, index) => index),
  )
}

/** A cut recording gives a beginning of what the whole one gives. */
function assertCutsHold(bytes: Uint8Array, wire: Wire, truth: WireTruth): void {
  for (const part of [0.1, 0.35, 0.6, 0.85]) {
    const cut = decodeAll(bytes.subarray(0, Math.floor(bytes.length * part)), wire)
    for (const [place, call] of cut.calls.entries()) {
      if (call.arguments.ok) assert.deepEqual([call.name, argumentValue(call.arguments)], truth.calls[place])
    }
    assert.ok(truth.text.startsWith(cut.text))
  }
}

const random = seededRandom(20_261_130)

describe('recorded streams of the other providers', { skip: material === undefined }, () => {
  const root = material ?? ''

  it('give the true calls, text and reasoning in every cutting, and hold when they are cut off', () => {
    const counts = new Map<string, { streams: number; calls: number }>()
    for (const { file, wire, features } of recordings(root)) {
      const bytes = readFileSync(join(streams(root), file))
      const truth = wireTruth(wire, valuesOf(bytes.toString('utf8')))
      try {
        const decoded = decodeEveryWay(bytes, wire, { random })
        assertTrue(decoded, truth)
        assertCutsHold(bytes, wire, truth)
        const failed = features.includes('error-in-stream')
        assert.equal(decoded.problems.length > 0, failed || UNCLEAN.has(file), JSON.stringify(decoded.problems))
        assert.equal(decoded.end.finish === 'error', failed)
        if (!failed && !UNCLEAN.has(file)) assert.equal(decoded.end.finish === 'tool-calls', truth.calls.length > 0)
        const count = counts.get(wire) ?? { streams: 0, calls: 0 }
        counts.set(wire, { streams: count.streams + 1, calls: count.calls + decoded.calls.length })
      } catch (error) {
        throw new Error(file, { cause: error })
      }
    }
    for (const [wire, count] of counts) process.stdout.write(`decoded ${count.streams} streams of ${wire} with ${count.calls} calls\n`)
    assert.ok((counts.get('openai-responses')?.streams ?? 0) >= 60)
    assert.ok((counts.get('gemini')?.streams ?? 0) >= 40)
    assert.ok((counts.get('bedrock')?.streams ?? 0) >= 7)
    assert.ok((counts.get('gemini-interactions')?.streams ?? 0) >= 9)
    assert.ok((counts.get('cohere')?.streams ?? 0) >= 6)
  })

  it('are read as server-sent events, as JSON lines and as one array alike', () => {
    for (const { file, wire } of recordings(root)) {
      const values = valuesOf(readFileSync(join(streams(root), file), 'utf8')).map((value) => JSON.stringify(value))
      const asLines = decodeAll(values.join('\n')).events
      assert.deepEqual(decodeAll(values.map((value) => `data: ${value}\n\n`).join('')).events, asLines, file)
      assert.deepEqual(decodeAll(`[${values.join('\n,\r\n')}]`, 'auto', 'each').events, asLines, file)
      assert.deepEqual(decodeAll(`[${values.join(',')}]`, wire).events, asLines, file)
    }
  })

  it('kept by a command line agent give the true calls and text', () => {
    const files = filesBelow(join(streams(root), 'gemini-cli-responses'), '.responses')
    let read = 0
    let calls = 0
    for (const file of files) {
      for (const line of lines(file)) {
        const { method, response } = JSON.parse(line)
        if (method === 'countTokens') continue
        const values: readonly unknown[] = Array.isArray(response) ? response : [response]
        const text = values.map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`).join('')
        try {
          const decoded = decodeEveryWay(new TextEncoder().encode(text), 'gemini', { random })
          assertTrue(decoded, wireTruth('gemini', values))
          read += 1
          calls += decoded.calls.length
        } catch (error) {
          throw new Error(relative(root, file), { cause: error })
        }
      }
    }
    process.stdout.write(`decoded ${read} answers of gemini that a command line agent kept, with ${calls} calls\n`)
    assert.ok(read >= 100 && calls >= 20, `${read} answers, ${calls} calls`)
  })
})

describe('recorded whole answers of the other providers', { skip: material === undefined }, () => {
  const root = material ?? ''

  it('give the true calls, text and reasoning', () => {
    const counts = new Map<string, number>()
    const read = (body: unknown, place: string): void => {
      const value = typeof body === 'string' ? JSON.parse(body) : body
      const first = Array.isArray(value) ? value[0] : value
      const wire = typeof first === 'object' && first !== null ? wireOfBody(first) : undefined
      if (wire === undefined) return
      try {
        for (const form of [JSON.stringify(value), JSON.stringify(value, undefined, 2)]) {
          const decoded = decodeEveryWay(new TextEncoder().encode(form), wire, { random })
          assertTrue(decoded, wireTruth(wire, [value]))
          // What the provider itself could not read of the model is a problem.
          const unusable = form.includes('UNEXPECTED_TOOL_CALL')
          assert.deepEqual(
            decoded.problems.map((problem) => problem.code),
            unusable ? ['INVALID_JSON'] : [],
          )
          assert.equal(decoded.end.finish === 'error', unusable)
          assert.ok(decoded.end.finish !== undefined)
        }
      } catch (error) {
        throw new Error(place, { cause: error })
      }
      counts.set(wire, (counts.get(wire) ?? 0) + 1)
    }
    for (const [place, line] of lines(join(streams(root), 'nonstream.jsonl')).entries())
      read(JSON.parse(line).response, `nonstream.jsonl:${place + 1}`)
    for (const file of filesBelow(join(streams(root), 'vercel-ai'), '.json')) read(readFileSync(file, 'utf8'), relative(root, file))
    for (const [wire, count] of counts) process.stdout.write(`decoded ${count} whole answers of ${wire}\n`)
    assert.ok((counts.get('openai-responses') ?? 0) >= 70 && (counts.get('gemini') ?? 0) >= 60 && (counts.get('bedrock') ?? 0) >= 20)
  })
})
