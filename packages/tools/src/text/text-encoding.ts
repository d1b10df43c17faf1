/**
 * Owns the way between bytes and text. UTF-8 unless the bytes say otherwise: a byte order mark names UTF-16; what is not valid
 * UTF-8 but looks like text is read as Windows-1252 (Latin-1 with letters where Latin-1 has control characters), which maps
 * every byte to a character of its own, so that what is not edited is written back byte for byte. What holds NUL bytes or many
 * control characters is no text.
 */
import { isUtf8 } from 'node:buffer'
import { AdjutantError } from '@adjutant/core/contract'

export type EncodingName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

export interface TextEncoding {
  readonly name: EncodingName
  /** Bytes of the byte order mark at the start; 0 where there is none. */
  readonly markBytes: 0 | 2 | 3
  /** Bytes of the smallest unit, in which a line feed is looked for. */
  readonly unit: 1 | 2
}

/** How many bytes of a file's start decide what it is. */
export const SAMPLE_BYTES = 65_536

/** More control characters than this and it is no text. From real logs: colour codes reach some 5 %. */
const MAX_CONTROL_RATIO = 0.1

/**
 * Recognises the encoding of a file's beginning. Gives undefined for what is no text.
 *
 * @param whole true when `sample` is all there is; else its last character may be cut in the middle
 */
export function detectEncoding(sample: Buffer, whole: boolean): TextEncoding | undefined {
  if (sample.length >= 3 && sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf) {
    const rest = sample.subarray(3)
    return rest.includes(0)
      ? undefined
      : { name: isCutUtf8(rest, whole) ? 'utf-8' : 'windows-1252', markBytes: isCutUtf8(rest, whole) ? 3 : 0, unit: 1 }
  }
  const mark = sample.length >= 2 ? sample.readUInt16BE(0) : 0
  if (mark === 0xfffe || mark === 0xfeff) {
    // UTF-32 little-endian begins with the same two bytes; as UTF-16 its text would be full of NULs.
    if (hasNulUnit(sample.subarray(2))) return undefined
    return { name: mark === 0xfffe ? 'utf-16le' : 'utf-16be', markBytes: 2, unit: 2 }
  }
  if (sample.includes(0)) return undefined
  const utf8 = isCutUtf8(sample, whole)
  if (controlRatio(sample.subarray(0, SAMPLE_BYTES), !utf8) > MAX_CONTROL_RATIO) return undefined
  return { name: utf8 ? 'utf-8' : 'windows-1252', markBytes: 0, unit: 1 }
}

/** Bytes without the mark → text. A byte sequence that is invalid in the encoding becomes U+FFFD. */
export function decodeText(bytes: Buffer, encoding: TextEncoding): string {
  switch (encoding.name) {
    case 'utf-8':
      return bytes.toString('utf8')
    case 'utf-16le':
      return bytes.toString('utf16le')
    case 'utf-16be':
      return Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le')
    case 'windows-1252':
      return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (letter) => FROM_C1.get(letter) ?? letter)
    default:
      return encoding.name satisfies never
  }
}

/**
 * Text → bytes with the mark in front, the inverse of {@link decodeText}.
 *
 * @throws AdjutantError INVALID_ARGUMENTS when a character does not exist in the encoding, or is half of a surrogate pair
 */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  switch (encoding.name) {
    case 'utf-8':
      if (!text.isWellFormed()) throw halfCharacter()
      return encoding.markBytes === 0 ? Buffer.from(text, 'utf8') : Buffer.from(`\uFEFF${text}`, 'utf8')
    case 'utf-16le':
      return Buffer.from(`\uFEFF${text}`, 'utf16le')
    case 'utf-16be':
      return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()
    case 'windows-1252':
      return encodeWindows1252(text)
    default:
      return encoding.name satisfies never
  }
}

/** How the encoding is named to the model; undefined for plain UTF-8, which goes without saying. */
export function encodingNote(encoding: TextEncoding): string | undefined {
  switch (encoding.name) {
    case 'utf-8':
      return undefined
    case 'utf-16le':
      return 'encoding: UTF-16 little-endian'
    case 'utf-16be':
      return 'encoding: UTF-16 big-endian'
    case 'windows-1252':
      return 'encoding: not UTF-8; read as Latin-1 (Windows-1252), so letters may be wrong if it is another one'
    default:
      return encoding.name satisfies never
  }
}

export const UTF8: TextEncoding = Object.freeze({ name: 'utf-8', markBytes: 0, unit: 1 })

/** Valid UTF-8, save for a last character whose end is not there yet. */
function isCutUtf8(bytes: Buffer, whole: boolean): boolean {
  if (isUtf8(bytes)) return true
  if (whole) return false
  for (let cut = 1; cut <= 3 && cut <= bytes.length; cut += 1) {
    const byte = bytes[bytes.length - cut] ?? 0
    if (byte >= 0xc0) return isUtf8(bytes.subarray(0, bytes.length - cut))
    if (byte < 0x80) return false
  }
  return false
}

function hasNulUnit(bytes: Buffer): boolean {
  for (let index = 0; index + 1 < bytes.length; index += 2) if (bytes[index] === 0 && bytes[index + 1] === 0) return true
  return false
}

/** The share of bytes that text does not hold; tab, line ends, form feed, backspace and escape are text (terminal logs). */
function controlRatio(bytes: Buffer, withC1: boolean): number {
  if (bytes.length === 0) return 0
  let count = 0
  for (const byte of bytes) {
    if (byte < 0x20) {
      if (byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12 && byte !== 8 && byte !== 27) count += 1
    } else if (byte === 0x7f || (withC1 && UNASSIGNED.has(byte))) count += 1
  }
  return count / bytes.length
}

/** Bytes that Windows-1252 gives no character. */
const UNASSIGNED: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

/** 0x80–0x9F of Windows-1252 (WHATWG Encoding Standard, index-windows-1252); the five unassigned stay control characters. */
const HIGH_LETTERS =
  '\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F' +
  '\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178'

const FROM_C1: ReadonlyMap<string, string> = new Map(
  Array.from(HIGH_LETTERS, (letter, index) => [String.fromCharCode(0x80 + index), letter]),
)
const TO_BYTE: ReadonlyMap<string, number> = new Map(Array.from(HIGH_LETTERS, (letter, index) => [letter, 0x80 + index]))

function encodeWindows1252(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length)
  let index = 0
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0
    const byte = TO_BYTE.get(letter) ?? (code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : undefined)
    if (byte === undefined) {
      throw new AdjutantError('INVALID_ARGUMENTS', `the file is in Latin-1 (Windows-1252), which has no ${JSON.stringify(letter)}`, {
        hint: 'Use characters that this encoding has, or write the whole file anew with write_file, which makes it UTF-8.',
      })
    }
    bytes[index] = byte
    index += 1
  }
  return bytes
}

function halfCharacter(): AdjutantError {
  return new AdjutantError('INVALID_ARGUMENTS', 'the text holds half of a character (an unpaired surrogate), which no file can hold')
}
