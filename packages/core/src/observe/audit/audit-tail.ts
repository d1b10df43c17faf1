import type { FileHandle } from 'node:fs/promises'
import { AUDIT_START } from '../../contract/audit.ts'
import { AdjutantError } from '../../contract/errors.ts'
import { readRecord } from './read-record.ts'

/**
 * Owns finding where a file's chain ends, reading from its end: a long log opens as quickly as a short one. Whether what is before is whole is
 * the question of `audit verify`.
 */

const BLOCK = 65_536

/** No record is longer: arguments, words and results are cut long before. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024

export interface AuditTail {
  readonly seq: number
  readonly hash: string
  /** Bytes up to and with the last whole record. */
  readonly size: number
  /** What stands after it: the beginning of a record that a crash cut off. */
  readonly torn: Uint8Array
}

/** @throws AdjutantError CONFIG_INVALID when the last whole line is no record */
export async function readTail(file: FileHandle, path: string): Promise<AuditTail> {
  const { size } = await file.stat()
  let bytes: Buffer = Buffer.alloc(0)
  let start = size
  // Until the last whole line is there from its beginning.
  for (;;) {
    const end = bytes.lastIndexOf(0x0a)
    const before = end <= 0 ? -1 : bytes.lastIndexOf(0x0a, end - 1)
    if (start === 0 || before !== -1) {
      const whole = end === -1 ? '' : bytes.toString('utf8', before + 1, end)
      return tailOf(path, whole, start + end + 1, bytes.subarray(end + 1))
    }
    if (bytes.length > MAX_RECORD_BYTES) throw notARecord(path, 'is longer than any record')
    const length = Math.min(BLOCK, start)
    const block = Buffer.alloc(length)
    await file.read(block, 0, length, start - length)
    bytes = Buffer.concat([block, bytes])
    start -= length
  }
}

function tailOf(path: string, line: string, size: number, torn: Uint8Array): AuditTail {
  if (size === 0) return { seq: 0, hash: AUDIT_START, size, torn }
  const read = readRecord(line)
  if (!read.ok) throw notARecord(path, read.problem)
  return { seq: read.record.seq, hash: read.record.hash, size, torn }
}

function notARecord(path: string, problem: string): AdjutantError {
  return new AdjutantError('CONFIG_INVALID', `${path}: the last whole line ${problem}; the audit log cannot be carried on`, {
    hint: `Look at it with adjutant audit verify ${path}, keep it, and move it out of the folder.`,
  })
}
