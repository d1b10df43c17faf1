import { AUDIT_TYPES, type AuditRecord, type AuditType } from '../../contract/audit.ts'
import { isJsonObject } from '../../contract/json.ts'

const HASH = /^(?:hmac-)?sha256:[0-9a-f]{64}$/
const TYPES: ReadonlySet<unknown> = new Set(AUDIT_TYPES)

/** What a line is: a record, or why it is none. Never throws. */
export type ReadRecord = { readonly ok: true; readonly record: AuditRecord } | { readonly ok: false; readonly problem: string }

/** Reads one line of a chain. */
export function readRecord(line: string): ReadRecord {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { ok: false, problem: 'is not JSON' }
  }
  if (!isJsonObject(value)) return { ok: false, problem: 'is not an object' }
  if (value.version !== 1) return { ok: false, problem: 'has a version that this program does not know' }
  if (isAuditRecord(value)) return { ok: true, record: value }
  return { ok: false, problem: 'is not an audit record: a member is missing or of the wrong type' }
}

function isAuditRecord(value: unknown): value is AuditRecord {
  if (!isJsonObject(value)) return false
  return (
    value.version === 1 &&
    Number.isSafeInteger(value.seq) &&
    isText(value.at) &&
    !Number.isNaN(Date.parse(value.at)) &&
    isText(value.sessionId) &&
    isText(value.traceId) &&
    isText(value.tenant) &&
    isText(value.user) &&
    isAuditType(value.type) &&
    isJsonObject(value.body) &&
    isHash(value.previous) &&
    isHash(value.hash)
  )
}

function isAuditType(value: unknown): value is AuditType {
  return TYPES.has(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isHash(value: unknown): boolean {
  return isText(value) && HASH.test(value)
}
