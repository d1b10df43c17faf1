/**
 * Owns bytes → text. A character whose bytes are spread over several chunks comes out whole with the chunk that ends it; a byte
 * order mark at the very beginning is left out; bytes that are no UTF-8 become U+FFFD, they never throw.
 */
export class Utf8Input {
  readonly #decoder = new TextDecoder('utf-8')
  /** The decoder may hold the first bytes of a character, or the first of a byte order mark. */
  #holding = true
  #started = false

  push(chunk: Uint8Array | string): string {
    if (typeof chunk === 'string') return this.#fromText(chunk)
    const last = chunk[chunk.length - 1]
    if (last === undefined) return ''
    // One ASCII byte at a time is how terminals and tests feed us: not worth a call into the decoder.
    if (chunk.length === 1 && last < 0x80 && !this.#holding) return String.fromCharCode(last)
    this.#holding = last >= 0x80
    const text = this.#decoder.decode(chunk, { stream: true })
    if (text !== '') this.#started = true
    return text
  }

  end(): string {
    return this.#holding ? this.#decoder.decode() : ''
  }

  #fromText(chunk: string): string {
    const before = this.#holding && this.#started ? this.#decoder.decode() : ''
    if (this.#started || chunk === '') return before + chunk
    this.#started = true
    this.#holding = false
    return chunk.charCodeAt(0) === 0xfeff ? chunk.slice(1) : chunk
  }
}
