import { scanBytes } from './byte-scan.ts'
import { incompleteTail } from './incomplete-tail.ts'
import { hasControl, TerminalText } from './terminal-text.ts'

/** Takes resolved bytes (UTF-8), how many characters they are and how many line ends are in them. */
export type ResolvedSink = (bytes: Uint8Array, chars: number, newlines: number) => void

/**
 * Owns: the way from a stream's raw bytes to resolved text, still as bytes. Whole lines without any control character, nearly
 * all of real output, go through untouched, and undecoded where they are ASCII; only the others are scanned (see terminal-text.ts)
 * and encoded again. The text is the same as resolving all of it at once, however the bytes are split, and state is bounded: an
 * unfinished line is held back only up to {@link LONG_LINE}. Invalid UTF-8 is given through; who decodes it sees U+FFFD.
 */
export class TerminalBytes {
  readonly #sink: ResolvedSink
  readonly #scanner = new TerminalText()
  /** The unfinished line: what a `\r` to come could still overwrite. */
  #open: Uint8Array[] = []
  #openBytes = 0
  /** ASCII without control characters. */
  #openPlain = true

  constructor(sink: ResolvedSink) {
    this.#sink = sink
  }

  write(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return
    const { newlines, ascii, control } = scanBytes(chunk)
    const plain = ascii && !control
    if (newlines === 0) {
      this.#hold(chunk, plain)
      return
    }
    const end = chunk.lastIndexOf(0x0a) + 1
    const whole = end === chunk.byteLength ? chunk : chunk.subarray(0, end)
    if (plain && this.#openPlain && this.#scanner.isIdle) this.#pass(whole, newlines)
    else this.#scan(this.#takeOpen(whole))
    if (end < chunk.byteLength) this.#hold(chunk.subarray(end), plain)
  }

  end(): void {
    if (this.#openBytes > 0) this.#scan(this.#takeOpen(NOTHING))
    this.#give(this.#scanner.end())
  }

  /** Plain lines: each byte is a character. */
  #pass(whole: Uint8Array, newlines: number): void {
    for (const piece of this.#open) this.#sink(piece, piece.byteLength, 0)
    this.#forgetOpen()
    this.#sink(whole, whole.byteLength, newlines)
  }

  /** Whole lines, or a part of a line too long to wait for its end. */
  #scan(bytes: Buffer): void {
    const text = bytes.toString('utf8')
    if (this.#scanner.isIdle && bytes.at(-1) === 0x0a && !hasControl(text)) this.#sink(bytes, text.length, scanBytes(bytes).newlines)
    else this.#give(this.#scanner.write(text))
  }

  #give(text: string): void {
    if (text === '') return
    const bytes = Buffer.from(text, 'utf8')
    this.#sink(bytes, text.length, scanBytes(bytes).newlines)
  }

  #hold(piece: Uint8Array, plain: boolean): void {
    // A short piece would keep the whole chunk it is cut from alive.
    this.#open.push(new Uint8Array(piece))
    this.#openBytes += piece.byteLength
    this.#openPlain &&= plain
    if (this.#openBytes < LONG_LINE) return
    const bytes = this.#takeOpen(NOTHING)
    const cut = bytes.length - incompleteTail(bytes)
    this.#scan(bytes.subarray(0, cut))
    if (cut < bytes.length) this.#hold(bytes.subarray(cut), false)
  }

  #takeOpen(rest: Uint8Array): Buffer {
    const bytes = this.#open.length === 0 ? asBuffer(rest) : Buffer.concat([...this.#open, rest])
    this.#forgetOpen()
    return bytes
  }

  #forgetOpen(): void {
    this.#open = []
    this.#openBytes = 0
    this.#openPlain = true
  }
}

/** Bytes of an unfinished line that are held back; a longer one goes through the scanner, which wraps it as a terminal does. */
const LONG_LINE = 65_536
const NOTHING = new Uint8Array(0)

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
