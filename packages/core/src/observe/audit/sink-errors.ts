import type { AuditHead, SealedAuditRecord } from '../../contract/audit.ts'
import { AdjutantError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'

/** What every sink checks and says alike. */

/** True when the records carry the chain on from `head`, one after the other. */
export function follows(head: AuditHead, records: readonly SealedAuditRecord[]): boolean {
  let { seq, hash } = head
  for (const record of records) {
    if (record.seq !== seq + 1 || record.previous !== hash) return false
    seq = record.seq
    hash = record.hash
  }
  return true
}

export function notFollowing(sessionId: SessionId, seq: number): AdjutantError {
  return new AdjutantError('CONFLICT', `the audit log of session ${sessionId} has ${seq} records; the ones to add do not follow the last`, {
    hint: 'Open the session’s audit log again; run adjutant audit verify when this happens again.',
  })
}

export function notOpen(sessionId: SessionId): AdjutantError {
  return new AdjutantError('CONFLICT', `the audit log of session ${sessionId} is not open`, { hint: 'Call open first.' })
}

export function takenError(sessionId: SessionId, by: string, hint?: string): AdjutantError {
  return new AdjutantError('CONFLICT', `the audit log of session ${sessionId} is being written by ${by}`, {
    hint: hint ?? 'Close the session there first, or use another session id.',
  })
}
