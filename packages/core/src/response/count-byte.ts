/**
 * Counts one byte value (`0x0a` for lines) in a buffer, four bytes at a time: several gigabytes a second whatever the length of
 * the lines, where a search for each line end slows down with short lines. Bits of a word: a byte that equals the wanted one
 * becomes 0 by exclusive or, and a zero byte is the only one whose bit 7 stays clear in `(low7 + 0x7f) | byte`.
 */
export function countByte(bytes: Uint8Array, value: number): number {
  let count = 0
  let at = 0
  const { length } = bytes
  for (; at < length && ((bytes.byteOffset + at) & 3) !== 0; at++) if (bytes[at] === value) count++
  if (length - at < 4) return count + countSlowly(bytes, value, at)
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (length - at) >> 2)
  const pattern = Math.imul(value, 0x01010101)
  for (let from = 0; from < words.length; ) {
    // Four counters of one byte each in one word; they are emptied before any can run over.
    const to = Math.min(words.length, from + 255)
    let counters = 0
    for (; from < to; from++) {
      const word = (words[from] ?? 0) ^ pattern
      counters += ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f) >>> 7
    }
    count += (counters & 0xff) + ((counters >>> 8) & 0xff) + ((counters >>> 16) & 0xff) + (counters >>> 24)
  }
  return count + countSlowly(bytes, value, at + words.length * 4)
}

function countSlowly(bytes: Uint8Array, value: number, from: number): number {
  let count = 0
  for (let at = from; at < bytes.length; at++) if (bytes[at] === value) count++
  return count
}
