/**
 * Owns reading one output of a box: as it comes, and at once to its last byte when the code has said that it ended. Bytes stay bytes.
 */
import { closeSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import type { PipeEnds } from './named-pipes.ts'

const PART = 65_536

export class OutputPipe {
  /** Everybody who could write is gone. */
  readonly ended: Promise<void>
  readonly #ends: PipeEnds
  readonly #socket: Socket
  #take: ((bytes: Uint8Array) => void) | undefined

  constructor(ends: PipeEnds) {
    this.#ends = ends
    this.#socket = new Socket({ fd: ends.host, readable: true, writable: false })
    this.ended = new Promise((resolve) => {
      this.#socket.on('data', (bytes: Buffer) => this.#take?.(bytes))
      this.#socket.on('error', () => undefined)
      this.#socket.on('close', () => resolve())
    })
  }

  /** To be called once, when the box has its end. */
  started(): void {
    closeSync(this.#ends.box)
  }

  /** From now on bytes go there; undefined: nowhere. */
  direct(take: ((bytes: Uint8Array) => void) | undefined): void {
    this.#take = take
  }

  /** Takes what lies in the pipe now. Whoever wrote before we were told of its end wrote it there. */
  drain(): void {
    // A destroyed socket has given its number back: somebody else may have it by now.
    while (!this.#socket.destroyed && this.#take !== undefined) {
      const part = Buffer.allocUnsafe(PART)
      let length = 0
      try {
        length = readSync(this.#ends.host, part)
      } catch {
        // Empty for now.
      }
      if (length === 0) return
      this.#take(part.subarray(0, length))
    }
  }

  /** Stops reading: what is still written is lost. */
  close(): void {
    this.#socket.destroy()
  }
}
