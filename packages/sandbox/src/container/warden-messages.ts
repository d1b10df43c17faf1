/**
 * Owns the form of what the host and the first process of a container say to each other: a letter, a number, a length and so many bytes, and the two
 * outputs that the daemon puts into one stream. What does not have this form ends the line: nobody but the two speaks on it.
 */
import { AdjutantError } from '@adjutant/core/contract'

const HEAD = 9
/** Of the daemon: which output, three bytes of nothing, a length. */
const STREAM_HEAD = 8
/** More than any message holds: a file of 1 GiB. */
const MOST = (1 << 30) + 65_536

export interface WardenMessage {
  readonly kind: string
  readonly number: number
  readonly body: Buffer
}

/** Only the head is copied. */
export function wardenMessage(kind: string, number: number, ...parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const head = Buffer.alloc(HEAD)
  head.write(kind, 0, 'latin1')
  head.writeUInt32BE(number, 1)
  head.writeUInt32BE(
    parts.reduce((sum, part) => sum + part.length, 0),
    5,
  )
  return [head, ...parts]
}

/** What goes with bytes: its length, then itself. */
export function wardenHead(value: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(value))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text])
}

/** @throws AdjutantError SANDBOX_FAILED for what is no such body */
export function readWardenHead(body: Buffer): { readonly value: unknown; readonly rest: Buffer } {
  try {
    const end = 4 + body.readUInt32BE(0)
    const value: unknown = JSON.parse(body.toString('utf8', 4, end))
    return { value, rest: body.subarray(end) }
  } catch (error) {
    throw new AdjutantError('SANDBOX_FAILED', 'the container said what nobody understands', { cause: error })
  }
}

/** Cuts pieces, as they come, into parts of a head of one length and what the head says of the rest. */
class Cutter {
  readonly #headLength: number
  readonly #length: (head: Buffer) => number
  readonly #take: (head: Buffer, body: Buffer) => void
  #pieces: Buffer[] = []
  #held = 0
  /** Bytes without which there is nothing to do. */
  #wanted: number

  constructor(headLength: number, length: (head: Buffer) => number, take: (head: Buffer, body: Buffer) => void) {
    this.#headLength = headLength
    this.#length = length
    this.#take = take
    this.#wanted = headLength
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#held += piece.length
    if (this.#held < this.#wanted) return
    let data = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces)
    this.#pieces = []
    for (;;) {
      this.#wanted = this.#headLength
      if (data.length < this.#headLength) break
      const head = data.subarray(0, this.#headLength)
      this.#wanted = this.#headLength + this.#length(head)
      if (data.length < this.#wanted) break
      const body = data.subarray(this.#headLength, this.#wanted)
      data = data.subarray(this.#wanted)
      this.#take(head, body)
    }
    this.#held = data.length
    if (data.length > 0) this.#pieces.push(data)
  }
}

function checked(length: number): number {
  if (length <= MOST) return length
  throw new AdjutantError('SANDBOX_FAILED', `the container announced ${length} bytes at once`)
}

export interface WardenReader {
  /** @throws AdjutantError SANDBOX_FAILED */
  push(piece: Buffer): void
}

/** @param complained what the first process said when it could not speak properly, e.g. that there is no such program */
export function wardenReader(take: (message: WardenMessage) => void, complained: (text: string) => void): WardenReader {
  const messages = new Cutter(
    HEAD,
    (head) => checked(head.readUInt32BE(5)),
    (head, body) => take({ kind: head.toString('latin1', 0, 1), number: head.readUInt32BE(1), body }),
  )
  return new Cutter(
    STREAM_HEAD,
    (head) => checked(head.readUInt32BE(4)),
    (head, body) => {
      if (head[0] === 1) messages.push(body)
      else complained(body.toString('utf8'))
    },
  )
}
