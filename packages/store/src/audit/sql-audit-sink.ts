/**
 * Owns the audit chains of one tenant's sessions in a database.
 *
 * Refuses a second writer in this process. Between processes nothing is locked: each append says what it follows, in its transaction, so that of two who
 * carry on one chain the second is refused. Who holds the session is the one who writes; a process that was asleep finds that its records follow no more.
 */
import { type AuditLine, auditNotFollowing, auditNotOpen, auditRecordsFollow, auditTaken, readAuditRecord } from '@adjutant/core'
import {
  AdjutantError,
  type AuditHead,
  type AuditRecord,
  type AuditSafety,
  type AuditSink,
  type SealedAuditRecord,
  type SessionId,
  sessionId,
} from '@adjutant/core/contract'
import { hot, type StoreDatabase } from '../database/index.ts'
import { damaged } from '../sessions/stored-shapes.ts'
import { addRecords, chainHead } from './audit-rows.ts'
import { DESK_CHAIN } from './desk-audit.ts'

const SOME = hot<{ seq: number; hash: string; text: string }>(
  'SELECT seq, hash, text FROM audit WHERE tenant_id = ? AND session_id = ? AND seq > ? ORDER BY seq LIMIT ?',
)
const CHAINS = hot<{ session_id: string }>('SELECT DISTINCT session_id FROM audit WHERE tenant_id = ? ORDER BY session_id')
const KEPT = hot<{ hash: string }>('SELECT hash FROM audit WHERE tenant_id = ? AND session_id = ? AND seq >= ? ORDER BY seq')
const ROWS = 200

/** What of a database it needs. */
export type AuditDatabase = Pick<StoreDatabase, 'kind' | 'read' | 'transaction'>

interface OpenChain {
  head: AuditHead
  /** A write failed so that nobody can say whether it was kept. */
  doubtful: boolean
}

export class SqlAuditSink implements AuditSink {
  readonly #db: AuditDatabase
  readonly #tenantId: string
  readonly #open = new Map<SessionId, OpenChain>()

  constructor(db: AuditDatabase, tenantId: string) {
    this.#db = db
    this.#tenantId = tenantId
  }

  async open(sessionId: SessionId): Promise<AuditHead> {
    if (sessionId === DESK_CHAIN) throw auditTaken(sessionId, 'the desk of approvals', 'Use another session id.')
    if (this.#open.has(sessionId)) throw auditTaken(sessionId, 'this process')
    const chain: OpenChain = { head: { seq: 0, hash: '' }, doubtful: false }
    this.#open.set(sessionId, chain)
    try {
      chain.head = await this.#db.read(this.#tenantId, (tx) => chainHead(tx, this.#tenantId, sessionId))
      return chain.head
    } catch (error) {
      this.#open.delete(sessionId)
      throw error
    }
  }

  async append(sessionId: SessionId, records: readonly SealedAuditRecord[], safety: AuditSafety = 'durable'): Promise<void> {
    const chain = this.#open.get(sessionId)
    if (chain === undefined) throw auditNotOpen(sessionId)
    const last = records.at(-1)
    if (last === undefined) return
    if (!auditRecordsFollow(chain.head, records)) throw auditNotFollowing(sessionId, chain.head.seq)
    const tenantId = this.#tenantId
    // A file is made durable by what is written to it durably later, which may be long in coming; a server does it by itself within a second.
    const durable = safety === 'durable' || this.#db.kind === 'sqlite'
    try {
      await this.#db.transaction(
        tenantId,
        async (tx) => {
          const head = await chainHead(tx, tenantId, sessionId)
          if (auditRecordsFollow(head, records)) return await addRecords(tx, tenantId, sessionId, records)
          const kept = chain.doubtful ? await tx.all(KEPT, [tenantId, sessionId, records[0]?.seq ?? 0]) : []
          const same = kept.length === records.length && kept.every(({ hash }, index) => hash === records[index]?.hash)
          if (!same) throw auditNotFollowing(sessionId, head.seq)
        },
        { durable },
      )
      chain.head = { seq: last.seq, hash: last.hash }
      chain.doubtful = false
    } catch (error) {
      if (AdjutantError.isInstance(error) && error.outcome === 'unknown') chain.doubtful = true
      throw error
    }
  }

  /** Records that were erased are left out. */
  async *read(sessionId: SessionId): AsyncGenerator<AuditRecord, void, void> {
    let seq = 0
    for await (const { text } of this.lines(sessionId)) {
      seq += 1
      if (text === '') continue
      const read = readAuditRecord(text)
      if (!read.ok) throw damaged(`record ${seq} of the audit log of ${sessionId} ${read.problem}`)
      yield read.record
    }
  }

  /** The chain as `verifyAudit` takes it. Of an erased record only its hash is left. */
  async *lines(sessionId: SessionId): AsyncGenerator<AuditLine, void, void> {
    for (let after = 0; ; ) {
      const rows = await this.#db.read(this.#tenantId, (tx) => tx.all(SOME, [this.#tenantId, sessionId, after, ROWS]))
      for (const { text, hash } of rows) yield text === '' ? { text, complete: true, erased: hash } : { text, complete: true }
      const last = rows.at(-1)
      if (last === undefined || rows.length < ROWS) return
      after = last.seq
    }
  }

  /** Whose chains there are, those of the desk included. */
  async chains(): Promise<readonly SessionId[]> {
    const rows = await this.#db.read(this.#tenantId, (tx) => tx.all(CHAINS, [this.#tenantId]))
    return rows.map((row) => sessionId(row.session_id))
  }

  async close(sessionId: SessionId): Promise<void> {
    this.#open.delete(sessionId)
  }
}
