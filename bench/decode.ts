import { createDecoder, type DecodeEvent, type Dialect, isJsonObject, type JsonValue, randomIds } from '@adjutant/core'
import { createOpenAI } from '@ai-sdk/openai'
import { tool as aiTool, jsonSchema, streamText } from 'ai'
import { createParser } from 'eventsource-parser'
import { argumentsOfSize, chatStream, messagesStream, taggedText } from './decode-input.ts'
import { bestOf, cpuMicros, printTable, type Row } from './table.ts'

type Chunks = readonly Uint8Array[]
type Work = () => Promise<void> | void

const KB = 1_024
const MB = 1_024 * KB
const SIZES = [10 * KB, 100 * KB, MB] as const
const DELTA = 8
/** For the long ones, so that their bytes fit in memory. */
const LONG_DELTA = 32

/**
 * CPU time to decode a streamed answer, as a ratio to the least that any program must do: UTF-8, SSE framing, `JSON.parse` of each event,
 * and one `JSON.parse` of the arguments.
 */
export async function benchDecode(): Promise<void> {
  await oneCall()
  await otherForms()
  await manyCalls()
  await growth()
}

/** ms of CPU, the smallest of `rounds`. */
async function millis(rounds: number, work: Work): Promise<number> {
  return (await bestOf(rounds, () => cpuMicros(work))) / 1_000
}

async function oneCall(): Promise<void> {
  const figures = new Map<string, number[]>()
  for (const size of SIZES) {
    const text = argumentsOfSize(size)
    const chunks = chatStream([text], DELTA)
    const rounds = size === MB ? 3 : size === 100 * KB ? 8 : 30
    await compare(figures, rounds, {
      floor: () => floor(chunks, [text]),
      'plain: accumulate, then JSON.parse': () => plain(chunks),
      'Adjutant, early events on': () => adjutant(chunks, 'openai-chat', 1),
      'Adjutant, dialect auto': () => adjutant(chunks, 'auto', 1),
      'ai + @ai-sdk/openai streamText': () => aiStreamText(chunks, 1),
    })
  }
  printTable(
    `One tool call in ${DELTA}-character deltas, Chat Completions: CPU ms (× floor)`,
    ['', '10 KB', '100 KB', '1 MB'],
    rows(figures),
  )
}

async function otherForms(): Promise<void> {
  const text = argumentsOfSize(MB)
  const messages = messagesStream(text, DELTA)
  const tagged = taggedText(text)
  const inMessages = new Map<string, number[]>()
  await compare(inMessages, 3, { floor: () => floor(messages, [text]), Adjutant: () => adjutant(messages, 'anthropic', 1) })
  printTable(`The same, 1 MB, Messages API: CPU ms (× floor)`, ['', '1 MB'], rows(inMessages))
  const inText = new Map<string, number[]>()
  await compare(inText, 8, {
    'floor: UTF-8 and one JSON.parse': () => textFloor(tagged),
    Adjutant: () => adjutant(tagged, 'tagged-text', 1),
  })
  printTable('The same, 1 MB, tagged text in 4 KB reads: CPU ms (× floor)', ['', '1 MB'], rows(inText))
}

async function manyCalls(): Promise<void> {
  const calls = Array.from({ length: 1_000 }, (_, index) => JSON.stringify({ path: `src/file-${index}.ts`, content: 'line\n' }))
  const chunks = chatStream(calls, DELTA)
  const figures = new Map<string, number[]>()
  await compare(figures, 4, {
    floor: () => floor(chunks, calls),
    'Adjutant, early events on': () => adjutant(chunks, 'openai-chat', calls.length),
    'ai + @ai-sdk/openai streamText': () => aiStreamText(chunks, calls.length),
  })
  printTable('1 000 parallel calls: CPU ms (× floor)', ['', '1 000 calls'], rows(figures))
}

async function growth(): Promise<void> {
  const lines: Row[] = []
  let before: number | undefined
  for (const size of [MB, 2 * MB, 4 * MB, 8 * MB, 16 * MB]) {
    const text = argumentsOfSize(size)
    const chunks = chatStream([text], LONG_DELTA)
    const rounds = size <= 4 * MB ? 2 : 1
    const least = await millis(rounds, () => floor(chunks, [text]))
    const ours = await millis(rounds, () => adjutant(chunks, 'openai-chat', 1))
    lines.push([`${size / MB} MB`, least, ours, ours / least, before === undefined ? Number.NaN : ours / before])
    before = ours
  }
  const head = ['', 'floor', 'Adjutant', '× floor', 'growth']
  printTable(`Growth, ${LONG_DELTA}-character deltas: CPU ms; linear is a growth of 2`, head, lines)
}

/** Measures each beside the others, after one turn to warm up; the first is the floor. */
async function compare(figures: Map<string, number[]>, rounds: number, works: Readonly<Record<string, Work>>): Promise<void> {
  for (const [name, work] of Object.entries(works)) {
    await work()
    const row = figures.get(name) ?? []
    row.push(await millis(rounds, work))
    figures.set(name, row)
  }
}

function rows(figures: ReadonlyMap<string, readonly number[]>): readonly Row[] {
  const [least = []] = figures.values()
  return [...figures].map(([name, values]) => [
    name,
    ...values.map((value, at) => `${value.toFixed(1)} (${(value / (least[at] ?? value)).toFixed(2)})`),
  ])
}

/** UTF-8, framing, a parse of each event: what nobody can leave out. */
function eachEvent(chunks: Chunks, see: (value: JsonValue) => void): void {
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: (event) => (event.data === '[DONE]' ? undefined : see(JSON.parse(event.data))) })
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }))
}

function floor(chunks: Chunks, texts: readonly string[]): void {
  let events = 0
  eachEvent(chunks, () => {
    events += 1
  })
  for (const text of texts) check(isJsonObject(JSON.parse(text)) && events > 0)
}

/** What one writes by hand for a provider that keeps to its own documentation: no identity, no early events, no bad input. */
function plain(chunks: Chunks): void {
  let text = ''
  eachEvent(chunks, (value) => {
    const choices = isJsonObject(value) ? value.choices : undefined
    const choice = Array.isArray(choices) ? choices[0] : undefined
    const delta = isJsonObject(choice) ? choice.delta : undefined
    const calls = isJsonObject(delta) ? delta.tool_calls : undefined
    const piece = Array.isArray(calls) && isJsonObject(calls[0]) ? calls[0].function : undefined
    if (isJsonObject(piece) && typeof piece.arguments === 'string') text += piece.arguments
  })
  check(isJsonObject(JSON.parse(text)))
}

function textFloor(chunks: Chunks): void {
  const decoder = new TextDecoder()
  let text = ''
  for (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  check(isJsonObject(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))))
}

function adjutant(chunks: Chunks, dialect: Dialect | 'auto', wanted: number): void {
  let calls = 0
  const see = (event: DecodeEvent): void => {
    if (event.type === 'call' && event.call.arguments.ok) calls += 1
  }
  const decoder = createDecoder(dialect, see, { ids: randomIds })
  for (const chunk of chunks) decoder.push(chunk)
  decoder.end()
  check(calls === wanted)
}

async function aiStreamText(chunks: Chunks, wanted: number): Promise<void> {
  const body = (): ReadableStream<Uint8Array> => ReadableStream.from(chunks)
  const provider = createOpenAI({
    apiKey: 'none',
    fetch: async () => new Response(body(), { headers: { 'content-type': 'text/event-stream' } }),
  })
  const inputSchema = jsonSchema({ type: 'object' })
  const result = streamText({
    model: provider.chat('some-model'),
    prompt: 'write it',
    tools: { write_file: aiTool({ description: 'Writes a file.', inputSchema }) },
  })
  let calls = 0
  for await (const part of result.fullStream) if (part.type === 'tool-call') calls += 1
  check(calls === wanted)
}

/** A benchmark of work that was not done is worth nothing. */
function check(done: boolean): void {
  if (!done) throw new Error('the work was not done as it should')
}
