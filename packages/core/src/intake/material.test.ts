import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { decodeEveryWay, seededRandom } from '../../test/intake/cuttings.ts'
import { argumentValue, decodeAll, namesAndValues } from '../../test/intake/decode-all.ts'
import { type Truth, truthOf, valuesOf } from '../../test/intake/truth.ts'
import type { Dialect } from '../contract/decode.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stdout.write('ADJUTANT_MATERIAL is not set: the recorded provider streams were not decoded\n')

/** Recordings whose events are not what their provider would send, with what is right about them instead of a clean end. */
const UNCLEAN: ReadonlyMap<string, string> = new Map([
  [
    'inline/continuedev__continue/llm-llms-OpenAI-compatible-core--183.jsonl',
    'two loose deltas of a unit test, no end: said to be cut off',
  ],
  ['inline/continuedev__continue/src-test-anthropic-adapter--136.jsonl', 'two loose deltas of a unit test, no end: said to be cut off'],
  ['inline/continuedev__continue/src-test-anthropic-adapter--208.jsonl', 'loose deltas of a unit test, no end: said to be cut off'],
  ['inline/openai__openai-node/tests-lib-ChatCompletionStream--281.jsonl', 'no finish reason and no [DONE]: said to be cut off'],
  ['inline/envoyproxy__ai-gateway/internal-translator-anthropic_anthropic--151.sse', 'no message_stop: said to be cut off'],
  [
    'inline/anthropics__anthropic-sdk-typescript/tests-middleware-streaming--298.sse',
    'holds a line that is the name of a variable of a test',
  ],
  ['inline/envoyproxy__ai-gateway/internal-translator-anthropic_helper--977.sse', 'holds %d and %s of a format string instead of numbers'],
])

/** Arguments that are no JSON, and what they are read as. */
const MENDED: ReadonlyMap<string, Truth['calls']> = new Map([
  ['single-quoted-args.sse', [['read_many_files', { paths: ['app.py', 'b.py'] }]]],
])

/** The index counts one call for each block index; these files hold two answers after each other. */
const TWO_ANSWERS: ReadonlySet<string> = new Set([
  'vercel-ai/anthropic/anthropic-tool-search-deferred-bm25.chunks.txt',
  'vercel-ai/anthropic/spliced-message-start.chunks.txt',
])

interface Recording {
  readonly file: string
  readonly wire: string
  readonly features: readonly string[]
  readonly calls: number
}

function streams(root: string): string {
  return join(root, 'streams')
}

function lines(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
}

function recordings(root: string): readonly Recording[] {
  return ['index.jsonl', 'index-inline.jsonl', 'index-vercel-ai.jsonl'].flatMap((name) =>
    lines(join(streams(root), name)).map((line) => {
      const { file, wire, features, calls } = JSON.parse(line)
      return { file, wire, features, calls: calls ?? 0 }
    }),
  )
}

function isCovered(wire: string): wire is 'openai-chat' | 'anthropic' {
  return wire === 'openai-chat' || wire === 'anthropic'
}

/** All files below `folder` with this ending. */
function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
}

function assertTrue(decoded: ReturnType<typeof decodeAll>, truth: Truth): void {
  assert.deepEqual(namesAndValues(decoded.calls), truth.calls)
  assert.equal(decoded.text, truth.text)
  const ids = decoded.calls.map((call) => call.id)
  assert.equal(new Set(ids).size, ids.length, 'every id once')
  assert.deepEqual(
    decoded.calls.map((call) => call.index).toSorted((a, b) => a - b),
    ids.map((_, index) => index),
  )
}

/** A cut recording gives a beginning of what the whole one gives, and says that it is cut. */
function assertCutsHold(bytes: Uint8Array, dialect: Dialect, truth: Truth): void {
  for (const part of [0.1, 0.35, 0.6, 0.85]) {
    const cut = decodeAll(bytes.subarray(0, Math.floor(bytes.length * part)), dialect)
    for (const [at, call] of cut.calls.entries()) {
      if (call.arguments.ok) assert.deepEqual([call.name, argumentValue(call.arguments)], truth.calls[at])
    }
    assert.ok(truth.text.startsWith(cut.text))
  }
}

describe('recorded provider streams', { skip: material === undefined }, () => {
  const root = material ?? ''
  const random = seededRandom(3)

  it('give the true calls and text: whole, per byte, cut at random, with \\r\\n, beside another stream, cut off', () => {
    let streamsRead = 0
    let calls = 0
    let beside: Uint8Array | undefined
    for (const recording of recordings(root)) {
      if (!isCovered(recording.wire)) continue
      const bytes = readFileSync(join(streams(root), recording.file))
      const truth = truthOf(recording.wire, valuesOf(bytes.toString('utf8')))
      try {
        const decoded = decodeEveryWay(bytes, recording.wire, { random, ...(beside === undefined ? {} : { beside }) })
        beside = bytes
        assertTrue(decoded, truth)
        // An object that goes on after its end is seen to be broken only when it goes on.
        if (!recording.features.includes('args-invalid-json')) assertCutsHold(bytes, recording.wire, truth)
        if (!TWO_ANSWERS.has(recording.file)) assert.equal(decoded.calls.length, recording.calls, 'the count of the index')
        const failed = recording.features.includes('error-in-stream')
        const unclean = UNCLEAN.has(recording.file)
        assert.equal(decoded.problems.length > 0, failed || unclean, JSON.stringify(decoded.problems))
        assert.equal(decoded.end.finish === 'error', failed)
        calls += decoded.calls.length
      } catch (error) {
        throw new Error(recording.file, { cause: error })
      }
      streamsRead += 1
    }
    assert.ok(streamsRead > 200 && calls > 100, `${streamsRead} streams, ${calls} calls`)
    process.stdout.write(`decoded ${streamsRead} recorded streams with ${calls} calls\n`)
  })

  it('read JSON lines as server-sent events as well', () => {
    for (const recording of recordings(root)) {
      if (!isCovered(recording.wire) || !/\.(?:txt|jsonl)$/.test(recording.file)) continue
      const values = lines(join(streams(root), recording.file))
      const framed = new TextEncoder().encode(values.map((value) => `data: ${value}\n\n`).join(''))
      assert.deepEqual(decodeAll(framed).events, decodeAll(values.join('\n')).events, recording.file)
    }
  })

  it('of bug reports give each call once, under its own name and id', () => {
    const folder = join(streams(root), 'from-issues')
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name))
      const decoded = decodeEveryWay(bytes, 'openai-chat', { random })
      const truth = truthOf('openai-chat', valuesOf(bytes.toString('utf8')))
      assertTrue(decoded, { ...truth, calls: MENDED.get(name) ?? truth.calls })
      assert.equal(
        decoded.calls.some((call) => call.arguments.ok && call.arguments.repairs !== undefined),
        MENDED.has(name),
        name,
      )
      assert.ok(
        decoded.calls.every((call) => call.idFromProvider),
        name,
      )
    }
  })

  it('that were kept beside whole answers, and whole answers, give the true calls', () => {
    let bodies = 0
    const read = (body: unknown, place: string): void => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const value = JSON.parse(text)
      const wire = Array.isArray(value.choices) ? 'openai-chat' : value.type === 'message' ? 'anthropic' : undefined
      if (wire === undefined) return
      try {
        for (const form of [text, JSON.stringify(value, undefined, 2)]) {
          const decoded = decodeEveryWay(new TextEncoder().encode(form), wire, { random })
          assertTrue(decoded, truthOf(wire, [value]))
          assert.deepEqual(decoded.problems, [])
        }
      } catch (error) {
        throw new Error(place, { cause: error })
      }
      bodies += 1
    }
    for (const [at, line] of lines(join(streams(root), 'nonstream.jsonl')).entries())
      read(JSON.parse(line).response, `nonstream.jsonl:${at + 1}`)
    for (const file of filesBelow(join(streams(root), 'vercel-ai'), '.json')) read(readFileSync(file, 'utf8'), relative(root, file))
    for (const exchange of JSON.parse(
      readFileSync(join(streams(root), 'anthropic-sdk-ts/lib/tools/nockFixtures/ToolRunner.json'), 'utf8'),
    )) {
      if (typeof exchange.response === 'object') read(exchange.response, 'ToolRunner.json')
    }
    assert.ok(bodies > 200, `${bodies}`)
    process.stdout.write(`decoded ${bodies} whole answers\n`)
  })

  it('are the same calls as in the whole answer, where a provider was asked both ways', () => {
    const stem = join(streams(root), 'vercel-ai')
    let pairs = 0
    for (const recording of recordings(root)) {
      if (!isCovered(recording.wire) || !recording.file.startsWith('vercel-ai/') || recording.calls === 0) continue
      const file = join(streams(root), recording.file)
      const sibling = file.replace(/\.chunks\.txt$/, '.json')
      if (!filesBelow(stem, '.json').includes(sibling)) continue
      const streamed = decodeAll(readFileSync(file))
      const whole = decodeAll(readFileSync(sibling))
      assert.deepEqual(
        streamed.calls.map((call) => call.name),
        whole.calls.map((call) => call.name),
        recording.file,
      )
      pairs += 1
    }
    assert.ok(pairs >= 5, `${pairs}`)
  })

  it('of refusals of providers end as errors, not as calls', () => {
    for (const line of lines(join(streams(root), 'errors.jsonl'))) {
      const { body } = JSON.parse(line)
      // A gateway's bare words, such as "404 page not found", are text like any other.
      if (typeof body === 'string' && !body.trimStart().startsWith('{')) continue
      const decoded = decodeAll(typeof body === 'string' ? body : JSON.stringify(body))
      assert.equal(decoded.calls.length, 0)
      assert.ok(decoded.problems.length > 0, body)
      assert.ok(decoded.end.finish === undefined || decoded.end.finish === 'error', body)
    }
  })

  it('of other agents are read or refused, and never thrown at', () => {
    for (const name of [
      'anthropic-sdk-ts/fixtures/fable-fallback/stream-a-refusal.sse',
      'anthropic-sdk-ts/fixtures/fable-fallback/stream-b-fallback.sse',
      'anthropic-sdk-ts/lib/fixtures/basic_response.txt',
    ]) {
      const bytes = readFileSync(join(streams(root), name))
      assertTrue(decodeEveryWay(bytes, 'anthropic', { random }), truthOf('anthropic', valuesOf(bytes.toString('utf8'))))
    }
    for (const folder of ['langgraph-sse']) {
      for (const file of filesBelow(join(streams(root), folder), '')) {
        if (!/\.(?:sse|responses)$/.test(file)) continue
        const decoded = decodeAll(readFileSync(file))
        assert.equal(decoded.calls.length, 0, file)
        assert.ok(decoded.problems.length > 0, file)
      }
    }
  })
})
