import { writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { SealedAuditRecord } from '../../contract/audit.ts'

/**
 * Owns handing records to the system, at the end of a file that is open for appending. Whoever calls it says what becomes of a part that was written
 * before it failed, and has one write under way for each file.
 */

/** Handing so much to the kernel takes less than handing it to another thread first: half a millisecond at most. */
const WRITE_HERE = 1_048_576
const PIECE = 131_072
const LINE_END = 10

/** Where a piece is encoded before it is written. Filled and emptied without waiting in between, so that all chains share it. */
let scratch: Buffer | undefined

/** @returns bytes written, each record with its line end */
export function writeRecords(file: FileHandle, records: readonly SealedAuditRecord[]): number | Promise<number> {
  scratch ??= Buffer.allocUnsafeSlow(PIECE)
  let chars = 0
  for (const { text } of records) {
    chars += text.length + 1
    // A UTF-16 unit takes three bytes at most.
    if (chars > WRITE_HERE || text.length * 3 >= PIECE) return writeElsewhere(file, records)
  }
  let written = 0
  let end = 0
  for (const { text } of records) {
    if (end + text.length * 3 >= PIECE) {
      written += writeHere(file, scratch, end)
      end = 0
    }
    end += scratch.write(text, end)
    scratch[end] = LINE_END
    end += 1
  }
  return written + writeHere(file, scratch, end)
}

function writeHere(file: FileHandle, bytes: Uint8Array, end: number): number {
  for (let at = 0; at < end; ) at += writeSync(file.fd, bytes, at, end - at)
  return end
}

async function writeElsewhere(file: FileHandle, records: readonly SealedAuditRecord[]): Promise<number> {
  const bytes = Buffer.from(`${records.map((record) => record.text).join('\n')}\n`)
  await file.appendFile(bytes)
  return bytes.length
}
