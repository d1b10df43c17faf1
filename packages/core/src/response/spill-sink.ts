import type { Namespace } from '../contract/ports.ts'
import type { SpillRef } from '../contract/result.ts'
import type { SpillLimits } from './spill-settings.ts'
import { SpillFile } from './spill-store.ts'

/**
 * Owns: writing a stream to a kept result in large pieces, one write at a time, with backpressure: `push` gives a promise when the
 * producer is to wait. The first error (full disk, too large) ends the keeping, not the stream: it is told by `commit`.
 * One instance per stream.
 */
export class SpillSink {
  readonly #open: () => Promise<SpillFile>
  #file: SpillFile | undefined
  #pending: Uint8Array[] = []
  #pendingBytes = 0
  #writing: Promise<void> | undefined
  #error: unknown
  #failed = false

  constructor(namespace: Namespace, callId: string, limits?: SpillLimits) {
    this.#open = () => SpillFile.open(namespace, callId, limits)
  }

  /** The piece must not be changed afterwards. */
  push(piece: Uint8Array): Promise<void> | undefined {
    if (this.#failed) return undefined
    this.#pending.push(piece)
    this.#pendingBytes += piece.byteLength
    if (this.#pendingBytes < BATCH) return undefined
    if (this.#writing === undefined) this.#writing = this.#drain()
    return this.#pendingBytes < 2 * BATCH ? undefined : this.#writing
  }

  /** Writes the rest and puts the file under its name. @throws the error that ended the keeping */
  async commit(lines: number): Promise<SpillRef> {
    await this.#writing
    await this.#drain()
    if (this.#failed) throw this.#error
    this.#file ??= await this.#open()
    return this.#file.commit(lines)
  }

  /** Removes what was written. Never throws. */
  async abandon(): Promise<void> {
    this.#failed = true
    await this.#writing
    await this.#file?.abandon()
  }

  async #drain(): Promise<void> {
    try {
      while (this.#pendingBytes > 0 && !this.#failed) {
        const pieces = this.#pending
        this.#pending = []
        this.#pendingBytes = 0
        this.#file ??= await this.#open()
        await this.#file.write(pieces)
      }
    } catch (error) {
      this.#failed = true
      this.#error = error
      this.#pending = []
      this.#pendingBytes = 0
      await this.#file?.abandon()
    } finally {
      this.#writing = undefined
    }
  }
}

/** Bytes handed to the disk at once. */
const BATCH = 1_048_576
