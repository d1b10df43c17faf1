import { TextDecoder } from 'node:util'
import { crc32 } from 'node:zlib'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { isJsonObject } from '../contract/json.ts'
import type { FrameSink } from './frames.ts'
import { parseJson } from './parse-json.ts'
import { clipped, stringOf } from './wire.ts'

/**
 * Owns the binary framing `application/vnd.amazon.eventstream`: messages of a prelude (total length, length of the headers, their CRC),
 * headers, payload and a CRC over all of it. Each message becomes one object `{ [event type]: payload }`, the form in which the same
 * events are written as JSON lines. A message whose sum is wrong is left out; after a prelude whose sum is wrong nothing more can be
 * read, because nobody knows where the next one begins.
 */

const PRELUDE = 12

/** Prelude and the CRC at the end. */
const LEAST = 16

/** Bytes of a message: a payload of at most 24 MiB and headers of at most 128 KiB is what the framing allows. */
const MOST = 24 * 1_048_576 + 131_072 + LEAST

/** What the first byte says: a message shorter than 16 MiB begins with a zero byte, and no text does. */
export function mayBeEventStream(first: number): boolean {
  return first <= 1
}

/** Whether `head`, at least twelve bytes, begins a message. */
export function isPrelude(head: Uint8Array): boolean {
  if (head.length < PRELUDE) return false
  const view = viewOf(head)
  const total = view.getUint32(0)
  const headers = view.getUint32(4)
  return total >= LEAST && total <= MOST && headers <= total - LEAST && view.getUint32(8) === crc32(head.subarray(0, 8))
}

export { PRELUDE as PRELUDE_BYTES }

export class EventStreamInput {
  readonly #sink: FrameSink
  #chunks: Uint8Array[] = []
  #length = 0
  /** Bytes of the message that is awaited; a prelude when it has not been read. */
  #wanted = PRELUDE
  #count = 0
  #lost = false
  readonly #text = new TextDecoder('utf-8')

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  push(chunk: Uint8Array): void {
    if (this.#lost || chunk.length === 0) return
    // Kept as it is: whoever gave it may use its memory again.
    this.#chunks.push(chunk.slice())
    this.#length += chunk.length
    if (this.#length >= this.#wanted) this.#take()
  }

  end(): void {
    if (this.#lost || this.#length === 0) return
    this.#sink.problem('STREAM_BROKEN', () => `the stream was cut off inside message ${this.#count + 1}, after ${this.#length} bytes`)
  }

  /** Reads all the messages that are whole. What is left is joined once for each message, however many pieces it comes in. */
  #take(): void {
    let bytes = joined(this.#chunks, this.#length)
    while (bytes.length >= this.#wanted) {
      if (this.#wanted === PRELUDE) {
        if (!isPrelude(bytes)) {
          this.#lose()
          return
        }
        this.#wanted = viewOf(bytes).getUint32(0)
        continue
      }
      const message = bytes.subarray(0, this.#wanted)
      bytes = bytes.subarray(this.#wanted)
      this.#wanted = PRELUDE
      this.#read(message)
    }
    this.#chunks = [bytes]
    this.#length = bytes.length
  }

  #lose(): void {
    this.#lost = true
    this.#chunks = []
    const count = this.#count + 1
    this.#sink.problem('STREAM_BROKEN', () => `message ${count} of the event stream has no valid beginning; the rest was left out`)
  }

  #read(message: Uint8Array): void {
    const count = ++this.#count
    const view = viewOf(message)
    const sum = message.length - 4
    if (view.getUint32(sum) !== crc32(message.subarray(0, sum))) {
      this.#sink.problem('INVALID_JSON', () => `message ${count} of the event stream was skipped: its checksum is wrong`)
      return
    }
    const headersEnd = PRELUDE + view.getUint32(4)
    const headers = readHeaders(message.subarray(PRELUDE, headersEnd), this.#text)
    const payload = this.#text.decode(message.subarray(headersEnd, sum))
    if (headers === undefined)
      this.#sink.problem('INVALID_JSON', () => `message ${count} of the event stream was skipped: its headers are broken`)
    else this.#hand(headers, payload, count)
  }

  #hand(headers: ReadonlyMap<string, string>, payload: string, count: number): void {
    if (headers.get(':message-type') === 'error') {
      const type = headers.get(':error-code') ?? 'error'
      this.#sink.value({ error: { type, message: headers.get(':error-message') ?? type } })
      return
    }
    const kind = headers.get(':event-type') ?? headers.get(':exception-type') ?? ''
    let value: JsonValue | undefined
    try {
      value = payload === '' ? {} : parseJson(payload)
    } catch {
      value = undefined
    }
    if (!isJsonObject(value)) {
      this.#sink.problem('INVALID_JSON', () => `message ${count} (${kind}) was skipped: it holds no JSON object: ${clipped(payload, 80)}`)
      return
    }
    this.#sink.value(kind === 'chunk' ? (this.#innerOf(value) ?? { chunk: value }) : { [kind]: value })
  }

  /** Models that are called in their maker's own form have their events wrapped: `{"bytes":"base64"}`. */
  #innerOf(chunk: JsonObject): JsonObject | undefined {
    const bytes = stringOf(chunk.bytes)
    if (bytes === undefined) return undefined
    try {
      const value = parseJson(this.#text.decode(Buffer.from(bytes, 'base64')))
      return isJsonObject(value) ? value : undefined
    } catch {
      return undefined
    }
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Bytes of a header's value by its type; text and byte strings carry their length. */
const SIZES: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
])

/** The headers that are text; undefined when they do not fit into their space. */
function readHeaders(bytes: Uint8Array, text: TextDecoder): ReadonlyMap<string, string> | undefined {
  const view = viewOf(bytes)
  const found = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + view.getUint8(at)
    if (nameEnd >= bytes.length) return undefined
    const name = text.decode(bytes.subarray(at + 1, nameEnd))
    const type = view.getUint8(nameEnd)
    at = nameEnd + 1
    const size = SIZES.get(type)
    if (size !== undefined) {
      at += size
      continue
    }
    if ((type !== 6 && type !== 7) || at + 2 > bytes.length) return undefined
    const end = at + 2 + view.getUint16(at)
    if (end > bytes.length) return undefined
    if (type === 7) found.set(name, text.decode(bytes.subarray(at + 2, end)))
    at = end
  }
  return at === bytes.length ? found : undefined
}
