import { isAscii } from 'node:buffer'
import { countByte } from './count-byte.ts'
import { hasControl, TerminalText } from './terminal-text.ts'
import { incompleteTail } from './utf8.ts'

/** Takes resolved bytes (UTF-8), how many characters they are and how many line ends are in them. */
export type ResolvedSink = (bytes: Uint8Array, chars: number, newlines: number) => void

/**
 * Owns: the way from a stream's raw bytes to resolved text, still as bytes. Whole lines in which nothing moves the cursor, nearly
 * all of real output, go through untouched and undecoded; only the others are decoded, scanned (see terminal-text.ts) and encoded
 * again. The lines are the same as resolving the whole text at once, however the bytes are split, and state is bounded: an
 * unfinished line is held back only up to {@link LONG_LINE}. Given through as they are: invalid UTF-8 (U+FFFD to who
 * decodes it), and control characters that show nothing, such as the bell (to be dropped by who shows them).
 */
export class TerminalBytes {
  readonly #sink: ResolvedSink
  readonly #scanner = new TerminalText()
  /** The unfinished line: what a `\r` to come could still overwrite. */
  #open: Uint8Array[] = []
  #openBytes = 0
  #openAscii = true

  constructor(sink: ResolvedSink) {
    this.#sink = sink
  }

  write(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return
    const ascii = isAscii(chunk)
    const end = chunk.lastIndexOf(0x0a) + 1
    if (end === 0) {
      this.#hold(chunk, ascii)
      return
    }
    const whole = end === chunk.byteLength ? chunk : chunk.subarray(0, end)
    if (ascii && this.#openAscii && this.#scanner.isIdle && !this.#openMoves() && !bytesMove(whole)) this.#passAscii(whole)
    else this.#scan(this.#takeOpen(whole))
    if (end < chunk.byteLength) this.#hold(chunk.subarray(end), ascii)
  }

  end(): void {
    if (this.#openBytes > 0) this.#scan(this.#takeOpen(NOTHING))
    this.#give(this.#scanner.end())
  }

  #passAscii(whole: Uint8Array): void {
    for (const piece of this.#open) this.#sink(piece, piece.byteLength, 0)
    this.#forgetOpen()
    this.#sink(whole, whole.byteLength, countByte(whole, 0x0a))
  }

  /** Whole lines, or a part of a line too long to wait for its end. */
  #scan(bytes: Buffer): void {
    const text = bytes.toString('utf8')
    if (this.#scanner.isIdle && bytes.at(-1) === 0x0a && !hasControl(text)) this.#sink(bytes, text.length, countByte(bytes, 0x0a))
    else this.#give(this.#scanner.write(text))
  }

  #give(text: string): void {
    if (text === '') return
    const bytes = Buffer.from(text, 'utf8')
    this.#sink(bytes, text.length, countByte(bytes, 0x0a))
  }

  #hold(piece: Uint8Array, ascii: boolean): void {
    // A short piece would keep the whole chunk it is cut from alive.
    this.#open.push(Uint8Array.prototype.slice.call(piece))
    this.#openBytes += piece.byteLength
    this.#openAscii &&= ascii
    if (this.#openBytes < LONG_LINE) return
    const bytes = this.#takeOpen(NOTHING)
    const cut = bytes.length - incompleteTail(bytes)
    this.#scan(bytes.subarray(0, cut))
    if (cut < bytes.length) this.#hold(bytes.subarray(cut), false)
  }

  #openMoves(): boolean {
    return this.#open.some(bytesMove)
  }

  #takeOpen(rest: Uint8Array): Buffer {
    const bytes = this.#open.length === 0 ? asBuffer(rest) : Buffer.concat([...this.#open, rest])
    this.#forgetOpen()
    return bytes
  }

  #forgetOpen(): void {
    this.#open = []
    this.#openBytes = 0
    this.#openAscii = true
  }
}

/** Bytes of an unfinished line that are held back; a longer one goes through the scanner, which wraps it as a terminal does. */
const LONG_LINE = 65_536
const NOTHING = new Uint8Array(0)

/** The control characters that change what is before or behind them: ESC, `\r`, backspace. A native search takes next to nothing. */
function bytesMove(bytes: Uint8Array): boolean {
  return bytes.includes(0x1b) || bytes.includes(0x0d) || bytes.includes(0x08)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
