/**
 * Owns the envelopes of the Connect protocol: one byte of flags, four of length (big-endian), the message. Bytes may come cut anywhere.
 * Refuses messages longer than any honest one: a length is memory that the other side makes us keep.
 */

/** The message is compressed; never asked for. */
const COMPRESSED = 0b01
/** The last one: an error, or nothing. */
const END_OF_STREAM = 0b10
const HEAD_BYTES = 5
const MAX_MESSAGE_BYTES = 16 << 20

export interface Envelope {
  readonly end: boolean
  readonly message: Buffer
}

/** One message as an envelope. */
export function envelopeOf(message: string): Buffer {
  const bytes = Buffer.from(message)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/**
 * Takes bytes as they come and gives the envelopes that are whole.
 *
 * @example
 * ```ts
 * const reader = new EnvelopeReader()
 * for await (const chunk of body) for (const envelope of reader.push(chunk)) take(envelope)
 * ```
 */
export class EnvelopeReader {
  #pieces: Uint8Array[] = []
  #length = 0
  /** Of the envelope that is being waited for; its head alone while nobody knows more. */
  #wanted = HEAD_BYTES

  /** True when the bytes ended between two envelopes. */
  get empty(): boolean {
    return this.#length === 0
  }

  /** @throws Error when the bytes are no envelopes */
  push(chunk: Uint8Array): readonly Envelope[] {
    this.#pieces.push(chunk)
    this.#length += chunk.length
    const whole: Envelope[] = []
    // Pieces are put together only when an envelope may be whole, so that a long message in small pieces is copied once.
    while (this.#length >= this.#wanted) {
      const bytes = Buffer.concat(this.#pieces, this.#length)
      let offset = 0
      while (bytes.length - offset >= HEAD_BYTES) {
        const flags = bytes[offset] ?? 0
        const size = bytes.readUInt32BE(offset + 1)
        if (size > MAX_MESSAGE_BYTES) throw new Error(`a message of ${size} bytes; the most is ${MAX_MESSAGE_BYTES}`)
        if ((flags & COMPRESSED) !== 0) throw new Error('a compressed message, which was not asked for')
        this.#wanted = HEAD_BYTES + size
        if (bytes.length - offset < this.#wanted) break
        const from = offset + HEAD_BYTES
        whole.push({ end: (flags & END_OF_STREAM) !== 0, message: bytes.subarray(from, from + size) })
        offset += this.#wanted
        this.#wanted = HEAD_BYTES
      }
      this.#pieces = [bytes.subarray(offset)]
      this.#length = bytes.length - offset
    }
    return whole
  }
}
