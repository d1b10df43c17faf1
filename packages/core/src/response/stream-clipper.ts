import type { Namespace } from '../contract/ports.ts'
import type { SpillRef } from '../contract/result.ts'
import { ByteTail } from './byte-tail.ts'
import { type ClipOptions, type Clipped, checkClipOptions, clipEnds, clipText, DEFAULT_RESULT_CHARS } from './clip.ts'
import type { SpillLimits } from './spill-settings.ts'
import { SpillSink } from './spill-sink.ts'
import { TerminalBytes } from './terminal-bytes.ts'

/**
 * Owns: clipping a stream of bytes of any size (a program's output) in bounded memory: its beginning, its end, the counts, and,
 * where wanted, all of it in a kept result. The text is the same as of `clipText(resolveTerminalText(decoded))`.
 * Invalid UTF-8 reads as U+FFFD; a stream with a NUL in its first 8 KB is binary: one line says so and the bytes are kept as they
 * are. Written to by one producer; memory is about seven times the limit, plus 3 MB where the stream is kept.
 *
 * @example
 * ```ts
 * const clipper = new StreamClipper({ limit: 4_000 })
 * for await (const chunk of process.stdin) await clipper.write(chunk)
 * process.stdout.write((await clipper.end()).text)
 * ```
 */
export class StreamClipper {
  readonly #options: ClipOptions
  readonly #capacity: number
  readonly #tail: ByteTail
  readonly #resolver: TerminalBytes
  readonly #sink: SpillSink | undefined
  /** The first bytes, until it is known whether they are text; afterwards unused. */
  #probe: Uint8Array[] | undefined = []
  #binary = false
  #head: Uint8Array[] = []
  #headBytes = 0
  #rawBytes = 0
  #chars = 0
  #newlines = 0
  #waiting: Promise<void> | undefined

  /** @throws AdjutantError USAGE for a number out of range */
  constructor(options: StreamClipOptions = {}) {
    checkClipOptions(options)
    const { keep, ...clip } = options
    this.#options = clip
    // At most 3 bytes for one UTF-16 unit, and room for a character around the cut.
    this.#capacity = 3 * (options.limit ?? DEFAULT_RESULT_CHARS) + 16_384
    this.#tail = new ByteTail(this.#capacity)
    this.#resolver = new TerminalBytes((bytes, chars, newlines) => this.#take(bytes, chars, newlines))
    this.#sink = keep === undefined ? undefined : new SpillSink(keep.namespace, keep.callId, keep.limits)
  }

  /**
   * Takes the next bytes, which must not be changed afterwards. Wait for the promise, where there is one, before the next:
   * the disk is slower than the producer.
   */
  write(chunk: Uint8Array): Promise<void> | undefined {
    this.#rawBytes += chunk.byteLength
    this.#waiting = undefined
    if (this.#probe === undefined) this.#pass(chunk)
    else {
      this.#probe.push(chunk)
      if (this.#rawBytes >= PROBE_BYTES) this.#decide(this.#probe)
    }
    return this.#waiting
  }

  /** What the model gets of it, once all is written and kept. */
  async end(): Promise<StreamClipped> {
    if (this.#probe !== undefined) this.#decide(this.#probe)
    if (!this.#binary) this.#resolver.end()
    const spilled = this.#isTooLong() ? await this.#keep() : {}
    const rest =
      spilled.spill === undefined
        ? spilled.problem
        : `whole text in ${spilled.spill.path}: read_result ${JSON.stringify({ id: spilled.spill.id })} shows it`
    const common = {
      binary: this.#binary,
      totalBytes: this.#rawBytes,
      ...(spilled.spill === undefined ? undefined : { spill: spilled.spill }),
    }
    if (this.#binary) return { ...this.#binaryNote(rest), ...common }
    const options = rest === undefined ? this.#options : { ...this.#options, rest }
    return { ...this.#clip(options), ...common }
  }

  /** Ends without a result; what was kept so far is removed. Never throws. */
  async abandon(): Promise<void> {
    await this.#sink?.abandon()
  }

  #decide(first: readonly Uint8Array[]): void {
    this.#probe = undefined
    let seen = 0
    for (const piece of first) {
      if (piece.subarray(0, Math.max(0, PROBE_BYTES - seen)).includes(0)) this.#binary = true
      seen += piece.byteLength
    }
    for (const piece of first) this.#pass(piece)
  }

  #pass(chunk: Uint8Array): void {
    if (this.#binary) this.#take(chunk, 0, 0)
    else this.#resolver.write(chunk)
  }

  #take(bytes: Uint8Array, chars: number, newlines: number): void {
    if (bytes.byteLength === 0) return
    this.#chars += chars
    this.#newlines += newlines
    if (this.#headBytes < this.#capacity) {
      this.#head.push(bytes.byteLength < SMALL ? new Uint8Array(bytes) : bytes)
      this.#headBytes += bytes.byteLength
    }
    if (this.#sink !== undefined) {
      // Nothing goes to disk before something would be lost without it.
      if (this.#tail.wouldDrop(bytes.byteLength))
        for (const piece of this.#tail.pieces()) this.#waiting = this.#sink.push(piece) ?? this.#waiting
      if (this.#tail.dropped || this.#tail.wouldDrop(bytes.byteLength)) this.#waiting = this.#sink.push(bytes) ?? this.#waiting
    }
    this.#tail.push(bytes)
  }

  #isTooLong(): boolean {
    if (this.#binary || this.#tail.dropped) return true
    return this.#clip(this.#options).clipped
  }

  async #keep(): Promise<{ readonly spill?: SpillRef; readonly problem?: string }> {
    if (this.#sink === undefined) return {}
    if (!this.#tail.dropped) for (const piece of this.#tail.pieces()) this.#sink.push(piece)
    try {
      return { spill: await this.#sink.commit(this.#lines()) }
    } catch (error) {
      return { problem: `the whole text could not be kept: ${error instanceof Error ? error.message.slice(0, 200) : 'no reason given'}` }
    }
  }

  #clip(options: ClipOptions): Clipped {
    const tail = Buffer.concat(this.#tail.pieces())
    if (!this.#tail.dropped) return clipText(tail.toString('utf8'), options)
    // The tail may begin inside a character: that is thousands of characters before what is shown of it.
    const head = Buffer.concat(this.#head).toString('utf8')
    return clipEnds({ head, tail: tail.toString('utf8'), newlines: this.#newlines, chars: this.#chars }, options)
  }

  #lines(): number {
    const last = this.#tail.pieces().at(-1)
    return this.#newlines + (last === undefined || last.at(-1) === 0x0a ? 0 : 1)
  }

  #binaryNote(rest: string | undefined): Clipped {
    const text = `[binary output, ${this.#rawBytes} bytes, not shown${rest === undefined ? '' : `; ${rest}`}]`
    const limit = this.#options.limit ?? DEFAULT_RESULT_CHARS
    return { text: text.slice(0, limit), clipped: true, omittedLines: 0, omittedChars: 0, totalLines: 0, totalChars: 0 }
  }
}

export interface StreamClipOptions extends ClipOptions {
  /** Keep the whole of it for `read_result` when it has to be clipped. */
  readonly keep?: { readonly namespace: Namespace; readonly callId: string; readonly limits?: SpillLimits }
}

export interface StreamClipped extends Clipped {
  /** Not text: `text` only says so. */
  readonly binary: boolean
  /** Of the stream as it came. */
  readonly totalBytes: number
  readonly spill?: SpillRef
}

/** A smaller piece is copied, or it would hold on to the large buffer it is a part of. */
const SMALL = 4_096
/** Bytes in which a NUL makes a stream binary. */
const PROBE_BYTES = 8_192
