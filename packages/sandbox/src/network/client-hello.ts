/**
 * Owns reading the name that a TLS client asks for, from the first bytes that it sends. Takes them in any pieces, keeps at most
 * {@link MAX_BYTES} of them, reads each byte a bounded number of times. Whatever is malformed, encrypted or said twice is refused: who is
 * asked for must be plain. Never throws.
 */

export type HelloReading =
  | { readonly type: 'more' }
  /** The first byte does not begin a TLS record. */
  | { readonly type: 'not-tls' }
  | { readonly type: 'hello'; readonly name: string | undefined }
  | { readonly type: 'refused'; readonly reason: string }

/** A hello with two post-quantum key shares has some 3 000 bytes; headers of many small records come on top. */
const MAX_BYTES = 32_768
const MAX_HELLO = 16_384
const MAX_RECORD = 16_384
/** Nobody needs more; each is looked at again with every piece that comes. */
const MAX_RECORDS = 32
const HANDSHAKE_RECORD = 22
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const HOST_NAME = 0
/** Encrypted client hello, RFC 9849: the name that is meant is not the name that is shown. */
const ENCRYPTED_HELLO = 0xfe0d

const MORE: HelloReading = { type: 'more' }

export class ClientHelloReader {
  #bytes = Buffer.alloc(1_024)
  #length = 0
  /** Fewer bytes tell nothing new. */
  #needed = 1

  /** All that came so far, to be passed on. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  push(chunk: Uint8Array): HelloReading {
    this.#keep(chunk)
    if (this.#length < this.#needed) return MORE
    if (this.#bytes[0] !== HANDSHAKE_RECORD) return { type: 'not-tls' }
    const hello = this.#handshake()
    if (hello !== undefined) return Buffer.isBuffer(hello) ? readHello(hello) : hello
    return this.#length > MAX_BYTES ? refuse('its first message is too long') : MORE
  }

  #keep(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    if (length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(length, this.#bytes.length * 2))
      this.bytes.copy(larger)
      this.#bytes = larger
    }
    this.#bytes.set(chunk, this.#length)
    this.#length = length
  }

  /** The whole hello out of its records; undefined when more is needed. */
  #handshake(): Buffer | HelloReading | undefined {
    const bytes = this.bytes
    const parts: Buffer[] = []
    let have = 0
    let wanted = 4
    for (let at = 0; have < wanted; ) {
      if (at + 5 > bytes.length) return this.#wait(at + 5)
      if (bytes[at] !== HANDSHAKE_RECORD || bytes[at + 1] !== 3) return refuse('its first message is no TLS handshake')
      const size = bytes.readUInt16BE(at + 3)
      if (parts.length === MAX_RECORDS) return refuse('its first message is cut into too many records')
      if (size === 0 || size > MAX_RECORD) return refuse('its first message has a record of a wrong length')
      if (at + 5 + size > bytes.length) return this.#wait(at + 5 + size)
      parts.push(bytes.subarray(at + 5, at + 5 + size))
      have += size
      at += 5 + size
      if (wanted === 4 && have >= 4) {
        const head = Buffer.concat(parts)
        wanted = 4 + head.readUIntBE(1, 3)
        if (head[0] !== CLIENT_HELLO) return refuse('its first message is no client hello')
        if (wanted > MAX_HELLO) return refuse('its client hello is too long')
      }
    }
    return Buffer.concat(parts).subarray(4, wanted)
  }

  #wait(needed: number): undefined {
    this.#needed = needed
    return undefined
  }
}

/** RFC 8446 section 4.1.2, RFC 6066 section 3. */
function readHello(hello: Buffer): HelloReading {
  const cursor = new Cursor(hello)
  cursor.skip(2 + 32)
  cursor.block(1)
  cursor.block(2)
  cursor.block(1)
  // A client of long ago sends no extensions, so no name.
  const extensions = cursor.ended ? new Cursor(Buffer.alloc(0)) : new Cursor(cursor.block(2))
  let name: string | undefined
  while (!extensions.ended && !extensions.broken) {
    const kind = extensions.number(2)
    const body = extensions.block(2)
    if (kind === ENCRYPTED_HELLO) return refuse('its client hello is encrypted, so nobody can see whom it asks for')
    if (kind !== SERVER_NAME) continue
    if (name !== undefined) return refuse('it names two servers')
    name = readServerName(body)
    if (name === undefined) return refuse('the server name in its client hello is malformed')
  }
  return cursor.broken || extensions.broken || !cursor.ended ? refuse('its client hello is malformed') : { type: 'hello', name }
}

function readServerName(body: Buffer): string | undefined {
  const outer = new Cursor(body)
  const list = new Cursor(outer.block(2))
  const kind = list.number(1)
  const name = list.block(2)
  if (outer.broken || !outer.ended || list.broken || !list.ended || kind !== HOST_NAME || name.length === 0) return undefined
  const text = name.toString('latin1')
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined
}

/** Reads on within its bytes; past their end it gives nothing and is broken from then on. */
class Cursor {
  broken = false
  #at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get ended(): boolean {
    return this.#at === this.#bytes.length
  }

  skip(count: number): void {
    if (this.#at + count > this.#bytes.length) this.broken = true
    else this.#at += count
  }

  number(size: 1 | 2): number {
    const at = this.#at
    this.skip(size)
    return this.broken ? -1 : this.#bytes.readUIntBE(at, size)
  }

  /** A length of `size` bytes, and that many bytes. */
  block(size: 1 | 2): Buffer {
    const length = this.number(size)
    const at = this.#at
    if (!this.broken) this.skip(length)
    return this.broken ? Buffer.alloc(0) : this.#bytes.subarray(at, at + length)
  }
}

function refuse(reason: string): HelloReading {
  return { type: 'refused', reason }
}
