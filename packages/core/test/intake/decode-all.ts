/** Decodes a whole input in one go, cut in any way, and gathers what came out. */
import type { CallArguments, DecodeEvent, Dialect, ToolCall } from '../../src/contract/index.ts'
import { createDecoder, type DecoderOptions } from '../../src/intake/dialect.ts'

export interface Decoded {
  /** Neighbouring pieces of text are one: where they are cut is nobody's business. */
  readonly events: readonly DecodeEvent[]
  readonly calls: readonly ToolCall[]
  readonly text: string
  readonly reasoning: string
  readonly problems: readonly Extract<DecodeEvent, { type: 'problem' }>[]
  readonly end: Extract<DecodeEvent, { type: 'end' }>
}

/** Ids that a test can foretell, new for each decoding. */
export function callIds(): DecoderOptions['ids'] {
  let count = 0
  return { next: (prefix) => `${prefix}_${++count}`, traceId: () => '1'.repeat(32) }
}

/** @param cuts positions where the input is cut, in rising order; `each` cuts after every byte */
export function decodeAll(
  input: Uint8Array | string,
  dialect: Dialect | 'auto' = 'auto',
  cuts: readonly number[] | 'each' = [],
  options: Partial<DecoderOptions> = {},
): Decoded {
  const seen: DecodeEvent[] = []
  const decoder = createDecoder(dialect, (event) => seen.push(event), { ids: callIds(), ...options })
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input
  if (cuts === 'each') {
    for (let at = 0; at < bytes.length; at += 1) decoder.push(bytes.subarray(at, at + 1))
  } else {
    let from = 0
    for (const cut of [...cuts, bytes.length]) {
      decoder.push(bytes.subarray(from, cut))
      from = cut
    }
  }
  decoder.end()
  return gather(seen)
}

export function gather(seen: readonly DecodeEvent[]): Decoded {
  const ends = seen.filter((event) => event.type === 'end')
  const [end] = ends
  if (end === undefined || ends.length !== 1 || seen.at(-1) !== end)
    throw new Error(`${ends.length} ends, the last event is ${seen.at(-1)?.type}`)
  const said = (type: 'text' | 'reasoning'): string =>
    seen.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
  return {
    events: merged(seen),
    calls: seen.filter((event) => event.type === 'call').map((event) => event.call),
    text: said('text'),
    reasoning: said('reasoning'),
    problems: seen.filter((event) => event.type === 'problem'),
    end,
  }
}

function merged(seen: readonly DecodeEvent[]): readonly DecodeEvent[] {
  const out: DecodeEvent[] = []
  for (const event of seen) {
    const last = out.at(-1)
    if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type) {
      out[out.length - 1] = { type: event.type, text: last.text + event.text }
    } else out.push(event)
  }
  return out
}

/** Name and arguments of each call: its value, or the word `broken`. */
export function namesAndValues(calls: readonly ToolCall[]): readonly (readonly [string, unknown])[] {
  return calls.map((call) => [call.name, argumentValue(call.arguments)])
}

export function argumentValue(args: CallArguments): unknown {
  return args.ok ? args.value : 'broken'
}

/** The same bytes with `\r\n` where `\n` was. */
export function withCrLf(bytes: Uint8Array): Uint8Array {
  return new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replace(/\r?\n/g, '\r\n'))
}
