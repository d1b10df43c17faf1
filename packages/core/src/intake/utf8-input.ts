/**
 * Owns bytes → text. A character whose bytes are spread over several chunks comes out whole with the chunk that ends it; a byte
 * order mark at the very beginning is left out; bytes that are no UTF-8 become U+FFFD, they never throw.
 */
export class Utf8Input {
  // The mark is taken off here: decoders differ in where they look for it when a stream is cut in the middle of a character.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** The decoder may hold the first bytes of a character. */
  #holding = false
  #started = false

  push(chunk: Uint8Array | string): string {
    if (typeof chunk === 'string') return this.#begun(this.end() + chunk)
    const last = chunk[chunk.length - 1]
    if (last === undefined) return ''
    // One ASCII byte at a time is how terminals and tests feed us: not worth a call into the decoder.
    if (chunk.length === 1 && last < 0x80 && !this.#holding) return this.#begun(String.fromCharCode(last))
    this.#holding = last >= 0x80
    return this.#begun(this.#decoder.decode(chunk, { stream: true }))
  }

  /** What is left of a character that was never finished. */
  end(): string {
    if (!this.#holding) return ''
    this.#holding = false
    return this.#begun(this.#decoder.decode())
  }

  #begun(text: string): string {
    if (this.#started || text === '') return text
    this.#started = true
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
}
