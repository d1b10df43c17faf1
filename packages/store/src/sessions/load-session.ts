import { hash } from 'node:crypto'
import { isJsonObject, type LoadedSession, type SessionKey } from '@adjutant/core/contract'
import { plainAsText } from '../database/body-seal.ts'
import { bodyPlace, hot, type StoreDatabase } from '../database/index.ts'
import { damaged, type EventRow, json, type SessionRow, sessionOf, stepOf } from './stored-shapes.ts'

export const SESSION =
  hot<SessionRow>(`SELECT tenant_id, session_id, user_id, principal, state, created_at, updated_at, next_seq, fence, lease_owner,
  lease_until, trace_id, title FROM sessions WHERE tenant_id = ? AND session_id = ?`)
const NEWEST = hot<{ readonly seq: number; readonly digest: string; readonly body: Uint8Array }>(
  'SELECT seq, digest, body FROM checkpoints WHERE tenant_id = ? AND session_id = ? ORDER BY seq DESC LIMIT 1',
)
const TAIL = hot<EventRow>('SELECT seq, body FROM events WHERE tenant_id = ? AND session_id = ? AND seq > ? ORDER BY seq')
const TAIL_TEXT = hot<EventRow>(
  `SELECT seq, ${plainAsText('body')} FROM events WHERE tenant_id = ? AND session_id = ? AND seq > ? ORDER BY seq`,
)

/**
 * The newest checkpoint and every step after it, as of one moment.
 *
 * @throws AdjutantError STORE_FAILED when something of it is damaged, saying what
 */
export async function loadSession(db: StoreDatabase, { tenantId, sessionId }: SessionKey): Promise<LoadedSession | undefined> {
  const rows = await db.read(tenantId, async (tx) => {
    const session = await tx.get(SESSION, [tenantId, sessionId])
    if (session === undefined) return undefined
    const checkpoint = await tx.get(NEWEST, [tenantId, sessionId])
    return { session, checkpoint, tail: await tx.all(tx.kind === 'sqlite' ? TAIL_TEXT : TAIL, [tenantId, sessionId, checkpoint?.seq ?? 0]) }
  })
  if (rows === undefined) return undefined
  const { checkpoint } = rows
  const steps = rows.tail.map((row) => stepOf(row, tenantId, sessionId, db.seal))
  const session = sessionOf(rows.session, db.clock.now())
  if (checkpoint === undefined) return { session, steps }
  const bytes = db.seal.open(checkpoint.body, bodyPlace('checkpoints', 'body', tenantId, sessionId, checkpoint.seq))
  const what = `the checkpoint of ${sessionId} after step ${checkpoint.seq}`
  if (checkpoint.digest !== `sha256:${hash('sha256', bytes)}`) throw damaged(what)
  const body = json(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'), what)
  if (!isJsonObject(body)) throw damaged(what)
  return { session, steps, checkpoint: { afterStep: checkpoint.seq, body } }
}
