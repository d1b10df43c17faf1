import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chatOf, chunk, messagesOf } from '../../test/intake/chat.ts'
import { atRandom, decodeEveryWay, decodeInterleaved, seededRandom } from '../../test/intake/cuttings.ts'
import { callIds, decodeAll, gather, namesAndValues } from '../../test/intake/decode-all.ts'
import { assertInvariants } from '../../test/intake/invariants.ts'
import { mutated } from '../../test/intake/mutations.ts'
import { ownStreams } from '../../test/intake/own-streams.ts'
import { ownTexts } from '../../test/intake/own-texts.ts'
import type { DecodeEvent, Dialect } from '../contract/decode.ts'
import { DIALECTS } from '../contract/decode.ts'
import { createDecoder } from './dialect.ts'

/**
 * `FUZZ_RUNS` damaged streams, in an order that `FUZZ_SEED` fixes. More runs go on where fewer end, so that a long run finds again what a
 * short one found.
 */
const RUNS = Number(process.env.FUZZ_RUNS ?? 600)
const SEED = Number(process.env.FUZZ_SEED ?? 1)

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stdout.write('ADJUTANT_MATERIAL is not set: the recorded provider streams were not damaged\n')

interface Victim {
  readonly name: string
  readonly bytes: Uint8Array
}

interface Way {
  readonly pieces: readonly Uint8Array[]
  readonly dialect: Dialect | 'auto'
  readonly signals?: boolean
}

function decodeIn({ pieces, dialect, signals = false }: Way, size: number): readonly DecodeEvent[] {
  const seen: DecodeEvent[] = []
  const decoder = createDecoder(dialect, (event) => seen.push(event), { ids: callIds(), signals })
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  assertInvariants(seen, size)
  return seen
}

/** How much has come is told for each piece; all else is told whatever the pieces are. */
function withoutGrowth(events: readonly DecodeEvent[]): readonly DecodeEvent[] {
  return gather(events.filter((event) => event.type !== 'call-growing')).events
}

/** Damages the streams in turn. A failure tells which run it was. */
function fuzz(victims: readonly Victim[], runs: number, dialects: readonly (Dialect | 'auto')[] = DIALECTS): void {
  for (let run = 0; run < runs; run += 1) {
    const random = seededRandom(SEED * 1_000_003 + run)
    const victim = victims[run % victims.length]
    const other = victims[Math.floor(random() * victims.length)]
    if (victim === undefined || other === undefined) continue
    const { bytes, how } = mutated(victim.bytes, random, other.bytes)
    const dialect = random() < 0.6 ? 'auto' : (dialects[Math.floor(random() * dialects.length)] ?? 'auto')
    try {
      const whole = decodeIn({ pieces: [bytes], dialect }, bytes.length)
      const pieces = atRandom(bytes, random)
      assert.deepEqual(gather(decodeIn({ pieces, dialect }, bytes.length)).events, gather(whole).events, 'however it is cut')
      const signalled = withoutGrowth(decodeIn({ pieces: [bytes], dialect, signals: true }, bytes.length))
      const inPieces = withoutGrowth(decodeIn({ pieces, dialect, signals: true }, bytes.length))
      assert.deepEqual(inPieces, signalled, 'with early signals, however it is cut')
      const plain = signalled.filter((event) => event.type !== 'call-field')
      assert.deepEqual(gather(plain).events, gather(whole).events, 'with early signals as without')
    } catch (cause) {
      throw new Error(`FUZZ_SEED=${SEED}, run ${run}: ${victim.name} as ${dialect}: ${how.join(', then ')}`, { cause })
    }
  }
}

describe('damaged streams', () => {
  it('of every wire never throw, end once, hand each call over once, and mean the same however they are cut', () => {
    fuzz(ownStreams(), RUNS)
  })

  it('of calls written as text do so too', () => {
    const victims = Object.entries(ownTexts).map(([name, text]) => ({ name, bytes: Buffer.from(text) }))
    fuzz(victims, RUNS, ['tagged-text'])
  })

  it('of models that write calls as text do so too', { skip: material === undefined }, () => {
    const file = join(material ?? '', 'streams/text-tool-calls/ollama-parser-cases.jsonl')
    const victims = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line, at) => {
        const { input, inputs, steps = [] } = JSON.parse(line).case
        const pieces = [input, ...(inputs ?? []), ...steps.map((step: { readonly input?: string }) => step.input)]
        return {
          name: `ollama-parser-cases.jsonl:${at + 1}`,
          bytes: Buffer.from(pieces.filter((piece) => typeof piece === 'string').join('')),
        }
      })
      .filter(({ bytes }) => bytes.length > 0)
    assert.ok(victims.length > 100, `${victims.length}`)
    fuzz(victims, Math.max(RUNS, victims.length), ['tagged-text'])
  })

  it('of providers do so too', { skip: material === undefined }, () => {
    const root = join(material ?? '', 'streams')
    const names = ['sse', 'inline', 'vercel-ai', 'from-issues', 'gemini-cli-responses'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:sse|txt|jsonl|json|responses)$/.test(name) && !name.endsWith('.req.json'))
        .map((name) => `${folder}/${name}`)
        .toSorted(),
    )
    assert.ok(names.length > 300, `${names.length}`)
    // Each is damaged once at least; files longer than this would take the time of many.
    const victims = names.map((name) => ({ name, bytes: readFileSync(join(root, name)) })).filter(({ bytes }) => bytes.length < 200_000)
    fuzz(victims, Math.max(RUNS, victims.length))
  })
})

describe('a whole stream', () => {
  const streams = ownStreams()

  for (const { name, dialect, bytes } of streams) {
    it(`of ${name} gives its calls, clean, in every cutting`, () => {
      const random = seededRandom(7)
      const bare = dialect === 'tagged-text' || dialect === 'decision'
      const decoded = decodeEveryWay(bytes, dialect, { random, leaveOut: (cutting) => bare && cutting.startsWith('\\r') })
      assertInvariants(decoded.events, bytes.length)
      assert.deepEqual(decoded.problems, [])
      assert.equal(decoded.end.finish, 'tool-calls')
      assert.equal(decoded.calls.length, dialect === 'decision' ? 1 : 3)
      assert.ok(decoded.calls.every((call) => call.arguments.ok))
    })
  }

  it('and another on the same process do not touch each other', () => {
    const random = seededRandom(11)
    for (const one of streams) {
      for (const other of streams) {
        const [left, right] = decodeInterleaved(atRandom(one.bytes, random), atRandom(other.bytes, random), [one.dialect, 'auto'])
        assert.deepEqual(left.events, decodeAll(one.bytes, one.dialect).events)
        assert.deepEqual(right.events, decodeAll(other.bytes).events)
      }
    }
  })
})

describe('pieces of parallel calls in any order', () => {
  const calls = fc.array(
    fc.dictionary(fc.string(), fc.jsonValue()).map((input) => JSON.parse(JSON.stringify(input))),
    { minLength: 1, maxLength: 5 },
  )
  /** Which call the next piece is of, as shares of what is left. */
  const order = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 60 })

  /** Weaves lists, each in its own order, into one: the numbers say from which the next is taken. */
  function weave<T>(lists: readonly (readonly T[])[], choices: readonly number[]): readonly T[] {
    const left = lists.map((list) => [...list])
    const out: T[] = []
    for (let turn = 0; ; turn += 1) {
      const filled = left.filter((list) => list.length > 0)
      const next = filled[Math.floor((choices[turn % choices.length] ?? 0) * filled.length)]?.shift()
      if (next === undefined) return out
      out.push(next)
    }
  }

  function piecesOf(text: string): readonly string[] {
    return text.match(/.{1,6}/gs) ?? []
  }

  it('come together by index in Chat Completions', () => {
    fc.assert(
      fc.property(calls, order, (inputs, choices) => {
        const lists = inputs.map((input, index) => [
          { index, id: `id_${index}`, name: `f${index}`, arguments: '' },
          ...piecesOf(JSON.stringify(input)).map((text) => ({ index, arguments: text })),
        ])
        const decoded = decodeAll(`${chunk({ role: 'assistant' })}${chatOf(weave(lists, choices).map((entry) => [entry]))}`)
        assertInvariants(decoded.events, Number.POSITIVE_INFINITY)
        assert.deepEqual(decoded.problems, [])
        assert.deepEqual(new Map(namesAndValues(decoded.calls)), new Map(inputs.map((input, index) => [`f${index}`, input])))
      }),
      { numRuns: 150 },
    )
  })

  it('come together by block in Messages', () => {
    fc.assert(
      fc.property(calls, order, (inputs, choices) => {
        const lists = inputs.map((input, index) => [
          { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `id_${index}`, name: `f${index}`, input: {} } },
          ...piecesOf(JSON.stringify(input)).map((text) => ({
            type: 'content_block_delta',
            index,
            delta: { type: 'input_json_delta', partial_json: text },
          })),
          { type: 'content_block_stop', index },
        ])
        const events = [
          { type: 'message_start', message: { content: [] } },
          ...weave<{ readonly type: string }>(lists, choices),
          { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
          { type: 'message_stop' },
        ]
        const decoded = decodeAll(messagesOf(events))
        assertInvariants(decoded.events, Number.POSITIVE_INFINITY)
        assert.deepEqual(decoded.problems, [])
        assert.deepEqual(new Map(namesAndValues(decoded.calls)), new Map(inputs.map((input, index) => [`f${index}`, input])))
      }),
      { numRuns: 150 },
    )
  })
})
