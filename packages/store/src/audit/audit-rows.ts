/** Owns the rows of audit chains: where a chain ends, and how records are added to it. */
import { AUDIT_START, type AuditHead, type SealedAuditRecord } from '@adjutant/core/contract'
import { hot, type StoreTransaction } from '../database/index.ts'

const LAST = hot<{ seq: number; hash: string }>(
  'SELECT seq, hash FROM audit WHERE tenant_id = ? AND session_id = ? ORDER BY seq DESC LIMIT 1',
)
const ADD = hot('INSERT INTO audit (tenant_id, session_id, seq, previous, hash, text) VALUES (?, ?, ?, ?, ?, ?)')

/** Rows of one statement. */
const ROWS = 200

export async function chainHead(tx: StoreTransaction, tenantId: string, sessionId: string): Promise<AuditHead> {
  const last = await tx.get(LAST, [tenantId, sessionId])
  return last === undefined ? { seq: 0, hash: AUDIT_START } : { seq: last.seq, hash: last.hash }
}

export async function addRecords(
  tx: StoreTransaction,
  tenantId: string,
  sessionId: string,
  records: readonly SealedAuditRecord[],
): Promise<void> {
  const [first] = records
  if (records.length === 1 && first !== undefined) {
    await tx.run(ADD, [tenantId, sessionId, first.seq, first.previous, first.hash, first.text])
    return
  }
  for (let from = 0; from < records.length; from += ROWS) {
    const rows = records.slice(from, from + ROWS).map(({ seq, previous, hash, text }) => ({
      tenant_id: tenantId,
      session_id: sessionId,
      seq,
      previous,
      hash,
      text,
    }))
    await tx.db.insertInto('audit').values(rows).execute()
  }
}
