/**
 * Owns reading a text file in blocks of whole lines, so that a file of any size is searched with bounded memory. A line longer
 * than a block is cut into several (a match across the cut is not found). Blocks the thread while it reads: for worker threads.
 */
import { readSync } from 'node:fs'
import { lineFeed } from '../text/scan-lines.ts'
import { decodeText, detectEncoding, SAMPLE_BYTES, type TextEncoding } from '../text/text-encoding.ts'
import type { OpenFile } from '../workspace/open-inside.ts'

const BLOCK_BYTES = 4 * 1_024 * 1_024

/** Gives nothing for a file that is no text. */
export function* readBlocks(file: OpenFile): Generator<string, void, void> {
  const buffer = Buffer.allocUnsafe(Math.min(Math.max(file.size, 16_384) + 1, BLOCK_BYTES))
  let held = 0
  let position = 0
  let encoding: TextEncoding | undefined
  const drop = (bytes: number) => {
    buffer.copyWithin(0, bytes, held)
    held -= bytes
  }
  for (;;) {
    const read = readSync(file.descriptor, buffer, held, buffer.length - held, position)
    position += read
    held += read
    // One byte more than the file had was asked for, so a short answer at its size is the end.
    const atEnd = read === 0 || (position === file.size && held < buffer.length)
    if (encoding === undefined) {
      encoding = detectEncoding(buffer.subarray(0, Math.min(held, SAMPLE_BYTES)), atEnd && held <= SAMPLE_BYTES)
      if (held === 0 || encoding === undefined) return
      drop(encoding.markBytes)
    }
    const lines = atEnd ? held : endOfLastLine(buffer.subarray(0, held), encoding)
    if (lines === 0 && !atEnd && held < buffer.length) continue
    // No line end in a whole block: it is cut where it is, at a unit of the encoding.
    const stop = lines > 0 ? lines : held - (held % encoding.unit)
    if (stop > 0) yield decodeText(buffer.subarray(0, stop), encoding)
    if (atEnd) return
    drop(stop)
  }
}

/** Index behind the last line feed, or 0. */
function endOfLastLine(bytes: Buffer, encoding: TextEncoding): number {
  if (encoding.unit === 1) return bytes.lastIndexOf(10) + 1
  for (let index = (bytes.length & ~1) - 2; index >= 0; index -= 2) {
    if (lineFeed(bytes.subarray(index, index + 2), 0, encoding) === 0) return index + 2
  }
  return 0
}
