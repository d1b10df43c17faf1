/**
 * Owns cutting a file of any size into lines with bounded memory: of a line longer than the limit only its beginning is kept,
 * lines before the wanted ones are only counted, and reading stops behind the last wanted one.
 * Works on bytes, so skipping costs no decoding; a line feed is never part of another character in the encodings known here.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { decodeText, type TextEncoding } from './text-encoding.ts'

export interface ScannedLine {
  /** 1-based. */
  readonly number: number
  /** Without its line end. */
  readonly text: string
  /** Characters left out at its end. */
  readonly cut: number
  /** Where the next line begins, in bytes from the start of the file. */
  readonly endByte: number
  readonly endsWithReturn: boolean
}

export interface ScanOptions {
  readonly encoding: TextEncoding
  /** Byte where line `startLine` begins. */
  readonly startByte: number
  readonly startLine: number
  /** The first line to give. */
  readonly firstLine: number
  /** Characters kept of one line. */
  readonly maxLineChars: number
  readonly signal: AbortSignal
}

/** Bytes from `position` on, at most `length`; none at the end. The buffer is used up before the next call, so it may be reused. */
export type ReadAt = (position: number, length: number) => Promise<Buffer>

const CHUNK_BYTES = 262_144

/** The lines from `firstLine` on. A line feed at the very end does not begin another line. */
export async function* scanLines(readAt: ReadAt, options: ScanOptions): AsyncGenerator<ScannedLine, void, void> {
  const { encoding, signal } = options
  // 4 bytes: the longest character in UTF-8.
  const keep = options.maxLineChars * 4
  let line = options.startLine
  let position = options.startByte
  let kept: Buffer[] = []
  let keptBytes = 0
  let lineBytes = 0

  const finish = (endByte: number): ScannedLine => {
    const whole = Buffer.concat(kept, keptBytes)
    const scanned = toLine(whole, lineBytes, line, endByte, options)
    kept = []
    keptBytes = 0
    lineBytes = 0
    return scanned
  }

  for (;;) {
    if (signal.aborted) throw new AdjutantError('CANCELLED', 'reading was stopped')
    const bytes = await readAt(position, CHUNK_BYTES)
    if (bytes.length === 0) break
    let from = 0
    while (from < bytes.length) {
      const end = lineFeed(bytes, from, encoding)
      const stop = end === -1 ? bytes.length : end
      if (line >= options.firstLine) {
        const take = Math.min(stop - from, keep - keptBytes)
        if (take > 0) {
          kept.push(Buffer.from(bytes.subarray(from, from + take)))
          keptBytes += take
        }
      }
      lineBytes += stop - from
      if (end === -1) break
      from = end + encoding.unit
      if (line >= options.firstLine) yield finish(position + from)
      else lineBytes = 0
      line += 1
    }
    position += bytes.length
  }
  if (lineBytes > 0 && line >= options.firstLine) yield finish(position)
}

/** Index of the next line feed that begins a unit, or -1. */
export function lineFeed(bytes: Buffer, from: number, encoding: TextEncoding): number {
  if (encoding.unit === 1) return bytes.indexOf(10, from)
  const [first, second] = encoding.name === 'utf-16le' ? [10, 0] : [0, 10]
  for (let index = from; index + 1 < bytes.length; index += 2) {
    if (bytes[index] === first && bytes[index + 1] === second) return index
  }
  return -1
}

function toLine(kept: Buffer, lineBytes: number, number: number, endByte: number, options: ScanOptions): ScannedLine {
  const { encoding, maxLineChars } = options
  let text = decodeText(wholeCharacters(kept, kept.length < lineBytes, encoding), encoding)
  const endsWithReturn = kept.length === lineBytes && text.endsWith('\r')
  if (endsWithReturn) text = text.slice(0, -1)
  if (kept.length === lineBytes && text.length <= maxLineChars) return { number, text, cut: 0, endByte, endsWithReturn }
  const shown = text.slice(0, safeCut(text, maxLineChars))
  // Beyond what was kept the characters are not known, only the bytes; for most text that is the same.
  const cut = text.length - shown.length + Math.ceil((lineBytes - kept.length) / encoding.unit)
  return { number, text: shown, cut, endByte, endsWithReturn }
}

/** Drops a character at the end of which only a part was kept. */
function wholeCharacters(kept: Buffer, isCut: boolean, encoding: TextEncoding): Buffer {
  if (!isCut || encoding.name !== 'utf-8') return kept
  for (let back = 1; back <= 3 && back <= kept.length; back += 1) {
    const byte = kept[kept.length - back] ?? 0
    if (byte >= 0xc0) return kept.subarray(0, kept.length - back)
    if (byte < 0x80) break
  }
  return kept
}

/** The largest index ≤ `limit` that is not in the middle of a surrogate pair. */
export function safeCut(text: string, limit: number): number {
  if (text.length <= limit) return text.length
  const last = text.charCodeAt(limit - 1)
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit
}
