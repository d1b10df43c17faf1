import type { Namespace } from '../contract/ports.ts'
import type { Redactor } from '../contract/redact.ts'
import type { SpillRef } from '../contract/result.ts'
import type { ClipStrategy } from '../contract/tool.ts'
import { ByteTail } from './byte-tail.ts'
import { ErrorExcerpts } from './clip/error-excerpts.ts'
import { clipErrors } from './clip/errors.ts'
import { clipTable } from './clip/table.ts'
import { type ClipOptions, type Clipped, checkClipOptions, clipEnds, DEFAULT_RESULT_CHARS, type TextEnds, wholeIfFits } from './clip.ts'
import { type ClipByOptions, clipBy, optionsFor } from './clip-by.ts'
import { type SpillLimits, spillSettings } from './spill-settings.ts'
import { SpillSink } from './spill-sink.ts'
import { StreamCleaner } from './stream-cleaner.ts'
import { TerminalBytes } from './terminal-bytes.ts'

/**
 * Owns: clipping a stream of bytes of any size (a program's output) in bounded memory: its beginning, its end, the counts, the lines
 * that carry errors where they are asked for, and, where wanted, all of it in a kept result. The text is the same as of
 * `clipBy(strategy, resolveTerminalText(decoded))` where the way can do with the two ends; JSON above 64 MB, and for `auto` any text
 * above 4 MB, is taken by its ends. Invalid UTF-8 reads as U+FFFD; a stream with a NUL in its first 8 KB is binary: one line says so
 * and the bytes are kept as they are. With a redactor secrets are taken out before anything is cut: half of one could not be recognised
 * any more. Written to by one producer; memory is about seven times the limit, plus 3 MB where the stream is
 * kept, plus what is said above for `json` and `auto`.
 *
 * @example
 * ```ts
 * const clipper = new StreamClipper({ limit: 4_000 })
 * for await (const chunk of process.stdin) await clipper.write(chunk)
 * process.stdout.write((await clipper.end()).text)
 * ```
 */
export class StreamClipper {
  readonly #strategy: ClipStrategy
  readonly #options: ClipByOptions
  readonly #reused: boolean
  readonly #capacity: number
  readonly #tail: ByteTail
  readonly #resolver: TerminalBytes
  readonly #cleaner: StreamCleaner | undefined
  readonly #sink: SpillSink | undefined
  readonly #keptElsewhere: KeptElsewhere | undefined
  /** The first bytes, until it is known whether they are text; afterwards unused. */
  #probe: Uint8Array[] | undefined = []
  #binary = false
  #head: Uint8Array[] = []
  #headBytes = 0
  #rawBytes = 0
  #chars = 0
  #newlines = 0
  #waiting: Promise<void> | undefined
  /** All of it, for a way that needs it and while it is small enough. */
  #whole: Uint8Array[] | undefined
  #mostWhole = 0
  readonly #errors: ErrorExcerpts | undefined

  /** @throws AdjutantError USAGE for a number out of range */
  constructor(options: StreamClipOptions = {}) {
    checkClipOptions(options)
    const { keep, strategy = 'head-tail', reused = false, redactor, ...clip } = options
    this.#strategy = strategy
    this.#options = clip
    this.#reused = reused
    const needsErrors = strategy === 'errors' || (strategy === 'auto' && clip.failed === true)
    this.#errors = needsErrors ? new ErrorExcerpts(options.limit ?? DEFAULT_RESULT_CHARS) : undefined
    // At most 3 bytes for one UTF-16 unit, and room for a character around the cut.
    this.#capacity = 3 * (options.limit ?? DEFAULT_RESULT_CHARS) + 16_384
    this.#tail = new ByteTail(this.#capacity)
    const take = (bytes: Uint8Array, chars: number, newlines: number): void => this.#take(bytes, chars, newlines)
    const secrets = redactor ?? (keep !== undefined && 'namespace' in keep ? spillSettings(keep.namespace).redactor : undefined)
    const cleaner = secrets === undefined ? undefined : new StreamCleaner(secrets, take)
    this.#cleaner = cleaner
    this.#resolver = new TerminalBytes(cleaner === undefined ? take : (bytes) => cleaner.add(bytes))
    if (keep !== undefined && 'namespace' in keep) this.#sink = new SpillSink(keep.namespace, keep.callId, keep.limits)
    else this.#keptElsewhere = keep
  }

  /**
   * Takes the next bytes, which must not be changed afterwards (save with `reused`). Wait for the promise, where there is one, before
   * the next: the disk is slower than the producer.
   */
  write(chunk: Uint8Array): Promise<void> | undefined {
    this.#rawBytes += chunk.byteLength
    this.#waiting = undefined
    if (this.#probe === undefined) this.#pass(chunk)
    else {
      this.#probe.push(this.#reused && chunk.byteLength < PROBE_BYTES ? new Uint8Array(chunk) : chunk)
      if (this.#rawBytes >= PROBE_BYTES) this.#decide(this.#probe)
    }
    const cleaning = this.#cleaner?.give()
    // What comes out of the cleaning may have to wait for the disk in its turn.
    return cleaning === undefined ? this.#waiting : cleaning.then(() => this.#waiting)
  }

  /** What the model gets of it, once all is written and kept. */
  async end(): Promise<StreamClipped> {
    if (this.#probe !== undefined) this.#decide(this.#probe)
    if (!this.#binary) {
      this.#resolver.end()
      await this.#cleaner?.end()
    }
    const spilled = this.#isTooLong() ? await this.#keep() : {}
    const rest =
      spilled.spill === undefined
        ? spilled.problem
        : `whole text in ${spilled.spill.path}: read_result ${JSON.stringify({ id: spilled.spill.handle })} shows it`
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
    const most = this.#binary ? 0 : mostWhole(this.#strategy, first)
    if (most > 0) this.#whole = []
    this.#mostWhole = most
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
    if (!this.#binary) this.#errors?.take(asText(bytes))
    const kept = this.#sink !== undefined || this.#whole !== undefined
    const own = this.#reused && kept ? new Uint8Array(bytes) : bytes
    if (this.#whole !== undefined) {
      this.#mostWhole -= own.byteLength
      if (this.#mostWhole < 0) this.#whole = undefined
      else this.#whole.push(own.byteLength < SMALL ? new Uint8Array(own) : own)
    }
    if (this.#headBytes < this.#capacity) {
      // A smaller piece is copied, or it would hold on to the large buffer it is a part of.
      const copies = this.#reused || own.byteLength < SMALL
      this.#head.push(copies ? new Uint8Array(own.subarray(0, this.#capacity - this.#headBytes)) : own)
      this.#headBytes += own.byteLength
    }
    if (this.#sink !== undefined) {
      // Nothing goes to disk before something would be lost without it.
      if (this.#tail.wouldDrop(own.byteLength))
        for (const piece of this.#tail.pieces()) this.#waiting = this.#sink.push(piece) ?? this.#waiting
      if (this.#tail.dropped || this.#tail.wouldDrop(own.byteLength)) this.#waiting = this.#sink.push(own) ?? this.#waiting
    }
    if (this.#reused && !kept) this.#tail.pushCopy(own)
    else this.#tail.push(own)
  }

  #isTooLong(): boolean {
    if (this.#binary || this.#tail.dropped) return true
    return wholeIfFits(this.#tailText(), optionsFor(this.#strategy, this.#options)) === undefined
  }

  async #keep(): Promise<{ readonly spill?: SpillRef; readonly problem?: string }> {
    try {
      if (this.#keptElsewhere !== undefined) return { spill: await this.#keptElsewhere.commit(this.#lines()) }
      if (this.#sink === undefined) return {}
      if (!this.#tail.dropped) for (const piece of this.#tail.pieces()) this.#sink.push(piece)
      return { spill: await this.#sink.commit(this.#lines()) }
    } catch (error) {
      return { problem: `the whole text could not be kept: ${error instanceof Error ? error.message.slice(0, 200) : 'no reason given'}` }
    }
  }

  #clip(options: ClipByOptions): Clipped {
    const whole = this.#tail.dropped ? this.#whole : this.#tail.pieces()
    if (whole !== undefined) return clipBy(this.#strategy, Buffer.concat(whole).toString('utf8'), options)
    // The tail may begin inside a character: that is thousands of characters before what is shown of it.
    const head = Buffer.concat(this.#head).toString('utf8')
    const ends: TextEnds = { head, tail: this.#tailText(), newlines: this.#newlines, chars: this.#chars }
    return this.#clipEnds(ends, optionsFor(this.#strategy, options))
  }

  #clipEnds(ends: TextEnds, options: ClipOptions): Clipped {
    const asksForLines = options.head !== undefined || options.tail !== undefined
    switch (this.#strategy) {
      case 'head-tail':
      case 'head':
      case 'tail':
      case 'json':
        return clipEnds(ends, options)
      case 'table':
        return clipTable(ends, options, true) ?? clipEnds(ends, options)
      case 'errors':
        return this.#clipErrors(ends, options)
      case 'auto':
        if (asksForLines) return clipEnds(ends, options)
        return this.#errors === undefined ? (clipTable(ends, options) ?? clipEnds(ends, options)) : this.#clipErrors(ends, options)
      default:
        return this.#strategy satisfies never
    }
  }

  #clipErrors(ends: TextEnds, options: ClipOptions): Clipped {
    this.#errors?.end()
    return clipErrors(ends, this.#errors?.all() ?? [], options)
  }

  #tailText(): string {
    return Buffer.concat(this.#tail.pieces()).toString('utf8')
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

export interface StreamClipOptions extends ClipByOptions {
  /** Default `head-tail`. */
  readonly strategy?: ClipStrategy
  /** The memory of a piece is used again once `write` has returned and its promise, where there is one, is settled. Default false. */
  readonly reused?: boolean
  /** Takes secrets out before anything is cut or kept. Default: the one of the namespace in which it is kept, where there is one. */
  readonly redactor?: Redactor
  /** Keep the whole of it for `read_result` when it has to be clipped. */
  readonly keep?: { readonly namespace: Namespace; readonly callId: string; readonly limits?: SpillLimits } | KeptElsewhere
}

/** The bytes are on disk already; this makes them a kept result. Called once it is known that something is missing in the text. */
export interface KeptElsewhere {
  commit(lines: number): Promise<SpillRef>
}

export interface StreamClipped extends Clipped {
  /** Not text: `text` only says so. */
  readonly binary: boolean
  /** Of the stream as it came. */
  readonly totalBytes: number
  readonly spill?: SpillRef
}

/** Bytes of a piece that is copied rather than held. */
const SMALL = 4_096
/** Bytes in which a NUL makes a stream binary. */
const PROBE_BYTES = 8_192
/** Bytes up to which a text is held whole, for JSON and to look at all of it. */
const MOST_JSON = 67_108_864
const MOST_TEXT = 4_194_304

function mostWhole(strategy: ClipStrategy, first: readonly Uint8Array[]): number {
  if (strategy === 'json') return MOST_JSON
  if (strategy !== 'auto') return 0
  for (const piece of first) {
    const start = piece.find((byte) => byte > 0x20)
    if (start !== undefined) return start === 0x7b || start === 0x5b ? MOST_JSON : MOST_TEXT
  }
  return MOST_TEXT
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
