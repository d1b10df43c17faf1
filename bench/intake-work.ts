import { createDecoder, type DecodeEvent, type Dialect, isJsonObject, type JsonValue, randomIds } from '@adjutant/core'
import { JSONParser } from '@streamparser/json'
import { createParser } from 'eventsource-parser'
import { parse as parsePartial } from 'partial-json'

/**
 * The work that is measured: the least that any program must do, what is written by hand, and ours. Each takes the bytes as an
 * asynchronous source would give them, in order, and throws when it did not find what it should have.
 */

export type Chunks = readonly Uint8Array[]

/** A benchmark of work that was not done is worth nothing. */
export function check(done: boolean): void {
  if (!done) throw new Error('the work was not done as it should')
}

/** UTF-8, framing, a parse of each event: what nobody can leave out. */
export function eachEvent(see: (value: JsonValue) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: (event) => (event.data === '[DONE]' ? undefined : see(JSON.parse(event.data))) })
  return (chunk) => parser.feed(decoder.decode(chunk, { stream: true }))
}

/** Reads a stream piece by piece: `push` for each, `end` after the last. */
export interface Reader {
  readonly push: (chunk: Uint8Array) => void
  readonly end: () => void
}

export function readAll(reader: Reader, chunks: Chunks): void {
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
}

export function floor(texts: readonly string[]): Reader {
  let events = 0
  return {
    push: eachEvent(() => {
      events += 1
    }),
    end: () => {
      check(events > 0)
      for (const text of texts) check(isJsonObject(JSON.parse(text)))
    },
  }
}

/** What one writes by hand for a provider that keeps to its own documentation: no identity, no early events, no bad input. */
export function plain(): Reader {
  let text = ''
  return { push: eachPiece((piece) => (text += piece)), end: () => check(isJsonObject(JSON.parse(text))) }
}

/** The arguments as far as they have come, parsed anew with each piece. */
export function partialJson(): Reader {
  let text = ''
  let latest: unknown
  const push = eachPiece((piece) => {
    text += piece
    if (text !== '') latest = parsePartial(text)
  })
  return { push, end: () => check(typeof latest === 'object' && latest !== null && Object.keys(latest).length === 3) }
}

/** A parser that goes on where it was, and tells each top-level field. */
export function streamParser(): Reader {
  const parser = new JSONParser({ paths: ['$.*'] })
  let fields = 0
  parser.onValue = () => {
    fields += 1
  }
  return { push: eachPiece((piece) => piece !== '' && parser.write(piece)), end: () => check(fields === 3) }
}

function eachPiece(take: (piece: string) => void): (chunk: Uint8Array) => void {
  return eachEvent((value) => {
    const choices = isJsonObject(value) ? value.choices : undefined
    const choice = Array.isArray(choices) ? choices[0] : undefined
    const delta = isJsonObject(choice) ? choice.delta : undefined
    const calls = isJsonObject(delta) ? delta.tool_calls : undefined
    const piece = Array.isArray(calls) && isJsonObject(calls[0]) ? calls[0].function : undefined
    if (isJsonObject(piece) && typeof piece.arguments === 'string') take(piece.arguments)
  })
}

export function textFloor(): Reader {
  const decoder = new TextDecoder()
  let text = ''
  return {
    push: (chunk) => {
      text += decoder.decode(chunk, { stream: true })
    },
    end: () => check(isJsonObject(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)))),
  }
}

/** @param signals whether growing arguments and finished fields are told as well */
export function adjutant(dialect: Dialect | 'auto', wanted: number, signals = false): Reader {
  let calls = 0
  let told = 0
  const see = (event: DecodeEvent): void => {
    told += 1
    if (event.type === 'call' && event.call.arguments.ok) calls += 1
  }
  const decoder = createDecoder(dialect, see, { ids: randomIds, ...(signals ? { signals } : {}) })
  return {
    push: (chunk) => decoder.push(chunk),
    end: () => {
      decoder.end()
      // The least that is told of a call: its name and itself; with signals two fields at least.
      check(calls === wanted && told > wanted * (signals ? 3 : 2))
    },
  }
}
