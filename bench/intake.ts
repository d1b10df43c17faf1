import type { Dialect } from '@adjutant/core'
import { Comparison, longestBlock, millis, type Work } from './intake-compare.ts'
import { hugeArgument } from './intake-huge.ts'
import { argumentsOfSize, chatStream, geminiStream, messagesStream, responsesStream, taggedText } from './intake-input.ts'
import { chatPeers, messagesPeers, type Peer, type Source } from './intake-peers.ts'
import { adjutant, type Chunks, floor, partialJson, plain, type Reader, readAll, streamParser, textFloor } from './intake-work.ts'
import { printTable, type Row } from './table.ts'

const KB = 1_024
const MB = 1_024 * KB
const SIZES = [KB, 10 * KB, 100 * KB, MB] as const
const HEAD = ['1 KB', '10 KB', '100 KB', '1 MB'] as const
const DELTA = 8
/** For the long ones, so that their bytes fit in memory. */
const LONG_DELTA = 32

/**
 * CPU time to decode a streamed answer, as a ratio to the least that any program must do: UTF-8, SSE framing, `JSON.parse` of each event,
 * and one `JSON.parse` of the arguments.
 */
export async function benchIntake(): Promise<void> {
  await chat()
  await messages()
  await otherForms()
  await manyCalls()
  await growth()
  await blocks()
  await hugeArgument()
}

function sourceOf(chunks: Chunks): Source {
  return async function* () {
    yield* chunks
  }
}

function peerWorks(peers: Readonly<Record<string, Peer>>, chunks: Chunks, wanted: number): Record<string, Work> {
  return Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, () => peer(sourceOf(chunks), wanted)]))
}

function works(readers: Readonly<Record<string, () => Reader>>, chunks: Chunks): Record<string, Work> {
  return Object.fromEntries(Object.entries(readers).map(([name, make]) => [name, () => readAll(make(), chunks)]))
}

/** Ours, in the ways it can be asked for. */
function ours(dialect: Dialect, wanted: number): Record<string, () => Reader> {
  return {
    Adjutant: () => adjutant(dialect, wanted),
    'Adjutant, early events on': () => adjutant(dialect, wanted, true),
    'Adjutant, early events on, dialect auto': () => adjutant('auto', wanted, true),
  }
}

async function chat(): Promise<void> {
  const comparison = new Comparison()
  for (const size of SIZES) {
    const text = argumentsOfSize(size)
    const chunks = chatStream([text], DELTA)
    await comparison.measure(size, {
      ...works({ floor: () => floor([text]), 'by hand: accumulate, then JSON.parse': plain, ...ours('openai-chat', 1) }, chunks),
      ...works({ 'by hand: partial-json on each piece': partialJson, 'by hand: @streamparser/json': streamParser }, chunks),
      ...peerWorks(chatPeers, chunks, 1),
    })
  }
  printTable(`One tool call in ${DELTA}-character deltas, Chat Completions: CPU ms (× floor)`, ['', ...HEAD], comparison.rows())
}

async function messages(): Promise<void> {
  const comparison = new Comparison()
  for (const size of SIZES) {
    const text = argumentsOfSize(size)
    const chunks = messagesStream(text, DELTA)
    await comparison.measure(size, {
      ...works({ floor: () => floor([text]), ...ours('anthropic', 1) }, chunks),
      ...peerWorks(messagesPeers, chunks, 1),
    })
  }
  printTable(`The same, Messages: CPU ms (× floor)`, ['', ...HEAD], comparison.rows())
}

async function otherForms(): Promise<void> {
  const text = argumentsOfSize(MB)
  const lines: Row[] = []
  const forms: readonly (readonly [string, Chunks, Dialect])[] = [
    ['Chat Completions, no two events alike', chatStream([text], DELTA, true), 'openai-chat'],
    ['Responses', responsesStream(text, DELTA), 'openai-responses'],
    ['generateContent, the call in one event', geminiStream(text), 'gemini'],
    ['text, the call between tags', taggedText(text), 'tagged-text'],
  ]
  for (const [name, chunks, dialect] of forms) {
    // In text there is nothing to frame: what cannot be left out is UTF-8 and one parse.
    const least = dialect === 'tagged-text' ? textFloor : () => floor(dialect === 'gemini' ? [] : [text])
    const comparison = new Comparison()
    await comparison.measure(MB, works({ floor: least, ...ours(dialect, 1) }, chunks))
    lines.push([name, ...comparison.rows().map((row) => row[1] ?? '')])
  }
  const head = ['', 'floor', 'Adjutant', 'early events on', 'dialect auto']
  printTable(`Other forms, arguments of 1 MB in ${DELTA}-character deltas: CPU ms (× floor)`, head, lines)
}

async function manyCalls(): Promise<void> {
  const calls = Array.from({ length: 1_000 }, (_, index) => JSON.stringify({ path: `src/file-${index}.ts`, content: 'line\n' }))
  const chunks = chatStream(calls, DELTA)
  const comparison = new Comparison()
  await comparison.measure(1, {
    ...works({ floor: () => floor(calls), ...ours('openai-chat', calls.length) }, chunks),
    ...peerWorks(chatPeers, chunks, calls.length),
  })
  printTable('1 000 parallel calls in one message: CPU ms (× floor)', ['', '1 000 calls'], comparison.rows())
}

async function growth(): Promise<void> {
  const lines: Row[] = []
  let before: number | undefined
  for (const size of [MB, 2 * MB, 4 * MB, 8 * MB, 16 * MB]) {
    const text = argumentsOfSize(size)
    const chunks = chatStream([text], LONG_DELTA)
    const rounds = size <= 4 * MB ? 3 : 1
    const least = await millis(rounds, () => readAll(floor([text]), chunks))
    const taken = await millis(rounds, () => readAll(adjutant('openai-chat', 1, true), chunks))
    lines.push([`${size / MB} MB`, least, taken, taken / least, before === undefined ? Number.NaN : taken / before])
    before = taken
  }
  const head = ['', 'floor', 'Adjutant', '× floor', 'growth']
  printTable(`Growth, ${LONG_DELTA}-character deltas, early events on: CPU ms; linear is a growth of 2`, head, lines)
}

/** What an event loop feels. Goal: no more than 5 ms for each MB of arguments. */
async function blocks(): Promise<void> {
  const lines: Row[] = []
  const chats = [100 * KB, MB].map((size) => chatStream([argumentsOfSize(size)], LONG_DELTA))
  const inMessages = [100 * KB, MB].map((size) => messagesStream(argumentsOfSize(size), LONG_DELTA))
  const reading = (make: () => Reader): Peer => {
    return async (source) => {
      const reader = make()
      for await (const chunk of source()) reader.push(chunk)
      reader.end()
    }
  }
  const add = async (name: string, streams: readonly Chunks[], peer: Peer, rounds = 3): Promise<void> => {
    const row: number[] = []
    for (const chunks of streams) {
      let least = Number.POSITIVE_INFINITY
      for (let round = 0; round < rounds; round += 1) least = Math.min(least, await longestBlock(chunks, (source) => peer(source, 1)))
      row.push(least)
    }
    lines.push([name, ...row, ...(row.length < 2 ? ['not run'] : [])])
  }
  await add(
    'Adjutant, Chat Completions',
    chats,
    reading(() => adjutant('openai-chat', 1, true)),
  )
  await add(
    'Adjutant, Messages',
    inMessages,
    reading(() => adjutant('anthropic', 1, true)),
  )
  for (const [name, peer] of Object.entries(chatPeers)) {
    const quadratic = name.includes('UI')
    await add(name, quadratic ? chats.slice(0, 1) : chats, peer, quadratic ? 1 : 2)
  }
  for (const [name, peer] of Object.entries(messagesPeers)) {
    const quadratic = name.includes('inputJson')
    await add(name, quadratic ? inMessages.slice(0, 1) : inMessages, peer, quadratic ? 1 : 2)
  }
  printTable(`Longest block of the event loop, ${LONG_DELTA}-character deltas in 4 KB reads: ms of CPU`, ['', '100 KB', '1 MB'], lines)
}
