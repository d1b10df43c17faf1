import { AUDIT_START, type AuditHead, type AuditRecord, type SealedAuditRecord } from '../../contract/audit.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { sealWith } from './seal.ts'

export type AuditEntry = Omit<AuditRecord, 'version' | 'seq' | 'previous' | 'hash'>

/**
 * Seals one record that follows the last of its chain: for a writer that is no observer of a session.
 *
 * @param key of at least 16 bytes, where the chain is sealed with one
 * @throws AdjutantError CONFIG_INVALID when the key is too short
 * @example
 * ```ts
 * const sealed = sealAuditRecord(entry, await sink.open(entry.sessionId))
 * ```
 */
export function sealAuditRecord(entry: AuditEntry, head: Pick<AuditHead, 'seq' | 'hash'>, key?: string): SealedAuditRecord {
  const previous = head.seq === 0 ? AUDIT_START : head.hash
  const unsealed: Omit<AuditRecord, 'hash'> = { ...entry, version: 1, seq: head.seq + 1, previous }
  const hash = sealWith(key)(canonicalJson(unsealed))
  return { seq: unsealed.seq, previous, hash, text: canonicalJson({ ...unsealed, hash }) }
}
