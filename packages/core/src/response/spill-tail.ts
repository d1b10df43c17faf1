import type { FileHandle } from 'node:fs/promises'
import { scanBytes } from './byte-scan.ts'
import { cutAfter } from './cut-point.ts'
import { countLines, startOfLines } from './lines.ts'
import { readBlocks } from './spill-blocks.ts'
import type { LinePage } from './spill-page.ts'

/**
 * Reads the last lines of a kept result, at most `lines` of them and `maxChars` characters; of a last line that is longer its end. In
 * bounded memory whatever the file.
 */
export async function readLastLines(handle: FileHandle, lines: number, maxChars: number): Promise<LinePage> {
  let newlines = 0
  let size = 0
  let last: number | undefined
  for await (const block of readBlocks(handle, 0)) {
    newlines += scanBytes(block).newlines
    size += block.length
    last = block.at(-1)
  }
  const totalLines = newlines + (last === undefined || last === 0x0a ? 0 : 1)
  const text = await readEnd(handle, size, maxChars)
  const start = startOfLines(text, lines, maxChars)
  const page = text.slice(text.length - start <= maxChars ? start : cutToEnd(text, maxChars))
  const firstLine = totalLines - countLines(page) + 1
  return { text: page, firstLine, lastLine: totalLines, totalLines }
}

/** At least `chars` characters of the end, or all. May begin inside of a character, far before what is shown. */
async function readEnd(handle: FileHandle, size: number, chars: number): Promise<string> {
  // At most 3 bytes for one UTF-16 unit, and room for a character around the cut.
  const bytes = Buffer.alloc(Math.min(size, 3 * chars + MARGIN))
  let read = 0
  while (read < bytes.length) {
    const { bytesRead } = await handle.read(bytes, read, bytes.length - read, size - bytes.length + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.toString('utf8', 0, read)
}

const MARGIN = 16_384

/** Whole lines where at least one fits, else the end of the last. */
function cutToEnd(text: string, maxChars: number): number {
  const from = text.length - maxChars
  const line = text.charCodeAt(from - 1) === 0x0a ? from : text.indexOf('\n', from) + 1
  return line > 0 && line < text.length ? line : cutAfter(text, from)
}
